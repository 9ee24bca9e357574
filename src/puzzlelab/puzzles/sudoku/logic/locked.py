# mypy: allow-untyped-defs
"""Locked candidates: what the three cells that a box and a line share say about the rest of both.

Pointing goes from the box to the line, claiming from the line to the box. A locked pair or triple is a naked subset of
these cells, which removes its digits from both.
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
from puzzlelab.puzzles.sudoku.logic.position import BOXES, DIGITS, ROWS, new_position
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
    REMOVED,
    UNIT,
    Evidence,
    Sentence,
    begin_step,
    cells_text,
    digit_text,
    digits_text,
    end_step,
    find,
    mark,
    remove_from,
    removed_text,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.subsets import choices_of, mark_places, mark_subset
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

LOCKED = (Technique.POINTING, Technique.CLAIMING)
DIRECT = (Technique.DIRECT_POINTING, Technique.DIRECT_CLAIMING)
SUBSETS = (Technique.LOCKED_PAIR, Technique.LOCKED_TRIPLE)
BASE, COVER = 0, 1
"""The roles of units: where the digit is locked, and where it is removed."""


class Locked(NamedTuple):
    """The family: a digit that is locked in what a box and a line share."""

    technique: int
    is_direct: bool
    """Whether it counts only with a hidden single that it makes at once, which is then a part of the step."""
    crossings: NDArray[np.int64]
    """[bases, crossings of each, 2, 2]: a base and a unit that crosses it, each with the cells that they share as bits.

    Bases are boxes, or lines for claiming.
    """


class LockedSubsets(NamedTuple):
    """The family: naked pairs, or triples, in what a box and a line share."""

    technique: int
    size: int
    choices: NDArray[np.int64]
    """[K]: choices of `size` of nine cells, as bits."""
    crossings: NDArray[np.int64]
    """[54, 2, 2]: each box with each line that crosses it, in the same form."""


def families() -> Sequence[Locked | LockedSubsets]:
    """Return the records of the searches of this family."""
    return [*(locked(each) for each in LOCKED), *(locked_subsets(each) for each in SUBSETS)]


def locked(technique: Technique) -> Locked:
    """Return the record of the search for pointing or claiming, or its direct form."""
    is_claiming = technique in (LOCKED[1], DIRECT[1])
    pairs = crossings()[:, ::-1] if is_claiming else crossings()
    by_base = pairs[np.argsort(pairs[:, 0, 0], kind="stable")]
    return Locked(int(technique), technique in DIRECT, by_base.reshape(18 if is_claiming else 9, -1, 2, 2).copy())


def locked_subsets(technique: Technique) -> LockedSubsets:
    """Return the record of the search for locked pairs or triples."""
    size = 2 + SUBSETS.index(technique)
    return LockedSubsets(int(technique), size, choices_of(size), crossings())


@cache
def crossings() -> NDArray[np.int64]:
    """Return the pairs of a box and a line that cross, see `LockedSubsets.crossings`."""
    position, pairs = new_position(), []
    for box in range(BOXES, BOXES + 9):
        for line in range(ROWS, BOXES):
            shared = np.intersect1d(position.units[box], position.units[line])
            if shared.size:
                bits = [int((1 << position.spots[shared, unit // 9]).sum()) for unit in (box, line)]
                pairs.append(list(zip((box, line), bits, strict=True)))
    return np.array(pairs, np.int64)


@inlined
def add_locked(family, position, found, digit, base, cover):
    """Write the step of a digit that is locked in what two units (with the cells that they share) have in common."""
    unit, other, kind = base[0], cover[0], base[0] // 9 * 9
    places = np.int64(position.places[digit, unit])
    if not places or places & ~base[1] or not position.places[digit, other] & ~cover[1]:
        return False
    begin_step(found, family.technique)
    mark_places(position, found, REMOVED, 0, digit, other, ~cover[1])
    if family.is_direct and not make_direct(position, found, kind, kind + 9):
        return False
    mark_places(position, found, CANDIDATE, 0, digit, unit, base[1])
    mark(found, UNIT, BASE, unit, 0)
    mark(found, UNIT, COVER, other, 0)
    return end_step(found)


@implements(find, Locked)
def find_locked(family, position, found):
    """Find locked candidates of one kind, unit by unit."""
    crossings = family.crossings
    for base in range(crossings.shape[0]):
        for digit in range(DIGITS):
            for i in range(crossings.shape[1]):
                if add_locked(family, position, found, digit, crossings[base, i, 0], crossings[base, i, 1]):
                    return


@inlined
def remove_beside(position, found, unit, shared, digits):
    """Mark the digits as removed from the cells of a unit that are not shared, and return how many there are."""
    removed = 0
    for i in range(9):
        if not (shared >> i) & 1:
            removed += remove_from(position, found, position.units[unit, i], digits)
    return removed


@inlined
def digits_in(position, unit, cells):
    """Return the candidates of these cells (bits) of a unit, or none where one is filled."""
    digits = np.int64(0)
    while cells:
        own = np.int64(position.candidates[position.units[unit, position.lowest[cells]]])
        if own == 0:
            return own
        digits |= own
        cells &= cells - 1
    return digits


@implements(find, LockedSubsets)
def find_locked_subsets(family, position, found):
    """Find the naked subsets of one size that remove candidates from a box and from a line."""
    for i in range(family.crossings.shape[0]):
        box, shared = family.crossings[i, 0, 0], family.crossings[i, 0, 1]
        line, in_line = family.crossings[i, 1, 0], family.crossings[i, 1, 1]
        for j in range(family.choices.size):
            cells = family.choices[j]
            if cells & ~shared == 0:
                digits = digits_in(position, box, cells)
                if position.counts[digits] == family.size:
                    begin_step(found, family.technique)
                    in_box = remove_beside(position, found, box, cells, digits)
                    if remove_beside(position, found, line, in_line, digits) and in_box:
                        mark_subset(position, found, box, cells, digits)
                        mark(found, UNIT, COVER, line, 0)
                        if end_step(found):
                            return


def locked_digit(step: Evidence) -> str:
    """Explain locked candidates, or direct ones."""
    (base,), (cover,), removed = step.by_role("units", BASE), step.by_role("units", COVER), excluded(step)
    text = reasons.locked(digit_text(removed[0]), unit_text(base), unit_text(cover), removed_text(removed))
    return with_single(text, step)


def locked_subset(step: Evidence) -> str:
    """Explain a locked pair or triple."""
    (box,), (line,) = step.by_role("units", BASE), step.by_role("units", COVER)
    return (
        f"{cells_text(step.by_role('cells', 0))}, which {unit_text(box)} and {unit_text(line)} share, have no other "
        f"candidates than {digits_text(step.by_role('candidates', 0))}, so the rest of both cannot hold these digits: "
        f"{removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = dict.fromkeys(LOCKED + DIRECT, locked_digit) | dict.fromkeys(
    SUBSETS, locked_subset
)
