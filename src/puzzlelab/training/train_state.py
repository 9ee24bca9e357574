"""The saved states of a training run: `state-<step>.safetensors`, the last two of them.

Each file has all of a state: the tensors, and in its header the values as JSON and a checksum of both. So a state is
there as a whole or not at all, and a damaged one is detected; then the run continues from the state before.

`state.json` repeats the values of the newest state for people and programs that watch a run.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.engine import report
from puzzlelab.nets.checkpoint import hash_of, read_weights
from puzzlelab.storage.files import replace_file, replacing
from puzzlelab.training.run_files import LAST_VALUES, TENSORS, saved_steps, state_path

KEPT_STATES = 2
"""The number of states that are kept."""

State = tuple[dict[str, Tensor], dict[str, Any]]
"""(tensors, values)."""


@dataclass
class SavedStates:
    """The saved states of one run, for its only learner."""

    folder: Path
    kept: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The values of the states that are kept, by their steps, oldest first; filled by `load` and `save`."""

    def load(self) -> State | None:
        """Return the newest state that can be read, None if none was ever saved.

        Reports each damaged state. Raises `BadFile` if none of them can be read.
        """
        steps = saved_steps(self.folder)
        first_error = ""
        for index, step in enumerate(reversed(steps)):
            try:
                tensors, values = _read(self.folder, step)
            except BadFile as error:
                first_error = first_error or str(error)
                continue
            if index:
                report.note(f"{first_error}. The run continues from the state before it, of step {step:,}")
            for earlier in steps[: len(steps) - index - 1]:
                with suppress(BadFile):
                    self.kept[earlier] = read_values(self.folder, earlier)[0]
            self.kept[step] = values
            return tensors, values
        if steps or (self.folder / LAST_VALUES).exists():
            text = first_error or f"{self.folder / LAST_VALUES} is damaged"
            raise BadFile(f"{text}, and there is no state before it; --restart begins the run anew")
        return None

    def save(self, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        """Save a state, and remove all but the last two good ones; raises `BadFile`."""
        path, text = state_path(self.folder, values["step"]), json.dumps(values)
        header = {"values": text, "hash": _hash(tensors, text)}
        try:
            with replacing(path) as temporary:
                save_file(dict(tensors), temporary, header)
            self._forget_all_but(values)
        except (OSError, SafetensorError) as error:
            raise BadFile(f"cannot save the state of the run in {self.folder}: {error}") from None
        try:
            replace_file(self.folder / LAST_VALUES, text + "\n", durable=False)
        except OSError as error:
            report.note(f"{self.folder / LAST_VALUES} cannot be written ({error.strerror}); the state itself is saved")

    def _forget_all_but(self, values: Mapping[str, Any]) -> None:
        """Keep the state with these values, and of the other good ones those before it."""
        earlier = [step for step in self.kept if step < values["step"]]
        self.kept = {**{step: self.kept[step] for step in earlier[-(KEPT_STATES - 1) :]}, values["step"]: dict(values)}
        names = {state_path(self.folder, step).name for step in self.kept}
        for path in self.folder.glob(f"state-*{TENSORS}*"):
            if path.name not in names and re.fullmatch(rf"state-\d+{re.escape(TENSORS)}(\.\d+\.\d+)?", path.name):
                path.unlink(missing_ok=True)

    @property
    def newest_step(self) -> int:
        """The step of the state that was saved or loaded last, 0 if there is none."""
        return max(self.kept, default=0)

    @property
    def oldest(self) -> dict[str, Any]:
        """The values of the oldest state from which the run might have to continue."""
        return next(iter(self.kept.values()), {})


def _read(folder: Path, step: int) -> State:
    """Return the state of this step; raises `BadFile` if it is damaged."""
    path = state_path(folder, step)
    values, expected = read_values(folder, step)
    tensors = read_weights(path)
    if _hash(tensors, json.dumps(values)) != expected:
        raise BadFile(f"{path} is damaged: its checksum does not agree")
    return tensors, values


def read_values(folder: Path, step: int) -> tuple[dict[str, Any], str]:
    """Return (values, checksum of the whole state) of this step; raises `BadFile`."""
    path = state_path(folder, step)
    try:
        with safe_open(path, "pt") as file:
            header = file.metadata() or {}
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or error}") from None
    except SafetensorError as error:
        raise BadFile(f"{path} is damaged: {shorten(str(error), 120)}") from None
    try:
        values: dict[str, Any] = json.loads(header["values"])
        if values["step"] != step:
            raise ValueError
        return values, header["hash"]
    except (ValueError, TypeError, KeyError):
        raise BadFile(f"{path} is damaged: the values of the state are missing") from None


def _hash(tensors: Mapping[str, Tensor], text: str) -> str:
    """Return the checksum of a state: of its tensors, and of its values as JSON."""
    return hashlib.sha256(f"{hash_of(tensors)} {text}".encode()).hexdigest()[:16]
