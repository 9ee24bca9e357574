"""Conformance checks of scales: a board has the level that was asked for, and equal seeds give equal boards.

Shapes: B = states in a batch, S = length of a state.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import partial

import numpy as np

from puzzlelab.conformance.calls import CheckedPuzzle, must, must_be
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
    scales = {} if samples is None else samples.scales
    for name, scale in scales.items():
        must_be(scale, Scale, f"{puzzle.name}: the scale '{name}' must be")
    return scales


def boards_of(
    puzzle: CheckedPuzzle, name: str, scale: Scale, seed: int, levels: Sequence[int | None], count: int
) -> dict[int | None, State]:
    """Return boards of each of these levels that the scale does not refuse with the first seed that gives some.

    A sampler may fail to find boards with some seeds, but not with all. None is no level.
    """
    reason = ""
    for attempt in range(ATTEMPTS):
        made = {}
        for level in levels:
            try:
                made[level] = _sampled(puzzle, name, scale, [seed, attempt], level, count)
            except BadOption as error:
                reason = str(error)
        if made or not levels:
            return made
    words = " or ".join("without a level" if level is None else f"of level {level}" for level in levels)
    sentence = f"the scale '{name}' makes no board {words}, with each of {ATTEMPTS} seeds: {reason}"
    raise ConformanceError(f"{puzzle.name}: {sentence}")


def _sampled(puzzle: CheckedPuzzle, name: str, scale: Scale, seed: list[int], level: int | None, count: int) -> State:
    """Return boards of the scale that are read as they are written and have no objection; raises `BadOption`."""
    call = f"`sample` of the scale '{name}' {'without a level' if level is None else f'at level {level}'}"
    random = np.random.default_rng(seed)
    function, gives = partial(scale.sample, random, level, count), f"T[{count}, S]"
    states = puzzle.call(f"{call}, for {count} boards,", function, gives=gives, passed=BadOption)
    for state in states:
        check_notation(puzzle, state)
        with puzzle.at(state):
            objection = puzzle.objection(state)
            must(objection is None, f"{call} gives this board, which cannot be solved: {objection}")
    return states


def check_scales(puzzle: CheckedPuzzle, seed: int, count: int) -> None:
    """Check every scale of the puzzle: boards without a level, equal ones from equal seeds, and boards of some levels.

    Each scale is asked for about `count` levels; if that is 0, only the main scale makes a board.

    On a scale that `difficulty` does not list, though it names others, a board may have a greater level: that of a walk
    that ends beyond it.
    """
    listed: Mapping[str, int] | None = None
    for name, scale in scales_of(puzzle).items():
        where, levels = f"{puzzle.name}: the scale '{name}'", scale.levels
        boards, again = (boards_of(puzzle, name, scale, seed, [None], BATCH if count else 1)[None] for _ in range(2))
        must(np.array_equal(boards, again), f"{where} makes different boards from equal seeds")
        if count == 0:
            return
        fits = levels is None or (list(map(type, levels)) == [int, int] and levels[0] <= levels[1])
        must(fits, f"{where}: `levels` must be the least and the greatest level, not {levels}")
        measured = boards[: BATCH if boards.shape[1] <= LARGE else MEASURED]
        together, alone = _difficulties(puzzle, measured)[0], _difficulties(puzzle, boards[:1])[0]
        with puzzle.at(boards[0]):
            same = list(alone.items()) == list(together.items())
            must(same, f"`difficulty` gives {alone}, and with other boards {together}")
        listed = alone if listed is None else listed
        asked = _some_levels(scale, _levels(puzzle, name, scale, measured, listed), count)
        # Two boards would not do: the end of k random moves is often k moves from the goal.
        size = len(measured) if scale.measure is None else BATCH_OF_LEVEL
        for level, made in boards_of(puzzle, name, scale, seed, asked, size).items():
            for board, value in zip(made, _levels(puzzle, name, scale, made, listed), strict=True):
                beyond = bool(listed) and name not in listed
                fits = value is None or level is None or value == level or (beyond and value > level)
                must(fits, f"{where} was asked for level {level}, and gives {puzzle.write(board)} of level {value}")


def _some_levels(scale: Scale, known: Sequence[int | None], count: int) -> list[int]:
    """Return some levels to ask for, first the greatest one of boards that were made without a level.

    The greatest one of all and one in the middle are left out where `measure` does not say that levels are quick to
    find.
    """
    if scale.levels is None:
        return []
    least, greatest = scale.levels[0], min(scale.levels[1], max(GREATEST_LEVEL, scale.levels[0]))
    own = [level for level in known if level is not None and least <= level <= scale.levels[1]]
    quick = [greatest, (least + greatest) // 2] if scale.measure is not None else []
    return list(dict.fromkeys([*sorted(own)[-1:], *own[:1], *quick, least]))[: count + 1]


def _levels(
    puzzle: CheckedPuzzle, name: str, scale: Scale, boards: State, listed: Container[str]
) -> Sequence[int | None]:
    """Return the level of each board, by `measure`, and by `difficulty` if that is `listed`; None if none knows it."""
    levels = [levels.get(name) if name in listed else None for levels in _difficulties(puzzle, boards)]
    if scale.measure is None:
        return levels
    call = f"`measure` of the scale '{name}'"
    measured: list[int] = puzzle.call(call, scale.measure, boards, gives=f"int[{len(boards)}]").tolist()
    for board, level, number in zip(boards, levels, measured, strict=True):
        with puzzle.at(board):
            must(level in (None, number), f"on the scale '{name}' `measure` gives {number}, and `difficulty` {level}")
    return measured


def _difficulties(puzzle: CheckedPuzzle, states: State) -> list[Mapping[str, int]]:
    """Return [B]: the levels of each board on all scales that are quick to compute."""
    samples = puzzle.view(Samples)
    assert samples is not None
    for name, levels in puzzle.call("`difficulty`", samples.difficulty, states).items():
        must_be(levels, f"int64[{len(states)}]", f"{puzzle.name}: `difficulty` of '{name}' must give")
    return levels_of(puzzle, states)
