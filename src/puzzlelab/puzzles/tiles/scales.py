"""The scales of difficulty of sliding tiles. What makes boards is imported when the scales are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Scale

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Board, Tiles


@dataclass(frozen=True)
class TilesSamples:
    """The view `Samples` of sliding tiles."""

    puzzle: Tiles
    generator: ClassVar[None] = None

    @cached_property
    def scales(self) -> Mapping[str, Scale]:
        from puzzlelab.puzzles.tiles import sampling

        return sampling.scales(self.puzzle)

    def difficulty(self, states: Board) -> Mapping[str, NDArray[np.int64]]:
        from puzzlelab.puzzles.tiles import sampling

        return sampling.difficulty(self.puzzle, states)
