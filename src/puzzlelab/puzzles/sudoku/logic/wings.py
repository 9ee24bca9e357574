# mypy: allow-untyped-defs
"""XY-, XYZ- and W-wings: two cells with two candidates each of which one holds a digit, because of what is between.

That is a cell that sees both, the pivot, or for a W-wing, whose cells have the same candidates, a unit where the other
digit has two places: each of the cells sees one of these.

Roles of cells: 0 the pivot, 1 the wings; of candidates: 1 the digit that is removed, 0 the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.position import ALL, CELLS, DIGITS, UNITS
from puzzlelab.puzzles.sudoku.logic.steps import (
    CELL,
    UNIT,
    Evidence,
    Sentence,
    begin_step,
    cell_text,
    cells_text,
    digit_text,
    digits_text,
    end_step,
    find,
    mark,
    mark_digits,
    remove_from,
    removed_text,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

XY_WING, XYZ_WING, W_WING = Technique.XY_WING, Technique.XYZ_WING, Technique.W_WING
PIVOT, WING = 0, 1
COMMON = 1
NONE = -1


class Wings(NamedTuple):
    """The family of wings whose pivot has this many candidates: 2 for XY-wings, 3 for XYZ-wings."""

    candidates_of_pivot: int


class LinkedWings(NamedTuple):
    """The family of W-wings."""

    digits: int = 2
    """The candidates of each cell."""


def families() -> Sequence[Wings | LinkedWings]:
    """Return the records of the searches of this family."""
    return [Wings(2), Wings(3), LinkedWings()]


@implements(find, Wings)
def find_wings(family, position, found):
    """Find wings, by pivot."""
    for pivot in range(CELLS):
        own = np.int64(position.candidates[pivot])
        if position.counts[own] == family.candidates_of_pivot:
            for i in range(20):
                first = position.peers[pivot, i]
                one = np.int64(position.candidates[first])
                if position.counts[one] == 2 and position.counts[own & one] == family.candidates_of_pivot - 1:
                    for j in range(i + 1, 20):
                        second = position.peers[pivot, j]
                        other = np.int64(position.candidates[second])
                        if is_wing(position, own, one, other) and add_wing(position, found, pivot, first, second):
                            return


@inlined
def is_wing(position, own, one, other):
    """Tell whether a pivot with the digits `own` and wings with `one` and `other` force the digit of both wings."""
    together = one | other
    return position.counts[other] == 2 and position.counts[together] == 3 and own in (one ^ other, together)


@inlined
def add_wing(position, found, pivot, first, second):
    """Remove the digit of both wings from the cells that see all cells that may hold it."""
    common = np.int64(position.candidates[first] & position.candidates[second])
    has_three = np.int64(position.candidates[pivot]) & common != 0
    begin_step(found, XYZ_WING if has_three else XY_WING)
    removed = 0
    for i in range(20):
        cell = position.peers[first, i]
        if position.sees[cell, second] and (position.sees[cell, pivot] or not has_three) and cell != pivot:
            removed += remove_from(position, found, cell, common)
    if removed == 0:
        return False
    for cell, role in ((pivot, PIVOT), (first, WING), (second, WING)):
        mark(found, CELL, role, cell, 0)
        mark_digits(position, found, cell, ALL ^ common, 0)
        mark_digits(position, found, cell, common, COMMON)
    return end_step(found)


@inlined
def linking_unit(position, first, second, digit):
    """Return a unit where a digit has two places, one seen by each of two cells, or NONE."""
    for unit in range(UNITS):
        places = np.int64(position.places[digit, unit])
        if position.counts[places] == 2:
            one = position.units[unit, position.lowest[places]]
            other = position.units[unit, position.lowest[places & (places - 1)]]
            is_crossed = position.sees[one, second] and position.sees[other, first]
            if is_crossed or (position.sees[one, first] and position.sees[other, second]):
                return unit
    return NONE


@inlined
def add_linked(position, found, first, second, digit):
    """Remove the other digit of two cells, of which a unit says that one cannot be this digit."""
    unit = linking_unit(position, first, second, digit)
    if unit == NONE:
        return False
    common, removed = np.int64(position.candidates[first]) & ~(1 << digit), 0
    begin_step(found, W_WING)
    for i in range(20):
        cell = position.peers[first, i]
        removed += remove_from(position, found, cell, common) if position.sees[cell, second] else 0
    if removed == 0:
        return False
    mark(found, UNIT, 0, unit, 0)
    for cell in (first, second):
        mark(found, CELL, WING, cell, 0)
        mark_digits(position, found, cell, 1 << digit, 0)
        mark_digits(position, found, cell, common, COMMON)
    for i in range(9):
        mark_digits(position, found, position.units[unit, i], 1 << digit, 0)
    return end_step(found)


@implements(find, LinkedWings)
def find_linked_wings(family, position, found):
    """Find W-wings."""
    for first in range(CELLS):
        digits = np.int64(position.candidates[first])
        for second in range(first + 1, CELLS if position.counts[digits] == family.digits else 0):
            if position.candidates[second] == digits and not position.sees[first, second]:
                for digit in range(DIGITS):
                    if (digits >> digit) & 1 and add_linked(position, found, first, second, digit):
                        return


def wing(step: Evidence) -> str:
    """Explain an XY- or XYZ-wing."""
    (pivot,), wings = step.by_role("cells", PIVOT), step.by_role("cells", WING)
    common = step.removed[0]
    digits = digits_text([each for _, each in step.candidates if each // 9 == pivot])
    cells = [pivot, *wings] if step.technique == XYZ_WING else wings
    return (
        f"{cell_text(pivot)} has only {digits}: whichever it is, one of {cells_text(cells)} is {digit_text(common)}; "
        f"so {removed_text(step.removed)}"
    )


def linked_wing(step: Evidence) -> str:
    """Explain a W-wing."""
    (unit,), wings = step.by_role("units", 0), step.by_role("cells", WING)
    linking = digit_text(step.by_role("candidates", 0)[0])
    return (
        f"{cells_text(wings)} have the same two candidates; {unit_text(unit)} has {linking} in one of two places, "
        f"which they see, so one of them is not {linking} but {digit_text(step.removed[0])}: "
        f"{removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = {XY_WING: wing, XYZ_WING: wing, W_WING: linked_wing}
