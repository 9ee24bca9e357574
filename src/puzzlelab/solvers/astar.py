"""A*, and what differs from it only in the order of the open list: weighted A*, greedy best-first, breadth-first.

With an admissible estimate and weight 1 the solution is optimal; with a weight w above 1 it is at most w times as long,
and the least priority in the open list, divided by w, is a proven lower bound all along. States are reopened when a
shorter way to them is found, so that the estimate need not be consistent.
Source: Hart, Nilsson and Raphael (1968); Pohl (1970) for the weight.

Shapes: N = states seen, W = words of a packed state, S, M, K as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, State
from puzzlelab.core.solver import Attempt, SolverSettings, chosen_estimate
from puzzlelab.core.views import Estimate, Estimates, KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.driver import EXHAUSTED, Machine, drive, rehashed, reserved, tables_of
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

STATES, HEAP, PHASE, PROVES, GOAL, ADMISSIBLE, WAITING = range(OWN, OWN + 7)
START, SEARCH, FINISHED = range(3)
NOWHERE = -1
FIRST_TABLE = 1 << 14
LOAD = 0.6
"""Most of the hash table that may be taken."""
TIE = float(1 << 20)
"""Priorities count this much more than the estimate, which breaks ties: of equal ones the nearest to the goal."""


class AstarRecord(NamedTuple):
    """Where one search stands. The heap holds (priority, state) and may hold a state twice; closed ones are skipped."""

    tables: Any
    estimate: Any
    control: NDArray[np.int64]
    factors: NDArray[np.float64]
    """[2]: what moves made, and moves estimated, count in the priority."""
    keys: NDArray[np.uint64]
    """[N, W]: packed states."""
    parent: NDArray[np.int32]
    """[N]: the state before on the best way known."""
    move: NDArray[np.int32]
    """[N]: the move that leads here from it."""
    made: NDArray[np.int32]
    """[N]: moves from the start."""
    value: NDArray[np.float32]
    """[N]: the estimate."""
    closed: NDArray[np.bool_]
    """[N]: whether it is expanded."""
    table: NDArray[np.int32]
    """[2^k]: the hash table of states."""
    priority: NDArray[np.float64]
    """[heap]."""
    waiting: NDArray[np.int32]
    """[heap]: the states that wait in the open list."""
    asked: NDArray[np.int32]
    """[batch * M]: states that wait for scores."""
    scores: NDArray[np.float64]
    """[batch * M]: their scores."""
    state: State
    child: State
    key: NDArray[np.uint64]
    moves: NDArray[np.int32]
    memo: NDArray[np.int64]
    delta: NDArray[np.int64]


@inlined
def push(record, node):
    """Put a state into the open list."""
    value = np.float64(record.value[node])
    priority = (record.factors[0] * record.made[node] + record.factors[1] * value) * TIE + value
    place = record.control[HEAP]
    record.control[HEAP] += 1
    while place > 0:
        above = (place - 1) >> 1
        if record.priority[above] <= priority:
            break
        record.priority[place] = record.priority[above]
        record.waiting[place] = record.waiting[above]
        place = above
    record.priority[place] = priority
    record.waiting[place] = node


@inlined
def pop(record):
    """Take the first state out of the open list."""
    first = record.waiting[0]
    record.control[HEAP] -= 1
    count = record.control[HEAP]
    priority, node = record.priority[count], record.waiting[count]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= count:
            break
        if below + 1 < count and record.priority[below + 1] < record.priority[below]:
            below += 1
        if record.priority[below] >= priority:
            break
        record.priority[place] = record.priority[below]
        record.waiting[place] = record.waiting[below]
        place = below
    record.priority[place] = priority
    record.waiting[place] = node
    return first


@inlined
def add(record, parent, move, made, value):
    """Take the state in `record.child` into the search: new, reached by a shorter way, or known already.

    An estimate below 0 means that it is asked for. Returns whether it waits for a score.
    """
    control = record.control
    kernels.pack(record.tables, record.child, record.key)
    row = control[STATES]
    found = kernels.find_or_add(record.table, record.keys, record.key, kernels.mix(record.key), row)
    if found >= 0:
        if made < record.made[found]:
            record.made[found], record.parent[found], record.move[found] = made, parent, move
            if record.value[found] >= 0:
                record.closed[found] = False
                push(record, found)
        return False
    kernels.copy(record.key, record.keys[row])
    record.parent[row], record.move[row], record.made[row] = parent, move, made
    record.value[row], record.closed[row] = value, False
    control[STATES] += 1
    if value < 0:
        record.asked[control[REQUESTED]] = row
        control[REQUESTED] += 1
        return True
    push(record, row)
    return False


@inlined
def expand(record, node):
    """Add every successor of a state; with an incremental estimate its memo is made once and peeked at for each."""
    tables, estimate = record.tables, record.estimate
    kernels.unpack(tables, record.keys[node], record.state)
    count = kernels.legal(tables, record.state, record.moves)
    value = np.int64(0)
    if kernels.incremental(estimate):
        value = kernels.evaluate(estimate, record.state, record.memo)
    for i in range(count):
        move = record.moves[i]
        after = np.float64(-1)
        kernels.apply(tables, record.state, move, record.child)
        if not kernels.is_external(estimate):
            if kernels.incremental(estimate):
                after = np.float64(
                    kernels.evaluate_move(
                        estimate, record.state, move, value, record.memo, record.delta, np.int64(1 << 40)
                    )
                )
            else:
                after = np.float64(kernels.evaluate(estimate, record.child, record.memo))
        add(record, node, move, record.made[node] + 1, after)
    record.control[GENERATED] += count
    record.control[EXPANDED] += 1


@inlined
def take_scores(record):
    """Put the states that were asked for into the open list."""
    record.control[WAITING] = 0
    for i in range(record.control[REQUESTED]):
        node = record.asked[i]
        record.value[node] = max(0.0, record.scores[i])
        push(record, node)
    record.control[REQUESTED] = 0


@inlined
def ask(record):
    """Wait for scores."""
    record.control[WAITING] = 1
    return NEEDS_SCORES


@compiled
def step(record, budget):
    """One slice: expand at most `budget` states."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control[PHASE] == FINISHED:
        return DONE
    if control[WAITING] == 1:
        take_scores(record)
    if control[PHASE] == START:
        control[PHASE] = SEARCH
        kernels.copy(record.state, record.child)
        first = np.float64(-1)
        if not kernels.is_external(record.estimate):
            first = np.float64(kernels.evaluate(record.estimate, record.state, record.memo))
        if add(record, NOWHERE, NOWHERE, 0, first):
            return ask(record)
    if control[EXPANDED] == 0 and control[ADMISSIBLE] == 1:
        control[BOUND] = np.int64(np.ceil(record.value[0] - 1e-3))
    moves = record.moves.size
    while budget > 0:
        if control[REQUESTED] > 0 and (control[REQUESTED] + moves > record.asked.size or control[HEAP] == 0):
            return ask(record)
        if control[HEAP] == 0:
            control[PHASE] = FINISHED
            return DONE
        if control[STATES] + moves > len(record.keys) or control[HEAP] + moves > len(record.waiting):
            return FULL
        if control[STATES] + moves > LOAD * record.table.size:
            return FULL
        node = pop(record)
        if record.closed[node]:
            continue
        made, value = record.made[node], record.value[node]
        if value <= 0 or kernels.is_external(record.estimate):
            kernels.unpack(record.tables, record.keys[node], record.state)
            if kernels.solved(record.tables, record.state):
                if control[REQUESTED] > 0:
                    push(record, node)
                    return ask(record)
                if control[PROVES] == 1:
                    control[BOUND] = max(control[BOUND], bound_of(record, made, 0.0))
                control[LENGTH], control[GOAL] = made, node
                control[PHASE] = FINISHED
                return IMPROVED
        if control[PROVES] == 1 and control[REQUESTED] == 0:
            control[BOUND] = max(control[BOUND], bound_of(record, made, value))
        record.closed[node] = True
        expand(record, node)
        budget -= 1
    return RUNNING


@inlined
def bound_of(record, made, value):
    """The least length of any solution, when this state is first in the open list."""
    priority = record.factors[0] * made + record.factors[1] * value
    return np.int64(np.ceil(priority / max(1.0, record.factors[1]) - 1e-3))


ORDERS: Mapping[str, tuple[float, float]] = {"astar": (1.0, 1.0), "greedy": (0.0, 1.0), "breadth": (1.0, 0.0)}
"""What moves made, and moves estimated, count in each order."""


def machine(
    instance: Instance,
    estimate: Estimate,
    rules: KernelRules,
    factors: tuple[float, float],
    batch: int,
    limit: Limit,
) -> Machine:
    """The search from this start."""
    moves = instance.puzzle.move_count
    reserve = reserved(8 * rules.words + 24, limit)
    record = AstarRecord(
        rules.tables,
        tables_of(estimate, rules),
        np.zeros(16, np.int64),
        np.array(factors),
        np.empty((reserve, rules.words), np.uint64),
        np.empty(reserve, np.int32),
        np.empty(reserve, np.int32),
        np.empty(reserve, np.int32),
        np.empty(reserve, np.float32),
        np.empty(reserve, np.bool_),
        np.zeros(FIRST_TABLE, np.int32),
        np.empty(2 * reserve, np.float64),
        np.empty(2 * reserve, np.int32),
        np.empty(batch * moves, np.int32),
        np.empty(batch * moves, np.float64),
        rules.encode(instance.state[None])[0].astype(rules.dtype),
        np.empty(rules.size, rules.dtype),
        np.empty(rules.words, np.uint64),
        np.empty(moves, np.int32),
        np.empty(estimate.memo, np.int64),
        np.empty(estimate.memo, np.int64),
    )
    record.control[LENGTH] = -1
    record.control[ADMISSIBLE] = estimate.admissible
    record.control[PROVES] = factors[0] == 1 and (estimate.admissible or factors[1] == 0)

    def requests(record: AstarRecord) -> State:
        return unpacked(rules, record.keys[record.asked[: record.control[REQUESTED]]])

    return Machine(record, runner(step, rules), solution, grown, lambda record: EXHAUSTED, requests)


def solution(record: AstarRecord) -> list[int]:
    """The moves from the start to the goal that was found."""
    moves, node = [], int(record.control[GOAL])
    while record.parent[node] != NOWHERE:
        moves.append(int(record.move[node]))
        node = int(record.parent[node])
    return moves[::-1]


def grown(record: AstarRecord, room: int) -> Any:
    """Twice the hash table."""
    return rehashed(record, int(record.control[STATES]), LOAD, room)


@compiled
def unpack_all(tables, keys, states):
    """Working states `[B, S]` from packed ones `[B, W]`."""
    for i in range(len(keys)):
        kernels.unpack(tables, keys[i], states[i])


def unpacked(rules: KernelRules, keys: NDArray[np.uint64]) -> State:
    """Working states `[B, S]` from packed ones `[B, W]`."""
    states = np.empty((len(keys), rules.size), rules.dtype)
    runner(unpack_all, rules)(rules.tables, keys, states)
    return states


class Astar(SolverSettings):
    """A* with any estimate and weight.

    `order` is `astar`, `greedy` (the estimate alone) or `breadth` (moves made alone). `batch` states are expanded
    before an estimate that is a network is asked about their successors all at once.
    """

    name: ClassVar[str] = "astar"
    needs: ClassVar[tuple[type, ...]] = (Estimates,)

    estimate: str | Estimate | None = None
    weight: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    order: Literal["astar", "greedy", "breadth"] = "astar"
    batch: int = Field(default=64, ge=1, le=1 << 16)

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress, then the one solution; memory grows with the states seen."""
        estimate, rules = chosen_estimate(instance.puzzle, self.estimate), rules_of(instance)
        made, estimated = ORDERS[self.order]
        factors = (made, estimated * self.weight)
        return drive(machine(instance, estimate, rules, factors, self.batch, limit), limit, estimate, rules)


SOLVER = Astar
