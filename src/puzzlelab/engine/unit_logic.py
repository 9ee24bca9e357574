"""The logic of puzzles with the view `Candidates` that have none of their own: that of units, of whatever kinds.

Techniques are singles, locked candidates, subsets and fish. Boards that need others have no rating.

Shapes: N = cells, D = digits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core import reasons
from puzzlelab.core.logic import Rating, Step
from puzzlelab.core.puzzle import Puzzle, State, board_after
from puzzlelab.core.reasons import joined
from puzzlelab.core.views import Candidates
from puzzlelab.engine.unit_patterns import (
    Search,
    UnitPattern,
    UnitTables,
    fish,
    full_houses,
    hidden_singles,
    hidden_subsets,
    locked,
    naked_singles,
    naked_subsets,
)

SCALE = "units"
ABOUT = "singles, locked candidates, subsets and fish, each with its rating on the scale 121"
BASE, COVER = 0, 1
"""The roles of units: where the pattern is, and where it removes candidates if that is another unit."""


@dataclass(frozen=True)
class UnitLogic:
    """The view `Logic` by the units of a puzzle."""

    puzzle: Puzzle
    view: Candidates

    @property
    def scales(self) -> Mapping[str, str]:
        """The one scale."""
        return {SCALE: ABOUT}

    @cached_property
    def tables(self) -> UnitTables:
        """The tables of the units for searches."""
        return UnitTables(self.view.units)

    def objection(self, state: State, written: Sequence[int] = (), removed: Iterable[int] = ()) -> str | None:
        """Name what the puzzle objects to, a cell without a candidate, or a digit without a place."""
        after = board_after(self.puzzle, state, written)
        return self.puzzle.objection(after) or self._dead_end(after, self._candidates(after, removed))

    def steps(
        self, state: State, written: Sequence[int] = (), removed: Iterable[int] = (), assumes_unique: bool = True
    ) -> Iterator[Step]:
        """Yield all steps of one technique after the other."""
        return self._steps(self._candidates(board_after(self.puzzle, state, written), removed))

    def way(
        self, state: State, written: Sequence[int] = (), removed: Iterable[int] = (), assumes_unique: bool = True
    ) -> Iterator[Step]:
        """Yield the easiest step, then the easiest one after it, and so on."""
        if self.objection(state, written, removed):
            return
        state = board_after(self.puzzle, state, written)
        candidates = self._candidates(state, removed)
        while not self._dead_end(state, candidates) and (step := next(self._steps(candidates), None)) is not None:
            yield step
            state = board_after(self.puzzle, state, step.placements)
            candidates.reshape(-1)[list(step.eliminations)] = False
            candidates &= self.view.candidates(state)

    def rate(self, states: State, scale: str | None = None) -> list[Rating]:
        """Return the rating of each of the boards, which have one solution each."""
        return [self._rating(state) for state in states]

    def _rating(self, state: State) -> Rating:
        steps = list(self.way(state))
        techniques = Counter(step.technique for step in steps)
        if sum(len(step.placements) for step in steps) < np.count_nonzero(self.view.digits(state) < 0):
            return Rating(SCALE, techniques=techniques, reason="the techniques of this scale do not solve this board")
        ratings = [step.rating or 0.0 for step in steps]
        begun = next((number for number, step in enumerate(steps, start=1) if step.placements), 0)
        hardest = max(steps, key=lambda step: step.rating or 0.0, default=None)
        return Rating(
            SCALE,
            rating=max(ratings, default=0.0),
            pearl=max(ratings[:begun], default=0.0),
            diamond=next(iter(ratings), 0.0),
            hardest=None if hardest is None else hardest.technique,
            techniques=techniques,
        )

    def _candidates(self, state: State, removed: Iterable[int]) -> NDArray[np.bool_]:
        """Return `bool[N, D]`: the candidates that are left."""
        candidates = self.view.candidates(state).copy()
        candidates.reshape(-1)[list(removed)] = False
        return candidates

    def _dead_end(self, state: State, candidates: NDArray[np.bool_]) -> str | None:
        """Name a blank cell without a candidate, or a digit without a place."""
        digits, units = self.view.digits(state), self.view.units
        stuck = (digits < 0) & ~candidates.any(axis=1)
        if stuck.any():
            return f"{self.view.write_cell(int(np.argmax(stuck)))} has no candidate left"
        held = candidates | (digits[:, None] == np.arange(candidates.shape[1]))
        missing = np.argwhere(~held[units.all].any(axis=1))
        if not missing.size:
            return None
        unit, digit = missing[0].tolist()
        return f"{units.name(unit)} has no place left for a {self._digit(digit)}"

    # --- steps for people ---

    def _steps(self, candidates: NDArray[np.bool_]) -> Iterator[Step]:
        """Yield the different steps that are possible, the easiest first."""
        known = set[tuple[object, ...]]()
        for technique in TECHNIQUES:
            for pattern in technique.search(self.tables, candidates):
                effect = technique.title, *pattern.written.tolist(), *pattern.removed.tolist()
                if len(effect) > 1 and effect not in known:
                    known.add(effect)
                    yield self._step(technique, pattern)

    def _step(self, technique: UnitTechnique, pattern: UnitPattern) -> Step:
        return Step(
            technique=technique.name,
            title=technique.title,
            sentence=technique.reason(self._words(pattern)),
            placements=tuple(pattern.written.tolist()),
            eliminations=tuple(pattern.removed.tolist()),
            cells=tuple((BASE, cell) for cell in pattern.cells.tolist()),
            candidates=tuple((BASE, candidate) for candidate in pattern.candidates.tolist()),
            units=(*((BASE, unit) for unit in pattern.base), *((COVER, unit) for unit in pattern.cover)),
            rating=technique.rating,
        )

    def _words(self, pattern: UnitPattern) -> Words:
        """Return the names of what a pattern consists of."""
        own = [*pattern.written.tolist(), *pattern.candidates.tolist()]
        size, name = self.view.units.all.shape[1], self.view.units.name
        by_digit = sorted(own, key=lambda candidate: int(candidate) % size)
        return Words(
            cells=joined(list(dict.fromkeys(self._cell(each) for each in own))),
            digits=joined(list(dict.fromkeys(self._digit(each) for each in by_digit))),
            base=joined([name(unit) for unit in pattern.base]),
            cover=joined([name(unit) for unit in pattern.cover]),
            removed=reasons.removed_text((self._cell(each), self._digit(each)) for each in pattern.removed.tolist()),
        )

    def _cell(self, candidate: int) -> str:
        """Return the cell of a candidate, as the puzzle writes it."""
        return self.view.write_cell(candidate // self.view.units.all.shape[1])

    def _digit(self, candidate: int) -> str:
        """Return the digit of a candidate, as the puzzle writes it."""
        return self.puzzle.write_move(candidate).rpartition("=")[2]


# --- techniques ---


class Words(NamedTuple):
    """The names of the parts of a pattern."""

    cells: str
    digits: str
    base: str
    cover: str
    removed: str


class UnitTechnique(NamedTuple):
    """A technique of units, with the rating of its steps on the scale that forums quote."""

    rating: float
    title: str
    search: Search
    reason: Callable[[Words], str]

    @property
    def name(self) -> str:
        """The title in the form of options, such as `hidden-single`."""
        return self.title.lower().replace(" ", "-")


def _full_house(words: Words) -> str:
    return reasons.full_house(words.cells, words.digits, words.base)


def _hidden_single(words: Words) -> str:
    return reasons.hidden_single(words.cells, words.digits, words.base)


def _naked_single(words: Words) -> str:
    return reasons.naked_single(words.cells, words.digits)


def _locked(words: Words) -> str:
    if words.cover:
        return reasons.locked(words.digits, words.base, words.cover, words.removed)
    return reasons.seen_by_all(words.digits, words.base, words.removed)


def _naked_subset(words: Words) -> str:
    return reasons.naked_subset(words.cells, words.digits, words.base, words.removed)


def _hidden_subset(words: Words) -> str:
    return reasons.hidden_subset(words.cells, words.digits, words.base, words.removed)


def _fish(words: Words) -> str:
    return reasons.fish(words.digits, words.base, words.cover, words.removed)


TECHNIQUES = (
    UnitTechnique(1.0, "full house", full_houses, _full_house),
    UnitTechnique(1.2, "hidden single", hidden_singles(are_lines=False), _hidden_single),
    UnitTechnique(1.5, "hidden single", hidden_singles(are_lines=True), _hidden_single),
    UnitTechnique(2.3, "naked single", naked_singles, _naked_single),
    UnitTechnique(2.6, "pointing", locked(are_lines=False), _locked),
    UnitTechnique(2.8, "claiming", locked(are_lines=True), _locked),
    UnitTechnique(3.0, "naked pair", naked_subsets(2), _naked_subset),
    UnitTechnique(3.2, "X-wing", fish(2), _fish),
    UnitTechnique(3.4, "hidden pair", hidden_subsets(2), _hidden_subset),
    UnitTechnique(3.6, "naked triple", naked_subsets(3), _naked_subset),
    UnitTechnique(3.8, "swordfish", fish(3), _fish),
    UnitTechnique(4.0, "hidden triple", hidden_subsets(3), _hidden_subset),
    UnitTechnique(5.0, "naked quadruple", naked_subsets(4), _naked_subset),
    UnitTechnique(5.2, "jellyfish", fish(4), _fish),
    UnitTechnique(5.4, "hidden quadruple", hidden_subsets(4), _hidden_subset),
)
"""All techniques, the easiest first."""
