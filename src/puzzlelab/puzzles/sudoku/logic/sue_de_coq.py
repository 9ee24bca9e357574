# mypy: allow-untyped-defs
"""Sue de Coq: cells that a box and a line share, with cells of the rest of each, as many as their digits in all.

The cells of the line and those of the box have no digit in common. So each digit can be there once only, and as there
are as many cells as digits, once for sure: those that can be in the line only are lost to its rest, and so in the box.

Roles of cells: 0 the shared ones, 1 those of the line, 2 those of the box; of units: 0 the line, 1 the box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.locked import crossings, remove_beside
from puzzlelab.puzzles.sudoku.logic.position import ALL
from puzzlelab.puzzles.sudoku.logic.steps import (
    CELL,
    UNIT,
    Evidence,
    Sentence,
    begin_step,
    cells_text,
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

SUE_DE_COQ = Technique.SUE_DE_COQ
SHARED, IN_LINE, IN_BOX = range(3)
LINE, BOX = 0, 1


class SharedCells(NamedTuple):
    """The family."""

    crossings: NDArray[np.int64]
    """[54, 2, 2]: as in `Locked`: a box and a line, each with the cells that they share as bits."""
    choices: NDArray[np.int64]
    """[54, 2, 63]: the choices of other cells of the box, and of the line; those with earlier cells first."""
    unions: NDArray[np.int64]
    """[2, 512]: the digits of each choice of cells of the box, and of the line; 0 where one is filled."""


def families() -> Sequence[SharedCells]:
    """Return the records of the searches of this family."""
    both = crossings()
    choices = np.array([[_choices(ALL & ~shared) for _, shared in crossing] for crossing in both.tolist()])
    return [SharedCells(both, choices, np.zeros((2, ALL + 1), np.int64))]


def _choices(among: int) -> Sequence[int]:
    """Return the choices of bits among some, in the order of their lists of bits."""
    choices = [choice for choice in range(1, ALL + 1) if not choice & ~among]
    return sorted(choices, key=lambda choice: [bit for bit in range(9) if choice >> bit & 1])


@inlined
def set_unions(position, unit, unions):
    """Write the digits of each choice of cells of a unit."""
    for choice in range(1, ALL + 1):
        own, rest = np.int64(position.candidates[position.units[unit, position.lowest[choice]]]), choice & (choice - 1)
        is_blank = own and (rest == 0 or unions[rest])
        unions[choice] = own | (unions[rest] if rest else 0) if is_blank else 0


@inlined
def mark_choice(position, found, unit, choice, role):
    """Mark chosen cells of a unit, and their candidates."""
    while choice:
        cell = position.units[unit, position.lowest[choice]]
        mark(found, CELL, role, cell, 0)
        mark_digits(position, found, cell, ALL, role)
        choice &= choice - 1


@inlined
def add_step(family, position, found, crossing, shared, in_line, in_box):
    """Write the step of chosen cells: the shared ones as bits of the box; returns whether the search is to stop."""
    box, line = family.crossings[crossing, 0, 0], family.crossings[crossing, 1, 0]
    digits, of_line, of_box = family.unions[0, shared], family.unions[1, in_line], family.unions[0, in_box]
    begin_step(found, SUE_DE_COQ)
    removed = remove_beside(
        position, found, line, in_line | family.crossings[crossing, 1, 1], of_line | (digits & ~of_box)
    )
    removed += remove_beside(
        position, found, box, in_box | family.crossings[crossing, 0, 1], of_box | (digits & ~of_line)
    )
    others = family.crossings[crossing, 0, 1] & ~shared
    while others:
        cell = position.units[box, position.lowest[others]]
        removed += remove_from(position, found, cell, digits | of_line | of_box)
        others &= others - 1
    if removed == 0:
        return False
    mark(found, UNIT, LINE, line, 0)
    mark(found, UNIT, BOX, box, 0)
    mark_choice(position, found, box, shared, SHARED)
    mark_choice(position, found, line, in_line, IN_LINE)
    mark_choice(position, found, box, in_box, IN_BOX)
    return end_step(found)


@inlined
def find_with(family, position, found, crossing, shared):
    """Find the steps of some shared cells, given as bits of the box; returns whether the search is to stop."""
    digits = family.unions[0, shared]
    for in_line in family.choices[crossing, 1]:
        of_line = family.unions[1, in_line]
        if of_line & digits:
            for in_box in family.choices[crossing, 0]:
                of_box = family.unions[0, in_box]
                cells = position.counts[shared] + position.counts[in_line] + position.counts[in_box]
                is_apart = of_box & digits and of_line & of_box == 0
                is_whole = is_apart and position.counts[digits | of_line | of_box] == cells
                if is_whole and add_step(family, position, found, crossing, shared, in_line, in_box):
                    return True
    return False


@implements(find, SharedCells)
def find_sue_de_coq(family, position, found):
    """Find the steps by the crossings of boxes and lines."""
    for crossing in range(family.crossings.shape[0]):
        set_unions(position, family.crossings[crossing, 0, 0], family.unions[0])
        set_unions(position, family.crossings[crossing, 1, 0], family.unions[1])
        both = family.crossings[crossing, 0, 1]
        shared = both
        while shared:
            size, digits = position.counts[shared], family.unions[0, shared]
            has_enough = size > 1 and position.counts[digits] > size + 1
            if has_enough and find_with(family, position, found, crossing, shared):
                return
            shared = (shared - 1) & both


def sue_de_coq(step: Evidence) -> str:
    """Explain the step by counting cells and digits."""
    (line,), (box,) = step.by_role("units", LINE), step.by_role("units", BOX)
    cells, digits = [cell for _, cell in step.cells], [candidate for _, candidate in step.candidates]
    one, other = (digits_text(step.by_role("candidates", role)) for role in (IN_LINE, IN_BOX))
    return (
        f"{cells_text(cells)} are {len(cells)} cells for {digits_text(digits)}, each of which they can hold once only, "
        f"because {one} are together in {unit_text(line)} and {other} in {unit_text(box)}; so they hold each of them: "
        f"{removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = {SUE_DE_COQ: sue_de_coq}
