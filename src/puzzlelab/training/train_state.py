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
    path = folder / STATE
    if not path.exists():
        return None
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        name = values["tensors"]
    except (OSError, ValueError, KeyError, TypeError):
        raise BadFile(f"{path} is damaged; --restart begins the run anew") from None
    return read_weights(folder / name), values
