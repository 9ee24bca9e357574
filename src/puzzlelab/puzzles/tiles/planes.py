"""Tiles boards for networks: one number for each tile in each cell, and their images by mirrors and for other goals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Isomorphism
from puzzlelab.engine.network_io import one_hot
from puzzlelab.puzzles.tiles.rules import Tiles, reversed_axes, reversed_goal, with_reversed_axes

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Board


@dataclass(frozen=True)
class TilesPlanes:
    """The view `Planes` of sliding tiles."""

    puzzle: Tiles
    symbols: ClassVar[None] = None

    @cached_property
    def isomorphism(self) -> Isomorphism | None:
        """The map of a board whose goal has the blank in a corner to the puzzle of this size with the usual goal.

        Rows and columns are reversed until the corner is the last one, and the tiles get the numbers that they then
        have in the goal. For the goal 0, 1, 2, ... of N cells this rotates the board by 180 degrees and renames tile n
        to N - n.
        """
        usual = Tiles(self.puzzle.rows, self.puzzle.columns, moves=self.puzzle.moves)
        goal, axes = reversed_goal(self.puzzle), reversed_axes(self.puzzle)
        if self.puzzle == usual or goal[-1] != 0:
            return None
        tiles = np.empty(self.puzzle.cells, np.uint8)
        tiles[goal] = usual.goal
        moves = [
            self.puzzle.inverse(number) if int(slide.rows == 0) in axes else number
            for number, slide in enumerate(self.puzzle.slides)
        ]

        def states_of(states: Board) -> Board:
            image: Board = tiles[with_reversed_axes(self.puzzle, states)]
            return image

        return Isomorphism(usual, states_of, np.array(moves))

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.puzzle.rows, self.puzzle.columns

    @property
    def cell_at(self) -> NDArray[np.int64]:
        """Cells are numbered row by row."""
        return np.arange(self.puzzle.cells).reshape(self.grid)

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
        same = (states, np.arange(self.puzzle.move_count))
        mirrored = mirror(self.puzzle)
        if mirrored is None:
            return (same,)
        cells, tiles = mirrored
        steps = [slide[1:] for slide in self.puzzle.slides]
        sign = -1 if len(reversed_axes(self.puzzle)) == 1 else 1  # U and L change places, or U and R
        moves = np.array([steps.index((sign * columns, sign * rows)) for rows, columns in steps])
        return same, (np.take(tiles, states[..., cells]), moves)


@cache
def mirror(puzzle: Tiles) -> tuple[Board, Board] | None:
    """Return (cells, tiles): the image of each cell and tile in the mirror of a diagonal; None without one.

    A board of distinct tiles has a mirror if it is square and the mirror keeps the goal's blank. The diagonal is the
    one through the blank's corner, or else the main one. The mirror image of a board is `tiles[board[cells]]`, and is
    as far from the goal as the board is.
    """
    if puzzle.rows != puzzle.columns or not puzzle.is_permutation:
        return None
    reversed_cells = with_reversed_axes(puzzle, np.arange(puzzle.cells, dtype=np.uint8))
    cells = with_reversed_axes(puzzle, reversed_cells.reshape(puzzle.rows, puzzle.columns).T.reshape(-1))
    goal = np.array(puzzle.goal, np.uint8)
    tiles = np.empty(puzzle.cells, np.uint8)
    tiles[goal[cells]] = goal
    return (cells, tiles) if tiles[0] == 0 else None
