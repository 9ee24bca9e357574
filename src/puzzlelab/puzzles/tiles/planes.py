"""Tiles boards for networks: one number for each tile in each cell, and the mirror image of square boards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Isomorphism
from puzzlelab.engine.one_hot import one_hot
from puzzlelab.puzzles.tiles.isomorphism import isomorphism

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Board, Tiles

MIRRORED_MOVES = np.array([2, 3, 0, 1])
"""U and L change places in the mirror, and D and R."""


@dataclass(frozen=True)
class TilesPlanes:
    """The view `Planes` of sliding tiles."""

    puzzle: Tiles
    symbols: ClassVar[None] = None

    @cached_property
    def isomorphism(self) -> Isomorphism | None:
        """The map to the goal with the blank last."""
        return isomorphism(self.puzzle)

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.puzzle.rows, self.puzzle.columns

    @property
    def input_size(self) -> int:
        """(N - 1) * N: the blank is where no tile is."""
        return self.puzzle.cells * (self.puzzle.cells - 1)

    def planes(self, states: Board) -> NDArray[np.float32]:
        """Return `float32[B, N * (N - 1)]` from `states[B, N]`: cell by cell, a 1 at the number of its tile."""
        return one_hot(states, 1, self.puzzle.cells - 1)

    def symmetries(self, states: Board) -> tuple[tuple[Board, NDArray[np.int64]], ...]:
        """Return the boards as they are and, where there is one, in the mirror; each with what the moves are called
        there.
        """
        same = (states, np.arange(4))
        mirrored = mirror(self.puzzle)
        if mirrored is None:
            return (same,)
        cells, tiles = mirrored
        return same, (tiles[states[..., cells]].astype(np.uint8), MIRRORED_MOVES)


def mirror(puzzle: Tiles) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return (cells, tiles): the image of each cell and tile in the mirror of the main diagonal; None without one.

    A board has a mirror if it is square and the mirror keeps the goal's blank. The mirror image of a board is
    `tiles[board[cells]]`, and is as far from the goal as the board is.
    """
    if puzzle.rows != puzzle.columns:
        return None
    cells = np.arange(puzzle.cells).reshape(puzzle.rows, puzzle.columns).T.reshape(-1)
    goal = np.array(puzzle.goal)
    tiles = np.empty(puzzle.cells, np.int64)
    tiles[goal[cells]] = goal
    return (cells, tiles) if tiles[0] == 0 else None
