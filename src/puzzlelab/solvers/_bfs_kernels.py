# mypy: allow-untyped-defs
"""The kernels of breadth-first search, from one side or from both.

Source of the bidirectional variant: I. Pohl, "Bi-directional search" (1971), which also expands the smaller side.

Shapes: N = states seen, S, M as in `engine.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels
from puzzlelab.engine.hash_table_kernels import find_or_add, has_room, mix
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import NOWHERE, Control, Expansion, NodeTable, control_type

CONTROL = control_type("states side cursor next_begin meeting meeting_move meeting_other phase counts_all")
START, SEARCH, FINISHED = range(3)
MAX_DEPTH = 1 << 12
"""The most depths whose states are counted."""


class BfsRecord(NamedTuple):
    """The state of one search. Side 0 begins at the start, side 1 at the goals."""

    tables: Any
    control: Control
    nodes: NodeTable
    """Layer by layer."""
    side: NDArray[np.int8]
    """[N]: the side that saw the state first."""
    layers: NDArray[np.int64]
    """[2, 3]: begin, end and depth of the last layer of each side; the end is -1 for a side that is not used."""
    sizes: NDArray[np.int64]
    """[MAX_DEPTH]: new states at each depth from the start."""
    expansion: Expansion


@inlined
def add(record, parent, move, side):
    """Add the state in `expansion.child`; returns its row if it is known, or -1 if it is new."""
    nodes, key, row = record.nodes, record.expansion.key, record.control.states
    kernels.pack(record.tables, record.expansion.child, key)
    # Both sides share one table, so that the look-up that finds repeats finds meetings too.
    known = find_or_add(nodes.table, nodes.keys, key, mix(key), row)
    if known < 0:
        kernels.copy(key, nodes.keys[row])
        nodes.parent[row], nodes.move[row], record.side[row] = parent, move, side
        record.control.states += 1
    return known


@inlined
def expand(record, node, side):
    """Add the successors of a state; True when one of them ends the search."""
    control, expansion = record.control, record.expansion
    kernels.unpack(record.tables, record.nodes.keys[node], expansion.state)
    count = kernels.legal(record.tables, expansion.state, expansion.moves)
    control.expanded += 1
    control.generated += count
    for i in range(count):
        move = expansion.moves[i]
        kernels.apply(record.tables, expansion.state, move, expansion.child)
        known = add(record, node, move, side)
        # A count of states by depth stops at no goal.
        if control.counts_all == 1:
            continue
        # Both sides know this state: the two paths to it make a solution.
        if known >= 0 and record.side[known] != side:
            control.meeting, control.meeting_move, control.meeting_other = node, move, known
            return True
        # From the start alone, a new state that is solved ends the search.
        if known < 0 and record.layers[1, 1] < 0 and kernels.solved(record.tables, expansion.child):
            control.meeting, control.meeting_move, control.meeting_other = control.states - 1, NOWHERE, NOWHERE
            return True
    return False


@inlined
def next_layer(record):
    """Continue with the side whose last layer is smaller; False if this side has no new states."""
    control, layers = record.control, record.layers
    side = control.side
    # The states added since the layer began are the next layer of this side.
    layers[side, 0], layers[side, 1] = control.next_begin, control.states
    layers[side, 2] += 1
    if side == 0 and layers[0, 2] < MAX_DEPTH:
        record.sizes[layers[0, 2]] = layers[0, 1] - layers[0, 0]
    # Nothing new: this side has seen all that it can reach.
    if layers[side, 0] == layers[side, 1]:
        return False
    # Pohl: expand the smaller frontier of the two.
    other = 1 - side
    if layers[1, 1] >= 0 and layers[other, 1] - layers[other, 0] < layers[side, 1] - layers[side, 0]:
        control.side = other
    control.cursor = layers[control.side, 0]
    control.next_begin = control.states
    return True


@compiled
def add_root(record, state, side):
    """Add a state to the first layer of a side."""
    # All goals together are the first layer of side 1.
    kernels.copy(state, record.expansion.child)
    if record.layers[side, 1] < 0:
        record.layers[side, 0] = record.control.states
    add(record, NOWHERE, NOWHERE, side)
    record.layers[side, 1] = record.control.states
    record.control.cursor = record.layers[0, 0]
    record.control.next_begin = record.control.states


@compiled
def step(record, budget):
    """Run one slice: expand at most `budget` states."""
    control, layers = record.control, record.layers
    if budget == 0:
        return RUNNING
    if control.phase == FINISHED:
        return DONE
    if control.phase == START:
        control.phase = SEARCH
        if control.counts_all == 0 and kernels.solved(record.tables, record.expansion.state):
            control.length, control.meeting, control.meeting_other, control.phase = 0, 0, NOWHERE, FINISHED
            return IMPROVED
        # A start that is not solved is at least one move from a goal.
        control.bound = 1
    nodes, moves = record.nodes, record.expansion.moves.size
    while budget > 0:
        # All states of this layer are expanded, so every solution is longer than both sides are deep.
        if control.cursor == layers[control.side, 1]:
            if not next_layer(record):
                control.phase = FINISHED
                return DONE
            control.bound = layers[0, 2] + layers[1, 2] + 1
        if not has_room(nodes.table, nodes.keys, control.states, moves):
            # Room for all successors is made sure of beforehand, so that no expansion stops half-way.
            return FULL
        if expand(record, control.cursor, control.side):
            # All shorter paths were in the layers before, so that the first meeting is the shortest solution.
            control.length, control.phase = control.bound, FINISHED
            return IMPROVED
        control.cursor += 1
        budget -= 1
    return RUNNING
