# mypy: allow-untyped-defs
"""The kernels of depth-first branch and bound.

Source: Lawler and Wood, "Branch-and-bound methods" (1966).

Shapes: D = depth of the stack, S, M as in `engine.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.engine import kernels
from puzzlelab.engine.evaluation_kernels import evaluate_child, prepare_children, take_scores
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED, NEEDS_SCORES, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import Control, EstimateRecord, control_type

CONTROL = control_type("depth max_moves phase proves plies")
"""plies: the number of plies above the deep order."""
START, LIST_MOVES, AWAIT_BOUNDS, AWAIT_KEYS, SEARCH, FINISHED = range(6)
"""AWAIT_BOUNDS: the listed moves wait for their estimates; AWAIT_KEYS: they wait for their sort keys."""


class DepthFirstRecord(NamedTuple):
    """The state of one search."""

    tables: Any
    bound: EstimateRecord
    order: EstimateRecord
    """The order of the first plies, or of all; without an estimate the bound orders the moves."""
    deep: EstimateRecord
    """The order below them."""
    control: Control
    stack: State
    """[D, S]: the states on the path from the start."""
    rows: NDArray[np.int32]
    """[D, M]: the moves at each depth, best first."""
    values: NDArray[np.float64]
    """[D, M]: the estimates after them."""
    counts: NDArray[np.int64]
    """[D]: their number."""
    cursors: NDArray[np.int64]
    """[D]: the number of those already tried."""
    best: NDArray[np.int32]
    """[D]: the best solution."""
    children: State
    """[M, S]: the children of the current state, whose scores may be requested."""
    scores: NDArray[np.float64]
    """[M]: their scores."""
    keys: NDArray[np.float64]
    """[M]: their sort keys, where these are not the estimates."""


@inlined
def score_children(record, estimate, depth, target):
    """Write the estimates after the moves at this depth into `target: float64[M]`; True if they must be requested."""
    state, moves, count = record.stack[depth], record.rows[depth], record.counts[depth]
    if kernels.is_external(estimate.tables):
        record.control.requested = count
        return count > 0
    # An incremental estimate reads the parent once for all of its children, and never looks at them.
    value = prepare_children(estimate, state)
    for i in range(count):
        target[i] = evaluate_child(estimate, state, value, moves[i], record.children[i])
    return False


@inlined
def list_moves(record, depth):
    """List the moves at this depth without the inverse of the last one; True if estimates must be requested."""
    tables, row = record.tables, record.rows[depth]
    state = record.stack[depth]
    count = kernels.legal(tables, state, row)
    # The inverse of the last move would lead back to the parent.
    inverse_move = -1
    if depth > 0:
        inverse_move = kernels.inverse(tables, record.rows[depth - 1, record.cursors[depth - 1] - 1])
    kept = 0
    for i in range(count):
        if row[i] != inverse_move:
            row[kept] = row[i]
            kept += 1
    record.counts[depth], record.cursors[depth] = kept, 0
    record.control.generated += kept
    # Children are made only if one of the estimates looks at them.
    bound, order, deep = record.bound.tables, record.order.tables, record.deep.tables
    if not (kernels.incremental(bound) and kernels.incremental(order) and kernels.incremental(deep)):
        for i in range(kept):
            kernels.apply(tables, state, row[i], record.children[i])
    return score_children(record, record.bound, depth, record.values[depth])


@inlined
def compute_keys(record, depth):
    """Compute the sort keys of the moves at this depth; True if they must be requested."""
    if depth < record.control.plies:
        return score_children(record, record.order, depth, record.keys)
    return score_children(record, record.deep, depth, record.keys)


@inlined
def sort_moves(record, depth):
    """Sort the moves at this depth by their keys, or else by their estimates (stable)."""
    row, values, keys = record.rows[depth], record.values[depth], record.keys
    # Insertion sort, because moves are few; equal keys keep the order of the moves, so that runs repeat.
    for i in range(1, record.counts[depth]):
        move, value = row[i], values[i]
        key = keys[i] if kernels.exists(record.order.tables) else value
        j = i
        while j > 0 and (keys[j - 1] if kernels.exists(record.order.tables) else values[j - 1]) > key:
            row[j], values[j] = row[j - 1], values[j - 1]
            if kernels.exists(record.order.tables):
                keys[j] = keys[j - 1]
            j -= 1
        row[j], values[j] = move, value
        if kernels.exists(record.order.tables):
            keys[j] = key


@inlined
def list_sorted(record, depth):
    """List and sort the moves at this depth, resuming where it stopped; True if scores must be requested."""
    control = record.control
    # Bound: the estimates after all moves.
    if control.phase == LIST_MOVES and list_moves(record, depth):
        control.phase = AWAIT_BOUNDS
        return True
    # Order: the sort keys, where another estimate orders the moves.
    if control.phase != AWAIT_KEYS:
        take_scores(record, record.values[depth], 0, 0.0)
        if kernels.exists(record.order.tables) and compute_keys(record, depth):
            control.phase = AWAIT_KEYS
            return True
    if kernels.exists(record.order.tables):
        take_scores(record, record.keys, 0, -np.inf)
    sort_moves(record, depth)
    control.phase = SEARCH
    return False


@compiled
def step(record, budget):
    """Run one slice: expand at most `budget` states."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control.phase == FINISHED:
        return DONE
    if control.phase == START:
        control.phase = LIST_MOVES
        if kernels.solved(record.tables, record.stack[0]):
            control.length, control.phase = 0, FINISHED
            return IMPROVED
    while True:
        # Expand the current state: list its moves, and sort them by their estimates or by their keys.
        depth = control.depth
        if control.phase == LIST_MOVES:
            if budget == 0:
                return RUNNING
            budget -= 1
            control.expanded += 1
        if control.phase < SEARCH and list_sorted(record, depth):
            return NEEDS_SCORES
        # All moves were tried: backtrack. At the start, the search is complete.
        if record.cursors[depth] == record.counts[depth]:
            if depth == 0:
                control.phase = FINISHED
                if control.proves == 1:
                    # All shorter paths are excluded, so the best solution is optimal; without one, none is short
                    # enough.
                    control.bound = control.max_moves + 1
                return DONE
            control.depth -= 1
            continue
        # Branch to the next move, unless its bound excludes a shorter solution.
        index = record.cursors[depth]
        record.cursors[depth] += 1
        child_depth = depth + 1
        # The bound of Lawler and Wood: g + h above the best solution so far, less one, excludes the branch.
        estimate = np.int64(np.ceil(record.values[depth, index] - 1e-6)) if control.proves == 1 else np.int64(0)
        if child_depth + estimate > control.max_moves:
            continue
        if child_depth + 1 >= len(record.stack):
            # The move is tried again once the stack is larger.
            record.cursors[depth] -= 1
            return FULL
        kernels.apply(record.tables, record.stack[depth], record.rows[depth, index], record.stack[child_depth])
        # A solution: from now on only shorter ones are searched for.
        if kernels.solved(record.tables, record.stack[child_depth]):
            control.length, control.max_moves = child_depth, child_depth - 1
            for i in range(child_depth):
                record.best[i] = record.rows[i, record.cursors[i] - 1]
            return IMPROVED
        # A state as deep as the limit has no room for another move.
        if child_depth < control.max_moves:
            control.depth, control.phase = child_depth, LIST_MOVES
