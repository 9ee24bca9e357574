"""Iterative deepening A*: depth-first searches under a growing bound on moves made + moves estimated.

Memory is linear in the depth. With an admissible estimate the first solution is optimal, and each finished bound is a
proven lower bound. Source: R. E. Korf, "Depth-first iterative-deepening", Artificial Intelligence 27 (1985).

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

DEPTH, THRESHOLD, NEXT, PHASE, PROVES, OFFSET, LAST, SINGLE = range(OWN, OWN + 8)
START, CHILDREN, SEARCH, FINISHED = range(4)
NEVER = 1 << 40
FIRST_DEPTH = 128
ONE = np.uint64(1)


class IdaRecord(NamedTuple):
    """Where one search stands."""

    tables: Any
    estimate: Any
    control: NDArray[np.int64]
    stack: State
    """[D, S]: working states; puzzles with moves that can be undone use the first row, and the others for notes."""
    rows: NDArray[np.int32]
    """[D, M]: room for the moves to try at each depth."""
    pending: NDArray[np.uint64]
    """[D]: what is left to try."""
    path: NDArray[np.int32]
    """[D]: the move that leads on from each depth."""
    values: NDArray[np.int64]
    """[D]: the estimate at each depth."""
    memo: NDArray[np.int64]
    """[K]: the estimate's memo at the current depth."""
    delta: NDArray[np.int64]
    """[D, K]: what changes it from each depth to the next."""
    requests: State
    """[M, S]: states that wait for scores."""
    requested: NDArray[np.int32]
    """[M]: the moves that lead to them."""
    scores: NDArray[np.float64]
    """[M]: their scores."""
    judged: NDArray[np.int64]
    """[D, M]: the scores by move at each depth, rounded up; used by estimates that are asked."""


@kernels.inlined
def request_children(record, depth):
    """Fill the request buffer with the states one move on."""
    state = record.stack[kernels.stack_row(record.tables, depth)]
    count = np.uint64(0)
    pending = record.pending[depth]
    while pending != 0:
        move = np.uint64(kernels.next_move(record.tables, record.rows[depth], pending))
        kernels.apply(record.tables, state, move, record.requests[count])
        record.requested[count] = move
        count += ONE
        pending = kernels.drop_first(record.tables, pending)
    record.control[REQUESTED] = count


@compiled
def step(record, budget):
    """One slice: expand at most `budget` states.

    What belongs to the current depth stays in registers, and goes to its place in the record on the way down; the move
    itself is written last, so that what reads the state next need not wait behind other writes.
    """
    control, tables, estimate, stack = record.control, record.tables, record.estimate, record.stack
    pending, values, path, delta, memo = record.pending, record.values, record.path, record.delta, record.memo
    if budget == 0:
        return RUNNING
    if control[PHASE] == FINISHED:
        return DONE
    depth = np.uint64(control[DEPTH])
    asked = kernels.is_external(estimate)
    if control[PHASE] == START:
        start = stack[0]
        if asked:
            if control[REQUESTED] == 0:
                kernels.copy(start, record.requests[0])
                control[REQUESTED] = 1
                return NEEDS_SCORES
            values[0] = max(0, np.int64(np.ceil(record.scores[0] - 1e-6)))
            control[REQUESTED] = 0
        else:
            values[0] = kernels.evaluate(estimate, start, memo)
        first = control[OFFSET] + values[0]
        if control[SINGLE] == 1 and first > control[THRESHOLD]:
            control[NEXT], control[PHASE] = first, FINISHED
            return DONE
        control[THRESHOLD] = max(control[THRESHOLD], first)
        if control[PROVES] == 1:
            control[BOUND] = control[THRESHOLD]
        if kernels.solved(tables, start):
            control[LENGTH], control[PHASE] = 0, FINISHED
            return IMPROVED
        control[NEXT] = NEVER
        pending[0] = kernels.pending_moves(tables, start, control[LAST], record.rows[0])
        control[PHASE] = CHILDREN
    expanded, generated = np.int64(0), np.int64(0)
    offset = control[OFFSET] + 1
    threshold, following = control[THRESHOLD], control[NEXT]
    status = RUNNING
    value, left = values[depth], pending[depth]
    fresh = control[PHASE] == CHILDREN
    while True:
        while True:
            if asked and fresh:
                fresh = False
                if control[REQUESTED] == 0 and left != 0:
                    pending[depth] = left
                    request_children(record, depth)
                    fresh = True
                    status = NEEDS_SCORES
                    break
                for i in range(control[REQUESTED]):
                    score = max(0, np.int64(np.ceil(record.scores[i] - 1e-6)))
                    record.judged[depth, np.uint64(record.requested[i])] = score
                control[REQUESTED] = 0
            if left == 0:
                if depth == 0:
                    status = DONE
                    break
                depth -= ONE
                kernels.swap_delta(estimate, memo, delta[depth])
                value, left = values[depth], pending[depth]
                kernels.undo_move(tables, stack, depth, path[depth])
                continue
            move = kernels.next_move(tables, record.rows[depth], left)
            left = kernels.drop_first(tables, left)
            generated += 1
            made = offset + np.int64(depth)
            state = stack[kernels.stack_row(tables, depth)]
            if asked:
                after = record.judged[depth, move]
            elif kernels.incremental(estimate):
                after = kernels.evaluate_move(estimate, state, move, value, memo, delta[depth], threshold - made)
            else:
                kernels.do_move(tables, stack, depth, move)
                after = kernels.evaluate(estimate, stack[kernels.stack_row(tables, depth + ONE)], memo)
            if made + after > threshold:
                following = min(following, made + after)
                if not asked and not kernels.incremental(estimate):
                    kernels.undo_move(tables, stack, depth, move)
                continue
            expanded += 1
            path[depth], pending[depth], values[depth] = move, left, value
            if asked or kernels.incremental(estimate):
                kernels.swap_delta(estimate, memo, delta[depth])
                kernels.do_move(tables, stack, depth, move)
            depth += ONE
            value = after
            state = stack[kernels.stack_row(tables, depth)]
            if (value == 0 or asked) and kernels.solved(tables, state):
                control[LENGTH] = np.int64(depth)
                status = IMPROVED
                break
            left = kernels.pending_moves(tables, state, np.int64(move), record.rows[depth])
            fresh = asked
            if depth + np.uint64(2) >= np.uint64(values.size):
                status = FULL
                break
            if expanded >= budget:
                break
        if status != DONE or following == NEVER or control[SINGLE] == 1:
            break
        status = RUNNING
        threshold, following = following, np.int64(NEVER)
        if control[PROVES] == 1:
            control[BOUND] = threshold
        left = kernels.pending_moves(tables, stack[0], control[LAST], record.rows[0])
        fresh = True
    pending[depth], values[depth] = left, value
    control[DEPTH], control[THRESHOLD], control[NEXT] = np.int64(depth), threshold, following
    control[EXPANDED] += expanded
    control[GENERATED] += generated
    control[PHASE] = CHILDREN if fresh else SEARCH
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
    record.control[LENGTH], record.control[LAST] = -1, -1
    record.control[PROVES] = estimate.admissible
    return Machine(record, runner(step, rules), solution, deeper, verdict, requests)


def solution(record: IdaRecord) -> list[int]:
    """The moves on the way down."""
    return [int(move) for move in record.path[: record.control[LENGTH]]]


def deeper(record: IdaRecord, room: int) -> Any:
    """Twice the depth."""
    return doubled(record, ("stack", "rows", "pending", "path", "values", "delta", "judged"), room)


def requests(record: IdaRecord) -> State:
    """The states that wait for scores."""
    return record.requests[: record.control[REQUESTED]]


def verdict(record: IdaRecord) -> tuple[Proof, str, Stop]:
    """Every path was cut off by no bound."""
    if record.control[PROVES]:
        return EXHAUSTED
    return "none", "the estimate led to no solution", "dead end"


class Ida(SolverSettings):
    """Iterative deepening A*.

    Optimal with an admissible estimate. `jobs` threads share each bound's search when it is more than 1.
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
