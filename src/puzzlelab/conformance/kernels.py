# mypy: allow-untyped-defs
"""The kernel of the conformance checks: an incremental estimate must equal the same estimate from scratch."""

from __future__ import annotations

import numpy as np

from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import compiled

NO_LIMIT = np.int64(1 << 40)


@compiled
def follow(tables, estimate, state, child, moves, choices, memo, other, delta, fault):
    """Walk from a working `state: T[S]`, and compare `evaluate_move` with `evaluate` for every legal move on the way.

    The memo follows the walk by `swap_delta` alone; the one of `remember` is compared as well. `choices: int64[steps]`
    choose the moves; `child: T[S]`, `moves: int32[M]`, `other` and `delta: int64[K]` are buffers. Tells whether all are
    equal; if not, `state` is the state before the move, and `fault: float64[5]` gets the move, the incremental value,
    the value from scratch, the limit above which the incremental value may be another, and whether the memo was that of
    `remember`.
    """
    value, fault[4] = kernels.evaluate(estimate, state, memo), 0
    for step in range(choices.size):
        count = kernels.legal(tables, state, moves)
        if count == 0:
            break
        for i in range(count):
            kernels.apply(tables, state, moves[i], child)
            truth = kernels.evaluate(estimate, child, other)
            for most in (NO_LIMIT, np.int64(truth - 1), np.int64(truth)):
                after = kernels.evaluate_move(estimate, state, moves[i], value, memo, delta, most)
                fault[0], fault[1], fault[2], fault[3] = moves[i], after, truth, most
                if after != truth and after <= most:
                    return False
                if most == NO_LIMIT:
                    kernels.swap_delta(estimate, memo, delta)
                    kernels.swap_delta(estimate, memo, delta)
            if kernels.remember(estimate, state, other):
                after = kernels.evaluate_move(estimate, state, moves[i], value, other, delta, NO_LIMIT)
                fault[1], fault[3], fault[4] = after, NO_LIMIT, after != truth
                if after != truth:
                    return False
        move = moves[choices[step] % count]
        value = kernels.evaluate_move(estimate, state, move, value, memo, delta, NO_LIMIT)
        kernels.swap_delta(estimate, memo, delta)
        kernels.apply(tables, state, move, child)
        kernels.copy(child, state)
    return True
