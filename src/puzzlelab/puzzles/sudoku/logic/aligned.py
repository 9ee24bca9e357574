# mypy: allow-untyped-defs
"""Aligned pair exclusion: two cells that see the same cells with two candidates cannot hold both of these candidates.

Nor can they hold the same digit where they see each other. A candidate that is in none of the pairs that are left goes.

Roles of cells and candidates: 0 the pair, 1 the cells with two candidates that exclude a pair of what is removed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.reasons import joined
from puzzlelab.engine.kernels import implements, inlined, outlined
from puzzlelab.puzzles.sudoku.logic.position import ALL, CELLS, DIGITS
from puzzlelab.puzzles.sudoku.logic.steps import (
    CELL,
    UNIT,
    Evidence,
    Sentence,
    begin_step,
    cell_text,
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

PAIR, EXCLUDING = range(2)


class AlignedPairs(NamedTuple):
    """The family."""

    partners: NDArray[np.int64]
    """[9]: the digits of the second cell that go with each digit of the first, as bits."""
    pairs: NDArray[np.int64]
    """[20]: the cells with two candidates that the first cell sees."""


def families() -> Sequence[AlignedPairs]:
    """Return the record of this family's search."""
    return [AlignedPairs(np.zeros(DIGITS, np.int64), np.zeros(20, np.int64))]


@inlined
def excludes(position, one, other, cell):
    """Tell whether a cell has two candidates, and both cells of a pair see it."""
    return position.counts[position.candidates[cell]] == 2 and position.sees[one, cell] and position.sees[other, cell]


@inlined
def goes_with(digits, others, low, high):
    """Tell whether one of two digits (bits) is in `digits`, and the other one in `others`."""
    return (low & digits and high & others) or (high & digits and low & others)


@inlined
def find_pairs(family, position, one):
    """Write the cells with two candidates that a cell sees; returns how many there are."""
    count = 0
    for i in range(position.peers.shape[1]):
        cell = position.peers[one, i]
        if position.counts[position.candidates[cell]] == 2:
            family.pairs[count] = cell
            count += 1
    return count


@inlined
def sees_pair(family, position, other, count):
    """Tell whether a cell sees one of the first `count` of `pairs`."""
    i = 0
    while i < count and not position.sees[other, family.pairs[i]]:
        i += 1
    return i < count


@inlined
def set_partners(family, position, one, other, count):
    """Write which digits go together in two cells; the first `count` of `pairs` exclude others."""
    digits, candidates = np.int64(position.candidates[one]), np.int64(position.candidates[other])
    for digit in range(DIGITS):
        own = np.int64(position.sees[one, other]) << digit
        family.partners[digit] = candidates & ~own if (digits >> digit) & 1 else 0
    for i in range(count):
        cell = family.pairs[i]
        if position.sees[other, cell]:
            both = np.int64(position.candidates[cell])
            low, high = both & -both, both & (both - 1)
            family.partners[position.lowest[low]] &= ~high
            family.partners[position.lowest[high]] &= ~low


@outlined
def add_step(position, found, one, other, lost, other_lost):
    """Write a step that takes digits (bits) from each cell of a pair; returns whether the search is to stop."""
    begin_step(found, Technique.ALIGNED_PAIR)
    remove_from(position, found, one, lost)
    remove_from(position, found, other, other_lost)
    for cell in (one, other):
        mark(found, CELL, PAIR, cell, 0)
        mark_digits(position, found, cell, ALL, PAIR)
    for kind in range(3):
        if position.homes[one, kind] == position.homes[other, kind]:
            mark(found, UNIT, 0, position.homes[one, kind], 0)
    digits, candidates = np.int64(position.candidates[one]), np.int64(position.candidates[other])
    for i in range(position.peers.shape[1]):
        cell = position.peers[one, i]
        both = np.int64(position.candidates[cell])
        low, high = both & -both, both & (both - 1)
        is_reason = goes_with(lost, candidates, low, high) or goes_with(other_lost, digits, low, high)
        if is_reason and excludes(position, one, other, cell):
            mark(found, CELL, EXCLUDING, cell, 0)
            mark_digits(position, found, cell, ALL, EXCLUDING)
    return end_step(found)


@implements(find, AlignedPairs)
def find_aligned_pairs(family, position, found):
    """Find the steps of all pairs of blank cells."""
    for one in range(CELLS):
        digits = np.int64(position.candidates[one])
        count = find_pairs(family, position, one) if digits else 0
        for other in range(one + 1, CELLS):
            candidates = np.int64(position.candidates[other])
            if candidates and sees_pair(family, position, other, count):
                set_partners(family, position, one, other, count)
                kept, other_kept = np.int64(0), np.int64(0)
                for digit in range(DIGITS):
                    kept |= np.int64(family.partners[digit] != 0) << digit
                    other_kept |= family.partners[digit]
                lost, other_lost = digits & ~kept, candidates & ~other_kept
                if (lost or other_lost) and add_step(position, found, one, other, lost, other_lost):
                    return


def aligned_pair(step: Evidence) -> str:
    """Explain the step by the pairs of digits that are excluded."""
    cells, others = step.by_role("cells", PAIR), step.by_role("cells", EXCLUDING)
    marked = step.by_role("candidates", EXCLUDING)
    pairs = [f"{cell_text(cell)} ({digits_text([each for each in marked if each // 9 == cell])})" for cell in others]
    same = [f" the same digit, because they share {unit_text(unit)}" for _, unit in step.units[:1]]
    excluded = [f" the two candidates of {joined(pairs, ' or ')}, which both see"] if pairs else []
    return (
        f"{cells_text(cells)} cannot hold{', or'.join([*same, *excluded])}; "
        f"none of the pairs of digits that are left has what goes: {removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = {Technique.ALIGNED_PAIR: aligned_pair}
