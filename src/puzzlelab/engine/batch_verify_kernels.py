# mypy: allow-untyped-defs
"""The kernels that replay many solutions by the compiled rules; shapes as in `batch_verify`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import compiled


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
