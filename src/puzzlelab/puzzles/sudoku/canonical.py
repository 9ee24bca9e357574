"""The canonical form of plain Sudoku: the least of all boards that a board becomes under the symmetries.

A symmetry renames the digits, puts the bands, the stacks, the rows of each band and the columns of each stack in
another order and, with square boxes, may transpose the board. Boards are compared cell by cell, blanks first: the form
that is called "minlex".

The rows of the least image are found one after the other, for all partial symmetries that give the same rows so far.
Columns, stacks and digits stay open until a row tells them apart, so that blank parts of a board cost nothing. A row of
which a partial symmetry makes a greater image is never needed.

Shapes: N = cells of a row, B = boards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import Unsupported
from puzzlelab.puzzles.sudoku.canonical_kernels import NO_ROOM, ROWS, Work, canonical_all

if TYPE_CHECKING:
    from puzzlelab.puzzles.sudoku.rules import Board, Sudoku

FIRST_ROOM, MOST_ROOM = 1 << 15, 1 << 21
"""Partial symmetries for which there is room at first, and at most."""


def symmetries(puzzle: Sudoku) -> SudokuSymmetries | None:
    """Return the view of the puzzle; None for one with other units, which has other symmetries."""
    return SudokuSymmetries(puzzle) if puzzle.is_plain else None


@dataclass(frozen=True)
class SudokuSymmetries:
    """The view `Symmetries` of Sudoku whose units are rows, columns and boxes."""

    puzzle: Sudoku

    def canonical(self, states: Board) -> Board:
        """Return the least image of each of `states: uint8[B, N * N]`."""
        return least_images(states, self.puzzle.box_rows, self.puzzle.box_columns)


def least_images(boards: NDArray[np.uint8], box_rows: int, box_columns: int) -> NDArray[np.uint8]:
    """Return the least image of each of `boards: uint8[B, N * N]`, with boxes of this many rows and columns.

    Raises `Unsupported` for a board of which too many partial symmetries give the same rows: nearly full ones of 16x16
    and more.
    """
    images, counts = np.zeros_like(boards), np.full(len(boards), NO_ROOM)
    room = FIRST_ROOM
    while (left := np.flatnonzero(counts == NO_ROOM)).size:
        if room > MOST_ROOM:
            raise Unsupported(
                f"the canonical form of board {left[0] + 1} of {len(boards)} takes too much memory: more than "
                f"{MOST_ROOM:,} partial symmetries give its first rows"
            )
        found, numbers = np.zeros_like(boards[left]), np.zeros(len(left), np.int64)
        canonical_all(_work(box_rows, box_columns, room), np.ascontiguousarray(boards[left]), found, numbers)
        images[left], counts[left] = found, numbers
        room *= 8
    return images


def _work(box_rows: int, box_columns: int, room: int) -> Work:
    """Return the arrays of a search with room for this many partial symmetries."""
    size = box_rows * box_columns
    numbers = ROWS + 3 * size + 2 * box_rows
    return Work(
        size=size,
        box_rows=box_rows,
        box_columns=box_columns,
        grids=np.zeros((2 if box_rows == box_columns else 1, size, size), np.uint8),
        partial=np.zeros((2, room, numbers), np.int8),
        pairs=np.zeros((room, 2), np.int64),
        choice=np.zeros(4 * size, np.int64),
        options=np.zeros(4 * size, np.int64),
        image=np.zeros(size, np.int64),
        least=np.zeros(size, np.int64),
        keys=np.zeros(size, np.int64),
        columns=np.zeros(2 * size, np.int64),
        after=np.zeros(numbers, np.int8),
    )
