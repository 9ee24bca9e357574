# mypy: allow-untyped-defs
"""The kernel names over the graph of states that `engine.state_graph` makes from the rules of a puzzle without kernels.

A working state is the number of a node. A node without successors asks Python for them, through the address of a
function: the one place where compiled code calls Python.

Shapes: N = nodes, E = edges, M = number of moves, W = words of a packed state, B = states of a batch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from puzzlelab.engine import kernels as names
from puzzlelab.engine.hash_table_kernels import find_or_add, mix
from puzzlelab.engine.kernels import compiled, copy, implements, inlined

USED, HAS_COSTS = range(2)
"""Places in `counts`: how many nodes a search asked for, and whether the moves have costs or points."""


class GraphTables(NamedTuple):
    """The known part of a puzzle's graph."""

    expand: int
    """The address of the function `expand(count)`, which is told the first `count` of the `wanted` nodes: a single one
    gets successors, and several are wanted soon."""
    counts: NDArray[np.int64]
    """[2]."""
    wanted: NDArray[np.int64]
    """[K]: the nodes that are to be expanded."""
    first: NDArray[np.int64]
    """[N]: 1 + the first edge of each node; 0 before it is expanded."""
    degree: NDArray[np.int32]
    """[N]: its number of edges."""
    solved: NDArray[np.bool_]
    """[N]."""
    used: NDArray[np.bool_]
    """[N]: whether a search asked for its edges."""
    move: NDArray[np.int32]
    """[E]: the moves of each node, in order."""
    child: NDArray[np.int32]
    """[E]: the node that each leads to."""
    cost: NDArray[np.int64]
    """[E]: the cost of each move, minus its points where the puzzle has a score; [0] where moves have neither."""
    inverse: NDArray[np.int32]
    """[M]: the move that undoes each move, or -1."""


class GraphEstimate(NamedTuple):
    """An estimate of the nodes of a graph."""

    evaluate: int
    """The address of the function `evaluate(node)`, which evaluates this node and others."""
    value: NDArray[np.int64]
    """[N]."""
    counts: NDArray[np.int64]
    """[1]."""
    known: NDArray[np.bool_]
    """[N]: whether a node has been evaluated."""
    used: NDArray[np.bool_]
    """[N]: whether a search asked for its value."""


@intrinsic  # type: ignore[untyped-decorator]
def call(context: Any, address: Any, number: Any) -> Any:
    """Call the function of an int64 at this address; an error is kept by Python until the kernel has returned."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        i64 = ir.IntType(64)
        pointer = builder.inttoptr(arguments[0], ir.FunctionType(i64, [i64]).as_pointer())
        return builder.call(pointer, [arguments[1]])

    return types.int64(types.int64, types.int64), generate


@inlined
def edges_of(tables, node):
    """Return the first edge of a node and the number of its edges, which are made where they are missing."""
    if tables.first[node] == 0:
        tables.wanted[0] = node
        call(tables.expand, 1)
    if not tables.used[node]:
        tables.used[node] = True
        tables.counts[USED] += 1
    return tables.first[node] - 1, tables.degree[node]


@inlined
def edge_of(tables, node, move):
    """Return the edge of a legal move."""
    low, count = edges_of(tables, node)
    high = low + count
    while high - low > 1:
        middle = (low + high) >> 1
        if tables.move[middle] <= move:
            low = middle
        else:
            high = middle
    return low


@implements(names.legal, GraphTables)
def legal(tables, state, moves):
    first, count = edges_of(tables, state[0])
    for i in range(count):
        moves[i] = tables.move[first + i]
    return count


@implements(names.apply, GraphTables)
def apply(tables, state, move, child):
    child[0] = tables.child[edge_of(tables, state[0], move)]


@implements(names.solved, GraphTables)
def solved(tables, state):
    return tables.solved[state[0]]


@implements(names.has_costs, GraphTables)
def has_costs(tables):
    return tables.counts[HAS_COSTS] == 1


@implements(names.move_cost, GraphTables)
def move_cost(tables, state, move, child):
    if has_costs(tables):
        return tables.cost[edge_of(tables, state[0], move)]
    return np.int64(1)


@implements(names.inverse, GraphTables)
def inverse(tables, move):
    return tables.inverse[move]


@implements(names.pack, GraphTables)
def pack(tables, state, words):
    words[0] = np.uint64(state[0])


@implements(names.unpack, GraphTables)
def unpack(tables, words, state):
    state[0] = np.int32(words[0])


@implements(names.announce, GraphTables)
def announce(tables, keys, first, end):
    wanted = 0
    for row in range(first, end):
        node = np.int64(keys[row, 0])
        if tables.first[node] == 0:
            tables.wanted[wanted] = node
            wanted += 1
            if wanted == tables.wanted.size:
                call(tables.expand, wanted)
                wanted = 0
    if wanted > 0:
        call(tables.expand, wanted)


@implements(names.evaluate, GraphEstimate)
def evaluate(estimate, state, memo):
    node = state[0]
    if not estimate.known[node]:
        call(estimate.evaluate, node)
    if not estimate.used[node]:
        estimate.used[node] = True
        estimate.counts[USED] += 1
    return estimate.value[node]


@compiled
def intern(table, keys, count, states, nodes):
    """Write the node of each of the packed `states: uint64[B, W]` into `nodes: int32[B]`; returns the number of nodes.

    The states that are new get the next numbers in `keys: uint64[N, W]`, of which `count` are in use. `keys` and
    `table` must have room.
    """
    for i in range(len(states)):
        known = find_or_add(table, keys, states[i], mix(states[i]), count)
        if known < 0:
            copy(states[i], keys[count])
            known = count
            count += 1
        nodes[i] = known
    return count
