# mypy: allow-untyped-defs
"""The kernels of beam search where moves have costs or points.

A layer keeps the states with the least sum of cost and estimate. A solution does not end the search: it goes on until
no state is left that may lead to a better one. Points are costs below 0.

Shapes: N = states kept, R = states scored in one batch, S, M as in `engine.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels
from puzzlelab.engine.control_slots import BOUND, EXPANDED, GENERATED, LENGTH, OWN, REQUESTED
from puzzlelab.engine.evaluation_kernels import evaluate_child, evaluate_state, prepare_children
from puzzlelab.engine.hash_table_kernels import has_room, insert_rows, mix, remove_rows, slot_of
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED, NEEDS_SCORES, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import NOWHERE, EstimateRecord, Expansion, NodeTable
from puzzlelab.solvers._top_k_kernels import Selection, threshold_exact

LAST, ROWS, CURSOR, SCORED, PHASE, WAS_CUT, TOTAL, GOAL_PARENT, GOAL_MOVE = range(OWN, OWN + 9)
"""The layer is rows up to LAST, the next layer the rows from LAST to ROWS. WAS_CUT: states were dropped that may lead
to a better solution. TOTAL: the cost of the best solution, whose last move GOAL_MOVE begins at the row GOAL_PARENT."""
MOST, WIDTH, ADMISSIBLE, LEAST_REST = range(4)
"""Slots of `settings`: the most that a solution may cost; a lower bound on the cost from any state on."""
START, EXPAND, SELECT, FINISHED = range(4)
UNBOUNDED = 1 << 40
"""A limit that is never reached."""
SHIFT = float(1 << 20)
"""Added to sums of cost and estimate: only the bits of positive numbers sort as the numbers do."""


class CostBeamRecord(NamedTuple):
    """The state of one search."""

    tables: Any
    estimate: EstimateRecord
    control: NDArray[np.int64]
    settings: NDArray[np.int64]
    nodes: NodeTable
    cost: NDArray[np.int64]
    """[N]: the sum of the costs of the moves to a state."""
    heuristic: NDArray[np.float64]
    """[N]: the estimate."""
    selection: Selection
    """[N]: scratch for the sum of both."""
    scores: NDArray[np.float64]
    """[R]: requested scores."""
    expansion: Expansion


@inlined
def write_row(record, row, parent, move, cost, heuristic):
    """Write the parent, the move, the cost and the estimate of a state."""
    record.nodes.parent[row], record.nodes.move[row] = parent, move
    record.cost[row], record.heuristic[row] = cost, heuristic


@inlined
def add_child(record, parent, move, cost, heuristic):
    """Add the state in `expansion.child` to the next layer, unless it is known at no higher cost."""
    control, nodes, key = record.control, record.nodes, record.expansion.key
    kernels.pack(record.tables, record.expansion.child, key)
    slot = slot_of(nodes.table, nodes.keys, key, mix(key))
    known, row = nodes.table[slot] - 1, control[ROWS]
    if known >= 0 and cost >= record.cost[known]:
        return
    if known >= control[LAST]:
        write_row(record, known, parent, move, cost, heuristic)
        return
    kernels.copy(key, nodes.keys[row])
    write_row(record, row, parent, move, cost, heuristic)
    nodes.table[slot] = row + 1
    control[ROWS] += 1


@inlined
def may_be_better(record, total):
    """Tell whether a solution of this cost would be better than the best one, and is allowed."""
    return total <= record.settings[MOST] and (record.control[LENGTH] < 0 or total < record.control[TOTAL])


@inlined
def expand(record, row):
    """Add the successors of a state; True if one of them is a better solution."""
    control, tables, estimate, expansion = record.control, record.tables, record.estimate, record.expansion
    kernels.unpack(tables, record.nodes.keys[row], expansion.state)
    count, is_better = kernels.legal(tables, expansion.state, expansion.moves), False
    value = prepare_children(estimate, expansion.state)
    control[EXPANDED] += 1
    control[GENERATED] += count
    for i in range(count):
        move = expansion.moves[i]
        kernels.apply(tables, expansion.state, move, expansion.child)
        cost = record.cost[row] + kernels.move_cost(tables, expansion.state, move, expansion.child)
        if kernels.solved(tables, expansion.child):
            if may_be_better(record, cost):
                control[TOTAL], control[GOAL_PARENT], control[GOAL_MOVE], control[LENGTH] = cost, row, move, 1
                is_better = True
            continue
        heuristic = np.float64(evaluate_child(estimate, expansion.state, value, move, expansion.child))
        rest = np.float64(record.settings[LEAST_REST])
        if record.settings[ADMISSIBLE] == 1 and not kernels.is_external(estimate.tables):
            rest = heuristic
        if may_be_better(record, cost + rest):
            add_child(record, row, move, cost, heuristic)
    return is_better


@inlined
def select(record):
    """Keep the best `width` states of the next layer."""
    control, settings, nodes, selection = record.control, record.settings, record.nodes, record.selection
    first, count = control[LAST], control[ROWS] - control[LAST]
    if count <= settings[WIDTH]:
        return
    control[WAS_CUT] = 1
    for row in range(first, first + count):
        selection.values[row] = max(0.0, SHIFT + record.cost[row] + record.heuristic[row])
    threshold, ties = threshold_exact(selection.ranks, first, count, settings[WIDTH], selection.histogram)
    # Move the kept rows together; the hash table is filled again with these alone.
    remove_rows(nodes.table, nodes.keys, first, first + count)
    kept = first
    for row in range(first, first + count):
        rank = selection.ranks[row]
        if rank > threshold or (rank == threshold and ties == 0):
            continue
        if rank == threshold:
            ties -= 1
        kernels.copy(nodes.keys[row], nodes.keys[kept])
        write_row(record, kept, nodes.parent[row], nodes.move[row], record.cost[row], record.heuristic[row])
        kept += 1
    insert_rows(nodes.table, nodes.keys, first, kept)
    control[ROWS] = kept


@inlined
def begin(record):
    """Make the start the first layer; True if it is solved."""
    control, nodes, start = record.control, record.nodes, record.expansion.state
    kernels.pack(record.tables, start, nodes.keys[0])
    write_row(record, 0, NOWHERE, NOWHERE, 0, 0.0)
    insert_rows(nodes.table, nodes.keys, 0, 1)
    control[ROWS], control[LAST], control[PHASE], control[GOAL_PARENT] = 1, 1, EXPAND, NOWHERE
    if kernels.solved(record.tables, start):
        control[LENGTH] = control[TOTAL] = control[BOUND] = 0
        return True
    if record.settings[ADMISSIBLE] == 1 and not kernels.is_external(record.estimate.tables):
        control[BOUND] = max(control[BOUND], np.int64(np.ceil(evaluate_state(record.estimate, start) - 1e-3)))
    return False


@inlined
def take_scores(record):
    """Write the scores that arrived beside their states."""
    for i in range(record.control[REQUESTED]):
        score = max(np.float64(record.settings[LEAST_REST]), record.scores[i])
        record.heuristic[record.control[SCORED] + i] = score
    record.control[SCORED] += record.control[REQUESTED]
    record.control[REQUESTED] = 0


@inlined
def finish(record):
    """End the search: if it dropped nothing, its best solution is the best of all, and no other is allowed."""
    control = record.control
    control[PHASE] = FINISHED
    if control[WAS_CUT] == 0 and control[LENGTH] >= 0:
        control[BOUND] = control[TOTAL]
    elif control[WAS_CUT] == 0 and record.settings[MOST] < UNBOUNDED:
        control[BOUND] = record.settings[MOST] + 1
    return DONE


@compiled
def step(record, budget):
    """Run one slice: expand at most `budget` states."""
    control, nodes, moves = record.control, record.nodes, record.expansion.moves.size
    if budget == 0:
        return RUNNING
    if control[PHASE] == FINISHED:
        return DONE
    if control[PHASE] == START and begin(record):
        control[PHASE] = FINISHED
        return IMPROVED
    while True:
        # Expand every state of the layer.
        while control[PHASE] == EXPAND:
            if control[CURSOR] == control[LAST]:
                control[PHASE], control[SCORED] = SELECT, control[LAST]
                break
            if budget == 0:
                return RUNNING
            if not has_room(nodes.table, nodes.keys, control[ROWS], moves + 1):
                return FULL
            budget -= 1
            control[CURSOR] += 1
            if expand(record, control[CURSOR] - 1):
                return IMPROVED
        # Request the estimates of the new states, a batch at a time.
        if kernels.is_external(record.estimate.tables):
            take_scores(record)
            if control[SCORED] < control[ROWS]:
                control[REQUESTED] = min(control[ROWS] - control[SCORED], record.scores.size)
                return NEEDS_SCORES
        if control[ROWS] == control[LAST]:
            return finish(record)
        # Keep the best of them as the next layer.
        select(record)
        control[CURSOR], control[LAST], control[PHASE] = control[LAST], control[ROWS], EXPAND
        kernels.announce(record.tables, nodes.keys, control[CURSOR], control[LAST])
