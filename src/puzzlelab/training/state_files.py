"""The names of the saved states of a run: `state-<step>.safetensors`. `train_state.py` reads and writes them."""

from __future__ import annotations

from pathlib import Path

TENSORS = ".safetensors"


def saved_step(folder: Path) -> int:
    """Return the number of steps of the last saved state, 0 if there is none; the state itself is not read."""
    return max(saved_steps(folder), default=0)


def state_path(folder: Path, step: int) -> Path:
    """Return the file of the state of this step."""
    return folder / f"state-{step}{TENSORS}"


def saved_steps(folder: Path) -> list[int]:
    """Return the steps of all files of states, in their order."""
    texts = [path.name.removeprefix("state-").removesuffix(TENSORS) for path in folder.glob(f"state-*{TENSORS}")]
    return sorted(int(text) for text in texts if text.isdecimal())
