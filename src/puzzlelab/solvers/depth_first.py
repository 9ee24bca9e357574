"""Depth-first branch and bound: dive for a solution, then look only for shorter ones until none is left.

Successors are tried in the order of their estimates, best first, or in the order of another estimate, which may be a
third one below the first plies; with an admissible estimate (or with none) a state that cannot lead to a shorter
solution is cut off, and a search that ends has proven its best solution optimal, whatever the order. For puzzles that
end by themselves, or with a limit on the depth.
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
from puzzlelab.solvers._move_ordering import Scorer, Scorers, ordered, score_children, take_scores

DEPTH, MOST, PHASE, PROVES, PLIES = range(OWN, OWN + 5)
"""PLIES: how many plies there are before the deep order begins."""
START, FRESH, BOUNDED, ORDERED, SEARCH, FINISHED = range(6)
"""BOUNDED: the moves are listed, and wait for their estimates; ORDERED: they have these, and wait for their keys."""
UNBOUNDED = 1 << 40
FIRST_DEPTH = 128
NOTHING = Estimate("none", admissible=True, scores=lambda states: np.zeros(len(states)))
"""The estimate of a puzzle that offers none."""


class DepthFirstRecord(NamedTuple):
    """Where one search stands."""

    tables: Any
    bound: Scorer
    order: Scorer
    """The order of the first plies, or of all."""
    deep: Scorer
    """The order below them."""
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
    """[M, S]: the states after the moves that are listed now; they may wait for scores."""
    scores: NDArray[np.float64]
    """[M]: their scores."""
    keys: NDArray[np.float64]
    """[M]: what they are sorted by, where that is not the estimate."""


@inlined
def list_moves(record, depth):
    """Write the moves at this depth, without the one that leads back; True when the estimates are asked for."""
    tables, row = record.tables, record.rows[depth]
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
    record.control[REQUESTED] = kept
    bound, order, deep = record.bound.tables, record.order.tables, record.deep.tables
    if not (kernels.incremental(bound) and kernels.incremental(order) and kernels.incremental(deep)):
        for i in range(kept):
            kernels.apply(tables, state, row[i], record.requests[i])
    return score_children(record.bound, state, row, record.requests, kept, record.values[depth])


@inlined
def find_keys(record, depth):
    """Find by what the moves at this depth are sorted; True when that is asked for."""
    state, row, children, count = record.stack[depth], record.rows[depth], record.requests, record.counts[depth]
    if depth < record.control[PLIES]:
        return score_children(record.order, state, row, children, count, record.keys)
    return score_children(record.deep, state, row, children, count, record.keys)


@inlined
def take_keys(record, depth):
    """Take over the keys that were asked for."""
    if depth < record.control[PLIES]:
        take_scores(record, record.order, record.keys, -np.inf)
    else:
        take_scores(record, record.deep, record.keys, -np.inf)


@inlined
def sort_moves(record, depth):
    """Order the moves at this depth by their keys, or else by their estimates, equal ones as they came."""
    row, values, keys = record.rows[depth], record.values[depth], record.keys
    for i in range(1, record.counts[depth]):
        move, value = row[i], values[i]
        key = keys[i] if ordered(record.order.tables) else value
        j = i
        while j > 0 and (keys[j - 1] if ordered(record.order.tables) else values[j - 1]) > key:
            row[j], values[j] = row[j - 1], values[j - 1]
            if ordered(record.order.tables):
                keys[j] = keys[j - 1]
            j -= 1
        row[j], values[j] = move, value
        if ordered(record.order.tables):
            keys[j] = key


@inlined
def list_sorted(record, depth):
    """List and sort the moves at this depth, going on where it stopped; True when it waits for scores."""
    control = record.control
    if control[PHASE] == FRESH and list_moves(record, depth):
        control[PHASE] = BOUNDED
        return True
    if control[PHASE] != ORDERED:
        take_scores(record, record.bound, record.values[depth], 0.0)
        if ordered(record.order.tables) and find_keys(record, depth):
            control[PHASE] = ORDERED
            return True
    if ordered(record.order.tables):
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
        control[PHASE] = FRESH
        if kernels.solved(record.tables, record.stack[0]):
            control[LENGTH], control[PHASE] = 0, FINISHED
            return IMPROVED
    while True:
        depth = control[DEPTH]
        if control[PHASE] == FRESH:
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


def machine(instance: Instance, sights: Scorers, rules: KernelRules, depth: int, plies: int) -> Machine:
    """The search from this start, for solutions of at most `depth` moves; the deep order begins after so many plies."""
    moves = instance.puzzle.move_count
    deep = min(depth, FIRST_DEPTH) + 2
    record = DepthFirstRecord(
        rules.tables,
        *sights.compiled(rules),
        np.zeros(16, np.int64),
        np.zeros((deep, rules.size), rules.dtype),
        np.zeros((deep, moves), np.int32),
        np.zeros((deep, moves), np.float64),
        np.zeros(deep, np.int64),
        np.zeros(deep, np.int64),
        np.zeros(deep, np.int32),
        np.zeros((moves, rules.size), rules.dtype),
        np.zeros(moves, np.float64),
        np.zeros(moves, np.float64),
    )
    record.stack[0] = rules.encode(instance.state[None])[0]
    record.control[LENGTH], record.control[MOST], record.control[PLIES] = -1, depth, plies
    record.control[PROVES] = sights.bound.admissible

    def verdict(record: DepthFirstRecord) -> tuple[Proof, str, Stop]:
        if depth < UNBOUNDED:
            return "none", f"there is no solution of at most {depth} moves", "done"
        return EXHAUSTED

    return Machine(record, runner(step, rules), solution, deeper, verdict, requests)


def solution(record: DepthFirstRecord) -> list[int]:
    """The best moves so far."""
    return [int(move) for move in record.best[: record.control[LENGTH]]]


def deeper(record: DepthFirstRecord, room: int) -> Any:
    """Twice the depth."""
    return doubled(record, ("stack", "rows", "values", "counts", "cursors", "best"), room)


def requests(record: DepthFirstRecord) -> State:
    """The states that wait for scores."""
    return record.requests[: record.control[REQUESTED]]


def asked_sight(control: NDArray[np.int64]) -> int:
    """Which of the `Scorers` is asked for scores."""
    if control[PHASE] == BOUNDED:
        return 0
    return 1 if control[DEPTH] < control[PLIES] else 2


class DepthFirst(SolverSettings):
    """Depth-first branch and bound; `depth` is the most moves of a solution, which puzzles without an end need.

    `estimate` bounds. Successors are tried by it too, or by `order`; below the first `plies` plies by `deep_order`.
    """

    name: ClassVar[str] = "depth-first"

    estimate: str | Estimate | None = None
    depth: int | None = Field(default=None, ge=1, le=1_000_000)
    order: str | Estimate | None = None
    deep_order: str | Estimate | None = None
    plies: int | None = Field(default=None, ge=1, le=1_000_000)

    @model_validator(mode="after")
    def _whole(self) -> DepthFirst:
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
        sights, rules = self._sights(puzzle), rules_of(instance)
        made = machine(instance, sights, rules, self.depth or UNBOUNDED, self.plies or UNBOUNDED)

        def score(states: State) -> NDArray[np.float64]:
            return sights.score(asked_sight(made.control), states, rules)

        return iter(Drive(made, limit, score))

    def _sights(self, puzzle: Puzzle) -> Scorers:
        wants = self.estimate is not None or puzzle.view(Estimates) is not None
        bound = chosen_estimate(puzzle, self.estimate) if wants else NOTHING
        orders = [chosen_estimate(puzzle, wanted) if wanted else None for wanted in (self.order, self.deep_order)]
        return Scorers(bound, *orders)


SOLVER = DepthFirst
