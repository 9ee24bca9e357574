"""Depth-first branch and bound: find a solution, then search only for shorter ones until there is none.

Successors are tried in the order of their estimates, best first, or in the order of another estimate, which may differ
below the first plies. With an admissible estimate (or with none) a state that cannot lead to a shorter solution is
pruned, and a search that ends has proven its best solution optimal, in any order. It suits puzzles whose games end by
themselves; others need a limit on the depth.
Source: Lawler and Wood, "Branch-and-bound methods" (1966).

Shapes: D = depth of the stack, S, M, K as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle, State
from puzzlelab.core.result import Proof, Stop
from puzzlelab.core.solver import Attempt, SolverSettings, chosen_estimate
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Reversible
from puzzlelab.engine import kernels
from puzzlelab.engine.driver import EXHAUSTED, Drive, Machine, doubled
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
    inlined,
)
from puzzlelab.solvers._move_ordering import Scorer, Scorers, has_order, score_children, take_scores

DEPTH, MAX_MOVES, PHASE, PROVES, PLIES = range(OWN, OWN + 5)
"""PLIES: the number of plies above the deep order."""
START, LIST_MOVES, AWAIT_BOUNDS, AWAIT_KEYS, SEARCH, FINISHED = range(6)
"""AWAIT_BOUNDS: the listed moves wait for their estimates; AWAIT_KEYS: they wait for their sort keys."""
UNBOUNDED = 1 << 40
FIRST_DEPTH = 128
NO_ESTIMATE = Estimate("none", admissible=True, scores=lambda states: np.zeros(len(states)))
"""The estimate for a puzzle without one."""


class DepthFirstRecord(NamedTuple):
    """The state of one search."""

    tables: Any
    bound: Scorer
    order: Scorer
    """The order of the first plies, or of all."""
    deep: Scorer
    """The order below them."""
    control: NDArray[np.int64]
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
    requests: State
    """[M, S]: the children of the current state, whose scores may be requested."""
    scores: NDArray[np.float64]
    """[M]: their scores."""
    keys: NDArray[np.float64]
    """[M]: their sort keys, where these are not the estimates."""


@inlined
def list_moves(record, depth):
    """List the moves at this depth without the inverse of the last one; True if estimates must be requested."""
    tables, row = record.tables, record.rows[depth]
    state = record.stack[depth]
    count = kernels.legal(tables, state, row)
    inverse_move = -1
    if depth > 0:
        inverse_move = kernels.inverse(tables, record.rows[depth - 1, record.cursors[depth - 1] - 1])
    kept = 0
    for i in range(count):
        if row[i] != inverse_move:
            row[kept] = row[i]
            kept += 1
    record.counts[depth], record.cursors[depth] = kept, 0
    record.control[GENERATED] += kept
    record.control[REQUESTED] = kept
    bound, order, deep = record.bound.tables, record.order.tables, record.deep.tables
    if not (kernels.incremental(bound) and kernels.incremental(order) and kernels.incremental(deep)):
        for i in range(kept):
            kernels.apply(tables, state, row[i], record.requests[i])
    return score_children(record.bound, state, row, record.requests, kept, record.values[depth])


@inlined
def compute_keys(record, depth):
    """Compute the sort keys of the moves at this depth; True if they must be requested."""
    state, row, children, count = record.stack[depth], record.rows[depth], record.requests, record.counts[depth]
    if depth < record.control[PLIES]:
        return score_children(record.order, state, row, children, count, record.keys)
    return score_children(record.deep, state, row, children, count, record.keys)


@inlined
def take_keys(record, depth):
    """Store the sort keys that arrived."""
    if depth < record.control[PLIES]:
        take_scores(record, record.order, record.keys, -np.inf)
    else:
        take_scores(record, record.deep, record.keys, -np.inf)


@inlined
def sort_moves(record, depth):
    """Sort the moves at this depth by their keys, or else by their estimates (stable)."""
    row, values, keys = record.rows[depth], record.values[depth], record.keys
    for i in range(1, record.counts[depth]):
        move, value = row[i], values[i]
        key = keys[i] if has_order(record.order.tables) else value
        j = i
        while j > 0 and (keys[j - 1] if has_order(record.order.tables) else values[j - 1]) > key:
            row[j], values[j] = row[j - 1], values[j - 1]
            if has_order(record.order.tables):
                keys[j] = keys[j - 1]
            j -= 1
        row[j], values[j] = move, value
        if has_order(record.order.tables):
            keys[j] = key


@inlined
def list_sorted(record, depth):
    """List and sort the moves at this depth, resuming where it stopped; True if scores must be requested."""
    control = record.control
    if control[PHASE] == LIST_MOVES and list_moves(record, depth):
        control[PHASE] = AWAIT_BOUNDS
        return True
    if control[PHASE] != AWAIT_KEYS:
        take_scores(record, record.bound, record.values[depth], 0.0)
        if has_order(record.order.tables) and compute_keys(record, depth):
            control[PHASE] = AWAIT_KEYS
            return True
    if has_order(record.order.tables):
        take_keys(record, depth)
    sort_moves(record, depth)
    control[PHASE] = SEARCH
    return False


@compiled
def step(record, budget):
    """One slice: expand at most `budget` states."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control[PHASE] == FINISHED:
        return DONE
    if control[PHASE] == START:
        control[PHASE] = LIST_MOVES
        if kernels.solved(record.tables, record.stack[0]):
            control[LENGTH], control[PHASE] = 0, FINISHED
            return IMPROVED
    while True:
        depth = control[DEPTH]
        if control[PHASE] == LIST_MOVES:
            if budget == 0:
                return RUNNING
            budget -= 1
            control[EXPANDED] += 1
        if control[PHASE] < SEARCH and list_sorted(record, depth):
            return NEEDS_SCORES
        if record.cursors[depth] == record.counts[depth]:
            if depth == 0:
                control[PHASE] = FINISHED
                if control[PROVES] == 1:
                    control[BOUND] = control[MAX_MOVES] + 1
                return DONE
            control[DEPTH] -= 1
            continue
        index = record.cursors[depth]
        record.cursors[depth] += 1
        child_depth = depth + 1
        estimate = np.int64(np.ceil(record.values[depth, index] - 1e-6)) if control[PROVES] == 1 else np.int64(0)
        if child_depth + estimate > control[MAX_MOVES]:
            continue
        if child_depth + 1 >= len(record.stack):
            record.cursors[depth] -= 1
            return FULL
        kernels.apply(record.tables, record.stack[depth], record.rows[depth, index], record.stack[child_depth])
        if kernels.solved(record.tables, record.stack[child_depth]):
            control[LENGTH], control[MAX_MOVES] = child_depth, child_depth - 1
            for i in range(child_depth):
                record.best[i] = record.rows[i, record.cursors[i] - 1]
            return IMPROVED
        if child_depth < control[MAX_MOVES]:
            control[DEPTH], control[PHASE] = child_depth, LIST_MOVES


def machine(instance: Instance, scorers: Scorers, rules: KernelRules, depth: int, plies: int) -> Machine:
    """The search from this start for solutions of at most `depth` moves; the deep order begins after `plies` plies."""
    moves = instance.puzzle.move_count
    capacity = min(depth, FIRST_DEPTH) + 2
    record = DepthFirstRecord(
        rules.tables,
        *scorers.compiled(rules),
        np.zeros(16, np.int64),
        np.zeros((capacity, rules.size), rules.dtype),
        np.zeros((capacity, moves), np.int32),
        np.zeros((capacity, moves), np.float64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int32),
        np.zeros((moves, rules.size), rules.dtype),
        np.zeros(moves, np.float64),
        np.zeros(moves, np.float64),
    )
    record.stack[0] = rules.encode(instance.state[None])[0]
    record.control[LENGTH], record.control[MAX_MOVES], record.control[PLIES] = -1, depth, plies
    record.control[PROVES] = scorers.bound.admissible

    def verdict(record: DepthFirstRecord) -> tuple[Proof, str, Stop]:
        if depth < UNBOUNDED:
            return "none", f"there is no solution of at most {depth} moves", "done"
        return EXHAUSTED

    return Machine(record, runner(step, rules), solution, enlarged, verdict, requests)


def solution(record: DepthFirstRecord) -> list[int]:
    """The best moves so far."""
    return [int(move) for move in record.best[: record.control[LENGTH]]]


def enlarged(record: DepthFirstRecord, room: int) -> Any:
    """The record with twice the depth, or None."""
    return doubled(record, ("stack", "rows", "values", "counts", "cursors", "best"), room)


def requests(record: DepthFirstRecord) -> State:
    """The states whose scores are requested."""
    return record.requests[: record.control[REQUESTED]]


def requested_scorer(control: NDArray[np.int64]) -> int:
    """The index of the estimate in `Scorers` whose scores are requested."""
    if control[PHASE] == AWAIT_BOUNDS:
        return 0
    return 1 if control[DEPTH] < control[PLIES] else 2


class DepthFirst(SolverSettings):
    """Depth-first branch and bound; `depth` is the most moves of a solution, which puzzles without an end need.

    `estimate` is the bound. It also orders the successors unless `order` is given; below the first `plies` plies
    `deep_order` orders them.
    """

    name: ClassVar[str] = "depth-first"

    estimate: str | Estimate | None = None
    depth: int | None = Field(default=None, ge=1, le=1_000_000)
    order: str | Estimate | None = None
    deep_order: str | Estimate | None = None
    plies: int | None = Field(default=None, ge=1, le=1_000_000)

    @model_validator(mode="after")
    def _complete_order(self) -> DepthFirst:
        if (self.deep_order is None) != (self.plies is None) or (self.deep_order and self.order is None):
            raise BadOption(
                "depth-first tries successors by 'order' in the first 'plies' plies and by 'deep_order' below them: "
                "give all three, or 'order' alone"
            )
        return self

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress and ever shorter solutions; O(depth) memory."""
        puzzle = instance.puzzle
        if self.depth is None and puzzle.view(Reversible) is not None:
            raise BadOption(f"depth-first needs a limit on the depth: moves of {puzzle.name} can be undone without end")
        scorers, rules = self._scorers(puzzle), rules_of(instance)
        search = machine(instance, scorers, rules, self.depth or UNBOUNDED, self.plies or UNBOUNDED)

        def score(states: State) -> NDArray[np.float64]:
            return scorers.score(requested_scorer(search.control), states, rules)

        return iter(Drive(search, limit, score))

    def _scorers(self, puzzle: Puzzle) -> Scorers:
        has_estimate = self.estimate is not None or puzzle.view(Estimates) is not None
        bound = chosen_estimate(puzzle, self.estimate) if has_estimate else NO_ESTIMATE
        orders = [chosen_estimate(puzzle, name) if name else None for name in (self.order, self.deep_order)]
        return Scorers(bound, *orders)


SOLVER = DepthFirst
