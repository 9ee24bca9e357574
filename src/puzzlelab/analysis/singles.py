"""The logic of puzzles with the view `Candidates` that have none of their own: full houses, hidden and naked singles.

Shapes: N = cells, D = digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import Unsupported
from puzzlelab.core.logic import Rating, Step, follow
from puzzlelab.core.puzzle import Puzzle, State, board_after
from puzzlelab.core.views import Candidates

NEARLY_FULL = 3
"""The most blank cells of a unit whose missing digits a person sees at a glance."""
FULL_HOUSE, HIDDEN_SINGLE_IN_BOX, EASY_NAKED_SINGLE, HIDDEN_SINGLE_IN_LINE, NAKED_SINGLE = range(5)
"""Kinds of singles, the easiest first. Boxes come before lines, because people look at a box as a whole. Hidden singles
come before naked ones, because it is easier to follow a digit than to rule out all other candidates of a cell."""


class Single(NamedTuple):
    """A single, and how easy it is to see: by its kind, then by the blank cells in its unit."""

    order: int
    blanks: int
    """Blank cells in the unit, or in the fullest unit of the cell."""
    step: Step


@dataclass(frozen=True)
class SinglesLogic:
    """The view `Logic` by singles alone; it has no scales."""

    puzzle: Puzzle
    view: Candidates

    @property
    def scales(self) -> Mapping[str, str]:
        """None."""
        return {}

    def rate(self, states: State, scale: str | None = None) -> list[Rating]:
        """Raise `Unsupported`: singles alone rate no board."""
        raise Unsupported(f"{self.puzzle.name} has no scale of ratings")

    def objection(self, state: State, written: Sequence[int] = (), removed: Iterable[int] = ()) -> str | None:
        """Name a cell without a candidate, or what the puzzle objects to."""
        after = board_after(self.puzzle, state, written)
        if objection := self.puzzle.objection(after):
            return objection
        stuck = (self.view.digits(after) < 0) & ~self._candidates(after, removed).any(axis=1)
        return f"{self.view.write_cell(int(np.argmax(stuck)))} has no candidate left" if stuck.any() else None

    def steps(
        self, state: State, written: Sequence[int] = (), removed: Iterable[int] = (), assumes_unique: bool = True
    ) -> Iterator[Step]:
        """Yield all singles, the easiest first; a cell may occur several times."""
        after = board_after(self.puzzle, state, written)
        digits, candidates = self.view.digits(after), self._candidates(after, removed)
        found = [*self._hidden_singles(digits, candidates), *self._naked_singles(digits, candidates)]
        return (each.step for each in sorted(found, key=lambda each: each[:2]))

    def way(
        self, state: State, written: Sequence[int] = (), removed: Iterable[int] = (), assumes_unique: bool = True
    ) -> Iterator[Step]:
        """Yield the easiest single, then the easiest one after it, and so on."""

        def easiest(moves: list[int], ruled_out: list[int]) -> Step | None:
            is_over = self.objection(state, moves, ruled_out) is not None
            return None if is_over else next(self.steps(state, moves, ruled_out), None)

        return follow(written, removed, easiest)

    def _candidates(self, state: State, removed: Iterable[int]) -> NDArray[np.bool_]:
        """Return `bool[N, D]`: the candidates that are left."""
        candidates = self.view.candidates(state).copy()
        candidates.reshape(-1)[list(removed)] = False
        return candidates

    def _hidden_singles(self, digits: NDArray[np.int64], candidates: NDArray[np.bool_]) -> Iterator[Single]:
        """Yield the digits with one remaining cell in a unit."""
        units = self.view.units
        boxes = range(2 * len(units.all) // 3, len(units.all)) if units.box_shape else range(0)
        for number, unit in enumerate(units.all):
            blanks = int(np.count_nonzero(digits[unit] < 0))
            for digit in np.flatnonzero(candidates[unit].sum(axis=0) == 1).tolist():
                cell = int(unit[candidates[unit, digit]][0])
                move = cell * candidates.shape[1] + digit
                if blanks == 1:
                    yield Single(FULL_HOUSE, 1, self._full_house(move, number))
                else:
                    order = HIDDEN_SINGLE_IN_BOX if number in boxes else HIDDEN_SINGLE_IN_LINE
                    yield Single(order, blanks, self._hidden_single(move, number))

    def _naked_singles(self, digits: NDArray[np.int64], candidates: NDArray[np.bool_]) -> Iterator[Single]:
        """Yield the cells with one remaining candidate."""
        fullest = np.full(digits.size, digits.size)
        for unit in self.view.units.all:
            fullest[unit] = np.minimum(fullest[unit], np.count_nonzero(digits[unit] < 0))
        for cell in np.flatnonzero(candidates.sum(axis=1) == 1).tolist():
            blanks = int(fullest[cell])
            order = EASY_NAKED_SINGLE if blanks <= NEARLY_FULL else NAKED_SINGLE
            yield Single(
                order, blanks, self._naked_single(cell * candidates.shape[1] + int(np.argmax(candidates[cell])))
            )

    def _full_house(self, move: int, unit: int) -> Step:
        cell, digit = self._names(move)
        sentence = f"{cell} must be {digit}: it is the last blank cell of {self.view.units.name(unit)}"
        return Step("full-house", "full house", sentence, (move,), units=((0, unit),))

    def _hidden_single(self, move: int, unit: int) -> Step:
        cell, digit = self._names(move)
        sentence = f"{digit} has one place left in {self.view.units.name(unit)}: {cell}"
        return Step("hidden-single", "hidden single", sentence, (move,), units=((0, unit),))

    def _naked_single(self, move: int) -> Step:
        cell, digit = self._names(move)
        sentence = f"{cell} must be {digit}: no other candidate is left there"
        cells = ((0, move // self.view.units.all.shape[1]),)
        return Step("naked-single", "naked single", sentence, (move,), cells=cells)

    def _names(self, move: int) -> list[str]:
        """Return the cell and the digit of a move, as the puzzle writes them."""
        return self.puzzle.write_move(move).split("=")
