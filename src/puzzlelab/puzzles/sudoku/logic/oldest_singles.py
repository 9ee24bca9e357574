# mypy: allow-untyped-defs
"""Singles in the order in which they came up, as HoDoKu takes them.

Which hidden single comes first changes how many there are: others become naked singles or full houses meanwhile.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.position import BOXES, CELLS, COLUMNS, DIGITS, ROWS, UNITS
from puzzlelab.puzzles.sudoku.logic.singles import HIDDEN_SINGLE, NAKED_SINGLE, hidden_singles
from puzzlelab.puzzles.sudoku.logic.steps import CELL, PLACED, UNIT, begin_step, end_step, find, mark

NEVER = 1 << 20


class OldestSingles(NamedTuple):
    """The search for a full house, else the oldest naked single, else the oldest hidden single."""

    is_family: int = 1


@inlined
def is_one(bits):
    """Tell whether a set has one element."""
    return bits != 0 and bits & (bits - 1) == 0


@inlined
def add_naked_single(position, found):
    """Write the oldest naked single, if there is one; a cell has it since its last other candidate was removed."""
    oldest, first = np.int64(NEVER), 0
    for cell in range(CELLS):
        if is_one(position.candidates[cell]):
            since = np.int64(0)
            for digit in range(DIGITS):
                age = np.int64(position.ages[9 * cell + digit])
                if not (position.candidates[cell] >> digit) & 1 and age > since:
                    since = age
            if since < oldest:
                oldest, first = since, cell
    if oldest == NEVER:
        return False
    begin_step(found, NAKED_SINGLE)
    mark(found, PLACED, 0, 9 * first + position.lowest[position.candidates[first]], 0)
    mark(found, CELL, 0, first, 0)
    return end_step(found)


@inlined
def add_hidden_single(position, found):
    """Write the oldest hidden single, if there is one; of those of one removal that in the row, column or box."""
    oldest, candidate, home = np.int64(NEVER), 0, 0
    for unit in range(UNITS):
        for digit in range(DIGITS):
            if is_one(position.places[digit, unit]):
                own, since = np.int64(position.lowest[position.places[digit, unit]]), np.int64(0)
                for i in range(9):
                    age = np.int64(position.ages[9 * position.units[unit, i] + digit])
                    if i != own and age > since:
                        since = age
                if since < oldest:
                    oldest, candidate, home = since, 9 * position.units[unit, own] + digit, unit
    if oldest < NEVER:
        begin_step(found, HIDDEN_SINGLE)
        mark(found, PLACED, 0, candidate, 0)
        mark(found, UNIT, 0, home, 0)
        end_step(found)


@implements(find, OldestSingles)
def find_oldest_single(family, position, found):
    """Find one single."""
    for first in (ROWS, COLUMNS, BOXES):
        if hidden_singles(position, found, first, True):
            return
    if not add_naked_single(position, found):
        add_hidden_single(position, found)
