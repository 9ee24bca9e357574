# mypy: allow-untyped-defs
"""WXYZ- to TUVWXYZ-wings: an almost locked set of a unit, and a cell with two of its candidates.

The set has one digit more than cells. The cell sees all places of one of its digits in the set: if the cell has that
digit, the set has all its other digits, otherwise the cell has the other one. So that one is in the set or in the cell.

Roles of cells: 0 the set, 1 the cell with two candidates; of candidates: 1 the digit that is removed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.position import CELLS, UNITS, has
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
    CELL,
    REMOVED,
    UNIT,
    Evidence,
    Sentence,
    begin_step,
    cell_text,
    cells_text,
    digit_text,
    end_step,
    find,
    mark,
    removed_text,
    surcharge,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.subsets import choices_of, mark_places
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

WINGS = (Technique.WXYZ_WING, Technique.VWXYZ_WING, Technique.UVWXYZ_WING, Technique.TUVWXYZ_WING)
IN_SET, BIVALUE = 0, 1
COMMON = 1


class LongWings(NamedTuple):
    """The family: wings of one size."""

    technique: int
    cells: int
    """Cells of the set."""
    choices: NDArray[np.int64]
    """[K]: the choices of so many of nine cells, as bits."""


def families() -> Sequence[LongWings]:
    """Return the records of the searches of this family, the smallest sets first."""
    return [long_wings(technique) for technique in WINGS]


def long_wings(technique: Technique) -> LongWings:
    """Return the record of the search for one technique."""
    cells = 3 + WINGS.index(technique)
    return LongWings(int(technique), cells, choices_of(cells))


@inlined
def set_digits(position, unit, chosen):
    """Return the candidates of these cells (bits) of a unit, or none where one has less than two."""
    digits, is_whole = np.int64(0), True
    while chosen:
        own = np.int64(position.candidates[position.units[unit, position.lowest[chosen]]])
        is_whole = is_whole and own & (own - 1) != 0
        digits |= own
        chosen &= chosen - 1
    return digits if is_whole else np.int64(0)


@inlined
def greatest_count(position, unit, chosen):
    """Return the most candidates of one of these cells (bits) of a unit."""
    greatest = np.int64(0)
    while chosen:
        count = np.int64(position.counts[position.candidates[position.units[unit, position.lowest[chosen]]]])
        greatest = max(greatest, count)
        chosen &= chosen - 1
    return greatest


@inlined
def sees_digit(position, cell, digit, unit, chosen):
    """Tell whether a cell sees all of these cells (bits) of a unit that have a digit."""
    spots = np.int64(position.places[digit, unit]) & chosen
    while spots:
        if not position.sees[cell, position.units[unit, position.lowest[spots]]]:
            return False
        spots &= spots - 1
    return True


@inlined
def add_wing(family, position, found, unit, chosen, pivot, digit):
    """Remove a digit from the cells that see all its places; returns whether the search is to stop."""
    begin_step(found, family.technique)
    removed = 0
    for cell in range(CELLS):
        if (
            has(position, cell, digit)
            and position.sees[cell, pivot]
            and sees_digit(position, cell, digit, unit, chosen)
        ):
            mark(found, REMOVED, 0, 9 * cell + digit, 0)
            removed += 1
    if removed == 0:
        return False
    mark(found, UNIT, 0, unit, greatest_count(position, unit, chosen))
    # The second number is for the rating.
    mark(found, CELL, BIVALUE, pivot, 0)
    mark(found, CANDIDATE, COMMON, 9 * pivot + digit, 0)
    mark_places(position, found, CANDIDATE, COMMON, digit, unit, chosen)
    while chosen:
        mark(found, CELL, IN_SET, position.units[unit, position.lowest[chosen]], 0)
        chosen &= chosen - 1
    return end_step(found)


@inlined
def add_wings(family, position, found, unit, chosen, digits):
    """Find the wings of a set; returns whether the search is to stop."""
    for pivot in range(CELLS):
        own = np.int64(position.candidates[pivot])
        if position.counts[own] == 2 and own & ~digits == 0 and position.homes[pivot, unit // 9] != unit:
            one = np.int64(position.lowest[own])
            other = np.int64(position.lowest[own & (own - 1)])
            for linked, common in ((one, other), (other, one)):
                is_wing = sees_digit(position, pivot, linked, unit, chosen)
                if is_wing and add_wing(family, position, found, unit, chosen, pivot, common):
                    return True
    return False


@implements(surcharge, LongWings)
def surcharge_of_long_wing(family, found):
    """Return 1 for each candidate that the cell with the most lacks, for wings of four and of five cells."""
    for i in range(found.heads[0, 1], found.heads[0, 2]):
        if found.marks[i] >> 28 == UNIT and family.cells < 5:
            return family.cells + 1 - (found.marks[i] & 0xFFF)
    return 0


@implements(find, LongWings)
def find_long_wings(family, position, found):
    """Find wings of one size set by set, first those with a cell of the most candidates."""
    for greatest in range(family.cells + 1, 1, -1):
        for unit in range(UNITS):
            for i in range(family.choices.size):
                chosen = family.choices[i]
                digits = set_digits(position, unit, chosen)
                is_almost_locked = position.counts[digits] == family.cells + 1
                is_next = is_almost_locked and greatest_count(position, unit, chosen) == greatest
                if is_next and add_wings(family, position, found, unit, chosen, digits):
                    return


def long_wing(step: Evidence) -> str:
    """Explain a wing."""
    (unit,), (pivot,), cells = step.by_role("units", 0), step.by_role("cells", BIVALUE), step.by_role("cells", IN_SET)
    digit = digit_text(step.removed[0])
    return (
        f"{cells_text(cells)} in {unit_text(unit)} have one digit more than cells. If {cell_text(pivot)} is not "
        f"{digit}, its other digit is lost to them, and one of them is {digit}: {removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = dict.fromkeys(WINGS, long_wing)
