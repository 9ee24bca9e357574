# mypy: allow-untyped-defs
"""How hard a board is on a scale.

At each position the searches of a scale are tried in its order, and a step of the first that finds one is applied. A
board's rating is that of its hardest step, its pearl that of the hardest up to the first digit, its diamond that of the
first step; scales that add up count the steps. A board at whose next step no search finds anything is not rated.

All boards of a batch go through a search before the next one begins, so that Python counts searches, not boards.

Shapes: B = boards, T = techniques. Ratings are in tenths inside, as they are written outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled, inlined
from puzzlelab.puzzles.sudoku.logic.position import CANDIDATES, CELLS, DIGITS, UNITS, load, new_position, set_up, store
from puzzlelab.puzzles.sudoku.logic.steps import REMOVED, apply, clear, find, new_found, surcharge
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

BATCH = 2048
"""Boards that are rated together."""
WAITING, MOVED, SOLVED, STUCK = range(4)
RATING, PEARL, DIAMOND = range(3)
NEVER = 1 << 30


class RatedBatch(NamedTuple):
    """Positions, and what is known of their ratings."""

    values: NDArray[np.uint8]
    """[B, 81]: this and the next five as in `Position`."""
    givens: NDArray[np.uint8]
    candidates: NDArray[np.uint16]
    """[B, 81]."""
    places: NDArray[np.uint16]
    """[B, 9, 27]."""
    ages: NDArray[np.uint16]
    """[B, 729]."""
    removed: NDArray[np.int64]
    """[B]."""
    states: NDArray[np.uint8]
    """[B]: WAITING for a step, MOVED by one in this round, SOLVED or STUCK."""
    blanks: NDArray[np.int64]
    """[B]: blank cells."""
    ratings: NDArray[np.int64]
    """[B, 3]: rating, pearl and diamond so far."""
    has_digit: NDArray[np.uint8]
    """[B]: 1 where a step has placed a digit."""
    hardest: NDArray[np.int64]
    """[B]: the technique of the first of the hardest steps; -1 before any."""
    counts: NDArray[np.int64]
    """[B, T]: steps by technique."""


@dataclass(frozen=True)
class BoardRating:
    """The rating of a board on a scale."""

    rating: float
    pearl: float
    diamond: float
    hardest: Technique | None
    """None for a board without blanks."""
    techniques: Mapping[Technique, int]
    """How often each was applied."""
    is_complete: bool
    """Whether the board was solved; otherwise the numbers are those of the steps so far, and no ratings."""


class Entry(NamedTuple):
    """A search on a scale."""

    family: Any
    ratings: Mapping[Technique, int]
    """The rating of each of its techniques, in tenths; on a scale that adds up, the score."""
    looks_at: int = 1
    """Its first steps that are compared: applied is the one whose technique has the lowest rating, of several the one
    that removes most. Techniques without a rating do not count."""
    is_last_resort: bool = False
    """Whether it is so slow that its steps are not listed where others are possible."""


def new_batch(count: int) -> RatedBatch:
    """Make room for this many boards."""
    return RatedBatch(
        values=np.zeros((count, CELLS), np.uint8),
        givens=np.zeros((count, CELLS), np.uint8),
        candidates=np.zeros((count, CELLS), np.uint16),
        places=np.zeros((count, DIGITS, UNITS), np.uint16),
        ages=np.zeros((count, CANDIDATES), np.uint16),
        removed=np.zeros(count, np.int64),
        states=np.zeros(count, np.uint8),
        blanks=np.zeros(count, np.int64),
        ratings=np.zeros((count, 3), np.int64),
        has_digit=np.zeros(count, np.uint8),
        hardest=np.full(count, -1),
        counts=np.zeros((count, len(Technique)), np.int64),
    )


@compiled
def fill_batch(batch, position, boards, candidates):
    """Begin with `boards: uint8[B, 81]`, and those of `candidates: uint16[B, 81]` that their digits leave."""
    for row in range(boards.shape[0]):
        set_up(position, boards[row], candidates[row])
        store(position, batch, row)
        for cell in range(CELLS):
            batch.blanks[row] += boards[row, cell] == 0
        batch.states[row] = WAITING if batch.blanks[row] else SOLVED


@inlined
def note(batch, row, technique, tenths, placed):
    """Count a step of a board."""
    ratings = batch.ratings
    if tenths > ratings[row, RATING]:
        ratings[row, RATING] = tenths
        batch.hardest[row] = technique
    if not batch.has_digit[row]:
        ratings[row, PEARL] = max(ratings[row, PEARL], tenths)
        if ratings[row, DIAMOND] == 0:
            ratings[row, DIAMOND] = tenths
        batch.has_digit[row] = placed > 0
    batch.counts[row, technique] += 1
    batch.blanks[row] -= placed


@inlined
def chosen_step(found, tenths):
    """Return the number of the step to be applied, or -1 if none has a rating."""
    chosen, least = -1, NEVER
    for number in range(found.used[0]):
        technique, cost = found.heads[number, 0], 0
        for i in range(found.heads[number, 1], found.heads[number, 2]):
            cost -= found.marks[i] >> 28 == REMOVED
        cost += tenths[technique] * CANDIDATES
        if tenths[technique] >= 0 and cost < least:
            chosen, least = number, cost
    return chosen


@compiled
def advance(family, position, found, batch, tenths, repeats):
    """Take a step of a family in each board that waits for one; with `repeats`, as many as there are.

    `tenths: int64[T]` has the rating of each technique, -1 for none.
    """
    for row in range(batch.states.size):
        if batch.states[row] != WAITING:
            continue
        load(position, batch, row)
        while batch.blanks[row]:
            clear(found)
            find(family, position, found)
            number = chosen_step(found, tenths)
            if number < 0:
                break
            technique = found.heads[number, 0]
            note(batch, row, technique, tenths[technique] + surcharge(family, found), apply(position, found, number))
            batch.states[row] = MOVED
            if not repeats:
                break
        if batch.blanks[row] == 0:
            batch.states[row] = SOLVED
        elif batch.states[row] == MOVED:
            store(position, batch, row)


def rate(boards: NDArray[np.uint8], candidates: NDArray[np.uint16], entries: Sequence[Entry]) -> list[BoardRating]:
    """Return the ratings of `boards: uint8[B, 81]` by the searches of a scale, the easiest first.

    A cell has those of its `candidates: uint16[B, 81]` that the digits of its board leave.
    """
    parts = (slice(first, first + BATCH) for first in range(0, len(boards), BATCH))
    return [each for part in parts for each in _rate_batch(boards[part], candidates[part], entries)]


def _rate_batch(
    boards: NDArray[np.uint8], candidates: NDArray[np.uint16], entries: Sequence[Entry]
) -> list[BoardRating]:
    batch, position = new_batch(len(boards)), new_position()
    rooms = {count: new_found(count) for count in {entry.looks_at for entry in entries}}
    fill_batch(batch, position, boards, candidates)
    tables = [_table(entry.ratings) for entry in entries]
    while (batch.states == WAITING).any():
        for entry, tenths in zip(entries, tables, strict=True):
            advance(entry.family, position, rooms[entry.looks_at], batch, tenths, entry is entries[0])
            if not (batch.states == WAITING).any():
                break
        batch.states[batch.states == WAITING] = STUCK
        batch.states[batch.states == MOVED] = WAITING
    return [_rating(batch, row) for row in range(len(boards))]


def _table(ratings: Mapping[Technique, int]) -> NDArray[np.int64]:
    tenths = np.full(len(Technique), -1)
    for technique, rating in ratings.items():
        tenths[technique] = rating
    return tenths


def _rating(batch: RatedBatch, row: int) -> BoardRating:
    rating, pearl, diamond = (batch.ratings[row] / 10).tolist()
    hardest = int(batch.hardest[row])
    return BoardRating(
        rating=rating,
        pearl=pearl,
        diamond=diamond,
        hardest=Technique(hardest) if hardest >= 0 else None,
        techniques={Technique(each): count for each, count in enumerate(batch.counts[row].tolist()) if count},
        is_complete=bool(batch.states[row] == SOLVED),
    )
