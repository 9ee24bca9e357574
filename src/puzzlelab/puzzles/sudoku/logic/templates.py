# mypy: allow-untyped-defs
"""Templates: all ways to place a digit in the rows, columns and boxes; what is in all of them, and in none."""

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


class Templates(NamedTuple):
    """The search for one technique."""

    technique: int
    untried: NDArray[np.int64]
    """[9]: by row, the columns that are still to be tried, as bits."""
    columns: NDArray[np.int64]
    """[9]: by row, the column of the digit, as a bit."""
    uses: NDArray[np.int64]
    """[81]: how many templates use a cell."""


def families() -> Sequence[Templates]:
    """Return the records of the searches of this family."""
    return [
        Templates(int(technique), np.zeros(9, np.int64), np.zeros(9, np.int64), np.zeros(CELLS, np.int64))
        for technique in (SET, DELETE)
    ]


@inlined
def free_columns(family, position, digit, row):
    """Return the columns where a row may have the digit, after the rows above it."""
    free = np.int64(position.places[digit, row])
    for column in range(9):
        if position.values[9 * row + column] == digit + 1:
            free = np.int64(1) << column
    for above in range(row):
        free &= ~family.columns[above]
        if above // 3 == row // 3:
            free &= ~(0b111 << 3 * (np.int64(position.lowest[family.columns[above]]) // 3))
    return free


@inlined
def count_uses(family, position, digit):
    """Count by cell the templates of a digit that use it; returns how many there are."""
    for cell in range(CELLS):
        family.uses[cell] = 0
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
                family.uses[9 * each + position.lowest[family.columns[each]]] += 1
    return count


@implements(find, Templates)
def find_templates(family, position, found):
    """Find what the templates of each digit say."""
    kind = PLACED if family.technique == SET else REMOVED
    for digit in range(DIGITS):
        count = count_uses(family, position, digit)
        wanted = count if family.technique == SET else 0
        begin_step(found, family.technique)
        changes = 0
        for cell in range(CELLS):
            if has(position, cell, digit) and family.uses[cell] == wanted:
                mark(found, kind, 0, 9 * cell + digit, 0)
                changes += 1
        for cell in range(CELLS):
            if has(position, cell, digit) and family.uses[cell]:
                mark(found, CANDIDATE, 0, 9 * cell + digit, 0)
        if count and changes and end_step(found):
            return


def template_set(step: Evidence) -> str:
    """Explain what is in all templates."""
    cells = cells_text([candidate // 9 for candidate in step.placed])
    return f"all ways to place {digit_text(step.placed[0])} in the rows, columns and boxes that lack it use {cells}"


def template_delete(step: Evidence) -> str:
    """Explain what is in no template."""
    digit = digit_text(step.removed[0])
    removed = removed_text(step.removed)
    return f"no way to place {digit} in the rows, columns and boxes that lack it is left here: {removed}"


SENTENCES: Mapping[Technique, Sentence] = {SET: template_set, DELETE: template_delete}
