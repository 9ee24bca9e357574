# mypy: allow-untyped-defs
"""BUG+1 to BUG+n: positions that are a bivalue universal grave but for a few candidates, the extras.

In such a grave each blank cell has two candidates, and each digit two places, or none, in each unit: it has no
solution or several. As a board has one, one of the extras is true.

Roles of cells: 0 those with extras, 1 the cells of a naked subset beside them; of candidates: 0 the extras, 1 digits of
the subset, 2 the digit that one of two cells must hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.loops import union_of
from puzzlelab.puzzles.sudoku.logic.position import CELLS, DIGITS, UNITS
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
    joined,
    mark,
    mark_digits,
    remove_from,
    removed_text,
    surcharge,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

BUG_1, BUG_2, BUG_3, BUG_4 = Technique.BUG_1, Technique.BUG_2, Technique.BUG_3, Technique.BUG_4
WITH_EXTRAS, IN_SUBSET = 0, 1
EXTRA, SUBSET, LOCKED = range(3)


class Graves(NamedTuple):
    """The family: types 1 and 2, then 4, then 3 by the size of the subset."""

    extras: NDArray[np.int64]
    """[81]: the extras of each cell as bits."""
    cells: NDArray[np.int64]
    """[81]: the cells with extras."""


def families() -> Sequence[Graves]:
    """Return the records of the searches of this family."""
    return [Graves(np.zeros(CELLS, np.int64), np.zeros(CELLS, np.int64))]


@inlined
def collect_extras(family, position):
    """Collect the extras; returns how many cells have some, or 0 if the rest is no grave."""
    count = 0
    for cell in range(CELLS):
        digits, extras = np.int64(position.candidates[cell]), np.int64(0)
        if position.counts[digits] > 2:
            for digit in range(DIGITS):
                places = 9
                for kind in range(3):
                    places = min(places, position.counts[position.places[digit, position.homes[cell, kind]]])
                extras |= (digits & (1 << digit)) if places > 2 else 0
            family.cells[count] = cell
            count += 1
        family.extras[cell] = extras
        if position.values[cell] == 0 and position.counts[digits & ~extras] != 2:
            return 0
    return count if has_pairs_of_places(family, position) else 0


@inlined
def has_pairs_of_places(family, position):
    """Tell whether, without extras, each digit has two places, or none, in each unit."""
    for unit in range(UNITS):
        for digit in range(DIGITS):
            places, count = np.int64(position.places[digit, unit]), 0
            while places:
                cell = position.units[unit, position.lowest[places]]
                count += not (family.extras[cell] >> digit) & 1
                places &= places - 1
            if count not in (0, 2):
                return False
    return True


@inlined
def begin_grave(family, position, found, technique, count):
    """Begin a step, and mark the cells with extras."""
    begin_step(found, technique)
    for i in range(count):
        mark(found, CELL, WITH_EXTRAS, family.cells[i], 0)
        mark_digits(position, found, family.cells[i], family.extras[family.cells[i]], EXTRA)


@inlined
def same_extra(family, position, found, count, extra):
    """Remove the only extra digit from the cells that see all its cells; one cell must hold its extras."""
    begin_grave(family, position, found, BUG_1 if count == 1 else BUG_2, count)
    removed = 0
    for cell in range(CELLS):
        sees_all = family.extras[cell] == 0
        for i in range(count):
            sees_all = sees_all and position.sees[cell, family.cells[i]] != 0
        if count == 1 and cell == family.cells[0]:
            removed += remove_from(position, found, cell, ~extra)
        elif count > 1 and sees_all:
            removed += remove_from(position, found, cell, extra)
    return end_step(found) if removed else False


@inlined
def common_unit(family, position, kind, count):
    """Return the unit of a kind that holds all cells with extras, or -1."""
    unit = position.homes[family.cells[0], kind]
    for i in range(1, count):
        if position.homes[family.cells[i], kind] != unit:
            return -1
    return unit


@inlined
def locked_digit(family, position, found, unit, digit):
    """Find the step of type 4 where two cells with extras are the only places of a digit in a unit."""
    begin_grave(family, position, found, BUG_4, 2)
    mark(found, UNIT, 0, unit, 0)
    removed = 0
    for i in range(2):
        cell, bit = family.cells[i], 1 << digit
        mark_digits(position, found, cell, bit, LOCKED)
        removed += remove_from(position, found, cell, ~(family.extras[cell] | bit))
    return end_step(found) if removed else False


@inlined
def locked_digits(family, position, found):
    """Find the steps of type 4."""
    first, last = family.cells[0], family.cells[1]
    for kind in range(3):
        unit = common_unit(family, position, kind, 2)
        both = (1 << position.spots[first, kind]) | (1 << position.spots[last, kind])
        for digit in range(DIGITS):
            is_extra = ((family.extras[first] | family.extras[last]) >> digit) & 1
            is_locked = unit >= 0 and not is_extra and position.places[digit, unit] == both
            if is_locked and locked_digit(family, position, found, unit, digit):
                return True
    return False


@inlined
def subsets(family, position, found, count, extras, size):
    """Find the steps of type 3: the cells with extras act as one, with this many digits in all."""
    for kind in range(3):
        unit = common_unit(family, position, kind, count)
        others = 0
        for i in range(9 if unit >= 0 else 0):
            cell = position.units[unit, i]
            others |= (position.values[cell] == 0 and family.extras[cell] == 0) << i
        chosen = others & -others
        while chosen:
            digits = union_of(position, unit, chosen) | extras
            is_naked = position.counts[chosen] == size - 1 and position.counts[digits] == size
            if is_naked and add_subset(family, position, found, count, (unit, chosen, others, digits)):
                return True
            chosen = (chosen - others) & others
    return False


@inlined
def add_subset(family, position, found, count, subset):
    """Remove the digits of a naked subset from the other cells of its unit."""
    unit, chosen, others, digits = subset
    begin_grave(family, position, found, BUG_3, count)
    mark(found, UNIT, 0, unit, 0)
    removed = 0
    for i in range(9):
        cell = position.units[unit, i]
        if (chosen >> i) & 1:
            mark(found, CELL, IN_SUBSET, cell, 0)
            mark_digits(position, found, cell, digits, SUBSET)
        elif (others >> i) & 1:
            removed += remove_from(position, found, cell, digits)
    return end_step(found) if removed else False


@implements(find, Graves)
def find_graves(family, position, found):
    """Find the steps of BUG+1 to BUG+n, the easiest first."""
    count = collect_extras(family, position)
    extras = 0
    for i in range(count):
        extras |= family.extras[family.cells[i]]
    if count == 1 or (count and position.counts[extras] == 1):
        same_extra(family, position, found, count, extras)
    elif count > 1:
        if count == 2 and locked_digits(family, position, found):
            return
        for size in range(2, 8):
            if subsets(family, position, found, count, extras, size):
                return


@implements(surcharge, Graves)
def graves_surcharge(family, found):
    """Return by how much a step of type 3 is harder than that with a pair."""
    cells = 0
    for i in range(found.heads[0, 1], found.heads[0, 2]):
        cells += found.marks[i] >> 24 == (CELL << 4) | IN_SUBSET
    return max(cells - 1, 0)


def grave_text(step: Evidence) -> str:
    """Return the rule, and what follows of it."""
    extras: dict[int, list[int]] = {}
    for each in step.by_role("candidates", EXTRA):
        extras.setdefault(each // 9, []).append(each)
    cells = [
        f"{cell_text(cell)} is {joined([digit_text(each) for each in digits], ' or ')}"
        for cell, digits in extras.items()
    ]
    return (
        f"{joined(cells, ' or ')}, because otherwise each blank cell would have two candidates and each digit two "
        "places in each unit, and no such board has exactly one solution"
    )


def grave(step: Evidence) -> str:
    """Explain types 1 and 2."""
    return f"{grave_text(step)}; so {removed_text(step.removed)}"


def grave_3(step: Evidence) -> str:
    """Explain type 3."""
    (unit,), subset = step.by_role("units", 0), step.by_role("candidates", SUBSET)
    digits = digits_text([*subset, *step.by_role("candidates", EXTRA)])
    cells = cells_text(step.by_role("cells", IN_SUBSET))
    return f"{grave_text(step)}; with {cells} it takes {digits} in {unit_text(unit)}: {removed_text(step.removed)}"


def grave_4(step: Evidence) -> str:
    """Explain type 4."""
    (unit,), (locked, _) = step.by_role("units", 0), step.by_role("candidates", LOCKED)
    return (
        f"{grave_text(step)}; the other one is {digit_text(locked)}, which has no other place in {unit_text(unit)}: "
        f"{removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = {BUG_1: grave, BUG_2: grave, BUG_3: grave_3, BUG_4: grave_4}
