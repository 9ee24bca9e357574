# mypy: allow-untyped-defs
"""What a step removes, collected as sets of cells, for techniques that come to the same removals in many ways."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import inlined, outlined
from puzzlelab.puzzles.sudoku.logic.cellsets import BANDS, contains, include
from puzzlelab.puzzles.sudoku.logic.position import CELLS, DIGITS
from puzzlelab.puzzles.sudoku.logic.steps import REMOVED, mark

SLOTS = 1 << 15


class Removals(NamedTuple):
    """The candidates that a step removes, and what the steps before have removed."""

    cells: NDArray[np.int64]
    """[9, 3]: the cells from which a digit is removed."""
    seen: NDArray[np.int64]
    """[32768]: a hash table of numbers that stand for the removals of the steps before; 0 where free."""


def new_removals() -> Removals:
    """Return a record of nothing."""
    return Removals(np.zeros((DIGITS, BANDS), np.int64), np.zeros(SLOTS, np.int64))


@inlined
def forget_removals(removals):
    """Forget the steps before."""
    for slot in range(SLOTS):
        removals.seen[slot] = 0


@outlined
def begin_removals(removals):
    """Begin with nothing removed."""
    for digit in range(DIGITS):
        for band in range(BANDS):
            removals.cells[digit, band] = 0


@outlined
def keep_first(removals):
    """Keep the first of the removed candidates."""
    for cell in range(CELLS):
        for digit in range(DIGITS):
            if contains(removals.cells[digit], cell):
                begin_removals(removals)
                include(removals.cells[digit], cell)
                return


@outlined
def count_removals(removals, position):
    """Return how many candidates are removed."""
    count = 0
    for digit in range(DIGITS):
        for band in range(BANDS):
            for row in range(3):
                count += position.counts[(removals.cells[digit, band] >> (9 * row)) & 511]
    return count


@outlined
def are_new(removals):
    """Tell whether something is removed, and not the same by a step before."""
    signature = some = 0
    for digit in range(DIGITS):
        for band in range(BANDS):
            cells = removals.cells[digit, band]
            some |= cells
            signature = (signature + cells) * 0x5851F42D4C957F2D
            signature ^= signature >> 29
    slot = signature & (SLOTS - 1)
    while removals.seen[slot] not in (0, signature):
        slot = (slot + 1) & (SLOTS - 1)
    if some == 0 or removals.seen[slot] != 0:
        return False
    removals.seen[slot] = signature
    return True


@outlined
def mark_removals(removals, found):
    """Write what is removed into a step."""
    for digit in range(DIGITS):
        for cell in range(CELLS):
            if contains(removals.cells[digit], cell):
                mark(found, REMOVED, 0, 9 * cell + digit, 0)
