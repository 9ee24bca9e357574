# mypy: allow-untyped-defs
"""Subsets: as many cells as digits in a unit, pairs to quadruples; naked by the cells, hidden by the digits.

Both are one search: among nine sets, some that together have as many elements as they are. The sets are the candidates
of the cells of a unit, or the places of the digits in it; basic fish are the same search among the places of lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core import reasons
from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.direct import excluded, make_direct, with_single
from puzzlelab.puzzles.sudoku.logic.position import ALL, BOXES, UNITS
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
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
    remove_from,
    removed_text,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

NAKED = (Technique.NAKED_PAIR, Technique.NAKED_TRIPLE, Technique.NAKED_QUADRUPLE)
HIDDEN = (Technique.HIDDEN_PAIR, Technique.HIDDEN_TRIPLE, Technique.HIDDEN_QUADRUPLE)
DIRECT = (Technique.DIRECT_HIDDEN_PAIR, Technique.DIRECT_HIDDEN_TRIPLE)


class Subsets(NamedTuple):
    """The family: subsets of one size."""

    technique: int
    is_hidden: bool
    is_direct: bool
    """Whether a subset counts only with a hidden single that it makes at once, which is then a part of the step."""
    size: int
    choices: NDArray[np.int64]
    """[K]: the choices of `size` of nine sets, as bits."""
    sets: NDArray[np.int64]
    """[9]: room for the sets of a unit."""


def families() -> Sequence[Subsets]:
    """Return the records of the searches of this family: pairs, triples and quadruples, naked before hidden."""
    return [subsets(techniques[size - 2]) for size in (2, 3, 4) for techniques in (NAKED, HIDDEN)]


def subsets(technique: Technique) -> Subsets:
    """Return the record of the search for one technique."""
    size = 2 + next(names for names in (NAKED, HIDDEN, DIRECT) if technique in names).index(technique)
    return Subsets(
        technique=int(technique),
        is_hidden=technique not in NAKED,
        is_direct=technique in DIRECT,
        size=size,
        choices=choices_of(size),
        sets=np.zeros(9, np.int64),
    )


@cache
def choices_of(size: int) -> NDArray[np.int64]:
    """Return the sets of `size` numbers from 0 to 8, as bits."""
    return np.array([each for each in range(ALL + 1) if each.bit_count() == size], np.int64)


@inlined
def usable(position, sets, size):
    """Return which of the nine sets have from 2 to `size` elements, as bits."""
    numbers = 0
    for i in range(9):
        numbers |= (2 <= position.counts[sets[i]] <= size) << i
    return numbers


@inlined
def union_of(position, sets, choice):
    """Return the elements of the chosen sets."""
    union = 0
    while choice:
        union |= sets[position.lowest[choice]]
        choice &= choice - 1
    return union


@inlined
def fill_sets(position, unit, is_hidden, sets):
    """Write the places of each digit in a unit, or the candidates of each of its cells."""
    for i in range(9):
        if is_hidden:
            sets[i] = position.places[i, unit]
        else:
            sets[i] = position.candidates[position.units[unit, i]]


@inlined
def mark_subset(position, found, unit, cells, digits):
    """Mark the cells of a subset, given as bits, and those of its digits that they may be."""
    mark(found, UNIT, 0, unit, 0)
    while cells:
        cell = position.units[unit, position.lowest[cells]]
        cells &= cells - 1
        mark(found, CELL, 0, cell, 0)
        present = np.int64(position.candidates[cell]) & digits
        while present:
            mark(found, CANDIDATE, 0, 9 * cell + np.int64(position.lowest[present]), 0)
            present &= present - 1


@inlined
def mark_places(position, found, kind, role, digit, unit, spots):
    """Mark the candidates of a digit at these places (bits) of a unit, and return how many they are."""
    present = np.int64(position.places[digit, unit]) & spots
    count = np.int64(position.counts[present])
    while present:
        mark(found, kind, role, 9 * position.units[unit, position.lowest[present]] + digit, 0)
        present &= present - 1
    return count


@inlined
def remove_rest(position, found, unit, cells, digits):
    """Mark as removed what a subset excludes, and return how much: other digits in its cells, its digits elsewhere."""
    removed = 0
    for i in range(9):
        cell = position.units[unit, i]
        removed += remove_from(position, found, cell, ALL & ~digits if (cells >> i) & 1 else digits)
    return removed


@implements(find, Subsets)
def find_subsets(family, position, found):
    """Find the subsets of one size, box by box, then line by line."""
    sets = family.sets
    for number in range(UNITS):
        unit = (number + BOXES) % UNITS
        fill_sets(position, unit, family.is_hidden, sets)
        unusable = ~usable(position, sets, family.size)
        for i in range(family.choices.size):
            choice = family.choices[i]
            if choice & unusable == 0:
                union = union_of(position, sets, choice)
                if position.counts[union] == family.size:
                    cells, digits = (union, choice) if family.is_hidden else (choice, union)
                    begin_step(found, family.technique)
                    removed = remove_rest(position, found, unit, cells, digits)
                    if removed and (not family.is_direct or make_direct(position, found, unit, unit + 1)):
                        mark_subset(position, found, unit, cells, digits)
                        if end_step(found):
                            return


def naked_subset(step: Evidence) -> str:
    """Explain a naked subset."""
    (unit,), cells = step.by_role("units", 0), step.by_role("cells", 0)
    digits = digits_text(step.by_role("candidates", 0))
    return reasons.naked_subset(cells_text(cells), digits, unit_text(unit), removed_text(step.removed))


def hidden_subset(step: Evidence) -> str:
    """Explain a hidden subset, or a direct one."""
    (unit,), cells = step.by_role("units", 0), step.by_role("cells", 0)
    digits = digits_text(step.by_role("candidates", 0))
    text = reasons.hidden_subset(cells_text(cells), digits, unit_text(unit), removed_text(excluded(step)))
    return with_single(text, step)


SENTENCES: Mapping[Technique, Sentence] = dict.fromkeys(NAKED, naked_subset) | dict.fromkeys(
    HIDDEN + DIRECT, hidden_subset
)
