"""Sudoku boards for networks: a number for each digit in each cell, and the symmetries of the grid.

Shapes: B = boards, N = cells of a row, and digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.network_io import one_hot

if TYPE_CHECKING:
    from puzzlelab.puzzles.sudoku.rules import Board, Sudoku


@dataclass(frozen=True)
class SudokuPlanes:
    """The view `Planes` of Sudoku."""

    puzzle: Sudoku
    symbols: ClassVar[None] = None
    isomorphism: ClassVar[None] = None

    @property
    def input_size(self) -> int:
        """N ** 3: a number for each digit in each cell."""
        return self.puzzle.move_count

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.puzzle.size, self.puzzle.size

    @property
    def cell_at(self) -> NDArray[np.int64]:
        """Cells are numbered row by row."""
        return np.arange(self.puzzle.cells).reshape(self.grid)

    def planes(self, states: Board) -> NDArray[np.float32]:
        """Return `float32[B, N ** 3]` from `states[B, N * N]`: cell by cell, a 1 at its digit."""
        return one_hot(states, 1, self.puzzle.size)

    def symmetries(self, states: Board) -> tuple[tuple[Board, NDArray[np.int64]], ...]:
        """Return the boards as they are, turned and reflected; square boxes have eight images, others four.

        With further units, only those that keep them. (Digits, and rows of a band, may be exchanged too: those
        symmetries are too many to be listed.)
        """
        digits = np.arange(self.puzzle.size)
        images_of = []
        for image in self.puzzle.square_symmetries:
            sources = image.reshape(-1)
            moves = np.argsort(sources)[:, None] * self.puzzle.size + digits
            images_of.append((states[..., sources], moves.reshape(-1)))
        return tuple(images_of)
