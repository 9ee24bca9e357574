# mypy: allow-untyped-defs
"""The kernels of `batch_rules`, which apply a puzzle's rules to batches of states, and those of `batch_verify`, which
replay many solutions.

Shapes: B = states of S numbers, M = number of moves, G = solutions with L moves in all.
"""

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


# --- solutions ---


@compiled
def replay_all(
    tables: Any,
    starts: State,
    lengths: NDArray[np.int64],
    moves: NDArray[np.int32],
    positions: State,
    child: State,
    legal: NDArray[np.int32],
    holds: NDArray[np.bool_],
) -> None:
    """Write into `positions: T[L, S]` where each of the `moves: int32[L]` is made, into `holds: bool[G]` which hold.

    Game g has the next `lengths[g]` moves from `starts: T[G, S]` on. It holds if `legal` names each of them and they
    end in a solved state, or if its length is `UNSOLVED`. `child: T[S]` and `legal: int32[M]` are room to work in.
    """
    row = 0
    for game in range(len(lengths)):
        kernels.copy(starts[game], child)
        allowed = True
        for i in range(max(0, lengths[game])):
            kernels.copy(child, positions[row + i])
            if allowed:
                allowed = False
                for j in range(kernels.legal(tables, child, legal)):
                    allowed = allowed or legal[j] == moves[row + i]
            if allowed:
                kernels.apply(tables, positions[row + i], moves[row + i], child)
        row += max(0, lengths[game])
        holds[game] = lengths[game] < 0 or (allowed and kernels.solved(tables, child))


@compiled
def confirm_all(
    tables: Any,
    starts: State,
    lengths: NDArray[np.int32],
    moves: NDArray[np.int32],
    child: State,
    legal: NDArray[np.int32],
    holds: NDArray[np.bool_],
) -> None:
    """Write into `holds: bool[G]` which solutions hold, as `replay_all` does.

    `starts: T[G, S]` become the states in which the solutions that hold end.
    """
    first = 0
    for game in range(len(lengths)):
        end = first + max(0, lengths[game])
        holds[game] = lengths[game] < 0 or kernels.replays(tables, starts[game], moves, first, end, child, legal)
        first = end
