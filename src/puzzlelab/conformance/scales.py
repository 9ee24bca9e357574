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
from puzzlelab.core.views import NO_LEVEL, Samples, Scale

GREATEST_LEVEL = 100
"""The greatest level that a scale is asked for, unless its least one is greater."""
ATTEMPTS = 3
"""Seeds with which a board is asked for, until one gives a board."""
BATCH, BATCH_OF_LEVEL = 12, 2
"""Boards that `sample` is asked for together: without a level, and of each level."""
MEASURED, LARGE = 3, 16
"""Boards whose difficulty is computed, of states of more than 16 numbers, to save time; of smaller ones all."""


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


def sampled(
    puzzle: CheckedPuzzle, name: str, scale: Scale, random: np.random.Generator, level: int | None, count: int
) -> State:
    """Return boards of the scale that are read as they are written and have no objection; raises `BadOption`."""
    asked = "without a level" if level is None else f"at level {level}"
    where = f"{puzzle.name}: `sample` of the scale '{name}' {asked}"
    try:
        states = scale.sample(random, level, count)
    except BadOption:
        raise
    except Exception as error:
        raise ConformanceError(f"{where} raised {type(error).__name__}: {error}") from error
    fits = isinstance(states, np.ndarray) and states.ndim == 2 and len(states) == count
    must(fits, f"{where} must give states [{count}, S] for a count of {count}, not {kind_of(states)}")
    for state in states:
        check_notation(puzzle, state)
        objection = puzzle.objection(state)
        must(objection is None, f"{where} gives {puzzle.write(state)}, which cannot be solved: {objection}")
    return states


def any_boards(puzzle: CheckedPuzzle, name: str, scale: Scale, seed: int, count: int) -> State:
    """Return boards without a level, which a sampler may fail to find with some seeds, but not with all."""
    for attempt in range(ATTEMPTS):
        try:
            return sampled(puzzle, name, scale, np.random.default_rng([seed, attempt]), None, count)
        except BadOption as error:
            reason = error
    sentence = f"the scale '{name}' makes no board without a level, with each of {ATTEMPTS} seeds: {reason}"
    raise ConformanceError(f"{puzzle.name}: {sentence}") from reason


def check_scales(puzzle: CheckedPuzzle, seed: int, count: int) -> None:
    """Check every scale of the puzzle: boards without a level, equal ones from equal seeds, and boards of some levels.

    Each scale is asked for `count` levels; if that is 0, only the main scale makes a board.
    """
    samples = puzzle.view(Samples)
    listed: Mapping[str, int] | None = None
    for name, scale in scales_of(puzzle).items():
        assert samples is not None
        if count == 0:
            any_boards(puzzle, name, scale, seed, 1)
            return
        boards, again = (any_boards(puzzle, name, scale, seed, BATCH) for _ in range(2))
        same = np.array_equal(boards, again)
        must(same, f"{puzzle.name}: the scale '{name}' makes different boards from equal seeds")
        check = _ScaleCheck(puzzle, samples, name, scale)
        check.check_range()
        measured = BATCH if boards.shape[1] <= LARGE else MEASURED
        difficulties = check.difficulties(boards[:measured])
        alone = check.difficulty(boards[0])
        same = list(alone.items()) == list(difficulties[0].items())
        must(same, f"{puzzle.at(boards[0])}: `difficulty` gives {alone}, and with other boards {difficulties[0]}")
        listed = alone if listed is None else listed
        usual = check.measured(boards[0])
        if usual is None and name in listed:
            known = {levels[name] for levels in difficulties if name in levels}
            check.usual_levels(seed, known, measured)
            usual = alone.get(name)
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

    def difficulties(self, states: State) -> list[Mapping[str, int]]:
        """Return [B]: the levels of each board on all scales that are quick to compute."""
        where = self.puzzle.at(states[0], "`difficulty`")
        argument = states.copy()
        argument.setflags(write=False)
        with calling(where):
            columns = dict(self.samples.difficulty(argument))
        for name, levels in columns.items():
            must_be_array(levels, f"{where} of '{name}'", np.int64, (len(states),))
        return [
            {name: int(levels[row]) for name, levels in columns.items() if levels[row] != NO_LEVEL}
            for row in range(len(states))
        ]

    def difficulty(self, state: State) -> Mapping[str, int]:
        """Return the levels of a board by itself."""
        return self.difficulties(state[None])[0]

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

    def usual_levels(self, seed: int, known: set[int], count: int) -> None:
        """Ask for `count` boards of the greatest of the levels that some boards without a level have.

        One board would not do: the end of k random moves is often k moves from the goal.
        """
        if self.scale.levels is None:
            return
        usual = [level for level in known if self.scale.levels[0] <= level <= self.scale.levels[1]]
        for level in sorted(usual)[-1:]:
            for state in self._boards([level], seed, [], count).get(level, ()):
                self._check_level(state, level, frozenset({self.name}))

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
        for level, states in boards.items():
            for state in states:
                self._check_level(state, level, listed)

    def _boards(
        self, levels: Sequence[int], seed: int, refusals: list[str], count: int = BATCH_OF_LEVEL
    ) -> dict[int, State]:
        """Return `count` boards of each level that the scale makes; add the reasons for the others to `refusals`."""
        boards = {}
        for level in levels:
            try:
                random = np.random.default_rng(seed)
                boards[level] = sampled(self.puzzle, self.name, self.scale, random, level, count)
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
