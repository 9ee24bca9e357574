# mypy: allow-untyped-defs
"""Singles: a digit with one place left in a unit, or a cell with one candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from puzzlelab.core import reasons
from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.position import BOXES, CELLS, COLUMNS, ROWS
from puzzlelab.puzzles.sudoku.logic.steps import (
    CELL,
    PLACED,
    UNIT,
    Evidence,
    Sentence,
    begin_step,
    cell_text,
    digit_text,
    end_step,
    find,
    mark,
    surcharge,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

FULL_HOUSE, HIDDEN_SINGLE, NAKED_SINGLE = Technique.FULL_HOUSE, Technique.HIDDEN_SINGLE, Technique.NAKED_SINGLE


FULL_HOUSES, HIDDEN_SINGLES, NAKED_SINGLES = 1, 2, 4
"""The bits of `Singles.kinds`."""


class Singles(NamedTuple):
    """The family: full houses, then hidden singles of boxes, columns and rows, then naked singles."""

    kinds: int
    """Which of them, as bits."""


def families() -> Sequence[Singles]:
    """Return the records of the searches of this family."""
    return [Singles(FULL_HOUSES | HIDDEN_SINGLES | NAKED_SINGLES)]


@inlined
def single_places(position, unit):
    """Return the blank cells of a unit as bits, and the digits with one place in it."""
    blank, once, again = np.int64(0), np.int64(0), np.int64(0)
    for i in range(9):
        digits = np.int64(position.candidates[position.units[unit, i]])
        blank |= np.int64(digits != 0) << i
        again |= once & digits
        once |= digits
    return blank, once & ~again


@inlined
def hidden_singles(position, found, first, only_last):
    """Find the hidden singles of the nine units from `first` on: in units with one blank cell, or in the others."""
    for unit in range(first, first + 9):
        blank, digits = single_places(position, unit)
        if digits and (blank & (blank - 1) == 0) == only_last:
            while digits:
                digit = np.int64(position.lowest[digits])
                digits &= digits - 1
                cell = position.units[unit, position.lowest[position.places[digit, unit]]]
                begin_step(found, FULL_HOUSE if only_last else HIDDEN_SINGLE)
                mark(found, PLACED, 0, 9 * cell + digit, 0)
                mark(found, UNIT, 0, unit, 0)
                if end_step(found):
                    return True
    return False


@inlined
def naked_singles(position, found):
    """Find the cells with one candidate."""
    for cell in range(CELLS):
        digits = position.candidates[cell]
        if digits and digits & (digits - 1) == 0:
            begin_step(found, NAKED_SINGLE)
            mark(found, PLACED, 0, 9 * cell + position.lowest[digits], 0)
            mark(found, CELL, 0, cell, 0)
            if end_step(found):
                return True
    return False


@implements(find, Singles)
def find_singles(family, position, found):
    """Find singles, the easiest first."""
    for kind, only_last in ((FULL_HOUSES, True), (HIDDEN_SINGLES, False)):
        if family.kinds & kind:
            for first in (BOXES, COLUMNS, ROWS):
                if hidden_singles(position, found, first, only_last):
                    return
    if family.kinds & NAKED_SINGLES:
        naked_singles(position, found)


@implements(surcharge, Singles)
def surcharge_of_singles(family, found):
    """Return 3 for a hidden single of a line, which is harder than one of a box."""
    unit = (found.marks[1] >> 12) & 0xFFF
    return 3 if found.heads[0, 0] == HIDDEN_SINGLE and unit < BOXES else 0


def full_house(step: Evidence) -> str:
    """Explain a full house."""
    (placed,), ((_, unit),) = step.placed, step.units
    return reasons.full_house(cell_text(placed // 9), digit_text(placed), unit_text(unit))


def hidden_single(step: Evidence) -> str:
    """Explain a hidden single."""
    (placed,), ((_, unit),) = step.placed, step.units
    return reasons.hidden_single(cell_text(placed // 9), digit_text(placed), unit_text(unit))


def naked_single(step: Evidence) -> str:
    """Explain a naked single."""
    (placed,) = step.placed
    return reasons.naked_single(cell_text(placed // 9), digit_text(placed))


SENTENCES: Mapping[Technique, Sentence] = {
    FULL_HOUSE: full_house,
    HIDDEN_SINGLE: hidden_single,
    NAKED_SINGLE: naked_single,
}
