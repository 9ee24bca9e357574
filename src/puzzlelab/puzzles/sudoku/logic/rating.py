# mypy: allow-untyped-defs
"""How hard a board is on a scale.

At each position the searches of a scale are tried in its order, and a step of the first that finds one is applied. A
board's rating is that of its hardest step, its pearl that of the hardest up to the first digit, its diamond that of the
first step; scales that add up count the steps. A board at whose next step no search finds anything is not rated.

All boards of a batch that have come to the same search go through it together, so that Python counts searches, not
boards.

Shapes: B = boards, T = techniques. Ratings are in tenths inside, as they are written outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled
from puzzlelab.puzzles.sudoku.logic.position import PLACES, change, memories_of, new_position
from puzzlelab.puzzles.sudoku.logic.steps import new_choice, new_found, search
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

BATCH = 2048
"""Boards that are rated together."""
RATING, PEARL, DIAMOND = range(3)


class RatedBatch(NamedTuple):
    """The ratings of boards, as far as their steps are known."""

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
    that removes most, of these the one whose removed candidates weigh least: those of high rows weigh more, and each
    more than those before it, as HoDoKu has it. Techniques without a rating do not count."""
    is_last_resort: bool = False
    """Whether it is so slow that its steps are not listed where others are possible."""


def new_batch(boards: NDArray[np.uint8]) -> RatedBatch:
    """Begin with `boards: [B, 81]`."""
    return RatedBatch(
        blanks=(boards == 0).sum(axis=1),
        ratings=np.zeros((len(boards), 3), np.int64),
        has_digit=np.zeros(len(boards), np.uint8),
        hardest=np.full(len(boards), -1),
        counts=np.zeros((len(boards), len(Technique)), np.int64),
    )


@compiled
def note(batch, choice):
    """Count the chosen steps."""
    ratings = batch.ratings
    for row in range(batch.blanks.size):
        if choice.counts[row] == 0:
            continue
        placed = 0
        for i in range(choice.counts[row]):
            placed += choice.changes[row, i] >= PLACES
        technique, tenths = choice.techniques[row], choice.tenths[row]
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


def rate(boards: NDArray[np.uint8], candidates: NDArray[np.uint16], entries: Sequence[Entry]) -> list[BoardRating]:
    """Return the ratings of `boards: uint8[B, 81]` by the searches of a scale, the easiest first.

    A cell has those of its `candidates: uint16[B, 81]` that the digits of its board leave.
    """
    parts = (slice(first, first + BATCH) for first in range(0, len(boards), BATCH))
    return [each for part in parts for each in _rate_batch(boards[part], candidates[part], entries)]


def _rate_batch(
    boards: NDArray[np.uint8], candidates: NDArray[np.uint16], entries: Sequence[Entry]
) -> list[BoardRating]:
    batch, position, choice = new_batch(boards), new_position(), new_choice(len(boards))
    memories = memories_of(boards, candidates)
    rooms = {count: new_found(count) for count in {entry.looks_at for entry in entries}}
    searches = [(entry.family, rooms[entry.looks_at], _table(entry.ratings)) for entry in entries]

    def moved_by(number: int, waits: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Take a step of a search in each of these boards, and tell in which there was one."""
        if not waits.any():
            return waits
        family, found, tenths = searches[number]
        search(family, position, found, memories, waits, tenths, choice)
        moved: NDArray[np.bool_] = choice.counts > 0
        if moved.any():
            change(position, memories, choice.changes, choice.counts)
            note(batch, choice)
        return moved

    waiting = batch.blanks > 0
    while waiting.any():
        moving = waiting
        while searches and moving.any():  # the easiest search is repeated while it finds something
            moving = moved_by(0, moving) & (batch.blanks > 0)
        stuck = waiting & (batch.blanks > 0)
        for number in range(1, len(searches)):
            stuck = stuck & ~moved_by(number, stuck)
        waiting = waiting & (batch.blanks > 0) & ~stuck
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
        is_complete=not batch.blanks[row],
    )
