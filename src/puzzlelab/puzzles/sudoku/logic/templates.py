# mypy: allow-untyped-defs
"""Templates: all ways to place a digit in the rows, columns and boxes; what is in all of them, and in none.

A template that uses a cell which all templates of another digit use is left out, again and again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.position import CELLS, DIGITS, has
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
    PLACED,
    REMOVED,
    Evidence,
    Sentence,
    begin_step,
    cells_text,
    digit_text,
    end_step,
    find,
    mark,
    removed_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

SET, DELETE = Technique.TEMPLATE_SET, Technique.TEMPLATE_DELETE
NONE = -1


class Templates(NamedTuple):
    """The search for one technique."""

    technique: int
    untried: NDArray[np.int64]
    """[9]: by row, the columns that are still to be tried, as bits."""
    columns: NDArray[np.int64]
    """[9]: by row, the column of the digit, as a bit."""
    uses: NDArray[np.int64]
    """[9, 81]: how many templates of a digit use a cell."""
    owners: NDArray[np.int64]
    """[81]: the digit of which all templates use a cell, or NONE."""


def families() -> Sequence[Templates]:
    """Return the records of the searches of this family."""
    return [
        Templates(int(technique), *(np.zeros(shape, np.int64) for shape in (9, 9, (DIGITS, CELLS), CELLS)))
        for technique in (SET, DELETE)
    ]


@inlined
def free_columns(family, position, digit, row):
    """Return the columns where a row may have the digit, after the rows above it."""
    free = np.int64(position.places[digit, row])
    for column in range(9):
        if position.values[9 * row + column] == digit + 1:
            free = np.int64(1) << column
        if family.owners[9 * row + column] not in (NONE, digit):
            free &= ~(1 << column)
    for above in range(row):
        free &= ~family.columns[above]
        if above // 3 == row // 3:
            free &= ~(0b111 << 3 * (np.int64(position.lowest[family.columns[above]]) // 3))
    return free


@inlined
def count_uses(family, position, digit):
    """Count by cell the templates of a digit that use it; returns how many there are."""
    for cell in range(CELLS):
        family.uses[digit, cell] = 0
    count, row = 0, 0
    family.untried[0] = free_columns(family, position, digit, 0)
    while row >= 0:
        untried = family.untried[row]
        if not untried:
            row -= 1
            continue
        family.columns[row] = untried & -untried
        family.untried[row] = untried & (untried - 1)
        if row < 8:
            row += 1
            family.untried[row] = free_columns(family, position, digit, row)
        else:
            count += 1
            for each in range(9):
                family.uses[digit, 9 * each + position.lowest[family.columns[each]]] += 1
    return count


@inlined
def take_cells(family, digit, count):
    """Give a digit the cells that all its templates use; returns whether some are new."""
    has_new = False
    for cell in range(CELLS):
        if family.uses[digit, cell] == count and family.owners[cell] == NONE:
            family.owners[cell] = digit
            has_new = True
    return has_new


@inlined
def set_templates(family, position):
    """Count the uses of all cells; returns whether each digit has a template."""
    for cell in range(CELLS):
        family.owners[cell] = NONE
    has_new = True
    while has_new:
        has_new = False
        for digit in range(DIGITS):
            count = count_uses(family, position, digit)
            if count == 0:
                return False
            has_new = take_cells(family, digit, count) or has_new
    return True


@inlined
def write_step(family, position, found, digit):
    """Write what the templates of a digit say; returns whether to stop."""
    begin_step(found, family.technique)
    changes = 0
    for cell in range(CELLS):
        if has(position, cell, digit):
            if family.technique == SET and family.owners[cell] == digit:
                mark(found, PLACED, 0, 9 * cell + digit, 0)
                changes += 1
            if family.technique == DELETE and family.uses[digit, cell] == 0:
                mark(found, REMOVED, 0, 9 * cell + digit, 0)
                changes += 1
    for cell in range(CELLS):
        if has(position, cell, digit) and family.uses[digit, cell]:
            mark(found, CANDIDATE, 0, 9 * cell + digit, 0)
    return changes != 0 and end_step(found)


@implements(find, Templates)
def find_templates(family, position, found):
    """Find what the templates of each digit say."""
    if set_templates(family, position):
        for digit in range(DIGITS):
            if write_step(family, position, found, digit):
                return


def template_set(step: Evidence) -> str:
    """Explain what is in all templates."""
    cells = cells_text([candidate // 9 for candidate in step.placed])
    return f"all ways to place {digit_text(step.placed[0])} that leave the other digits their cells use {cells}"


def template_delete(step: Evidence) -> str:
    """Explain what is in no template."""
    digit = digit_text(step.removed[0])
    removed = removed_text(step.removed)
    return f"no way to place {digit} that leaves the other digits their cells is left here: {removed}"


SENTENCES: Mapping[Technique, Sentence] = {SET: template_set, DELETE: template_delete}
