"""Iterative deepening A*: depth-first searches under a growing bound on f = g + h.

g is the number of moves so far, h the estimate. Memory is linear in the depth. With an admissible estimate the first
solution is optimal, and each finished bound is a proven lower bound.
Source: R. E. Korf, "Depth-first iterative-deepening", Artificial Intelligence 27 (1985).

Shapes: D = depth of the stack, S, M, K as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, State
from puzzlelab.core.result import Proof, Stop
from puzzlelab.core.solver import Attempt, SolverSettings, chosen_estimate
from puzzlelab.core.views import Estimate, Estimates, KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.driver import EXHAUSTED, Machine, doubled, drive, tables_of
from puzzlelab.engine.interpreted_kernels import rules_of, runner
from puzzlelab.engine.kernels import (
    BOUND,
    DONE,
    EXPANDED,
    FULL,
    GENERATED,
    IMPROVED,
    LENGTH,
    NEEDS_SCORES,
    OWN,
    REQUESTED,
    RUNNING,
    compiled,
)

DEPTH, THRESHOLD, NEXT_THRESHOLD, PHASE, PROVES, PATH_LENGTH, LAST_MOVE, ONE_THRESHOLD = range(OWN, OWN + 8)
START, CHILDREN, SEARCH, FINISHED = range(4)
INFINITE = 1 << 40
FIRST_DEPTH = 128
ONE = np.uint64(1)


class IdaRecord(NamedTuple):
    """The state of one search."""

    tables: Any
    estimate: Any
    control: NDArray[np.int64]
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
    memo: NDArray[np.int64]
    """[K]: the estimate's memo at the current depth."""
    delta: NDArray[np.int64]
    """[D, K]: the change of the memo from each depth to the next."""
    requests: State
    """[M, S]: states whose scores are requested."""
    request_moves: NDArray[np.int32]
    """[M]: the moves that lead to them."""
    scores: NDArray[np.float64]
    """[M]: their scores."""
    child_values: NDArray[np.int64]
    """[D, M]: the estimates of the children by move at each depth, rounded up; used by external estimates."""


@kernels.inlined
def request_children(record, depth):
    """Request the scores of all children of the state at this depth."""
    state = record.stack[kernels.stack_row(record.tables, depth)]
    count = np.uint64(0)
    pending = record.pending[depth]
    while pending != 0:
        move = np.uint64(kernels.next_move(record.tables, record.rows[depth], pending))
        kernels.apply(record.tables, state, move, record.requests[count])
        record.request_moves[count] = move
        count += ONE
        pending = kernels.drop_first(record.tables, pending)
    record.control[REQUESTED] = count


@compiled
def step(record, budget):
    """One slice: expand at most `budget` states.

    The values of the current depth stay in local variables (registers) and are stored in the record on descent. The
    move is applied last, so that the next read of the state does not wait behind other writes.
    """
    control, tables, estimate, stack = record.control, record.tables, record.estimate, record.stack
    pending, values, path, delta, memo = record.pending, record.values, record.path, record.delta, record.memo
    if budget == 0:
        return RUNNING
    if control[PHASE] == FINISHED:
        return DONE
    depth = np.uint64(control[DEPTH])
    external = kernels.is_external(estimate)
    if control[PHASE] == START:
        start = stack[0]
        if external:
            if control[REQUESTED] == 0:
                kernels.copy(start, record.requests[0])
                control[REQUESTED] = 1
                return NEEDS_SCORES
            values[0] = max(0, np.int64(np.ceil(record.scores[0] - 1e-6)))
            control[REQUESTED] = 0
        else:
            values[0] = kernels.evaluate(estimate, start, memo)
        start_f = control[PATH_LENGTH] + values[0]
        if control[ONE_THRESHOLD] == 1 and start_f > control[THRESHOLD]:
            control[NEXT_THRESHOLD], control[PHASE] = start_f, FINISHED
            return DONE
        control[THRESHOLD] = max(control[THRESHOLD], start_f)
        if control[PROVES] == 1:
            control[BOUND] = control[THRESHOLD]
        if kernels.solved(tables, start):
            control[LENGTH], control[PHASE] = 0, FINISHED
            return IMPROVED
        control[NEXT_THRESHOLD] = INFINITE
        pending[0] = kernels.pending_moves(tables, start, control[LAST_MOVE], record.rows[0])
        control[PHASE] = CHILDREN
    expanded, generated = np.int64(0), np.int64(0)
    offset = control[PATH_LENGTH] + 1
    threshold, next_threshold = control[THRESHOLD], control[NEXT_THRESHOLD]
    status = RUNNING
    node_h, moves_left = values[depth], pending[depth]
    needs_child_scores = control[PHASE] == CHILDREN
    while True:
        while True:
            if external and needs_child_scores:
                needs_child_scores = False
                if control[REQUESTED] == 0 and moves_left != 0:
                    pending[depth] = moves_left
                    request_children(record, depth)
                    needs_child_scores = True
                    status = NEEDS_SCORES
                    break
                for i in range(control[REQUESTED]):
                    score = max(0, np.int64(np.ceil(record.scores[i] - 1e-6)))
                    record.child_values[depth, np.uint64(record.request_moves[i])] = score
                control[REQUESTED] = 0
            if moves_left == 0:
                if depth == 0:
                    status = DONE
                    break
                depth -= ONE
                kernels.swap_delta(estimate, memo, delta[depth])
                node_h, moves_left = values[depth], pending[depth]
                kernels.undo_move(tables, stack, depth, path[depth])
                continue
            move = kernels.next_move(tables, record.rows[depth], moves_left)
            moves_left = kernels.drop_first(tables, moves_left)
            generated += 1
            g = offset + np.int64(depth)
            state = stack[kernels.stack_row(tables, depth)]
            if external:
                h = record.child_values[depth, move]
            elif kernels.incremental(estimate):
                h = kernels.evaluate_move(estimate, state, move, node_h, memo, delta[depth], threshold - g)
            else:
                kernels.do_move(tables, stack, depth, move)
                h = kernels.evaluate(estimate, stack[kernels.stack_row(tables, depth + ONE)], memo)
            if g + h > threshold:
                next_threshold = min(next_threshold, g + h)
                if not external and not kernels.incremental(estimate):
                    kernels.undo_move(tables, stack, depth, move)
                continue
            expanded += 1
            path[depth], pending[depth], values[depth] = move, moves_left, node_h
            if external or kernels.incremental(estimate):
                kernels.swap_delta(estimate, memo, delta[depth])
                kernels.do_move(tables, stack, depth, move)
            depth += ONE
            node_h = h
            state = stack[kernels.stack_row(tables, depth)]
            if (node_h == 0 or external) and kernels.solved(tables, state):
                control[LENGTH] = np.int64(depth)
                status = IMPROVED
                break
            moves_left = kernels.pending_moves(tables, state, np.int64(move), record.rows[depth])
            needs_child_scores = external
            if depth + np.uint64(2) >= np.uint64(values.size):
                status = FULL
                break
            if expanded >= budget:
                break
        if status != DONE or next_threshold == INFINITE or control[ONE_THRESHOLD] == 1:
            break
        status = RUNNING
        threshold, next_threshold = next_threshold, np.int64(INFINITE)
        if control[PROVES] == 1:
            control[BOUND] = threshold
        moves_left = kernels.pending_moves(tables, stack[0], control[LAST_MOVE], record.rows[0])
        needs_child_scores = True
    pending[depth], values[depth] = moves_left, node_h
    control[DEPTH], control[THRESHOLD], control[NEXT_THRESHOLD] = np.int64(depth), threshold, next_threshold
    control[EXPANDED] += expanded
    control[GENERATED] += generated
    control[PHASE] = CHILDREN if needs_child_scores else SEARCH
    if status in (DONE, IMPROVED):
        control[PHASE] = FINISHED
    return status


def machine(instance: Instance, estimate: Estimate, rules: KernelRules) -> Machine:
    """The search from this start."""
    moves, memo = instance.puzzle.move_count, estimate.memo
    record = IdaRecord(
        rules.tables,
        tables_of(estimate, rules),
        np.zeros(16, np.int64),
        np.zeros((FIRST_DEPTH, rules.size), rules.dtype),
        np.zeros((FIRST_DEPTH, moves), np.int32),
        np.zeros(FIRST_DEPTH, np.uint64),
        np.zeros(FIRST_DEPTH, np.int32),
        np.zeros(FIRST_DEPTH, np.int64),
        np.zeros(memo, np.int64),
        np.zeros((FIRST_DEPTH, memo), np.int64),
        np.zeros((moves, rules.size), rules.dtype),
        np.zeros(moves, np.int32),
        np.zeros(moves, np.float64),
        np.zeros((FIRST_DEPTH, moves), np.int64),
    )
    record.stack[0] = rules.encode(instance.state[None])[0]
    record.control[LENGTH], record.control[LAST_MOVE] = -1, -1
    record.control[PROVES] = estimate.admissible
    return Machine(record, runner(step, rules), solution, enlarged, verdict, requests)


def solution(record: IdaRecord) -> list[int]:
    """The moves of the solution."""
    return [int(move) for move in record.path[: record.control[LENGTH]]]


def enlarged(record: IdaRecord, room: int) -> Any:
    """The record with twice the depth, or None."""
    return doubled(record, ("stack", "rows", "pending", "path", "values", "delta", "child_values"), room)


def requests(record: IdaRecord) -> State:
    """The states whose scores are requested."""
    return record.requests[: record.control[REQUESTED]]


def verdict(record: IdaRecord) -> tuple[Proof, str, Stop]:
    """The verdict of a search in which no path exceeds the threshold."""
    if record.control[PROVES]:
        return EXHAUSTED
    return "none", "the estimate led to no solution", "dead end"


class Ida(SolverSettings):
    """Iterative deepening A*.

    Optimal with an admissible estimate. With `jobs` above 1 that many threads share the search of each threshold.
    """

    name: ClassVar[str] = "ida"
    needs: ClassVar[tuple[type, ...]] = (Estimates,)

    estimate: str | Estimate | None = None
    jobs: int = Field(default=1, ge=1)

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress, then the one solution; O(depth) memory."""
        estimate, rules = chosen_estimate(instance.puzzle, self.estimate), rules_of(instance)
        if self.jobs == 1 or rules.plain or estimate.kernel is None:
            return drive(machine(instance, estimate, rules), limit, estimate, rules)
        from puzzlelab.solvers._ida_threads import attempts

        return attempts(instance, estimate, rules, limit, self.jobs)


SOLVER = Ida
