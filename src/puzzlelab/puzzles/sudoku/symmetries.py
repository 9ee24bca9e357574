"""Random images of many 9x9 boards under the symmetries of Sudoku, which keep the number of solutions and of clues.

A symmetry renames the digits, puts the bands, the stacks, the rows of each band and the columns of each stack in
another order, and may transpose the board. What can be deduced by logic stays the same, in other cells.

Shapes: B = boards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from puzzlelab.puzzles.sudoku.rules import Board


def random_images(boards: Board, random: np.random.Generator) -> Board:
    """Return the image of each of the `boards: uint8[B, 81]` under a random symmetry, all of them equally likely."""
    count = len(boards)
    rows, columns = _lines(count, random), _lines(count, random)
    cells = 9 * rows[:, :, None] + columns[:, None, :]
    transposed = random.random(count) < 0.5
    cells[transposed] = cells[transposed].transpose(0, 2, 1)
    images = np.take_along_axis(boards, cells.reshape(count, 81), axis=1)
    digits = np.zeros((count, 10), np.uint8)
    digits[:, 1:] = _orders(count, 9, random) + 1
    return np.take_along_axis(digits, images, axis=1)


def _lines(count: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return `int64[B, 9]`: nine rows, or columns, in a random order in which those of a box stay together."""
    boxes = _orders(count, 3, random)
    within = _orders(3 * count, 3, random).reshape(count, 3, 3)
    return (3 * boxes[:, :, None] + within).reshape(count, 9)


def _orders(count: int, size: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return `int64[B, size]`: random orders of the numbers from 0 on."""
    return random.permuted(np.tile(np.arange(size), (count, 1)), axis=1)
