# mypy: allow-untyped-defs
"""Two two-string kites of one digit on the same two cells of a box, as one step.

A kite (`strong_links`) is a row and a column with two places of the digit each, one of which is in the box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from puzzlelab.core.reasons import joined
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
    mark,
    removed_text,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

DUAL_KITE = Technique.DUAL_TWO_STRING_KITE
INNER, OUTER = 0, 1
"""Roles of candidates: those in the box, and the other places."""


class DualKites(NamedTuple):
    """The search for two kites on the same two cells."""

    is_family: int = 1


def families() -> Sequence[DualKites]:
    """Return the record of the search of this family."""
    return [DualKites()]


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


SENTENCES: Mapping[Technique, Sentence] = {DUAL_KITE: dual_kite}
