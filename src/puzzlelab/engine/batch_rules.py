"""The rules for batches of states: legal moves, equivalent moves, successors and random walks.

Shapes: B = states, S = length of a state, M = number of moves, R = children of all states together.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import EquivalentMoves, Estimate, KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.interpreted_kernels import plain_rules, runner
from puzzlelab.engine.kernels import compiled


class Successors(NamedTuple):
    """The states after one move each."""

    states: State
    """[B, S]: the state after the move; after an illegal move, the state itself."""
    allowed: NDArray[np.bool_]
    """[B]: whether the move was legal."""
    solved: NDArray[np.bool_]
    """[B]: whether the state is a goal."""


class AllSuccessors(NamedTuple):
    """All successors of states, in the order of the states."""

    states: State
    """[R, S]."""
    owner: NDArray[np.int64]
    """[R]: the row of the parent of each."""
    move: NDArray[np.int64]
    """[R]: the move from the parent to each."""
    solved: NDArray[np.bool_]
    """[R]."""


def legal_moves(puzzle: Puzzle, states: State) -> NDArray[np.bool_]:
    """`bool[B, M]`: the legal moves of each of the plain `states[B, S]`."""
    return _named(puzzle, *_working(puzzle, states)) >= 0


def apply_moves(
    puzzle: Puzzle, states: State, moves: NDArray[np.int64], canonical: NDArray[np.int64] | None = None
) -> Successors:
    """The plain `states[B, S]` after `moves: int64[B]`; a move may be any of several equivalent ones.

    `canonical: int64[B, M]` is the result of `canonical_moves` for these states, if it is available.
    """
    named = (canonical_moves(puzzle, states) if canonical is None else canonical)[np.arange(len(states)), moves]
    rules, working = _working(puzzle, states)
    after, solved = working.copy(), np.zeros(len(states), bool)
    runner(make_moves, rules)(rules.tables, working, named, after, solved)
    return Successors(rules.decode(after), named >= 0, solved)


def solved(puzzle: Puzzle, states: State) -> NDArray[np.bool_]:
    """`bool[B]`: whether each of the plain `states[B, S]` is a goal."""
    rules, working = _working(puzzle, states)
    goals = np.zeros(len(states), bool)
    runner(make_moves, rules)(rules.tables, working, np.full(len(states), -1), working.copy(), goals)
    return goals


def successors(puzzle: Puzzle, states: State) -> AllSuccessors:
    """All successors of the plain `states[B, S]`."""
    rules, working = _working(puzzle, states)
    owner, move = np.nonzero(_named(puzzle, rules, working) >= 0)
    parents, solved = working[owner], np.zeros(len(owner), bool)
    after = parents.copy()
    runner(make_moves, rules)(rules.tables, parents, move, after, solved)
    return AllSuccessors(rules.decode(after), owner, move, solved)


def random_walks(puzzle: Puzzle, states: State, lengths: NDArray[np.int64], random: np.random.Generator) -> State:
    """The plain `states[B, S]` after so many random moves each, none of which undoes the one before."""
    rules, working = _working(puzzle, states)
    ends = np.cumsum(lengths)
    noise = random.random(int(ends[-1]) if len(ends) else 0)
    after = working.copy()
    runner(wander, rules)(rules.tables, working, ends, noise, _room(puzzle), after)
    return rules.decode(after)


def estimated(puzzle: Puzzle, estimate: Estimate, states: State) -> NDArray[np.float64]:
    """`float64[B]`: the estimate of each of the plain `states[B, S]`."""
    if estimate.scores is not None:
        return np.asarray(estimate.scores(states), np.float64)
    assert estimate.kernel is not None
    rules, working = _working(puzzle, states)
    values = np.empty(len(states))
    runner(begin_all, rules)(estimate.kernel(), working, np.empty(estimate.memo, np.int64), values)
    return values


def _working(puzzle: Puzzle, states: State) -> tuple[KernelRules, State]:
    """The kernel rules of the puzzle, and the working states."""
    rules = puzzle.view(KernelRules)
    if rules is None:
        return plain_rules(puzzle, states[0] if len(states) else states.reshape(-1)), states.copy()
    return rules, np.ascontiguousarray(rules.encode(states).astype(rules.dtype))


def _named(puzzle: Puzzle, rules: KernelRules, working: State) -> NDArray[np.int64]:
    """`int64[B, M]`: the number of each legal move of working states, -1 for any other."""
    named = np.full((len(working), puzzle.move_count), -1)
    runner(name_legal, rules)(rules.tables, working, _room(puzzle), named)
    return named


def _room(puzzle: Puzzle) -> NDArray[np.int32]:
    return np.empty(max(1, puzzle.move_count), np.int32)


@compiled
def name_legal(tables: Any, states: State, moves: NDArray[np.int32], named: NDArray[np.int64]) -> None:
    """Write the legal moves of working states `T[B, S]` into their own places of `named: int64[B, M]`."""
    for place in range(len(states)):
        for i in range(kernels.legal(tables, states[place], moves)):  # type: ignore[no-untyped-call]
            named[place, moves[i]] = moves[i]


@compiled
def make_moves(tables: Any, states: State, moves: NDArray[np.int64], after: State, solved: NDArray[np.bool_]) -> None:
    """Write what `states: T[B, S]` become by legal `moves: int64[B]` into `after: T[B, S]`, where the states stand too.

    A negative move leaves the state as it is.
    """
    for place in range(len(states)):
        if moves[place] >= 0:
            kernels.apply(tables, states[place], moves[place], after[place])  # type: ignore[no-untyped-call]
        solved[place] = kernels.solved(tables, after[place])  # type: ignore[no-untyped-call]


@compiled
def begin_all(estimate: Any, states: State, memo: NDArray[np.int64], values: NDArray[np.float64]) -> None:
    """The estimate of each working state `T[B, S]` into `values: float64[B]`; `memo: int64[K]` is a work buffer."""
    for place in range(len(states)):
        values[place] = kernels.evaluate(estimate, states[place], memo)  # type: ignore[no-untyped-call]


@compiled
def wander(
    tables: Any,
    states: State,
    ends: NDArray[np.int64],
    noise: NDArray[np.float64],
    moves: NDArray[np.int32],
    after: State,
) -> None:
    """Random walks of `states: T[B, S]` into `after: T[B, S]`, where the states stand too; `states` are used as room.

    Walk b uses `noise[ends[b - 1] : ends[b]]`, numbers from [0, 1), one a move. It ends early where only the move back
    is left.
    """
    begin = 0
    for place in range(len(states)):
        last = -1
        for t in range(begin, ends[place]):
            kernels.copy(after[place], states[place])
            count = kernels.legal(tables, states[place], moves)  # type: ignore[no-untyped-call]
            remaining = 0
            for i in range(count):
                if last < 0 or moves[i] != kernels.inverse(tables, last):  # type: ignore[no-untyped-call]
                    moves[remaining] = moves[i]
                    remaining += 1
            if remaining == 0:
                break
            last = moves[np.int64(noise[t] * remaining)]
            kernels.apply(tables, states[place], last, after[place])  # type: ignore[no-untyped-call]
        begin = ends[place]


def canonical_moves(puzzle: Puzzle, states: State) -> NDArray[np.int64]:
    """`int64[B, M]`: for each move the equivalent one that `legal` reports, -1 for an illegal move."""
    equivalent = puzzle.view(EquivalentMoves)
    if equivalent is not None:
        return equivalent.canonical_moves(states)
    return _named(puzzle, *_working(puzzle, states))
