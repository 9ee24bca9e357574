"""Compiled harnesses for tests of kernels, and the true distances of every state of the 8-puzzle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from puzzlelab.core.registry import load
from puzzlelab.core.views import Estimate, KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import compiled
from puzzlelab.puzzles.tiles import exact_distances_kernels
from puzzlelab.puzzles.tiles.exact_distances_kernels import UNREACHED, unrank_all
from puzzlelab.puzzles.tiles.rules import Tiles

EIGHTS = ("tiles-3x3", "tiles-3x3:blank-first", "tiles-3x3:goal=1,2,3,8,0,4,7,6,5", "tiles-3x3:goal=1,0,2,3,4,5,6,7,8")
"""Goals with the blank in either corner, in the middle and at a side."""


@compiled
def begin_all(estimate, states, memo, values):
    """The estimate of each of `states: uint8[B, S]`."""
    for i in range(len(states)):
        values[i] = kernels.evaluate(estimate, states[i], memo)


@compiled
def wander(tables, estimate, state, child, moves, choices, memo, delta, fresh, before, told):
    """Walk at random, and compare what `peek` and `exchange` say of each move with `begin` from scratch.

    Returns the number of the first step at which they differ, or -1; `told: int64[3]` then says what differs (1: the
    value after a move, 2: the memo after `exchange`, 3: the memo after `exchange` twice, 4: what `peek` says when it
    is told that a lower value is enough), and the two values.
    """
    value = kernels.evaluate(estimate, state, memo)
    for step in range(choices.size):
        count = kernels.legal(tables, state, moves)
        move = moves[choices[step] % count]
        for i in range(memo.size):
            fresh[i] = 0
            before[i] = memo[i]
        kernels.apply(tables, state, move, child)
        truth = kernels.evaluate(estimate, child, fresh)
        for most in range(truth + 2):
            early = kernels.evaluate_move(estimate, state, move, value, memo, delta, most)
            if early > truth or (early < truth and early <= most):
                told[0], told[1], told[2] = 4, early, truth
                return step
        after = kernels.evaluate_move(estimate, state, move, value, memo, delta, 1 << 40)
        if after != truth:
            told[0], told[1], told[2] = 1, after, truth
            return step
        kernels.swap_delta(estimate, memo, delta)
        for i in range(memo.size):
            if memo[i] != fresh[i]:
                told[0], told[1], told[2] = 2, memo[i], fresh[i]
                return step
        kernels.swap_delta(estimate, memo, delta)
        for i in range(memo.size):
            if memo[i] != before[i]:
                told[0], told[1], told[2] = 3, memo[i], before[i]
                return step
        kernels.swap_delta(estimate, memo, delta)
        kernels.copy(child, state)
        value = after
    return -1


def working(puzzle: Tiles, states: np.ndarray) -> np.ndarray:
    """Working states of plain ones."""
    return puzzle.view(KernelRules).encode(states)


def estimated(puzzle: Tiles, estimate: Estimate, states: np.ndarray) -> np.ndarray:
    """The estimate of each working state."""
    values = np.zeros(len(states), np.int64)
    begin_all(estimate.kernel(), states, np.zeros(estimate.memo, np.int64), values)
    return values


def differs(puzzle: Tiles, estimate: Estimate, start: np.ndarray, choices: np.ndarray) -> tuple[int, list[int]]:
    """What `wander` says, from a plain state."""
    rules, told = puzzle.view(KernelRules), np.zeros(3, np.int64)
    state = working(puzzle, start[None])[0]
    rows = [np.zeros(estimate.memo, np.int64) for _ in range(4)]
    moves = np.zeros(4, np.int32)
    step = wander(rules.tables, estimate.kernel(), state, np.zeros_like(state), moves, choices, *rows, told)
    return step, told.tolist()


class Harness(NamedTuple):
    """What tests call."""

    working: Callable[..., np.ndarray]
    estimated: Callable[..., np.ndarray]
    differs: Callable[..., tuple[int, list[int]]]


@pytest.fixture(scope="session")
def harness() -> Harness:
    return Harness(working, estimated, differs)


class Every(NamedTuple):
    """Every solvable state of one 8-puzzle."""

    puzzle: Tiles
    states: np.ndarray
    """`uint8[181440, 10]`: working states."""
    distance: np.ndarray
    """`uint8[181440]`: their true distances."""


@pytest.fixture(scope="session", params=EIGHTS)
def every(request: Any) -> Every:
    puzzle = load(request.param)
    table = exact_distances_kernels.distances(puzzle).distance
    ranks = np.flatnonzero(table != UNREACHED)
    states = np.zeros((ranks.size, puzzle.cells + 1), np.uint8)
    unrank_all(ranks, states, np.zeros(puzzle.cells, np.int64), puzzle.view(KernelRules).tables.home)
    return Every(puzzle, states, table[ranks])
