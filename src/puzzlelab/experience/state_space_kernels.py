# mypy: allow-untyped-defs
"""The kernel that labels all states of a puzzle with their distances and best moves."""

from __future__ import annotations

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
