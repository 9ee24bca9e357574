"""Makes and enlarges the parts that the records of searches share, and reads the path to a state from them.

Shapes: B = states of a batch, W = words of a packed state, S as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.core.views import Estimate, KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.hash_table_kernels import MAX_LOAD, insert_rows, rehash
from puzzlelab.engine.record_parts import NOWHERE, EstimateRecord, Expansion, NodeTable
from puzzlelab.engine.search_rules import runner

FIRST_TABLE = 1 << 14
"""Entries of a new hash table."""


def tables_of(estimate: Estimate | None, rules: KernelRules) -> Any:
    """Return the estimate's compiled tables, those of an external estimate, or those of none."""
    if estimate is None:
        return kernels.NoEstimate()
    if estimate.kernel is not None:
        return estimate.kernel()
    return kernels.External()


def new_estimate(estimate: Estimate | None, rules: KernelRules) -> EstimateRecord:
    """Return the estimate for kernels, or one that gives 0."""
    memo = 1 if estimate is None else estimate.memo
    return EstimateRecord(tables_of(estimate, rules), np.zeros(memo, np.int64), np.zeros(memo, np.int64))


def new_expansion(rules: KernelRules, start: State, move_count: int) -> Expansion:
    """Return the scratch arrays of a search from the plain `start[S]`."""
    return Expansion(
        state=working(rules, start),
        child=np.empty(rules.size, rules.dtype),
        key=np.empty(rules.words, np.uint64),
        moves=np.empty(move_count, np.int32),
    )


def new_node_table(
    rules: KernelRules, capacity: int, table: int = FIRST_TABLE, move: DTypeLike = np.int32
) -> NodeTable:
    """Make room for `capacity` states, of which a hash table of `table` entries holds the first."""
    return NodeTable(
        keys=np.empty((capacity, rules.words), np.uint64),
        parent=np.empty(capacity, np.int32),
        move=np.empty(capacity, move),
        table=np.zeros(table, np.int32),
    )


def table_size(entries: int) -> int:
    """Return the least power of two that holds this many entries within the load."""
    return 1 << int(np.ceil(np.log2(entries / MAX_LOAD)))


def working(rules: KernelRules, start: State) -> State:
    """Return the working state `[S]` of a plain one."""
    state: State = rules.starts(start[None])[0]
    return state


def unpacked(rules: KernelRules, keys: NDArray[np.uint64]) -> State:
    """Return working states `[B, S]` from packed ones `[B, W]`."""
    states = np.empty((len(keys), rules.size), rules.dtype)
    runner(kernels.unpack_all, rules)(rules.tables, keys, states)
    return states


def path_to(parent: NDArray[np.int32], move: NDArray[np.signedinteger], row: int) -> list[int]:
    """Return the moves from the root of a search to a state."""
    moves = []
    while parent[row] != NOWHERE:
        moves.append(int(move[row]))
        row = int(parent[row])
    return moves[::-1]


# --- room -------------------------------------------------------------------------------------------------------------


def doubled(record: Any, names: Iterable[str], room: int, axis: int = 0) -> Any:
    """Return the record with arrays of these names that are twice as long, or None if `room` bytes are not enough."""
    arrays = {name: getattr(record, name) for name in names}
    if 2 * sum(array.nbytes for array in arrays.values()) > room:
        return None
    larger = {name: np.concatenate([array, np.zeros_like(array)], axis=axis) for name, array in arrays.items()}
    return record._replace(**larger)


def rehashed(nodes: NodeTable, count: int, more: int, room: int, repeats: bool = False) -> NodeTable | None:
    """Return the node table with twice the hash table; None where its other arrays are full, or `room` bytes not
    enough.

    `count` rows are in use, and `more` are wanted. With `repeats` several of them may hold one state: the last counts.
    """
    size = nodes.table.size
    if count + more <= MAX_LOAD * size or 8 * size > room:
        return None
    table = np.zeros(2 * size, np.int32)
    if repeats:
        insert_rows(table, nodes.keys, 0, count)
    else:
        rehash(table, nodes.keys, count)
    return nodes._replace(table=table)
