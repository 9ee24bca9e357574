"""Where a learner stands, on disk: `state-<step>.safetensors`, and `state.json`, which says which one counts.

The JSON file is replaced last, so that whoever is killed while saving goes on from the state before.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from puzzlelab.core.errors import BadFile
from puzzlelab.nets.checkpoint import read_weights

STATE = "state.json"


def save(folder: Path, tensors: Mapping[str, Tensor], told: Mapping[str, Any]) -> None:
    """Keep these tensors, and what is told beside them as JSON; the state before goes."""
    path = folder / f"state-{told['step']}.safetensors"
    aside, card = folder / f"{path.name}.{os.getpid()}", folder / f"{STATE}.{os.getpid()}"
    try:
        save_file(dict(tensors), aside)
        aside.replace(path)
        card.write_text(json.dumps({**told, "tensors": path.name}) + "\n", encoding="utf-8")
        card.replace(folder / STATE)
        for other in folder.glob("state-*.safetensors*"):
            if other != path:
                other.unlink(missing_ok=True)
    except (OSError, SafetensorError) as error:
        aside.unlink(missing_ok=True)
        raise BadFile(f"cannot save the state of the run in {folder}: {error}") from None


def load(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """The state that was saved last, or None where there is none; raises `BadFile` where it is damaged."""
    path = folder / STATE
    if not path.exists():
        return None
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        name = told["tensors"]
    except (OSError, ValueError, KeyError, TypeError):
        raise BadFile(f"{path} is damaged; --restart begins the run anew") from None
    return read_weights(folder / name), told
