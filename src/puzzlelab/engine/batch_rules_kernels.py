# mypy: allow-untyped-defs
"""The kernels of `batch_rules`, which apply a puzzle's rules to batches of B states of S numbers, with M moves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import compiled


@compiled
def mark_legal(tables: Any, states: State, moves: NDArray[np.int32], marks: NDArray[np.bool_]) -> None:
    """Mark the legal moves of working states `T[B, S]` in `marks: bool[B, M]`."""
    for place in range(len(states)):
        for i in range(kernels.legal(tables, states[place], moves)):
            marks[place, moves[i]] = True


@compiled
def make_moves(
    tables: Any,
    states: State,
    moves: NDArray[np.int64],
    after: State,
    solved: NDArray[np.bool_],
    costs: NDArray[np.int64],
) -> None:
    """Write what `states: T[B, S]` become by legal `moves: int64[B]` into `after: T[B, S]`, where the states stand too.

    `costs: int64[B]` gets the cost of each move. A negative move leaves the state as it is, and costs nothing.
    """
    for place in range(len(states)):
        costs[place] = 0
        if moves[place] >= 0:
            kernels.apply(tables, states[place], moves[place], after[place])
            costs[place] = kernels.move_cost(tables, states[place], moves[place], after[place])
        solved[place] = kernels.solved(tables, after[place])


@compiled
def begin_all(estimate: Any, states: State, memo: NDArray[np.int64], values: NDArray[np.float64]) -> None:
    """Write the estimate of each working state `T[B, S]` into `values: float64[B]`; `memo: int64[K]` is scratch."""
    for place in range(len(states)):
        values[place] = kernels.evaluate(estimate, states[place], memo)


@compiled
def wander(
    tables: Any,
    states: State,
    ends: NDArray[np.int64],
    noise: NDArray[np.float64],
    moves: NDArray[np.int32],
    after: State,
) -> None:
    """Walk at random from `states: T[B, S]` into `after: T[B, S]`, where the states stand too; `states` are scratch.

    Walk b uses `noise[ends[b - 1] : ends[b]]`, numbers from [0, 1), one a move. It ends early where only the move back
    is left.
    """
    begin = 0
    for place in range(len(states)):
        last = -1
        for t in range(begin, ends[place]):
            kernels.copy(after[place], states[place])
            count = kernels.legal(tables, states[place], moves)
            remaining = 0
            for i in range(count):
                if last < 0 or moves[i] != kernels.inverse(tables, last):
                    moves[remaining] = moves[i]
                    remaining += 1
            if remaining == 0:
                break
            last = moves[np.int64(noise[t] * remaining)]
            kernels.apply(tables, states[place], last, after[place])
        begin = ends[place]
