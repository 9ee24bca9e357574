"""Depth-first branch and bound: dive for a solution, then look only for shorter ones until none is left.

Successors are tried in the order of their estimates, best first; with an admissible estimate (or with none) a state
that cannot lead to a shorter solution is cut off, and a search that ends has proven its best solution optimal. For
puzzles that end by themselves, or with a limit on the depth.
Source: Lawler and Wood, "Branch-and-bound methods" (1966).

Shapes: D = depth of the stack, S, M, K as in `core.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core import kernels
from puzzlelab.core.driver import EXHAUSTED, Machine, doubled, drive, rules_of, runner, tables_of
from puzzlelab.core.errors import BadOption
from puzzlelab.core.kernels import (
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
    inlined,
)
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Backwards, Estimate, Estimates, Instance, KernelRules, Moves, State
from puzzlelab.core.result import Proof, Stop
from puzzlelab.core.settings import Settings
from puzzlelab.core.solver import Attempt, chosen_estimate

DEPTH, MOST, PHASE, PROVES, DEEPEST = range(OWN, OWN + 5)
START, FRESH, SEARCH, FINISHED = range(4)
UNBOUNDED = 1 << 40
FIRST_DEPTH = 128
NOTHING = Estimate("none", admissible=True, scores=lambda states: np.zeros(len(states)))
"""The estimate of a puzzle that offers none."""


class Record(NamedTuple):
    """Where one search stands."""

    tables: Any
    estimate: Any
    control: NDArray[np.int64]
    stack: State
    """[D, S]: the states on the way from the start."""
    rows: NDArray[np.int32]
    """[D, M]: the moves at each depth, best first."""
    values: NDArray[np.float64]
    """[D, M]: the estimates after them."""
    counts: NDArray[np.int64]
    """[D]: how many they are."""
    cursors: NDArray[np.int64]
    """[D]: how many of them were tried."""
    best: NDArray[np.int32]
    """[D]: the best solution."""
    requests: State
    """[M, S]: states that wait for scores."""
    scores: NDArray[np.float64]
    """[M]: their scores."""
    memo: NDArray[np.int64]
    delta: NDArray[np.int64]


@inlined
def list_moves(record, depth):
    """Write the moves at this depth, without the one that leads back; True when their estimates are asked for."""
    tables, estimate, row = record.tables, record.estimate, record.rows[depth]
    state = record.stack[depth]
    count = kernels.legal(tables, state, row)
    back = -1
    if depth > 0:
        back = kernels.inverse(tables, record.rows[depth - 1, record.cursors[depth - 1] - 1])
    kept = 0
    for i in range(count):
        if row[i] != back:
            row[kept] = row[i]
            kept += 1
    record.counts[depth], record.cursors[depth] = kept, 0
    record.control[GENERATED] += kept
    value = np.int64(0)
    if kernels.incremental(estimate):
        value = kernels.begin(estimate, state, record.memo)
    for i in range(kept):
        if kernels.incremental(estimate):
            record.values[depth, i] = kernels.peek(
                estimate, state, row[i], value, record.memo, record.delta, np.int64(UNBOUNDED)
            )
        else:
            kernels.apply(tables, state, row[i], record.requests[i])
            if not kernels.asked(estimate):
                record.values[depth, i] = kernels.begin(estimate, record.requests[i], record.memo)
    record.control[REQUESTED] = kept
    return kernels.asked(estimate) and kept > 0


@inlined
def sort_moves(record, depth):
    """Order the moves at this depth by their estimates, equal ones as they came."""
    row, values = record.rows[depth], record.values[depth]
    for i in range(1, record.counts[depth]):
        move, value = row[i], values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            row[j], values[j] = row[j - 1], values[j - 1]
            j -= 1
        row[j], values[j] = move, value


@compiled
def step(record, budget):
    """One slice: expand at most `budget` states."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control[PHASE] == FINISHED:
        return DONE
    if control[PHASE] == START:
        control[PHASE] = FRESH
        if kernels.solved(record.tables, record.stack[0]):
            control[LENGTH], control[PHASE] = 0, FINISHED
            return IMPROVED
    while True:
        depth = control[DEPTH]
        if control[PHASE] == FRESH:
            if control[REQUESTED] == 0:
                if budget == 0:
                    return RUNNING
                budget -= 1
                control[EXPANDED] += 1
                if list_moves(record, depth):
                    return NEEDS_SCORES
            if kernels.asked(record.estimate):
                for i in range(control[REQUESTED]):
                    record.values[depth, i] = max(0.0, record.scores[i])
            control[REQUESTED] = 0
            sort_moves(record, depth)
            control[PHASE] = SEARCH
        if record.cursors[depth] == record.counts[depth]:
            if depth == 0:
                control[PHASE] = FINISHED
                if control[PROVES] == 1:
                    control[BOUND] = control[MOST] + 1
                return DONE
            control[DEPTH] -= 1
            continue
        place = record.cursors[depth]
        record.cursors[depth] += 1
        made = depth + 1
        least = np.int64(np.ceil(record.values[depth, place] - 1e-6)) if control[PROVES] == 1 else np.int64(0)
        if made + least > control[MOST]:
            continue
        if made + 1 >= len(record.stack):
            record.cursors[depth] -= 1
            return FULL
        kernels.apply(record.tables, record.stack[depth], record.rows[depth, place], record.stack[made])
        if kernels.solved(record.tables, record.stack[made]):
            control[LENGTH], control[MOST] = made, made - 1
            for i in range(made):
                record.best[i] = record.rows[i, record.cursors[i] - 1]
            return IMPROVED
        if made < control[MOST]:
            control[DEPTH], control[PHASE] = made, FRESH


def machine(instance: Instance, estimate: Estimate, rules: KernelRules, depth: int) -> Machine:
    """The search from this start, for solutions of at most `depth` moves."""
    moves = instance.puzzle.move_count
    deep = min(depth, FIRST_DEPTH) + 2
    record = Record(
        rules.tables,
        tables_of(estimate, rules),
        np.zeros(16, np.int64),
        np.zeros((deep, rules.size), rules.dtype),
        np.zeros((deep, moves), np.int32),
        np.zeros((deep, moves), np.float64),
        np.zeros(deep, np.int64),
        np.zeros(deep, np.int64),
        np.zeros(deep, np.int32),
        np.zeros((moves, rules.size), rules.dtype),
        np.zeros(moves, np.float64),
        np.zeros(estimate.memo, np.int64),
        np.zeros(estimate.memo, np.int64),
    )
    record.stack[0] = rules.encode(instance.state[None])[0]
    record.control[LENGTH], record.control[MOST] = -1, depth
    record.control[PROVES] = estimate.admissible

    def verdict(record: Record) -> tuple[Proof, str, Stop]:
        if depth < UNBOUNDED:
            return "none", f"there is no solution of at most {depth} moves", "done"
        return EXHAUSTED

    return Machine(record, runner(step, rules), solution, deeper, verdict, requests)


def solution(record: Record) -> list[int]:
    """The best moves so far."""
    return [int(move) for move in record.best[: record.control[LENGTH]]]


def deeper(record: Record, room: int) -> Any:
    """Twice the depth."""
    return doubled(record, ("stack", "rows", "values", "counts", "cursors", "best"), room)


def requests(record: Record) -> State:
    """The states that wait for scores."""
    return record.requests[: record.control[REQUESTED]]


class DepthFirst(Settings):
    """Depth-first branch and bound; `depth` is the most moves of a solution, which puzzles without an end need."""

    name: ClassVar[str] = "depth-first"
    needs: ClassVar[tuple[type, ...]] = (Moves,)

    estimate: str | Estimate | None = None
    depth: int | None = Field(default=None, ge=1, le=1_000_000)

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress and ever shorter solutions; O(depth) memory."""
        puzzle = instance.puzzle
        if self.depth is None and isinstance(puzzle, Backwards):
            raise BadOption(f"depth-first needs a limit on the depth: moves of {puzzle.name} can be undone without end")
        wants = self.estimate is not None or isinstance(puzzle, Estimates)
        estimate = chosen_estimate(puzzle, self.estimate) if wants else NOTHING
        rules = rules_of(instance)
        return drive(machine(instance, estimate, rules, self.depth or UNBOUNDED), limit, estimate, rules)


SOLVER = DepthFirst
