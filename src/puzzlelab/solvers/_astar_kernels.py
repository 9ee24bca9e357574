# mypy: allow-untyped-defs
"""The kernels of A*: an open list ordered by priority, and a table of all states seen.

Names as in textbooks: g = the cost of the moves from the start, h = the estimated cost to the goal, f = g + h. Where
moves have no costs, each costs 1; where they have points, their cost is minus the points.
Source: Hart, Nilsson and Raphael, "A formal basis for the heuristic determination of minimum cost paths" (1968);
closed states are reopened, as in the paper, since an estimate need not be consistent.

Shapes: N = states seen, B = states expanded between two requests, S, M as in `engine.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels
from puzzlelab.engine.evaluation_kernels import evaluate_child, evaluate_state, prepare_children
from puzzlelab.engine.hash_table_kernels import find_or_add, has_room, mix
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED, NEEDS_SCORES, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import NOWHERE, Control, EstimateRecord, Expansion, NodeTable, control_type

CONTROL = control_type("states heap phase proves goal admissible awaits_scores")
START, SEARCH, FINISHED = range(3)
UNSCORED = -np.inf
"""The h of a state whose estimate is requested."""
PRIORITY_SCALE = float(1 << 20)
"""Factor of the priority before h is added, so that h breaks ties: of equal priorities the least h comes first."""


class Heap(NamedTuple):
    """The open list, a binary heap. A state may stand in it twice; when it comes again it is closed, and skipped."""

    priority: NDArray[np.float64]
    node: NDArray[np.int32]


class AstarRecord(NamedTuple):
    """The state of one search."""

    tables: Any
    estimate: EstimateRecord
    control: Control
    g_weight: float
    """The weight of g in the priority."""
    h_weight: float
    """The weight of h."""
    least_h: float
    """The least h, which is below 0 where moves have points."""
    nodes: NodeTable
    g: NDArray[np.int32]
    """[N]: the cost of the best path from the start so far."""
    h: NDArray[np.float32]
    """[N]: the estimate, or UNSCORED."""
    closed: NDArray[np.bool_]
    """[N]: whether the state is expanded."""
    open: Heap
    expansion: Expansion
    requested: NDArray[np.int32]
    """[B M]: states whose estimate is requested."""
    scores: NDArray[np.float64]
    """[B M]: their scores."""


@inlined
def push(record, node):
    """Put a state into the open list."""
    value = np.float64(record.h[node])
    # f = g + h, with Pohl's weights. The scale makes room for h below a step of f: of equal f the state nearest to the
    # goal comes first.
    priority = (record.g_weight * record.g[node] + record.h_weight * value) * PRIORITY_SCALE + value
    heap, slot = record.open, record.control.heap
    record.control.heap += 1
    # Sift up: the entries above that are greater move down.
    while slot > 0:
        above = (slot - 1) >> 1
        if heap.priority[above] <= priority:
            break
        heap.priority[slot], heap.node[slot] = heap.priority[above], heap.node[above]
        slot = above
    heap.priority[slot], heap.node[slot] = priority, node


@inlined
def pop_least(record):
    """Remove the state with the least priority from the open list."""
    heap = record.open
    first = heap.node[0]
    record.control.heap -= 1
    count = record.control.heap
    # Sift down: the last entry takes the place at the top, and the lesser of two entries below moves up.
    priority, node = heap.priority[count], heap.node[count]
    slot = 0
    while True:
        below = 2 * slot + 1
        if below >= count:
            break
        if below + 1 < count and heap.priority[below + 1] < heap.priority[below]:
            below += 1
        if heap.priority[below] >= priority:
            break
        heap.priority[slot], heap.node[slot] = heap.priority[below], heap.node[below]
        slot = below
    heap.priority[slot], heap.node[slot] = priority, node
    return first


@inlined
def add(record, parent, move, g, h):
    """Add the state in `expansion.child` to the open list if it is new, or if this path to it is shorter.

    With h = UNSCORED its estimate is requested first. Returns whether it was.
    """
    control, nodes, key = record.control, record.nodes, record.expansion.key
    kernels.pack(record.tables, record.expansion.child, key)
    row = control.states
    # One table holds the open and the closed states: the paper asks of each successor whether it is in either.
    known = find_or_add(nodes.table, nodes.keys, key, mix(key), row)
    if known >= 0:
        # A shorter path to a known state: reopen it, unless it waits for its estimate and so is in no list yet.
        if g < record.g[known]:
            record.g[known], nodes.parent[known], nodes.move[known] = g, parent, move
            if record.h[known] != UNSCORED:
                record.closed[known] = False
                push(record, known)
        return False
    # A new state: its path, its g and its h.
    kernels.copy(key, nodes.keys[row])
    nodes.parent[row], nodes.move[row] = parent, move
    record.g[row], record.h[row], record.closed[row] = g, h, False
    control.states += 1
    # Without an h it has no place in the open list yet: its score comes in a batch with those of others.
    if h == UNSCORED:
        record.requested[control.requested] = row
        control.requested += 1
        return True
    push(record, row)
    return False


@inlined
def expand(record, node):
    """Add every successor of a state."""
    tables, estimate, expansion = record.tables, record.estimate, record.expansion
    kernels.unpack(tables, record.nodes.keys[node], expansion.state)
    # The successor operator of the paper.
    count = kernels.legal(tables, expansion.state, expansion.moves)
    value = prepare_children(estimate, expansion.state)
    for i in range(count):
        move, h = expansion.moves[i], UNSCORED
        kernels.apply(tables, expansion.state, move, expansion.child)
        if not kernels.is_external(estimate.tables):
            h = np.float64(evaluate_child(estimate, expansion.state, value, move, expansion.child))
        if kernels.has_costs(tables) and kernels.solved(tables, expansion.child):
            h = 0.0  # an upper bound on points may be above 0 where no more can be made
        # g of the successor by this path; `add` keeps it if it is the least so far.
        cost = kernels.move_cost(tables, expansion.state, move, expansion.child)
        add(record, node, move, record.g[node] + cost, h)
    record.control.generated += count
    record.control.expanded += 1


@inlined
def begin(record):
    """Add the start; returns whether its estimate is requested."""
    control, expansion, h = record.control, record.expansion, UNSCORED
    control.phase = SEARCH
    kernels.copy(expansion.state, expansion.child)
    if not kernels.is_external(record.estimate.tables):
        h = np.float64(evaluate_state(record.estimate, expansion.state))
    return add(record, NOWHERE, NOWHERE, 0, h)


@inlined
def take_requested(record):
    """Push the states whose scores arrived onto the open list."""
    record.control.awaits_scores = 0
    for i in range(record.control.requested):
        node = record.requested[i]
        # A network may estimate less than any state can have left.
        record.h[node] = max(record.least_h, record.scores[i])
        push(record, node)
    record.control.requested = 0


@inlined
def wait_for_scores(record):
    """Return the status that requests scores."""
    record.control.awaits_scores = 1
    return NEEDS_SCORES


@inlined
def bound_of(record, g, h):
    """Return the lower bound on any solution when this state has the least priority."""
    # Pohl: g + w h is at most w times the cost of a solution, for w of 1 or more; and costs are whole numbers.
    priority = record.g_weight * np.float64(g) + record.h_weight * np.float64(h)
    return np.int64(np.ceil(priority / max(1.0, record.h_weight) - 1e-3))


@inlined
def is_goal(record, node):
    """Tell whether a state is solved; a kernel gives no solved state an estimate above 0."""
    # Most states are told from a goal by their h alone, without being unpacked.
    if record.h[node] > 0 and not kernels.is_external(record.estimate.tables):
        return False
    kernels.unpack(record.tables, record.nodes.keys[node], record.expansion.state)
    return kernels.solved(record.tables, record.expansion.state)


@compiled
def step(record, budget):
    """Run one slice: expand at most `budget` states."""
    control, moves = record.control, record.expansion.moves.size
    if budget == 0:
        return RUNNING
    if control.phase == FINISHED:
        return DONE
    if control.awaits_scores == 1:
        take_requested(record)
    if control.phase == START and begin(record):
        return wait_for_scores(record)
    # An admissible h of the start is a bound before anything is expanded.
    if control.expanded == 0 and control.admissible == 1:
        control.bound = np.int64(np.ceil(record.h[0] - 1e-3))
    while budget > 0:
        # A batch of estimates is requested when it is full, or when nothing else can be expanded.
        if control.requested > 0 and (control.requested + moves > record.requested.size or control.heap == 0):
            return wait_for_scores(record)
        if control.heap == 0:
            control.phase = FINISHED
            return DONE
        nodes = record.nodes
        if not has_room(nodes.table, nodes.keys, control.states, moves) or (
            control.heap + moves > record.open.node.size
        ):
            # Room for all successors is made sure of beforehand, so that no expansion stops half-way.
            return FULL
        # Take the state with the least priority from the open list.
        node = pop_least(record)
        # An older entry of a state that came again by a shorter path and is expanded since.
        if record.closed[node]:
            continue
        g, h = record.g[node], record.h[node]
        # It ends the search if it is the goal, and if no state with less priority can come from a request.
        if is_goal(record, node):
            if control.requested > 0:
                push(record, node)
                return wait_for_scores(record)
            if control.proves == 1:
                control.bound = max(control.bound, bound_of(record, g, 0.0))
            control.length, control.goal, control.phase = g, node, FINISHED
            return IMPROVED
        # Every solution passes through an open state, so the least priority is a lower bound.
        if control.proves == 1 and control.requested == 0:
            control.bound = max(control.bound, bound_of(record, g, h))
        # Close it, and open its successors.
        record.closed[node] = True
        expand(record, node)
        budget -= 1
    return RUNNING
