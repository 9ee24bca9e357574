"""The saved state of a training run: `state-<step>.safetensors`, and `state.json`, which names the valid one.

The JSON file is replaced last, so that a program that is killed while it saves continues from the state before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from puzzlelab.core.errors import BadFile
from puzzlelab.core.files import replace_file, replacing
from puzzlelab.nets.checkpoint import read_weights

STATE = "state.json"


def save(folder: Path, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
    """Save the tensors, and the values as JSON; removes the state before."""
    path = folder / f"state-{values['step']}.safetensors"
    try:
        with replacing(path) as temporary:
            save_file(dict(tensors), temporary)
        replace_file(folder / STATE, json.dumps({**values, "tensors": path.name}) + "\n")
        for other in folder.glob("state-*.safetensors*"):
            if other != path:
                other.unlink(missing_ok=True)
    except (OSError, SafetensorError) as error:
        raise BadFile(f"cannot save the state of the run in {folder}: {error}") from None


def load(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """The last saved state, None if there is none; raises `BadFile` if it is damaged."""
    values = _read(folder)
    return None if values is None else (read_weights(folder / values["tensors"]), values)


def saved_step(folder: Path) -> int:
    """The number of steps of the last saved state, 0 if there is none; raises `BadFile` if it is damaged."""
    values = _read(folder)
    return 0 if values is None else int(values["step"])


def _read(folder: Path) -> dict[str, Any] | None:
    """The values of the last saved state, with the name of its file of tensors."""
    path = folder / STATE
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if not {"tensors", "step"} <= values.keys():
            raise ValueError
    except FileNotFoundError:
        return None
    except (OSError, ValueError, AttributeError):
        raise BadFile(f"{path} is damaged; --restart begins the run anew") from None
    return values
