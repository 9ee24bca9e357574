"""The view `Logic` of 9x9 Sudoku: the steps of all techniques in the order of the default scale, and ratings.

Techniques that are not on the scale come after those that are, in the order of the catalog.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.logic import Logic, Rating, Step, follow
from puzzlelab.core.puzzle import board_after
from puzzlelab.engine.unit_logic import UnitLogic
from puzzlelab.puzzles.sudoku.logic import hodoku
from puzzlelab.puzzles.sudoku.logic.catalog import FAMILIES, explained, families_in
from puzzlelab.puzzles.sudoku.logic.position import Position, new_position, play, set_up
from puzzlelab.puzzles.sudoku.logic.rating import BoardRating, Entry
from puzzlelab.puzzles.sudoku.logic.scales import SCALES, rate_on
from puzzlelab.puzzles.sudoku.logic.steps import (
    Evidence,
    Found,
    evidence_of,
    find_steps,
    new_found,
    single_step,
    surcharge,
    unit_text,
)
from puzzlelab.puzzles.sudoku.rules import Board, Sudoku

DEFAULT = "121"
ABOUT = {
    "121": "Sudoku Explainer 1.2.1, the scale that forums quote",
    "118": "Sukaku Explainer 1.18.1 with its default settings",
    "hodoku": "the level and the score of HoDoKu 2.2.0, for boards that it solves without guessing",
}
"""Scale -> what it is."""
PLAIN = ("sudoku-9x9", "sudoku-9x9:candidates")
"""The puzzles that all techniques are made for."""
MOST = 1000
"""The most steps of one search that are listed."""
Rated = tuple[Evidence, float | None]
"""A step, and its rating on the default scale."""


def logic(puzzle: Sudoku) -> Logic:
    """Return the view of the puzzle: that of its units for all others than plain 9x9."""
    return SudokuLogic(puzzle) if puzzle.name in PLAIN else UnitLogic(puzzle, puzzle)


@dataclass(frozen=True)
class SudokuLogic:
    """The view `Logic` of 9x9 Sudoku."""

    puzzle: Sudoku

    @property
    def scales(self) -> Mapping[str, str]:
        """The scales of ratings, the default one first."""
        return ABOUT

    def objection(self, state: Board, written: Sequence[int] = (), removed: Iterable[int] = ()) -> str | None:
        """Name two equal digits in a unit, a cell without a candidate, or a digit without a place."""
        if objection := self.puzzle.objection(board_after(self.puzzle, state, written)):
            return objection
        position = position_of(self.puzzle, state, written, removed)
        (stuck,) = np.nonzero((position.values == 0) & (position.candidates == 0))
        if stuck.size:
            return f"{self.puzzle.write_cell(int(stuck[0]))} has no candidate left"
        for unit, cells in enumerate(position.units):
            for digit in sorted(set(range(9)) - set((position.values[cells].astype(int) - 1).tolist())):
                if not position.places[digit, unit]:
                    return f"{unit_text(unit)} has no place left for a {digit + 1}"
        return None

    def steps(
        self, state: Board, written: Sequence[int] = (), removed: Iterable[int] = (), assumes_unique: bool = True
    ) -> Iterator[Step]:
        """Yield the steps of one search after the other; those of a last resort only if there are no others.

        Of steps of one technique that do the same, the first is enough, as two searches may find one pattern.
        """
        position, found = position_of(self.puzzle, state, written, removed), new_found(MOST)
        known = set[tuple[object, ...]]()
        for entry in searches(DEFAULT, assumes_unique):
            if entry.is_last_resort and known:
                continue
            for evidence, rating in allowed_steps(entry, position, found, assumes_unique):
                effect = (evidence.technique, evidence.placed, evidence.removed)
                if effect not in known:
                    yield step_of(evidence, rating)
                known.add(effect)

    def way(
        self, state: Board, written: Sequence[int] = (), removed: Iterable[int] = (), assumes_unique: bool = True
    ) -> Iterator[Step]:
        """Yield the easiest step, then the easiest one after it, and so on."""
        entries = searches(DEFAULT, assumes_unique)

        def easiest(moves: list[int], ruled_out: list[int]) -> Step | None:
            if self.objection(state, moves, ruled_out):
                return None
            return easiest_step(position_of(self.puzzle, state, moves, ruled_out), entries, assumes_unique)

        return follow(written, removed, easiest)

    def rate(self, states: Board, scale: str | None = None) -> list[Rating]:
        """Return the rating of each of the boards, which have one solution each."""
        scale, (boards, candidates) = scale or DEFAULT, contents(self.puzzle, states)
        return [rating_of(each, scale) for each in rate_on(boards, scale, candidates=candidates)]


def searches(scale: str, assumes_unique: bool) -> list[Entry]:
    """Return the searches of a scale, then those of all families that it does not have, without ratings."""
    rated = SCALES[scale](assumes_unique)
    known = {_key(entry.family) for entry in rated}
    records = [record for name in FAMILIES for record in families_in(name)]
    return [*rated, *(Entry(record, {}) for record in records if _key(record) not in known)]


def _key(record: Any) -> tuple[object, ...]:
    """Return the family of a search and its numbers, which tell it from the others of the family."""
    return type(record), *(field for field in record if isinstance(field, int))


def contents(puzzle: Sudoku, states: Board) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """Return the digits of states `[..., 81]`, 0 for blank, and the candidates that their cells may have, as bits."""
    return (puzzle.digits(states) + 1).astype(np.uint8), puzzle.notes(states).astype(np.uint16)


def position_of(puzzle: Sudoku, state: Board, written: Iterable[int], removed: Iterable[int]) -> Position:
    """Return the position of a board after some moves, without some candidates."""
    position, (board, candidates) = new_position(), contents(puzzle, state)
    set_up(position, board, candidates)
    moves, ruled_out = np.array(list(written), np.int64), np.array(list(removed), np.int64)
    if moves.size or ruled_out.size:  # a first hint needs nothing of it compiled
        play(position, moves, ruled_out)
    return position


def allowed_steps(entry: Entry, position: Position, found: Found, assumes_unique: bool) -> list[Rated]:
    """Return the different steps of one search that may be taken, as many as `found` has room for."""
    if position.values.all():  # where nothing is left, no search has to be compiled
        return []
    find_steps(entry.family, position, found)
    steps: dict[Evidence, float | None] = {}
    for number in range(int(found.used[0])):
        alone = single_step(found, number)
        [evidence] = evidence_of(alone)
        if assumes_unique or not evidence.technique.assumes_unique:
            tenths = entry.ratings.get(evidence.technique)
            steps.setdefault(evidence, None if tenths is None else (tenths + surcharge(entry.family, alone)) / 10)
    return list(steps.items())


def easiest_step(position: Position, entries: Sequence[Entry], assumes_unique: bool) -> Step | None:
    """Return the step that the easiest search finds first; None if there is none."""
    first = new_found(1)
    for entry in entries:
        steps = allowed_steps(entry, position, first, assumes_unique)
        if first.used[0] and not steps:  # the first one may not be taken
            steps = allowed_steps(entry, position, new_found(MOST), assumes_unique)
        if steps:
            return step_of(*steps[0])
    return None


def step_of(evidence: Evidence, rating: float | None) -> Step:
    """Return a step for people."""
    return Step(
        technique=evidence.technique.label,
        title=evidence.technique.title,
        sentence=explained(evidence),
        placements=evidence.placed,
        eliminations=evidence.removed,
        cells=evidence.cells,
        candidates=evidence.candidates,
        units=evidence.units,
        nodes=evidence.nodes,
        links=evidence.links,
        rating=rating,
    )


def rating_of(board: BoardRating, scale: str) -> Rating:
    """Return a rating for people."""
    techniques = {technique.label: count for technique, count in board.techniques.items()}
    if not board.is_complete:
        return Rating(scale, techniques=techniques, reason="the techniques of this scale do not solve this board")
    hardest = None if board.hardest is None else board.hardest.label
    if scale == "hodoku":
        level, score = hodoku.level(board.techniques), hodoku.total(board.techniques)
        return Rating(scale, level=level, score=score, hardest=hardest, techniques=techniques)
    return Rating(scale, board.rating, board.pearl, board.diamond, hardest=hardest, techniques=techniques)
