# mypy: allow-untyped-defs
"""The kernels of teachers: labels of all states of a puzzle, and side branches of replayed solutions; shapes as in
`state_space` and `fast_rollouts`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.engine import kernels
from puzzlelab.engine.hash_table_kernels import find_or_add, mix
from puzzlelab.engine.kernels import compiled
from puzzlelab.engine.record_parts import NOWHERE


@compiled
def label_all(tables, nodes, expansion, distance, masks):
    """Write the distances `int32[N]` of the first N states, and the moves `bool[N, M]` that reduce them.

    A state stands behind its parent; that of a goal is NOWHERE.
    """
    state, moves = expansion.state, expansion.moves
    for row in range(distance.size):
        parent = nodes.parent[row]
        distance[row] = 0 if parent == NOWHERE else distance[parent] + 1
    for row in range(distance.size):
        kernels.unpack(tables, nodes.keys[row], state)
        for i in range(kernels.legal(tables, state, moves)):
            kernels.apply(tables, state, moves[i], expansion.child)
            kernels.pack(tables, expansion.child, expansion.key)
            other = find_or_add(nodes.table, nodes.keys, expansion.key, mix(expansion.key), row)
            masks[row, moves[i]] = distance[other] < distance[row]


@compiled
def branch_all(
    tables: Any,
    positions: State,
    draws: NDArray[np.float64],
    children: State,
    legal: NDArray[np.int32],
    exists: NDArray[np.bool_],
) -> None:
    """Write into `children: T[B, S]` a random successor of each of `positions: T[B, S]` that is not solved.

    Of K moves to such successors, in ascending order, the move number floor(K * draw) is made, with `draws: float64[B]`
    in [0, 1). `exists: bool[B]` becomes whether there is one. `legal: int32[M]` is scratch.
    """
    for row in range(len(positions)):
        count = 0
        for i in range(kernels.legal(tables, positions[row], legal)):
            move = legal[i]
            kernels.apply(tables, positions[row], move, children[row])
            if not kernels.solved(tables, children[row]):
                place = count
                while place > 0 and legal[place - 1] > move:
                    legal[place] = legal[place - 1]
                    place -= 1
                legal[place] = move
                count += 1
        exists[row] = count > 0
        if count > 0:
            kernels.apply(tables, positions[row], legal[int(draws[row] * count)], children[row])
