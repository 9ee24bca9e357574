# mypy: allow-untyped-defs
"""The kernels of the search by layers: the states of a layer are expanded, and the best successors are the next layer.

The best have the least sum of cost and estimate. The cost of a state is the sum over the moves to it: of their costs,
or minus their points, and the search goes on until no state may lead to a better solution. Or, by a prior, of minus the
log probability of each move, or of its rank among the moves; the first solution then ends the search.

Shapes: N = states kept, R = states scored in one batch, S, M as in `engine.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels
from puzzlelab.engine.evaluation_kernels import evaluate_child, evaluate_state, prepare_children, take_scores
from puzzlelab.engine.hash_table_kernels import has_room, insert_rows, mix, remove_rows, slot_of
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED, NEEDS_SCORES, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import NOWHERE, Control, EstimateRecord, Expansion, NodeTable, control_type
from puzzlelab.solvers._top_k_kernels import Selection, threshold_exact

CONTROL = control_type("last rows cursor scored phase depth was_cut too_long goal_parent goal_move total")
"""The layer is the rows up to `last`, the next layer those from `last` to `rows`. was_cut: states were dropped that may
lead to a solution. too_long: a state was dropped because no solution through it is good enough. total: the moves, cost
or points of the best solution, whose last move `goal_move` begins at the row `goal_parent`."""
START, EXPAND, SELECT, FINISHED = range(4)
BY_MOVES, BY_PROBABILITY, BY_RANK = range(3)
"""The cost of a move: its own; minus its weighted log probability, or its rank among the moves, by a prior."""
SCORE_BATCH = 1 << 14
"""The most states of one batch."""
SHIFT = float(1 << 20)
"""Added to sums of cost and estimate: only the bits of positive numbers sort as the numbers do."""
MAX_PENALTY = 100.0
"""The greatest cost of a move by a prior: minus the logarithm of a vanishing probability."""


class LayerSettings(NamedTuple):
    """The settings of one search."""

    cost: int
    """`BY_MOVES`, `BY_PROBABILITY` or `BY_RANK`."""
    most: int
    """The most moves of a solution, or the most that it may cost."""
    width: int
    """The most states of a layer."""
    departures: int
    """The greatest sum of ranks on a path; used with `BY_RANK`."""
    prior_weight: float
    """The weight of minus a log probability."""
    admissible: bool
    """Whether the estimate is a lower bound."""
    least_rest: int
    """A lower bound on the moves, or on the cost, from any unsolved state on."""


class LayersRecord(NamedTuple):
    """The state of one search."""

    tables: Any
    estimate: EstimateRecord
    control: Control
    settings: LayerSettings
    nodes: NodeTable
    cost: NDArray[np.float64]
    """[N]: the sum of the costs of the moves to a state."""
    heuristic: NDArray[np.float32]
    """[N]: the estimate."""
    selection: Selection
    """[N]: scratch for the sum of both."""
    scores: NDArray[np.float64]
    """[R], or [R M] with a prior: requested scores."""
    expansion: Expansion


@inlined
def sort_by_prior(record, count, base):
    """Sort the first `count` of `moves` by their scores, which begin at index `base` (stable)."""
    moves, scores = record.expansion.moves, record.scores
    # Insertion sort, because moves are few; equal scores keep the order of the moves, so that runs repeat.
    for i in range(1, count):
        move, slot = moves[i], i
        while slot > 0 and scores[base + moves[slot - 1]] < scores[base + move]:
            moves[slot] = moves[slot - 1]
            slot -= 1
        moves[slot] = move


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
    # The look-up of A*: a new state, a known one by a dearer path, or by a cheaper one.
    slot = slot_of(nodes.table, nodes.keys, key, mix(key))
    known, row = nodes.table[slot] - 1, control.rows
    if known >= 0 and cost >= record.cost[known]:
        return
    # A state of the next layer keeps the cheaper of two paths.
    if known >= control.last:
        write_row(record, known, parent, move, cost, heuristic)
        return
    # A state of an earlier layer is reopened, unless its cost is a probability: its path has fewer moves.
    if known >= 0 and record.settings.cost == BY_PROBABILITY:
        return
    # The row of a reopened state takes the place of the old one in the table; the old one stays, for paths through it.
    kernels.copy(key, nodes.keys[row])
    write_row(record, row, parent, move, cost, heuristic)
    nodes.table[slot] = row + 1
    control.rows += 1


@inlined
def move_cost(record, rank, base):
    """Return the cost of the move with this index in `moves`, which leads from `state` to `child`."""
    settings, expansion = record.settings, record.expansion
    move = expansion.moves[rank]
    # The discrepancy of Harvey and Ginsberg: 0 for the best move, 1 for the second, and so on.
    if settings.cost == BY_RANK:
        return np.float64(rank)
    if settings.cost == BY_PROBABILITY:
        # The sum of these along a path is minus the logarithm of its probability.
        return settings.prior_weight * min(MAX_PENALTY, max(0.0, -record.scores[base + move]))
    return np.float64(kernels.move_cost(record.tables, expansion.state, move, expansion.child))


@inlined
def total_of(record, cost):
    """Return what a solution that ends after a move of the layer takes: its moves, or its cost."""
    return np.int64(cost) if record.settings.cost == BY_MOVES else record.control.depth + 1


@inlined
def may_be_better(record, total):
    """Tell whether a solution of this total would be better than the best one, and is allowed."""
    return total <= record.settings.most and (record.control.length < 0 or total < record.control.total)


@inlined
def expand(record, row, base):
    """Add the successors of a state, whose scores begin at index `base`; True if one of them is a better solution."""
    control, tables, settings = record.control, record.tables, record.settings
    estimate, expansion, is_better = record.estimate, record.expansion, False
    kernels.unpack(tables, record.nodes.keys[row], expansion.state)
    count = kernels.legal(tables, expansion.state, expansion.moves)
    # An incremental estimate reads the parent once for all of its children.
    value = prepare_children(estimate, expansion.state)
    if settings.cost == BY_RANK:
        sort_by_prior(record, count, base)
    control.expanded += 1
    for i in range(count):
        # Limited discrepancy: the moves are sorted, so that all further ones depart too far as well.
        if settings.cost == BY_RANK and record.cost[row] + i > settings.departures:
            control.was_cut = 1
            break
        # Generate the successor, with the cost of the path to it.
        move = expansion.moves[i]
        kernels.apply(tables, expansion.state, move, expansion.child)
        control.generated += 1
        cost = record.cost[row] + move_cost(record, i, base)
        total = total_of(record, cost)
        # A goal is kept if it is the best so far. By a prior the first one ends the search.
        if kernels.solved(tables, expansion.child):
            if not may_be_better(record, total):
                control.too_long = 1
                continue
            control.total, control.goal_parent, control.goal_move, control.length = total, row, move, 1
            is_better = True
            if settings.cost != BY_MOVES:
                break
            continue
        # Bound: drop a state whose lower bound leaves no better solution.
        heuristic = np.float64(evaluate_child(estimate, expansion.state, value, move, expansion.child))
        rest = np.float64(settings.least_rest)
        if settings.admissible and not kernels.is_external(estimate.tables):
            rest = max(rest, heuristic)
        if may_be_better(record, total + rest):
            add_child(record, row, move, cost, heuristic)
        else:
            control.too_long = 1
    return is_better


@inlined
def select(record):
    """Keep the best `width` states of the next layer."""
    control, settings, nodes, selection = record.control, record.settings, record.nodes, record.selection
    # What makes it a beam: only so many states go on.
    first, count = control.last, control.rows - control.last
    if count <= settings.width:
        return
    control.was_cut = 1
    # Costs may be points, and their sums below 0.
    shift = SHIFT if settings.cost == BY_MOVES else 0.0
    for row in range(first, first + count):
        selection.values[row] = max(0.0, shift + record.cost[row] + record.heuristic[row])
    threshold, ties = threshold_exact(selection.ranks, first, count, settings.width, selection.histogram)
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
    control.rows = kept


@inlined
def begin(record):
    """Make the start the first layer; True if it is solved."""
    control, nodes, start = record.control, record.nodes, record.expansion.state
    kernels.pack(record.tables, start, nodes.keys[0])
    write_row(record, 0, NOWHERE, NOWHERE, 0.0, 0.0)
    insert_rows(nodes.table, nodes.keys, 0, 1)
    control.rows, control.last, control.phase, control.goal_parent = 1, 1, EXPAND, NOWHERE
    if kernels.solved(record.tables, start):
        control.length = control.total = control.bound = 0
        return True
    if record.settings.admissible and not kernels.is_external(record.estimate.tables):
        control.bound = max(control.bound, np.int64(np.ceil(evaluate_state(record.estimate, start) - 1e-3)))
    return False


@inlined
def finish(record):
    """End the search: if it dropped nothing, its best solution is the best of all, and no other is allowed."""
    control = record.control
    control.phase = FINISHED
    if control.was_cut == 0 and control.length >= 0:
        control.bound = control.total
    elif control.was_cut == 0 and control.too_long == 1:
        control.bound = record.settings.most + 1
    return DONE


@inlined
def expand_layer(record, budget):
    """Expand at most `budget` states of the layer; returns (status, rest of the budget), DONE at its end."""
    control, settings, nodes = record.control, record.settings, record.nodes
    moves = record.expansion.moves.size
    while control.cursor < control.last:
        # The prior scores the moves of the next states of the layer, as many as one batch takes.
        if settings.cost != BY_MOVES and control.cursor == control.scored:
            control.requested = min(control.last - control.cursor, record.scores.size // moves)
            control.scored += control.requested
            kernels.announce(record.tables, nodes.keys, control.cursor, control.scored)
            return NEEDS_SCORES, budget
        if budget == 0:
            return RUNNING, budget
        if not has_room(nodes.table, nodes.keys, control.rows, moves + 1):
            return FULL, budget
        budget -= 1
        control.cursor += 1
        if expand(record, control.cursor - 1, (control.cursor - 1 + control.requested - control.scored) * moves):
            if settings.cost != BY_MOVES:
                finish(record)
            return IMPROVED, budget
    control.phase, control.scored, control.requested = SELECT, control.last, 0
    return DONE, budget


@inlined
def next_layer(record):
    """Select the next layer, and continue with it."""
    control, settings = record.control, record.settings
    select(record)
    control.cursor = control.scored = control.last
    control.last, control.phase = control.rows, EXPAND
    control.depth += 1
    if settings.cost == BY_MOVES:
        kernels.announce(record.tables, record.nodes.keys, control.cursor, control.last)
    elif control.was_cut == 0:  # so far it was a breadth-first search
        control.bound = max(control.bound, control.depth + 1)


@compiled
def step(record, budget):
    """Run one slice: expand at most `budget` states."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control.phase == FINISHED:
        return DONE
    if control.phase == START and begin(record):
        control.phase = FINISHED
        return IMPROVED
    while True:
        # Expand every state of the layer.
        if control.phase == EXPAND:
            status, budget = expand_layer(record, budget)
            if status != DONE:
                return status
        # Request the estimates of the new states, a batch at a time.
        if kernels.is_external(record.estimate.tables):
            least = np.float64(record.settings.least_rest) if record.settings.cost == BY_MOVES else 0.0
            control.scored += take_scores(record, record.heuristic, control.scored, least)
            if control.scored < control.rows:
                control.requested = min(control.rows - control.scored, record.scores.size, SCORE_BATCH)
                return NEEDS_SCORES
        if control.rows == control.last:
            return finish(record)
        # Keep the best of them as the next layer.
        next_layer(record)
