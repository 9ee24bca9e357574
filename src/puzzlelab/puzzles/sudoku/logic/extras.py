# mypy: allow-untyped-defs
"""Patterns that no board with one solution has, but for some candidates, the extras: so one of these is true.

What follows is the same for unique rectangles, unique loops and bivalue universal graves. Type 1: one cell has extras.
Type 2: they are one digit. Type 3: their cells act as one cell of a naked subset. Type 4: of two cells with extras, one
holds a digit that has no other place in a unit, and the other one an extra.

Roles of cells: 0 the pattern, 1 a naked subset beside it, 2 a hidden one; of candidates: 0 the others of the pattern,
1 extras, 2 digits of the subset, or the digit that has no other place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.reasons import joined
from puzzlelab.engine.kernels import inlined, outlined
from puzzlelab.puzzles.sudoku.logic.position import ALL, CELLS, DIGITS, sees_places
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
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
    mark,
    mark_digits,
    remove_from,
    removed_text,
    unit_text,
)

IN_PATTERN, NAKED, HIDDEN = range(3)
BASE, EXTRA, SUBSET = range(3)
NONE = -1
LARGEST = 7
"""Cells of a naked subset, those of the pattern counted as one."""


class Pattern(NamedTuple):
    """The cells of a pattern, and their extras."""

    cells: NDArray[np.int64]
    """[81]."""
    extras: NDArray[np.int64]
    """[81]: those of each cell, as bits."""
    sizes: NDArray[np.int64]
    """[2]: how many cells there are, and how many have extras."""


def new_pattern() -> Pattern:
    """Return a pattern without cells."""
    return Pattern(np.zeros(CELLS, np.int64), np.zeros(CELLS, np.int64), np.zeros(2, np.int64))


@inlined
def begin_pattern(pattern):
    """Begin with no cell."""
    pattern.sizes[0] = pattern.sizes[1] = 0


@outlined
def add_cell(pattern, cell, extras):
    """Add a cell; those without extras come last."""
    last, place = pattern.sizes[0], pattern.sizes[1] if extras else pattern.sizes[0]
    pattern.cells[last], pattern.extras[last] = pattern.cells[place], pattern.extras[place]
    pattern.cells[place], pattern.extras[place] = cell, extras
    pattern.sizes[0] += 1
    pattern.sizes[1] += extras != 0


@outlined
def extras_of(pattern):
    """Return the digits that are extras."""
    extras = np.int64(0)
    for i in range(pattern.sizes[1]):
        extras |= pattern.extras[i]
    return extras


@outlined
def begin(pattern, position, found, technique):
    """Begin a step, and mark the pattern."""
    begin_step(found, technique)
    for i in range(pattern.sizes[0]):
        mark(found, CELL, IN_PATTERN, pattern.cells[i], 0)
        mark_digits(position, found, pattern.cells[i], ~pattern.extras[i], BASE)
        mark_digits(position, found, pattern.cells[i], pattern.extras[i], EXTRA)
        if position.values[pattern.cells[i]]:
            mark(found, CANDIDATE, BASE, 9 * pattern.cells[i] + position.values[pattern.cells[i]] - 1, 0)


@outlined
def one_cell(pattern, position, found, technique):
    """Keep the extras alone in the only cell that has some (type 1)."""
    begin(pattern, position, found, technique)
    return remove_from(position, found, pattern.cells[0], ~pattern.extras[0]) != 0 and end_step(found)


@inlined
def sees_extras(pattern, position, cell):
    """Tell whether a cell sees all cells with extras."""
    sees_all = True
    for i in range(pattern.sizes[1]):
        sees_all = sees_all and position.sees[cell, pattern.cells[i]] != 0
    return sees_all


@outlined
def one_digit(pattern, position, found, technique):
    """Remove the only digit that is an extra from the cells that see all its cells (type 2)."""
    begin(pattern, position, found, technique)
    extras, removed = extras_of(pattern), 0
    for cell in range(CELLS):
        if np.int64(position.candidates[cell]) & extras and sees_extras(pattern, position, cell):
            removed += remove_from(position, found, cell, extras)
    return removed != 0 and end_step(found)


@inlined
def common_unit(pattern, position, kind):
    """Return the unit of a kind that holds all cells with extras, or NONE."""
    unit = position.homes[pattern.cells[0], kind]
    for i in range(1, pattern.sizes[1]):
        if position.homes[pattern.cells[i], kind] != unit:
            return NONE
    return unit


@inlined
def extra_places(pattern, position, kind):
    """Return the places of the cells with extras in their common unit of a kind, as bits."""
    places = 0
    for i in range(pattern.sizes[1]):
        places |= 1 << position.spots[pattern.cells[i], kind]
    return places


@outlined
def locked_digits(pattern, position, found, technique):
    """Find the steps of type 4 of two cells with extras."""
    extras = extras_of(pattern)
    for kind in range(3):
        unit = common_unit(pattern, position, kind)
        for digit in range(DIGITS if unit != NONE else 0):
            is_locked = position.places[digit, unit] == extra_places(pattern, position, kind)
            if is_locked and not (extras >> digit) & 1:
                begin(pattern, position, found, technique)
                mark(found, UNIT, 0, unit, 0)
                removed = 0
                for i in range(2):
                    cell, kept = pattern.cells[i], pattern.extras[i] | (1 << digit)
                    mark_digits(position, found, cell, 1 << digit, SUBSET)
                    removed += remove_from(position, found, cell, ~kept)
                if removed and end_step(found):
                    return True
    return False


@inlined
def union_of(position, unit, places):
    """Return the candidates of the cells at some places of a unit."""
    digits = np.int64(0)
    for i in range(9):
        if (places >> i) & 1:
            digits |= np.int64(position.candidates[position.units[unit, i]])
    return digits


@outlined
def subsets(pattern, position, found, technique, goal, hidden_bonus, base):
    """Find the steps of type 3 that are rated `goal` tenths above the pattern.

    A naked subset is rated by its cells beside the pattern. If there is a `hidden_bonus` (not NONE), one without the
    digits `base` that leaves fewer cells is told and rated as a hidden subset, so many tenths lower.
    """
    extras = extras_of(pattern)
    for kind in range(3):
        unit = common_unit(pattern, position, kind)
        blanks = 0
        for i in range(9 if unit != NONE else 0):
            blanks |= (position.values[position.units[unit, i]] == 0) << i
        others = blanks & ~extra_places(pattern, position, kind)
        chosen = others & -others
        while chosen:
            size, count = np.int64(position.counts[chosen]) + 1, np.int64(position.counts[blanks])
            digits = union_of(position, unit, chosen) | extras
            is_hidden = hidden_bonus != NONE and 2 * size > count and digits & base == 0
            tenths = count - size - 1 - hidden_bonus if is_hidden else size - 1
            if position.counts[digits] == size and tenths == goal:
                begin(pattern, position, found, technique)
                mark_cells(position, found, unit, others & ~chosen if is_hidden else chosen, digits, is_hidden)
                if remove_subset(pattern, position, found, unit, chosen, digits, base == ALL) and end_step(found):
                    return True
            chosen = (chosen - others) & others
    return False


@outlined
def mark_cells(position, found, unit, places, digits, is_hidden):
    """Mark the cells of a naked subset of these digits, or of the hidden one beside it, and their unit."""
    mark(found, UNIT, 0, unit, 0)
    while places:
        cell = position.units[unit, position.lowest[places]]
        mark(found, CELL, HIDDEN if is_hidden else NAKED, cell, 0)
        mark_digits(position, found, cell, ALL ^ digits if is_hidden else digits, SUBSET)
        places &= places - 1


@outlined
def remove_subset(pattern, position, found, unit, chosen, digits, is_everywhere):
    """Remove the digits of a subset from the cells of the unit, or everywhere, that see all its cells."""
    removed = 0
    for cell in range(CELLS):
        sees_all = sees_extras(pattern, position, cell) and sees_places(position, cell, unit, chosen)
        if sees_all and (is_everywhere or position.homes[cell, unit // 9] == unit):
            removed += remove_from(position, found, cell, digits)
    return removed


@inlined
def count_cells(found, role):
    """Return how many cells of a role the first step has."""
    count = 0
    for i in range(found.heads[0, 1], found.heads[0, 2]):
        count += found.marks[i] >> 24 == (CELL << 4) | role
    return count


# --- sentences ---

Rule = Callable[[Evidence], str]
"""What says why one of the extras is true."""


def sentences(rule: Rule) -> Sequence[Sentence]:
    """Return the sentences of types 1 to 4 of a pattern."""
    return [partial(each, rule) for each in (one_cell_text, one_digit_text, subset_text, locked_text)]


def joined_or(candidates: Sequence[int]) -> str:
    """Return digits as in '1, 2 or 5'."""
    return joined(sorted({digit_text(each) for each in candidates}), " or ")


def extras_text(step: Evidence) -> str:
    """Return which candidates one is true of, as in 'r2c1 is 3 or r2c4 is 4 or 5'."""
    cells: dict[int, list[int]] = {}
    for each in sorted(step.by_role("candidates", EXTRA)):
        cells.setdefault(each // 9, []).append(each)
    return joined([f"{cell_text(cell)} is {joined_or(digits)}" for cell, digits in cells.items()], " or ")


def one_cell_text(rule: Rule, step: Evidence) -> str:
    """Explain type 1."""
    return f"{rule(step)}; so {extras_text(step)}: {removed_text(step.removed)}"


def one_digit_text(rule: Rule, step: Evidence) -> str:
    """Explain type 2."""
    extras = step.by_role("candidates", EXTRA)
    cells = cells_text([each // 9 for each in extras])
    return f"{rule(step)}; so one of {cells} is {digit_text(extras[0])}, and {removed_text(step.removed)}"


def subset_text(rule: Rule, step: Evidence) -> str:
    """Explain type 3."""
    (unit,), naked, hidden = step.by_role("units", 0), step.by_role("cells", NAKED), step.by_role("cells", HIDDEN)
    subset = step.by_role("candidates", SUBSET)
    if naked:
        digits = digits_text([*subset, *step.by_role("candidates", EXTRA)])
        consequence = f"with {cells_text(naked)} it takes {digits}"
    else:
        digits = digits_text([*subset, *step.by_role("candidates", BASE)])
        consequence = (
            f"only {cells_text(hidden)} {'is' if len(hidden) == 1 else 'are'} left for all but one of {digits}"
        )
    text = f"{rule(step)}; so {extras_text(step)}, and {consequence} in {unit_text(unit)}"
    return f"{text}: {removed_text(step.removed)}"


def locked_text(rule: Rule, step: Evidence) -> str:
    """Explain type 4."""
    (unit,), (locked, *_) = step.by_role("units", 0), step.by_role("candidates", SUBSET)
    return (
        f"{rule(step)}; so {extras_text(step)}; the other one is {digit_text(locked)}, which has no other place in "
        f"{unit_text(unit)}: {removed_text(step.removed)}"
    )
