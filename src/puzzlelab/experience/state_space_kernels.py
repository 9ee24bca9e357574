# mypy: allow-untyped-defs
"""The kernel that labels all states of a puzzle with their distances and best moves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import compiled


@compiled
def label_all(
    tables: Any,
    table: NDArray[np.int32],
    keys: NDArray[np.uint64],
    parent: NDArray[np.int32],
    distance: NDArray[np.int32],
    masks: NDArray[np.bool_],
    state: State,
    child: State,
    key: NDArray[np.uint64],
    moves: NDArray[np.int32],
) -> None:
    """Write the distances `int32[N]` of the states `keys: uint64[N, W]`, and the moves `bool[N, M]` that reduce them.

    A state stands behind its `parent: int32[N]`, which is -1 for a goal; `table` finds its row, as in `bfs.BfsRecord`.
    """
    for row in range(len(keys)):
        distance[row] = 0 if parent[row] < 0 else distance[parent[row]] + 1
    for row in range(len(keys)):
        kernels.unpack(tables, keys[row], state)
        for i in range(kernels.legal(tables, state, moves)):
            kernels.apply(tables, state, moves[i], child)
            kernels.pack(tables, child, key)
            other = kernels.find_or_add(table, keys, key, kernels.mix(key), row)
            masks[row, moves[i]] = distance[other] < distance[row]
