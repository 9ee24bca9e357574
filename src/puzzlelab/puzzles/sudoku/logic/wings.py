# mypy: allow-untyped-defs
"""XY- and XYZ-wings: a pivot and two cells with two candidates each that it sees.

Roles of cells: 0 the pivot, 1 the wings; of candidates: 1 the digit that is removed, 0 the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.position import ALL, CELLS
from puzzlelab.puzzles.sudoku.logic.steps import (
    CELL,
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
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

XY_WING, XYZ_WING = Technique.XY_WING, Technique.XYZ_WING
PIVOT, WING = 0, 1
COMMON = 1


class Wings(NamedTuple):
    """The family of wings whose pivot has this many candidates: 2 for XY-wings, 3 for XYZ-wings."""

    candidates_of_pivot: int


def families() -> Sequence[Wings]:
    """Return the records of the searches of this family."""
    return [Wings(2), Wings(3)]


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


SENTENCES: Mapping[Technique, Sentence] = {XY_WING: wing, XYZ_WING: wing}
