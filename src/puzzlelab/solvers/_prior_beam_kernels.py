# mypy: allow-untyped-defs
"""The kernels of the layered search by a prior.

Shapes: N = states kept, R = states scored in one batch, S, M as in `engine.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels
from puzzlelab.engine.control_slots import BOUND, EXPANDED, GENERATED, LENGTH, OWN, REQUESTED
from puzzlelab.engine.evaluation_kernels import evaluate_child, evaluate_state, prepare_children, take_scores
from puzzlelab.engine.hash_table_kernels import has_room, insert_rows, mix, remove_rows, slot_of
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED, NEEDS_SCORES, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import NOWHERE, EstimateRecord, Expansion, NodeTable
from puzzlelab.solvers._top_k_kernels import Selection, threshold_exact

FIRST, LAST, ROWS, CURSOR, SCORED, PHASE, DEPTH, WAS_CUT, TOO_LONG, GOAL = range(OWN, OWN + 10)
"""The layer is rows FIRST to LAST, the next layer the rows from LAST to ROWS. WAS_CUT: the cost of a
state was too high; TOO_LONG: a state was dropped because solutions through it have too many moves."""
MAX_MOVES, WIDTH, DEPARTURES, ADMISSIBLE = range(4)
"""Slots of `settings`."""
START, EXPAND, SELECT, FINISHED = range(4)
SCORE_BATCH = 1 << 14
"""The most states of one batch."""
MAX_PENALTY = 100.0
"""The greatest cost of a move: minus the logarithm of a vanishing probability."""


class PriorBeamRecord(NamedTuple):
    """The state of one search."""

    tables: Any
    estimate: EstimateRecord
    control: NDArray[np.int64]
    settings: NDArray[np.int64]
    """[4]: the most moves, the most states of a layer, the most departures (-1: sum logarithms), whether admissible."""
    prior_weight: NDArray[np.float64]
    """[1]: the weight of minus a log probability."""
    nodes: NodeTable
    cost: NDArray[np.float32]
    """[N]: the sum of the costs of the moves to a state."""
    heuristic: NDArray[np.float32]
    """[N]: the estimate."""
    selection: Selection
    """[N]: scratch for the sum of both."""
    scores: NDArray[np.float64]
    """[R M]: requested scores."""
    expansion: Expansion


@inlined
def sort_by_prior(record, count, base):
    """Sort the first `count` of `moves` by their scores, which begin at index `base` (stable)."""
    moves, scores = record.expansion.moves, record.scores
    for i in range(1, count):
        move, slot = moves[i], i
        while slot > 0 and scores[base + moves[slot - 1]] < scores[base + move]:
            moves[slot] = moves[slot - 1]
            slot -= 1
        moves[slot] = move


@inlined
def write_row(record, row, parent, move, cost):
    """Write the parent, the move and the cost of a state."""
    record.nodes.parent[row], record.nodes.move[row], record.cost[row] = parent, move, cost


@inlined
def add_child(record, parent, move, cost, heuristic):
    """Add the state in `expansion.child` to the next layer, unless it is known at no higher cost."""
    control, nodes, key = record.control, record.nodes, record.expansion.key
    kernels.pack(record.tables, record.expansion.child, key)
    slot = slot_of(nodes.table, nodes.keys, key, mix(key))
    known, row = nodes.table[slot] - 1, control[ROWS]
    # A state of the next layer keeps the cheaper of two paths.
    if known >= control[LAST]:
        if cost < record.cost[known]:
            write_row(record, known, parent, move, cost)
        return
    # A known state is reopened only if it has fewer departures now, and so may reach other states.
    if known >= 0 and (record.settings[DEPARTURES] < 0 or cost >= record.cost[known]):
        return
    kernels.copy(key, nodes.keys[row])
    write_row(record, row, parent, move, cost)
    record.heuristic[row] = heuristic
    nodes.table[slot] = row + 1
    control[ROWS] += 1


@inlined
def step_cost(record, rank, count, base):
    """Return the cost of the move with this index in `moves`: its rank, or minus its weighted log probability."""
    if record.settings[DEPARTURES] >= 0:
        return np.float64(rank)
    return record.prior_weight[0] * min(MAX_PENALTY, max(0.0, -record.scores[base + record.expansion.moves[rank]]))


@inlined
def expand(record, row, base):
    """Add the successors of a state, whose scores begin at index `base`; True if one of them is solved."""
    control, tables, settings = record.control, record.tables, record.settings
    estimate, expansion = record.estimate, record.expansion
    kernels.unpack(tables, record.nodes.keys[row], expansion.state)
    count = kernels.legal(tables, expansion.state, expansion.moves)
    value = prepare_children(estimate, expansion.state)
    if settings[DEPARTURES] >= 0:
        sort_by_prior(record, count, base)
    control[EXPANDED] += 1
    for i in range(count):
        cost = record.cost[row] + step_cost(record, i, count, base)
        if settings[DEPARTURES] >= 0 and cost > settings[DEPARTURES]:
            control[WAS_CUT] = 1
            break
        move = expansion.moves[i]
        kernels.apply(tables, expansion.state, move, expansion.child)
        control[GENERATED] += 1
        if kernels.solved(tables, expansion.child):
            control[GOAL] = control[ROWS]
            write_row(record, control[ROWS], row, move, cost)
            return True
        heuristic = evaluate_child(estimate, expansion.state, value, move, expansion.child)
        if control[DEPTH] + 1 + max(1, settings[ADMISSIBLE] * heuristic) > settings[MAX_MOVES]:
            control[TOO_LONG] = 1
            continue
        add_child(record, row, move, cost, heuristic)
    return False


@inlined
def select(record):
    """Keep the best `width` states of the next layer."""
    control, settings, nodes, selection = record.control, record.settings, record.nodes, record.selection
    first, count = control[LAST], control[ROWS] - control[LAST]
    if count <= settings[WIDTH]:
        return
    control[WAS_CUT] = 1
    for row in range(first, first + count):
        selection.values[row] = record.cost[row] + record.heuristic[row]
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
        write_row(record, kept, nodes.parent[row], nodes.move[row], record.cost[row])
        kept += 1
    insert_rows(nodes.table, nodes.keys, first, kept)
    control[ROWS] = kept


@inlined
def begin(record):
    """Make the start the first layer; True if it is solved."""
    control, nodes, start = record.control, record.nodes, record.expansion.state
    kernels.pack(record.tables, start, nodes.keys[0])
    write_row(record, 0, NOWHERE, NOWHERE, 0.0)
    insert_rows(nodes.table, nodes.keys, 0, 1)
    control[ROWS], control[LAST], control[PHASE], control[GOAL] = 1, 1, EXPAND, 0
    if kernels.solved(record.tables, start):
        control[LENGTH] = 0
        return True
    control[BOUND] = 1
    if record.settings[ADMISSIBLE] == 1 and not kernels.is_external(record.estimate.tables):
        control[BOUND] = max(1, evaluate_state(record.estimate, start))
    return False


@inlined
def next_layer(record):
    """Select the next layer, and continue with it."""
    control = record.control
    select(record)
    control[FIRST], control[CURSOR], control[SCORED] = control[LAST], control[LAST], control[LAST]
    control[LAST] = control[ROWS]
    control[DEPTH] += 1
    control[PHASE] = EXPAND
    if control[WAS_CUT] == 0:  # so far it was a breadth-first search
        control[BOUND] = max(control[BOUND], control[DEPTH] + 1)


@inlined
def expand_layer(record, budget):
    """Expand at most `budget` states of the layer; returns (status, rest of the budget), DONE at its end."""
    control, nodes, moves = record.control, record.nodes, record.expansion.moves.size
    while control[CURSOR] < control[LAST]:
        # The prior scores the moves of the next states of the layer, as many as one batch takes.
        if control[CURSOR] == control[SCORED]:
            control[REQUESTED] = min(control[LAST] - control[CURSOR], record.scores.size // moves)
            control[SCORED] += control[REQUESTED]
            kernels.announce(record.tables, nodes.keys, control[CURSOR], control[SCORED])
            return NEEDS_SCORES, budget
        if budget == 0:
            return RUNNING, budget
        if not has_room(nodes.table, nodes.keys, control[ROWS], moves + 1):
            return FULL, budget
        row = control[CURSOR]
        if expand(record, row, (row + control[REQUESTED] - control[SCORED]) * moves):
            control[LENGTH], control[PHASE] = control[DEPTH] + 1, FINISHED
            if control[WAS_CUT] == 0:
                control[BOUND] = control[LENGTH]
            return IMPROVED, budget
        control[CURSOR] = row + 1
        budget -= 1
    control[PHASE], control[SCORED], control[REQUESTED] = SELECT, control[LAST], 0
    return DONE, budget


@compiled
def step(record, budget):
    """Run one slice: expand at most `budget` states."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control[PHASE] == FINISHED:
        return DONE
    if control[PHASE] == START and begin(record):
        control[PHASE] = FINISHED
        return IMPROVED
    while True:
        # Expand every state of the layer, moves in the order of the prior.
        if control[PHASE] == EXPAND:
            status, budget = expand_layer(record, budget)
            if status != DONE:
                return status
        # Request the estimates of the new states, a batch at a time, where an estimate stands beside the prior.
        if kernels.is_external(record.estimate.tables):
            control[SCORED] += take_scores(record, record.heuristic, control[SCORED])
            if control[SCORED] < control[ROWS]:
                control[REQUESTED] = min(control[ROWS] - control[SCORED], record.scores.size, SCORE_BATCH)
                return NEEDS_SCORES
        if control[ROWS] == control[LAST]:
            control[PHASE] = FINISHED
            if control[WAS_CUT] == 0 and control[TOO_LONG] == 1:
                control[BOUND] = record.settings[MAX_MOVES] + 1
            return DONE
        # Keep the cheapest of them as the next layer.
        next_layer(record)
