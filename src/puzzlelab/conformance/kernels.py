# mypy: allow-untyped-defs
"""The kernel of the conformance checks: an incremental estimate must equal the same estimate from scratch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import compiled

AFTER_MOVE, BELOW_MOST = 1, 2
"""Findings of `follow`: another value after a move, or a value that is too small although it is below `most`."""
NO_LIMIT = np.int64(1 << 40)


@compiled
def follow(
    tables: Any,
    estimate: Any,
    state: State,
    child: State,
    moves: NDArray[np.int32],
    choices: NDArray[np.int64],
    memo: NDArray[np.int64],
    other: NDArray[np.int64],
    delta: NDArray[np.int64],
    fault: NDArray[np.float64],
) -> int:
    """Walk from a working `state: T[S]`, and compare `evaluate_move` with `evaluate` for every legal move on the way.

    The memo follows the walk by `swap_delta` alone. `choices: int64[steps]` choose the moves; `child`, `moves` and
    `other: int64[K]` are buffers. Returns 0, or what differs; `state` is then the state before the move, and
    `fault: float64[3]` gets the move, the incremental value and the value from scratch.
    """
    value = kernels.evaluate(estimate, state, memo)
    for step in range(choices.size):
        count = kernels.legal(tables, state, moves)
        if count == 0:
            break
        for i in range(count):
            kernels.apply(tables, state, moves[i], child)
            truth = kernels.evaluate(estimate, child, other)
            fault[0], fault[2] = moves[i], truth
            fault[1] = kernels.evaluate_move(estimate, state, moves[i], value, memo, delta, NO_LIMIT)
            if fault[1] != truth:
                return AFTER_MOVE
            kernels.swap_delta(estimate, memo, delta)
            kernels.swap_delta(estimate, memo, delta)
            for most in (truth - 1, truth):
                fault[1] = kernels.evaluate_move(estimate, state, moves[i], value, memo, delta, most)
                if fault[1] != truth and fault[1] <= most:
                    return BELOW_MOST
        move = moves[choices[step] % count]
        value = kernels.evaluate_move(estimate, state, move, value, memo, delta, NO_LIMIT)
        kernels.swap_delta(estimate, memo, delta)
        kernels.apply(tables, state, move, child)
        kernels.copy(child, state)
    return 0
