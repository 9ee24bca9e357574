# mypy: allow-untyped-defs
"""Singles: a digit with one place left in a unit, or a cell with one candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.position import BOXES, CELLS, COLUMNS, DIGITS, ROWS
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
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

FULL_HOUSE, HIDDEN_SINGLE, NAKED_SINGLE = Technique.FULL_HOUSE, Technique.HIDDEN_SINGLE, Technique.NAKED_SINGLE


class Singles(NamedTuple):
    """The family: full houses, then hidden singles of boxes, columns and rows, then naked singles."""

    is_family: int = 1


def families() -> Sequence[Singles]:
    """Return the records of the searches of this family."""
    return [Singles()]


@inlined
def blanks_of(position, unit):
    """Return how many cells of a unit are blank."""
    blanks = 0
    for i in range(9):
        blanks += position.values[position.units[unit, i]] == 0
    return blanks


@inlined
def hidden_singles(position, found, first, only_last):
    """Find the hidden singles of the nine units from `first` on: in units with one blank cell, or in the others."""
    for unit in range(first, first + 9):
        if (blanks_of(position, unit) == 1) == only_last:
            for digit in range(DIGITS):
                places = position.places[digit, unit]
                if places and places & (places - 1) == 0:
                    cell = position.units[unit, position.lowest[places]]
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
    for only_last in (True, False):
        for first in (BOXES, COLUMNS, ROWS):
            if hidden_singles(position, found, first, only_last):
                return
    naked_singles(position, found)


def full_house(step: Evidence) -> str:
    """Explain a full house."""
    (placed,), ((_, unit),) = step.placed, step.units
    return f"{cell_text(placed // 9)} must be {digit_text(placed)}: it is the last blank cell of {unit_text(unit)}"


def hidden_single(step: Evidence) -> str:
    """Explain a hidden single."""
    (placed,), ((_, unit),) = step.placed, step.units
    return f"{digit_text(placed)} has one place left in {unit_text(unit)}: {cell_text(placed // 9)}"


def naked_single(step: Evidence) -> str:
    """Explain a naked single."""
    (placed,) = step.placed
    return f"{cell_text(placed // 9)} must be {digit_text(placed)}: no other candidate is left there"


SENTENCES: Mapping[Technique, Sentence] = {
    FULL_HOUSE: full_house,
    HIDDEN_SINGLE: hidden_single,
    NAKED_SINGLE: naked_single,
}
