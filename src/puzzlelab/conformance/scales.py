"""Conformance checks of scales: a board has the level that was asked for, and equal seeds give equal boards.

Shapes: B = states in a batch, S = length of a state.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

import numpy as np

from puzzlelab.conformance.calls import CheckedPuzzle, called, calling, kind_of, must, must_be_array
from puzzlelab.conformance.rules import check_notation
from puzzlelab.core.errors import BadOption, ConformanceError
from puzzlelab.core.puzzle import State
from puzzlelab.core.views import Samples, Scale, levels_of

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


def any_boards(puzzle: CheckedPuzzle, name: str, scale: Scale, seed: int, count: int) -> State:
    """Return boards without a level, which a sampler may fail to find with some seeds, but not with all."""
    for attempt in range(ATTEMPTS):
        try:
            return _sampled(puzzle, name, scale, [seed, attempt], None, count)
        except BadOption as error:
            reason = error
    sentence = f"the scale '{name}' makes no board without a level, with each of {ATTEMPTS} seeds: {reason}"
    raise ConformanceError(f"{puzzle.name}: {sentence}") from reason


def _sampled(
    puzzle: CheckedPuzzle, name: str, scale: Scale, seed: int | list[int], level: int | None, count: int
) -> State:
    """Return boards of the scale that are read as they are written and have no objection; raises `BadOption`."""
    asked = "without a level" if level is None else f"at level {level}"
    where = f"{puzzle.name}: `sample` of the scale '{name}' {asked}"
    with calling(where, BadOption):
        states = scale.sample(np.random.default_rng(seed), level, count)
    fits = isinstance(states, np.ndarray) and states.ndim == 2 and len(states) == count
    must(fits, f"{where} must give states [{count}, S] for a count of {count}, not {kind_of(states)}")
    for state in states:
        check_notation(puzzle, state)
        objection = puzzle.objection(state)
        must(objection is None, f"{where} gives {puzzle.write(state)}, which cannot be solved: {objection}")
    return states


def check_scales(puzzle: CheckedPuzzle, seed: int, count: int) -> None:
    """Check every scale of the puzzle: boards without a level, equal ones from equal seeds, and boards of some levels.

    Each scale is asked for `count` levels; if that is 0, only the main scale makes a board.
    """
    listed: Mapping[str, int] | None = None
    for name, scale in scales_of(puzzle).items():
        if count == 0:
            any_boards(puzzle, name, scale, seed, 1)
            return
        where, levels = f"{puzzle.name}: the scale '{name}'", scale.levels
        boards, again = (any_boards(puzzle, name, scale, seed, BATCH) for _ in range(2))
        must(np.array_equal(boards, again), f"{where} makes different boards from equal seeds")
        fits = isinstance(levels, tuple) and len(levels) == 2 and all(isinstance(level, int) for level in levels)
        fits = levels is None or (fits and levels[0] <= levels[1])
        must(fits, f"{where}: `levels` must be the least and the greatest level, not {levels}")
        measured = boards[: BATCH if boards.shape[1] <= LARGE else MEASURED]
        difficulties, alone = _difficulties(puzzle, measured), _difficulties(puzzle, boards[:1])[0]
        with puzzle.at(boards[0]):
            same = list(alone.items()) == list(difficulties[0].items())
            must(same, f"`difficulty` gives {alone}, and with other boards {difficulties[0]}")
        listed = alone if listed is None else listed
        usual = _level(puzzle, name, scale, boards[0], listed)
        if scale.measure is None and levels is not None and name in listed:
            # One board would not do: the end of k random moves is often k moves from the goal.
            known = {each[name] for each in difficulties if name in each}
            for level in sorted(level for level in known if levels[0] <= level <= levels[1])[-1:]:
                _refusal(puzzle, name, scale, seed, level, len(measured), listed)
        asked = _some_levels(scale, usual, count)
        refusals = [_refusal(puzzle, name, scale, seed, level, BATCH_OF_LEVEL, listed) for level in asked]
        for attempt in range(1, ATTEMPTS):
            if asked and None not in refusals:
                refusals.append(_refusal(puzzle, name, scale, seed + attempt, asked[0], BATCH_OF_LEVEL, listed))
        words = f"{where} makes no board of level {' or '.join(map(str, asked))}"
        must(not asked or None in refusals, f"{words}: {next(iter(refusals), None)}")


def _some_levels(scale: Scale, usual: int | None, count: int) -> list[int]:
    """Return `count` levels to ask for, first `usual`, which a board had that was made without a level.

    The greatest one and one in the middle are left out where `measure` does not say that levels are quick to find.
    """
    if scale.levels is None:
        return []
    least, greatest = scale.levels[0], min(scale.levels[1], max(GREATEST_LEVEL, scale.levels[0]))
    chosen = [usual] if usual is not None and scale.levels[0] <= usual <= scale.levels[1] else []
    quick = [greatest, (least + greatest) // 2] if scale.measure is not None else []
    return list(dict.fromkeys([*chosen, *quick, least]))[:count]


def _refusal(
    puzzle: CheckedPuzzle, name: str, scale: Scale, seed: int, level: int, count: int, listed: Container[str]
) -> str | None:
    """Return why the scale makes no boards of a level; None if it makes some, which are checked to have that level.

    On a scale that `difficulty` does not list, though it names others, a board may have a greater one: that of a walk
    that ends beyond a level.
    """
    try:
        boards = _sampled(puzzle, name, scale, seed, level, count)
    except BadOption as error:
        return str(error)
    for board in boards:
        value = _level(puzzle, name, scale, board, listed)
        fits = value in (None, level) or (value > level and bool(listed) and name not in listed)
        deed = f"was asked for level {level}, and gives {puzzle.write(board)} of level {value}"
        must(fits, f"{puzzle.name}: the scale '{name}' {deed}")
    return None


def _level(puzzle: CheckedPuzzle, name: str, scale: Scale, board: State, listed: Container[str]) -> int | None:
    """Return the level of a board, by `measure` and by `difficulty`, if that is `listed`; None if neither knows it."""
    level = _difficulties(puzzle, board[None])[0].get(name) if name in listed else None
    if (measure := scale.measure) is None:
        return level
    call = f"`measure` of the scale '{name}'"
    levels = puzzle.of_state(call, lambda one: measure(one[None]), board)
    with puzzle.at(board):
        fits = isinstance(levels, np.ndarray) and levels.dtype.kind in "iu" and levels.shape == (1,)
        must(fits, f"{call} must give int64[1] for one board, not {kind_of(levels)}")
        measured = int(levels[0])
        words = f"on the scale '{name}' `measure` gives {measured}, and `difficulty` {level}"
        must(level in (None, measured), words)
    return measured


def _difficulties(puzzle: CheckedPuzzle, states: State) -> list[Mapping[str, int]]:
    """Return [B]: the levels of each board on all scales that are quick to compute."""
    samples = puzzle.view(Samples)
    assert samples is not None
    with puzzle.at(states[0]):
        columns = called("`difficulty`", samples.difficulty, states)
        for name, levels in columns.items():
            must_be_array(levels, f"`difficulty` of '{name}'", np.int64, (len(states),))
    return levels_of(puzzle, states)
