# mypy: allow-untyped-defs
"""Basic fish: a digit whose places in some rows are in as many columns, or the other way round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core import reasons
from puzzlelab.core.reasons import joined
from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.position import COLUMNS, DIGITS, ROWS
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
    REMOVED,
    UNIT,
    Evidence,
    Sentence,
    begin_step,
    digit_text,
    end_step,
    find,
    mark,
    removed_text,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.subsets import choices_of, mark_places, union_of, usable
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

FISH = (Technique.X_WING, Technique.SWORDFISH, Technique.JELLYFISH)
BASE, COVER = 0, 1
"""The roles of units: lines that hold the fish, and lines across from which it removes the digit."""


class BasicFish(NamedTuple):
    """The family: basic fish of one size."""

    technique: int
    size: int
    choices: NDArray[np.int64]
    """[K]: the choices of `size` of nine lines, as bits."""
    sets: NDArray[np.int64]
    """[9]: room for the places of a digit in nine lines."""


def families() -> Sequence[BasicFish]:
    """Return the records of the searches of this family, the small ones first."""
    return [basic_fish(technique) for technique in FISH]


def basic_fish(technique: Technique) -> BasicFish:
    """Return the record of the search for one technique."""
    size = 2 + FISH.index(technique)
    return BasicFish(int(technique), size, choices_of(size), np.zeros(9, np.int64))


@inlined
def mark_fish(position, found, digit, first, lines, across):
    """Mark a fish in the lines of the kind that begins with `first`, and return how many candidates it removes."""
    removed = 0
    for i in range(9):
        if (lines >> i) & 1:
            mark(found, UNIT, BASE, first + i, 0)
            mark_places(position, found, CANDIDATE, 0, digit, first + i, across)
        else:
            removed += mark_places(position, found, REMOVED, 0, digit, first + i, across)
        if (across >> i) & 1:
            mark(found, UNIT, COVER, COLUMNS - first + i, 0)
    return removed


@implements(find, BasicFish)
def find_basic_fish(family, position, found):
    """Find the fish of one size, digit by digit."""
    sets = family.sets
    for digit in range(DIGITS):
        for first in (COLUMNS, ROWS):
            for i in range(9):
                sets[i] = position.places[digit, first + i]
            unusable = ~usable(position, sets, family.size)
            for i in range(family.choices.size):
                lines = family.choices[i]
                if lines & unusable == 0:
                    across = union_of(position, sets, lines)
                    if position.counts[across] == family.size:
                        begin_step(found, family.technique)
                        if mark_fish(position, found, digit, first, lines, across) and end_step(found):
                            return


def fish(step: Evidence) -> str:
    """Explain a basic fish."""
    base, cover = (joined([unit_text(unit) for unit in step.by_role("units", role)]) for role in (BASE, COVER))
    return reasons.fish(digit_text(step.removed[0]), base, cover, removed_text(step.removed), "lines")


SENTENCES: Mapping[Technique, Sentence] = dict.fromkeys(FISH, fish)
