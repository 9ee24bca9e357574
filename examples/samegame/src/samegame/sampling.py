"""Random boards: full ones, or with an exact number of cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab import Scale
from puzzlelab.core.errors import BadOption
from puzzlelab.core.views import singly

if TYPE_CHECKING:
    from samegame.rules import Board, SameGame


@dataclass(frozen=True)
class SameGameSamples:
    """The view `Samples` of SameGame."""

    puzzle: SameGame
    generator: ClassVar[None] = None

    @property
    def scales(self) -> Mapping[str, Scale]:
        return {
            "uniform": Scale("full boards, every cell any colour alike", self.uniform),
            "cells": Scale(
                "cells on the board, in columns of random heights", singly(self.of_cells), (1, self.puzzle.cells), cells
            ),
        }

    def difficulty(self, states: Board) -> Mapping[str, NDArray[np.int64]]:
        """`int64[B]`: the cells and the groups of each board."""
        return {"cells": cells(states), "groups": np.array([self.puzzle.legal(state).sum() for state in states])}

    def uniform(self, random: np.random.Generator, level: int | None, count: int) -> Board:
        """So many full boards `[B, N]`; this scale has no levels."""
        if level is not None:
            raise BadOption("the scale 'uniform' of SameGame has no levels; the scale 'cells' has")
        return random.integers(1, self.puzzle.colours + 1, (count, self.puzzle.cells), np.uint8)

    def of_cells(self, random: np.random.Generator, level: int | None) -> Board:
        """A board with so many cells; without a level, of any number."""
        width, height, most = self.puzzle.width, self.puzzle.height, self.puzzle.cells
        level = int(random.integers(1, most + 1)) if level is None else level
        if not 1 <= level <= most:
            raise BadOption(f"a board of {self.puzzle.name} has 1 to {most} cells, not {level}")
        columns = int(random.integers(-(-level // height), min(width, level) + 1))
        heights = np.array([1] * columns + [0] * (width - columns))
        for _ in range(level - columns):
            heights[random.choice(np.flatnonzero(heights[:columns] < height))] += 1
        colours = self.uniform(random, None, 1).reshape(width, height)
        board: Board = np.where(np.arange(height) < heights[:, None], colours, 0).astype(np.uint8).reshape(-1)
        return board


def cells(states: Board) -> NDArray[np.int64]:
    """`int64[B]`: the cells of each of the plain states `[B, N]`."""
    counts: NDArray[np.int64] = np.count_nonzero(states, axis=1).astype(np.int64)
    return counts
