"""The libraries of the extras of the package, which are imported where they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from puzzlelab.core.errors import BadInput

TO_TRAIN = ("puzzlelab.nets.checkpoint", "pyarrow", "tomli_w")
"""Modules without which no network is trained; the first one imports PyTorch, safetensors and onnx."""


def require(purpose: str = "training", modules: Sequence[str] = TO_TRAIN, extra: str = "learn") -> None:
    """Raise `BadInput` if a library that these modules import is missing, which this extra of the package installs.

    `purpose` is the subject of the sentence.
    """
    try:
        for name in modules:
            import_module(name)
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("puzzlelab"):
            raise
        install = f"pip install 'puzzlelab[{extra}]'"
        library = (error.name or "").partition(".")[0]
        raise BadInput(f"{purpose} needs {library}, which is not installed: {install}") from None
