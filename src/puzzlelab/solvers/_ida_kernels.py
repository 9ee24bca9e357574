# mypy: allow-untyped-defs
"""The kernels of iterative deepening A*: one for estimates that are kernels, one for estimates that are requested.

The steps are those of R. E. Korf, "Depth-first iterative-deepening" (1985), section 5: a depth-first search cuts off
every path with f = g + h above the threshold; the least f that was cut off is the next threshold.

Shapes: D = depth of the stack, S, M, K as in `engine.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.engine import kernels
from puzzlelab.engine.evaluation_kernels import evaluate_state
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED, NEEDS_SCORES, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import UNBOUNDED, Control, EstimateRecord, control_type

CONTROL = control_type("depth threshold next_threshold phase proves path_length last_move one_threshold max_moves")
"""path_length, last_move: the moves before the start of this search, and the last of them (-1 without); one_threshold:
the search ends with its first threshold; proves: thresholds are lower bounds; max_moves: no longer solution is looked
for."""
START, CHILDREN, SEARCH, FINISHED = range(4)
"""CHILDREN: the scores of the children of the current state are not there yet."""
INFINITE = 1 << 40
ONE = np.uint64(1)


class Requests(NamedTuple):
    """The states whose scores are requested: the start, or all children of the current state."""

    states: State
    """[M, S]."""
    moves: NDArray[np.int32]
    """[M]: the moves that lead to them."""
    child_values: NDArray[np.int64]
    """[D, M]: the estimates of the children by move at each depth, rounded up."""


class IdaRecord(NamedTuple):
    """The state of one search."""

    tables: Any
    estimate: EstimateRecord
    """Its memo is that of the state at the current depth."""
    control: Control
    stack: State
    """[D, S]: working states; a puzzle with moves that can be undone keeps its state in the first row."""
    rows: NDArray[np.int32]
    """[D, M]: scratch for the moves at each depth."""
    pending: NDArray[np.uint64]
    """[D]: the moves not tried yet at each depth."""
    path: NDArray[np.int32]
    """[D]: the move taken at each depth."""
    values: NDArray[np.int64]
    """[D]: the estimate at each depth."""
    delta: NDArray[np.int64]
    """[D, K]: the change of the memo from each depth to the next."""
    requests: Requests
    scores: NDArray[np.float64]
    """[M]: the scores of the requested states."""


@inlined
def begin(record, h):
    """Set the first threshold to the f of the start, whose estimate is `h`; RUNNING if the search goes on."""
    control, start = record.control, record.stack[0]
    record.values[0] = h
    # The first threshold is f of the start; below a root of a shared search it is given.
    f = control.path_length + h
    if control.one_threshold == 1 and f > control.threshold:
        control.next_threshold = f
        return DONE
    control.threshold = max(control.threshold, f)
    if control.proves == 1:
        control.bound = min(control.threshold, control.max_moves + 1)
    if control.threshold > control.max_moves:
        return DONE
    if kernels.solved(record.tables, start):
        control.length = 0
        return IMPROVED
    # The first depth-first search, under the threshold f of the start.
    control.next_threshold, control.phase = INFINITE, CHILDREN
    record.pending[0] = kernels.pending_moves(record.tables, start, control.last_move, record.rows[0])
    return RUNNING


@inlined
def raise_threshold(record):
    """Begin again with the next threshold; DONE if there is none."""
    control = record.control
    if control.one_threshold == 1:
        return DONE
    if control.next_threshold == INFINITE or control.next_threshold > control.max_moves:
        # Every path of allowed length was tried: a solution is longer.
        if control.proves == 1 and control.max_moves < UNBOUNDED:
            control.bound = control.max_moves + 1
        return DONE
    # Korf's deepening: the next search is cut off at the least f that this one exceeded.
    control.threshold, control.next_threshold = control.next_threshold, INFINITE
    # No solution has an f within the last threshold: the new one is a lower bound.
    if control.proves == 1:
        control.bound = control.threshold
    record.pending[0] = kernels.pending_moves(record.tables, record.stack[0], control.last_move, record.rows[0])
    control.phase = CHILDREN
    return RUNNING


@inlined
def search(record, budget):
    """Expand at most `budget` states.

    The values of the current depth stay in local variables (registers) and are stored in the record on descent. The
    move is applied last, so that the next read of the state does not wait behind other writes.
    """
    control, tables, estimate, stack = record.control, record.tables, record.estimate.tables, record.stack
    pending, values, path, delta, memo = record.pending, record.values, record.path, record.delta, record.estimate.memo
    depth, offset, status = np.uint64(control.depth), control.path_length + 1, RUNNING
    expanded, generated = np.int64(0), np.int64(0)
    threshold, next_threshold = control.threshold, control.next_threshold
    node_h, moves_left = values[depth], pending[depth]
    while True:
        if moves_left == 0:
            # All paths within the threshold were tried: the least f above it is the next threshold.
            if depth == 0:
                control.next_threshold = next_threshold
                status = raise_threshold(record)
                if status == DONE:
                    break
                moves_left, threshold, next_threshold = pending[0], control.threshold, control.next_threshold
                continue
            # All children of this state were tried: backtrack.
            depth -= ONE
            kernels.swap_delta(estimate, memo, delta[depth])
            node_h, moves_left = values[depth], pending[depth]
            kernels.undo_move(tables, stack, depth, path[depth])
            continue
        # Generate the next child, and cut it off if its f is above the threshold.
        move, moves_left = kernels.next_move(tables, record.rows[depth], moves_left)
        generated += 1
        g = offset + np.int64(depth)
        if kernels.incremental(estimate):
            # The estimate of a child is known before its state: most children are cut off without one.
            state = stack[kernels.stack_row(tables, depth)]
            h = kernels.evaluate_move(estimate, state, move, node_h, memo, delta[depth], threshold - g)
        else:
            kernels.do_move(tables, stack, depth, move)
            h = kernels.evaluate(estimate, stack[kernels.stack_row(tables, depth + ONE)], memo)
        if g + h > threshold:
            next_threshold = min(next_threshold, g + h)
            if not kernels.incremental(estimate):
                kernels.undo_move(tables, stack, depth, move)
            continue
        # Descend to the child: it is expanded, and its children come next.
        expanded += 1
        path[depth], pending[depth], values[depth] = move, moves_left, node_h
        if kernels.incremental(estimate):
            kernels.swap_delta(estimate, memo, delta[depth])
            kernels.do_move(tables, stack, depth, move)
        depth, node_h = depth + ONE, h
        status, moves_left = enter(record, depth, move, node_h)
        if status != RUNNING or expanded >= budget:
            break
    pending[depth], values[depth] = moves_left, node_h
    control.depth, control.next_threshold = np.int64(depth), next_threshold
    control.expanded += expanded
    control.generated += generated
    return status


@inlined
def enter(record, depth, move, h):
    """Return (status, moves to try) at a child: IMPROVED if it is solved, FULL if the stack is."""
    state = record.stack[kernels.stack_row(record.tables, depth)]
    # A goal has the estimate 0, so that other states need no look at their cells.
    if h == 0 and kernels.solved(record.tables, state):
        record.control.length = np.int64(depth)
        return IMPROVED, np.uint64(0)
    # Korf's only test for duplicates: the last move is not undone at once.
    pending = kernels.pending_moves(record.tables, state, np.int64(move), record.rows[depth])
    return FULL if depth + np.uint64(2) >= np.uint64(record.values.size) else RUNNING, pending


@compiled
def step(record, budget):
    """Run one slice with an estimate that is a kernel: expand at most `budget` states."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control.phase == FINISHED:
        return DONE
    status = RUNNING
    if control.phase == START:
        status = begin(record, evaluate_state(record.estimate, record.stack[0]))
    if status == RUNNING:
        status = search(record, budget)
    if status in (DONE, IMPROVED):
        control.phase = FINISHED
    return status


@compiled
def step_many(record, starts, first, budget, lengths, moves, counts):
    """Search from each of `starts: T[B, S]` from `first` on, with at most `budget` states each; return the place of
    the first search without a solution so far, whose state is in the record, or B.

    Written for each of the others: `lengths: int32[B]`, `moves: int32[B, D]`, and `counts: int64[B, 3]`, the states
    expanded and generated, and the lower bound.
    """
    control = record.control
    # One search after another in the same arrays: most of them take less time than a call from Python.
    for place in range(first, len(starts)):
        kernels.copy(starts[place], record.stack[0])
        control.expanded = control.generated = control.bound = 0
        control.depth = control.threshold = control.next_threshold = control.phase = 0
        control.length = control.last_move = -1
        control.max_moves = UNBOUNDED
        if step(record, budget) != IMPROVED:
            return place
        lengths[place] = control.length
        for i in range(control.length):
            moves[place, i] = record.path[i]
        counts[place, 0], counts[place, 1], counts[place, 2] = control.expanded, control.generated, control.bound
    return len(starts)


# --- with requested estimates -----------------------------------------------------------------------------------------


@inlined
def rounded_up(score):
    """Return the least whole number of moves that is not below a score."""
    return max(0, np.int64(np.ceil(score - 1e-6)))


@inlined
def request_children(record, depth):
    """Request the scores of all children of the state at this depth."""
    tables, requests = record.tables, record.requests
    state = record.stack[kernels.stack_row(tables, depth)]
    count = np.uint64(0)
    pending = record.pending[depth]
    while pending != 0:
        move, pending = kernels.next_move(tables, record.rows[depth], pending)
        kernels.apply(tables, state, move, requests.states[count])
        requests.moves[count] = move
        count += ONE
    # The parent stays where it is until their scores arrive.
    record.control.requested = count


@inlined
def take_children(record, depth):
    """Store the scores of the children of the state at this depth."""
    for i in range(record.control.requested):
        move = np.uint64(record.requests.moves[i])
        record.requests.child_values[depth, move] = rounded_up(record.scores[i])
    record.control.requested = 0


@inlined
def begin_requested(record):
    """Request the estimate of the start, or begin with it when it has arrived."""
    control = record.control
    if control.requested == 0:
        kernels.copy(record.stack[0], record.requests.states[0])
        control.requested = 1
        return NEEDS_SCORES
    control.requested = 0
    return begin(record, rounded_up(record.scores[0]))


@inlined
def search_requested(record, budget):
    """Expand at most `budget` states; NEEDS_SCORES where those of the children of a state are requested."""
    control, tables, pending, status = record.control, record.tables, record.pending, RUNNING
    while status == RUNNING and budget > 0:
        depth = np.uint64(control.depth)
        # The scores of all children of a state are requested at once.
        if control.phase == CHILDREN:
            if control.requested == 0 and pending[depth] != 0:
                request_children(record, depth)
                return NEEDS_SCORES
            take_children(record, depth)
            control.phase = SEARCH
        if pending[depth] == 0:
            # All paths within the threshold were tried, or all children of this state: then backtrack.
            if depth == 0:
                status = raise_threshold(record)
                continue
            control.depth -= 1
            kernels.undo_move(tables, record.stack, depth - ONE, record.path[depth - ONE])
            continue
        # Take the next child, and cut it off if its f is above the threshold.
        move, pending[depth] = kernels.next_move(tables, record.rows[depth], pending[depth])
        control.generated += 1
        f = control.path_length + 1 + np.int64(depth) + record.requests.child_values[depth, move]
        if f > control.threshold:
            control.next_threshold = min(control.next_threshold, f)
            continue
        # Descend to the child: it is expanded, and its children come next.
        control.expanded += 1
        budget -= 1
        record.path[depth] = move
        kernels.do_move(tables, record.stack, depth, move)
        control.depth, control.phase = np.int64(depth) + 1, CHILDREN
        status, pending[depth + ONE] = enter(record, depth + ONE, move, 0)
    return status


@compiled
def step_requested(record, budget):
    """Run one slice with an estimate that is requested: expand at most `budget` states."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control.phase == FINISHED:
        return DONE
    status = RUNNING
    if control.phase == START:
        status = begin_requested(record)
    if status == RUNNING:
        status = search_requested(record, budget)
    if status in (DONE, IMPROVED):
        control.phase = FINISHED
    return status
