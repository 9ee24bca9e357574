# mypy: allow-untyped-defs
"""BUG+1 to BUG+n: positions that are a bivalue universal grave but for a few candidates, the extras.

In such a grave each blank cell has two candidates, and each digit two places, or none, in each unit: it has no
solution or several. As a board has one, one of the extras is true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.extras import (
    LARGEST,
    NAKED,
    NONE,
    Pattern,
    add_cell,
    begin_pattern,
    count_cells,
    extras_of,
    locked_digits,
    new_pattern,
    one_cell,
    one_digit,
    sentences,
    subsets,
)
from puzzlelab.puzzles.sudoku.logic.position import CELLS, DIGITS, UNITS
from puzzlelab.puzzles.sudoku.logic.steps import Evidence, Sentence, find, surcharge
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

BUG_1, BUG_2, BUG_3, BUG_4 = Technique.BUG_1, Technique.BUG_2, Technique.BUG_3, Technique.BUG_4


class Graves(NamedTuple):
    """The family: types 1 and 2, then 4, then 3 by the size of the subset."""

    extras: NDArray[np.int64]
    """[81]: the extras of each cell as bits."""
    pattern: Pattern
    """The cells with extras."""


def families() -> Sequence[Graves]:
    """Return the records of the searches of this family."""
    return [Graves(np.zeros(CELLS, np.int64), new_pattern())]


@inlined
def collect_extras(family, position):
    """Collect the extras; returns whether the rest is a grave."""
    begin_pattern(family.pattern)
    for cell in range(CELLS):
        digits, extras = np.int64(position.candidates[cell]), np.int64(0)
        for digit in range(DIGITS if position.counts[digits] > 2 else 0):
            places = 9
            for kind in range(3):
                places = min(places, position.counts[position.places[digit, position.homes[cell, kind]]])
            extras |= (digits & (1 << digit)) if places > 2 else 0
        if position.values[cell] == 0 and position.counts[digits & ~extras] != 2:
            return False
        family.extras[cell] = extras
        if extras:
            add_cell(family.pattern, cell, extras)
    return has_pairs_of_places(family, position)


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


@implements(find, Graves)
def find_graves(family, position, found):
    """Find the steps of BUG+1 to BUG+n, the easiest first."""
    pattern = family.pattern
    if not collect_extras(family, position):
        return
    count, is_same = pattern.sizes[1], position.counts[extras_of(pattern)] == 1
    if count == 1:
        one_cell(pattern, position, found, BUG_1)
    elif is_same:
        one_digit(pattern, position, found, BUG_2)
    elif count > 1:
        if count == 2 and locked_digits(pattern, position, found, BUG_4):
            return
        for cells in range(1, LARGEST):
            if subsets(pattern, position, found, BUG_3, cells, NONE, 0):
                return


@implements(surcharge, Graves)
def graves_surcharge(family, found):
    """Return by how much a step of type 3 is harder than that with a pair."""
    return max(count_cells(found, NAKED) - 1, 0)


def grave_rule(step: Evidence) -> str:
    """Return what would be wrong."""
    return (
        "with some candidates fewer, each blank cell would have two, and each digit two places in each unit, and no "
        "such board has exactly one solution"
    )


SENTENCES: Mapping[Technique, Sentence] = dict(zip((BUG_1, BUG_2, BUG_3, BUG_4), sentences(grave_rule), strict=True))
