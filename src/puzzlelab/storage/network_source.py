"""The source of networks, which belongs to a layer above `core`: `puzzlelab/__init__.py` sets it as `load`.

Python runs that file before any other module of the package, so every process has a source, however it was started.
Nothing is imported here, and the source itself is imported when the first network is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.storage.networks import Network


class NetworkSource(Protocol):
    """The source that finds networks by name."""

    def find(self, puzzle: Puzzle, name: str) -> Network:
        """Return the network of this name for a puzzle; an empty name means the puzzle's best one.

        Raises `BadInput`.
        """

    def files(self, puzzle: Puzzle, name: str) -> Mapping[str, bytes]:
        """Map the endings of the files of this network to their content; none if it comes with the package or a
        plug-in.
        """


load: Callable[[], NetworkSource]
"""Imports the source, and with it ONNX Runtime; raises `ModuleNotFoundError` where that is not installed."""
