# mypy: allow-untyped-defs
"""Two strong links of one digit: skyscrapers, two-string kites and turbot fish.

A strong link is a unit with two places of the digit. If two links have ends that see each other, one of their other
ends has the digit. Two kites on the same two cells are found as one step too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.position import BOXES, CELLS, DIGITS, UNITS, has
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
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
    is_repeated,
    joined,
    mark,
    removed_text,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

SKYSCRAPER, KITE, TURBOT_FISH = Technique.SKYSCRAPER, Technique.TWO_STRING_KITE, Technique.TURBOT_FISH
DUAL_KITE = Technique.DUAL_TWO_STRING_KITE
INNER, OUTER = 0, 1
"""Roles of candidates: the ends that see each other, and the other ends."""


class StrongPairs(NamedTuple):
    """The search for two strong links: skyscrapers, two-string kites or turbot fish."""

    technique: int
    units: NDArray[np.int64]
    """[27]: the units with two places of the digit."""
    ends: NDArray[np.int64]
    """[27, 2]: their places, as cells."""


class DualKites(NamedTuple):
    """The search for two two-string kites on the same two cells."""

    is_family: int = 1


def families() -> Sequence[StrongPairs | DualKites]:
    """Return the records of the searches of this family."""
    return [*map(strong_pairs, (SKYSCRAPER, KITE, TURBOT_FISH)), DualKites()]


def strong_pairs(technique: Technique) -> StrongPairs:
    """Make the record of the search for one technique."""
    return StrongPairs(int(technique), np.zeros(UNITS, np.int64), np.zeros((UNITS, 2), np.int64))


@inlined
def set_links(family, position, digit):
    """Write the strong links of a digit; returns how many there are."""
    count = 0
    for unit in range(UNITS):
        places = np.int64(position.places[digit, unit])
        if position.counts[places] == 2:
            family.units[count] = unit
            family.ends[count, 0] = position.units[unit, position.lowest[places]]
            family.ends[count, 1] = position.units[unit, position.lowest[places & (places - 1)]]
            count += 1
    return count


@inlined
def technique_of_pair(position, one, other, first, second):
    """Return what two links in the units `one` and `other` are, whose ends `first` and `second` see each other."""
    kinds = one // 9, other // 9
    if (kinds == (0, 0) and first % 9 == second % 9) or (kinds == (1, 1) and first // 9 == second // 9):
        return SKYSCRAPER
    if kinds == (0, 1) and position.homes[first, 2] == position.homes[second, 2]:
        return KITE
    return TURBOT_FISH


@inlined
def remove_seen(position, found, digit, one, other):
    """Mark the digit as removed from what sees two cells; returns how often."""
    count = 0
    for cell in range(CELLS):
        if position.sees[cell, one] and position.sees[cell, other] and has(position, cell, digit):
            mark(found, REMOVED, 0, 9 * cell + digit, 0)
            count += 1
    return count


@inlined
def add_pair(family, position, found, digit, i, j, end, other_end):
    """Write the step of two links whose ends of these numbers see each other; returns whether to stop."""
    first, second = family.ends[i, end], family.ends[j, other_end]
    one, other = family.ends[i, 1 - end], family.ends[j, 1 - other_end]
    if one in (second, other) or first == other:
        return False
    if technique_of_pair(position, family.units[i], family.units[j], first, second) != family.technique:
        return False
    begin_step(found, family.technique)
    if remove_seen(position, found, digit, one, other) == 0 or is_repeated(found):
        return False
    for cell, role in ((first, INNER), (second, INNER), (one, OUTER), (other, OUTER)):
        mark(found, CANDIDATE, role, 9 * cell + digit, 0)
    mark(found, UNIT, 0, family.units[i], 0)
    mark(found, UNIT, 0, family.units[j], 0)
    return end_step(found)


@implements(find, StrongPairs)
def find_strong_pairs(family, position, found):
    """Find pairs of strong links."""
    for digit in range(DIGITS):
        count = set_links(family, position, digit)
        for i in range(count):
            for j in range(i + 1, count):
                for ends in range(4):
                    end, other_end = ends // 2, ends % 2
                    if position.sees[family.ends[i, end], family.ends[j, other_end]] and add_pair(
                        family, position, found, digit, i, j, end, other_end
                    ):
                        return


@inlined
def other_place(position, digit, unit, cell):
    """Return the other place of a digit in a unit where it has two, one of them in a cell; -1 if it has not."""
    places = np.int64(position.places[digit, unit])
    if position.counts[places] != 2:
        return -1
    first = position.units[unit, position.lowest[places]]
    second = position.units[unit, position.lowest[places & (places - 1)]]
    return second if first == cell else first if second == cell else -1


@inlined
def add_kite(position, found, digit, in_row, in_column):
    """Remove the digit by the kite of the row of one cell and the column of another; returns how often."""
    row, column = position.homes[in_row, 0], position.homes[in_column, 1]
    one, other = other_place(position, digit, row, in_row), other_place(position, digit, column, in_column)
    if one < 0 or other < 0:
        return 0
    return remove_seen(position, found, digit, one, other)


@inlined
def mark_kite(position, found, digit, in_row, in_column):
    """Mark what the kite of the row of one cell and the column of another rests on."""
    row, column = position.homes[in_row, 0], position.homes[in_column, 1]
    mark(found, UNIT, 0, row, 0)
    mark(found, UNIT, 0, column, 0)
    mark(found, CANDIDATE, INNER, 9 * in_row + digit, 0)
    mark(found, CANDIDATE, OUTER, 9 * other_place(position, digit, row, in_row) + digit, 0)
    mark(found, CANDIDATE, OUTER, 9 * other_place(position, digit, column, in_column) + digit, 0)


@implements(find, DualKites)
def find_dual_kites(family, position, found):
    """Find pairs of two-string kites."""
    for digit in range(DIGITS):
        for box in range(BOXES, UNITS):
            for i in range(9):
                for j in range(i + 1, 9):
                    one, other = position.units[box, i], position.units[box, j]
                    if (
                        i // 3 != j // 3
                        and i % 3 != j % 3
                        and has(position, one, digit)
                        and has(position, other, digit)
                    ):
                        begin_step(found, DUAL_KITE)
                        if add_kite(position, found, digit, one, other) and add_kite(
                            position, found, digit, other, one
                        ):
                            mark_kite(position, found, digit, one, other)
                            mark_kite(position, found, digit, other, one)
                            if end_step(found):
                                return


# --- sentences ---


def pair_of_links(step: Evidence) -> str:
    """Explain a skyscraper, a two-string kite or a turbot fish."""
    (first, second), (one, other) = (step.by_role("candidates", role) for role in (INNER, OUTER))
    digit, units = digit_text(first), joined([unit_text(unit) for _, unit in step.units])
    return (
        f"{cells_text([first // 9, second // 9])} cannot both be {digit}, and {units} have one other place each, so "
        f"{cell_text(one // 9)} or {cell_text(other // 9)} is {digit}: {removed_text(step.removed)}"
    )


def dual_kite(step: Evidence) -> str:
    """Explain two kites."""
    inner = step.by_role("candidates", INNER)
    one, other, third, fourth = (candidate // 9 for candidate in step.by_role("candidates", OUTER))
    digit, units = digit_text(inner[0]), joined([unit_text(unit) for _, unit in step.units])
    return (
        f"{cells_text([each // 9 for each in inner])} cannot both be {digit}, and {units} have one other place each; "
        f"so {cell_text(one)} or {cell_text(other)} is {digit}, and {cell_text(third)} or {cell_text(fourth)}: "
        f"{removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = {
    SKYSCRAPER: pair_of_links,
    KITE: pair_of_links,
    TURBOT_FISH: pair_of_links,
    DUAL_KITE: dual_kite,
}
