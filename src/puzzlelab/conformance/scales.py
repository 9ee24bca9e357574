"""Conformance checks of scales: a board has the level that was asked for, and equal seeds give equal boards.

Shapes: B = states in a batch, S = length of a state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from puzzlelab.conformance.calls import CheckedPuzzle, calling, kind_of, must, must_be_array
from puzzlelab.conformance.rules import check_notation
from puzzlelab.core.errors import BadOption, ConformanceError
from puzzlelab.core.puzzle import State
from puzzlelab.core.views import NO_LEVEL, BatchDifficulty, Samples, Scale

GREATEST_LEVEL = 100
"""The greatest level that a scale is asked for, unless its least one is greater."""
ATTEMPTS = 3
"""Seeds with which a board is asked for, until one gives a board."""
BATCH, BATCH_OF_LEVEL = 12, 2
"""Boards that `sample_batch` is asked for: without a level, and of each level."""
SAMPLED_BOARDS = 3
"""Boards without a level, of whose levels the greatest is asked for, on a scale without `measure`."""
BOARDS_PER_LEVEL, FEW_BOARDS, LARGE = 8, 2, 16
"""Boards of that level, which a sampler may hit by chance; fewer for states of more than 16 numbers, to save time."""


def scales_of(puzzle: CheckedPuzzle) -> Mapping[str, Scale]:
    """Return the scales of a puzzle by name; none without the view `Samples`."""
    samples = puzzle.view(Samples)
    if samples is None:
        return {}
    with calling(f"{puzzle.name}: `scales`"):
        scales = dict(samples.scales)
    for name, scale in scales.items():
        must(isinstance(scale, Scale), f"{puzzle.name}: the scale '{name}' must be a Scale, not {kind_of(scale)}")
    return scales


def sampled(puzzle: CheckedPuzzle, name: str, scale: Scale, random: np.random.Generator, level: int | None) -> State:
    """Return a board of the scale, which is read as it is written, and has no objection; raises `BadOption`."""
    where = f"{puzzle.name}: `sample` of the scale '{name}'" + (
        " without a level" if level is None else f" at level {level}"
    )
    try:
        state = scale.sample(random, level)
    except BadOption:
        raise
    except Exception as error:
        raise ConformanceError(f"{where} raised {type(error).__name__}: {error}") from error
    fits = isinstance(state, np.ndarray) and state.ndim == 1
    must(fits, f"{where} must give a state with one axis, not {kind_of(state)}")
    check_notation(puzzle, state)
    objection = puzzle.objection(state)
    must(objection is None, f"{where} gives {puzzle.write(state)}, which cannot be solved: {objection}")
    return state


def any_board(puzzle: CheckedPuzzle, name: str, scale: Scale, seed: int) -> State:
    """Return a board of the scale without a level, which a sampler may fail to find with some seeds, but not with
    all.
    """
    for attempt in range(ATTEMPTS):
        try:
            return sampled(puzzle, name, scale, np.random.default_rng([seed, attempt]), None)
        except BadOption as error:
            reason = error
    sentence = f"the scale '{name}' makes no board without a level, with each of {ATTEMPTS} seeds: {reason}"
    raise ConformanceError(f"{puzzle.name}: {sentence}") from reason


def check_scales(puzzle: CheckedPuzzle, seed: int, count: int) -> None:
    """Check every scale of the puzzle: boards without a level, equal ones from equal seeds, and boards of some levels.

    Each scale is asked for `count` levels; if that is 0, only the main scale makes a board.
    """
    samples, scales = puzzle.view(Samples), scales_of(puzzle)
    listed: Mapping[str, int] | None = None
    for name, scale in scales.items():
        assert samples is not None
        state = any_board(puzzle, name, scale, seed)
        if count == 0:
            return
        same = np.array_equal(state, any_board(puzzle, name, scale, seed))
        must(same, f"{puzzle.name}: the scale '{name}' makes different boards from equal seeds")
        check = _ScaleCheck(puzzle, samples, name, scale)
        check.check_range()
        check.check_batch_difficulty(state)
        is_main = listed is None
        listed = check.difficulty(state) if listed is None else listed
        usual = check.measured(state)
        if usual is None and name in listed:
            check.usual_levels(seed, state)
            usual = (listed if is_main else check.difficulty(state)).get(name)
        check.batch(state, seed)
        check.levels(seed, check.some_levels(usual, count), frozenset(listed))


@dataclass(frozen=True, eq=False)
class _ScaleCheck:
    """The check of one scale's levels."""

    puzzle: CheckedPuzzle
    samples: Samples
    name: str
    scale: Scale

    @property
    def where(self) -> str:
        return f"{self.puzzle.name}: the scale '{self.name}'"

    def check_range(self) -> None:
        """Check that the least and the greatest level of the scale are such, if it has levels."""
        levels = self.scale.levels
        if levels is not None:
            fits = isinstance(levels, tuple) and len(levels) == 2 and all(isinstance(level, int) for level in levels)
            fits = fits and levels[0] <= levels[1]
            must(fits, f"{self.where}: `levels` must be the least and the greatest level, not {levels}")

    def difficulty(self, state: State) -> Mapping[str, int]:
        """Return the levels of a board on all scales that are quick to compute."""
        levels = self.puzzle.of_state("`difficulty`", self.samples.difficulty, state)
        fits = isinstance(levels, Mapping) and all(isinstance(level, int) for level in levels.values())
        must(fits, f"{self.puzzle.at(state)}: `difficulty` must give an int for each name, not {levels}")
        return levels

    def check_batch_difficulty(self, state: State) -> None:
        """Check that the view `BatchDifficulty` gives what `difficulty` gives."""
        batch = self.puzzle.view(BatchDifficulty)
        if batch is None:
            return
        columns = self.puzzle.of_state("`difficulties`", lambda board: dict(batch.difficulties(board[None])), state)
        for name, levels in columns.items():
            must_be_array(levels, f"{self.puzzle.at(state)}: `difficulties` of '{name}'", np.int64, (1,))
        given = {name: int(levels[0]) for name, levels in columns.items() if levels[0] != NO_LEVEL}
        expected = dict(self.difficulty(state))
        same = list(given.items()) == list(expected.items())
        must(same, f"{self.puzzle.at(state)}: `difficulties` gives {given}, and `difficulty` {expected}")

    def measured(self, state: State) -> int | None:
        """Return the level of a board by `measure`; None for a scale without it."""
        measure = self.scale.measure
        if measure is None:
            return None
        call = f"`measure` of the scale '{self.name}'"
        levels = self.puzzle.of_state(call, lambda board: measure(board[None]), state)
        fits = isinstance(levels, np.ndarray) and levels.dtype.kind in "iu" and levels.shape == (1,)
        must(fits, f"{self.puzzle.at(state, call)} must give int64[1] for one board, not {kind_of(levels)}")
        return int(levels[0])

    def usual_levels(self, seed: int, state: State) -> None:
        """Ask for several boards of the greatest level that boards without a level have, `state` and others.

        One board would not do: the end of k random moves is often k moves from the goal.
        """
        if self.scale.levels is None:
            return
        boards = [
            state,
            *(any_board(self.puzzle, self.name, self.scale, seed + more) for more in range(1, SAMPLED_BOARDS)),
        ]
        known = {level for board in boards if (level := self.difficulty(board).get(self.name)) is not None}
        usual = [level for level in known if self.scale.levels[0] <= level <= self.scale.levels[1]]
        for level in sorted(usual)[-1:]:
            for number in range(BOARDS_PER_LEVEL if state.size <= LARGE else FEW_BOARDS):
                for board in self._boards([level], seed + number, []).values():
                    self._check_level(board, level, frozenset({self.name}))

    def some_levels(self, usual: int | None, count: int) -> list[int]:
        """Return `count` levels to ask for, first `usual`, which a board had that was made without a level.

        The greatest one and one in the middle are left out where `measure` does not say that levels are quick to find.
        """
        levels = self.scale.levels
        if levels is None:
            return []
        least, greatest = levels[0], min(levels[1], max(GREATEST_LEVEL, levels[0]))
        chosen = [usual] if usual is not None and levels[0] <= usual <= levels[1] else []
        quick = [greatest, (least + greatest) // 2] if self.scale.measure is not None else []
        return list(dict.fromkeys([*chosen, *quick, least]))[:count]

    def levels(self, seed: int, levels: Sequence[int], listed: frozenset[str]) -> None:
        """Ask for boards of these levels, of which some may not exist; `difficulty` names the scales `listed`."""
        refusals: list[str] = []
        boards = self._boards(levels, seed, refusals)
        for attempt in range(1, ATTEMPTS if levels and not boards else 1):
            boards |= self._boards(levels[:1], seed + attempt, refusals)
        asked = " or ".join(map(str, levels))
        must(bool(boards) or not levels, f"{self.where} makes no board of level {asked}: {'; '.join(refusals[:1])}")
        for level, board in boards.items():
            self._check_level(board, level, listed)
            for other in self._batch(board, seed, level, BATCH_OF_LEVEL):
                self._check_level(other, level, listed)

    def batch(self, state: State, seed: int) -> None:
        """Ask for many boards at once, twice; `state` is a board that `sample` made."""
        boards, again = (self._batch(state, seed, None, BATCH) for _ in range(2))
        same = np.array_equal(boards, again)
        must(same, f"{self.where}: `sample_batch` makes different boards from equal seeds")

    def _batch(self, state: State, seed: int, level: int | None, count: int) -> State:
        """Sample this number of boards at once, none of which has an objection; none for a scale without
        `sample_batch`.
        """
        if self.scale.sample_batch is None:
            return state[:0, None]
        asked = "without a level" if level is None else f"at level {level}"
        where = f"{self.puzzle.name}: `sample_batch` of the scale '{self.name}' {asked}"
        boards: State | None = None
        for attempt in range(ATTEMPTS):
            try:
                boards = self.scale.sample_batch(np.random.default_rng([seed, attempt]), level, count)
                break
            except BadOption as error:
                reason = error
            except Exception as error:
                raise ConformanceError(f"{where} raised {type(error).__name__}: {error}") from error
        else:
            raise ConformanceError(f"{where} makes no boards, and `sample` does: {reason}") from reason
        fits = isinstance(boards, np.ndarray) and (boards.shape, boards.dtype) == ((count, *state.shape), state.dtype)
        wanted = f"{state.dtype}[{count}, {state.size}]"
        must(fits, f"{where} must give {wanted} for {count} boards, not {kind_of(boards)}")
        for board in boards:
            check_notation(self.puzzle, board)
            objection = self.puzzle.objection(board)
            must(objection is None, f"{where} gives {self.puzzle.write(board)}, which cannot be solved: {objection}")
        return boards

    def _boards(self, levels: Sequence[int], seed: int, refusals: list[str]) -> dict[int, State]:
        """Return a board of each level that the scale makes; the reasons for the others are added to `refusals`."""
        boards = {}
        for level in levels:
            try:
                boards[level] = sampled(self.puzzle, self.name, self.scale, np.random.default_rng(seed), level)
            except BadOption as error:
                refusals.append(str(error))
        return boards

    def _check_level(self, board: State, level: int, listed: frozenset[str]) -> None:
        """Check that the board has this level.

        On a scale that `difficulty` leaves out, though it names others, it may have a greater one: a walk that ends
        beyond a level.
        """
        measured = self.measured(board)
        named = self.difficulty(board).get(self.name) if self.name in listed else None
        shown = self.puzzle.write(board)
        if measured is not None and named is not None:
            where = f"{self.puzzle.at(board)}: on the scale '{self.name}'"
            must(measured == named, f"{where} `measure` gives {measured}, and `difficulty` {named}")
        for value, method in ((measured, "measure"), (named, "difficulty")):
            beyond = value is not None and value > level and bool(listed) and self.name not in listed
            exact = value is None or value == level or beyond
            must(exact, f"{self.where} was asked for level {level}, and gives {shown} of level {value} by `{method}`")
