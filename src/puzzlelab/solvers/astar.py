"""A* and its variants with another order of the open list: weighted A*, greedy best-first, breadth-first.

With an admissible estimate and weight 1 the solution is optimal; with a weight w above 1 it is at most w times as long,
and the least priority in the open list, divided by w, is a proven lower bound at any time. A state is reopened when a
shorter path to it is found, so the estimate need not be consistent.
Source: Hart, Nilsson and Raphael (1968); Pohl (1970) for the weight.

Names as in textbooks: g = moves from the start, h = estimated moves to the goal, f = g + h.
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

STATES, HEAP, PHASE, PROVES, GOAL, ADMISSIBLE, AWAITS_SCORES = range(OWN, OWN + 7)
START, SEARCH, FINISHED = range(3)
NOWHERE = -1
FIRST_TABLE = 1 << 14
LOAD = 0.6
"""The greatest load of the hash table."""
PRIORITY_SCALE = float(1 << 20)
"""Factor of the priority before h is added, so that h breaks ties: of equal priorities the least h comes first."""


class AstarRecord(NamedTuple):
    """The state of one search. The open list is a heap that may hold a state twice; closed states are skipped."""

    tables: Any
    estimate: Any
    control: NDArray[np.int64]
    weights: NDArray[np.float64]
    """[2]: the weights of g and h in the priority."""
    keys: NDArray[np.uint64]
    """[N, W]: packed states."""
    parent: NDArray[np.int32]
    """[N]: the state before it on the shortest known path."""
    move: NDArray[np.int32]
    """[N]: the move from that state."""
    g: NDArray[np.int32]
    """[N]: moves from the start."""
    h: NDArray[np.float32]
    """[N]: the estimated moves to the goal."""
    closed: NDArray[np.bool_]
    """[N]: whether it is expanded."""
    table: NDArray[np.int32]
    """[2^k]: the hash table of states."""
    heap_priority: NDArray[np.float64]
    """[heap]."""
    heap_state: NDArray[np.int32]
    """[heap]: the states of the open list."""
    unscored: NDArray[np.int32]
    """[batch * M]: states whose estimate is requested."""
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
    value = np.float64(record.h[node])
    priority = (record.weights[0] * record.g[node] + record.weights[1] * value) * PRIORITY_SCALE + value
    slot = record.control[HEAP]
    record.control[HEAP] += 1
    while slot > 0:
        parent = (slot - 1) >> 1
        if record.heap_priority[parent] <= priority:
            break
        record.heap_priority[slot] = record.heap_priority[parent]
        record.heap_state[slot] = record.heap_state[parent]
        slot = parent
    record.heap_priority[slot] = priority
    record.heap_state[slot] = node


@inlined
def pop_least(record):
    """Remove the state with the least priority from the open list."""
    first = record.heap_state[0]
    record.control[HEAP] -= 1
    count = record.control[HEAP]
    priority, node = record.heap_priority[count], record.heap_state[count]
    slot = 0
    while True:
        child = 2 * slot + 1
        if child >= count:
            break
        if child + 1 < count and record.heap_priority[child + 1] < record.heap_priority[child]:
            child += 1
        if record.heap_priority[child] >= priority:
            break
        record.heap_priority[slot] = record.heap_priority[child]
        record.heap_state[slot] = record.heap_state[child]
        slot = child
    record.heap_priority[slot] = priority
    record.heap_state[slot] = node
    return first


@inlined
def add(record, parent, move, g, h):
    """Add the state in `record.child` to the open list if it is new, or if this path to it is shorter.

    An estimate below 0 means that it must be requested. Returns whether it was.
    """
    control = record.control
    kernels.pack(record.tables, record.child, record.key)
    row = control[STATES]
    known = kernels.find_or_add(record.table, record.keys, record.key, kernels.mix(record.key), row)
    if known >= 0:
        if g < record.g[known]:
            record.g[known], record.parent[known], record.move[known] = g, parent, move
            if record.h[known] >= 0:
                record.closed[known] = False
                push(record, known)
        return False
    kernels.copy(record.key, record.keys[row])
    record.parent[row], record.move[row], record.g[row] = parent, move, g
    record.h[row], record.closed[row] = h, False
    control[STATES] += 1
    if h < 0:
        record.unscored[control[REQUESTED]] = row
        control[REQUESTED] += 1
        return True
    push(record, row)
    return False


@inlined
def expand(record, node):
    """Add every successor of a state; an incremental estimate computes its memo once for all of them."""
    tables, estimate = record.tables, record.estimate
    kernels.unpack(tables, record.keys[node], record.state)
    count = kernels.legal(tables, record.state, record.moves)
    h = np.int64(0)
    if kernels.incremental(estimate):
        h = kernels.evaluate(estimate, record.state, record.memo)
    for i in range(count):
        move = record.moves[i]
        child_h = np.float64(-1)
        kernels.apply(tables, record.state, move, record.child)
        if not kernels.is_external(estimate):
            if kernels.incremental(estimate):
                child_h = np.float64(
                    kernels.evaluate_move(estimate, record.state, move, h, record.memo, record.delta, np.int64(1 << 40))
                )
            else:
                child_h = np.float64(kernels.evaluate(estimate, record.child, record.memo))
        add(record, node, move, record.g[node] + 1, child_h)
    record.control[GENERATED] += count
    record.control[EXPANDED] += 1


@inlined
def take_scores(record):
    """Push the states whose scores arrived onto the open list."""
    record.control[AWAITS_SCORES] = 0
    for i in range(record.control[REQUESTED]):
        node = record.unscored[i]
        record.h[node] = max(0.0, record.scores[i])
        push(record, node)
    record.control[REQUESTED] = 0


@inlined
def wait_for_scores(record):
    """Return the status that requests scores."""
    record.control[AWAITS_SCORES] = 1
    return NEEDS_SCORES


@compiled
def step(record, budget):
    """One slice: expand at most `budget` states."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control[PHASE] == FINISHED:
        return DONE
    if control[AWAITS_SCORES] == 1:
        take_scores(record)
    if control[PHASE] == START:
        control[PHASE] = SEARCH
        kernels.copy(record.state, record.child)
        start_h = np.float64(-1)
        if not kernels.is_external(record.estimate):
            start_h = np.float64(kernels.evaluate(record.estimate, record.state, record.memo))
        if add(record, NOWHERE, NOWHERE, 0, start_h):
            return wait_for_scores(record)
    if control[EXPANDED] == 0 and control[ADMISSIBLE] == 1:
        control[BOUND] = np.int64(np.ceil(record.h[0] - 1e-3))
    moves = record.moves.size
    while budget > 0:
        if control[REQUESTED] > 0 and (control[REQUESTED] + moves > record.unscored.size or control[HEAP] == 0):
            return wait_for_scores(record)
        if control[HEAP] == 0:
            control[PHASE] = FINISHED
            return DONE
        if control[STATES] + moves > len(record.keys) or control[HEAP] + moves > len(record.heap_state):
            return FULL
        if control[STATES] + moves > LOAD * record.table.size:
            return FULL
        node = pop_least(record)
        if record.closed[node]:
            continue
        g, h = record.g[node], record.h[node]
        if h <= 0 or kernels.is_external(record.estimate):
            kernels.unpack(record.tables, record.keys[node], record.state)
            if kernels.solved(record.tables, record.state):
                if control[REQUESTED] > 0:
                    push(record, node)
                    return wait_for_scores(record)
                if control[PROVES] == 1:
                    control[BOUND] = max(control[BOUND], bound_of(record, g, 0.0))
                control[LENGTH], control[GOAL] = g, node
                control[PHASE] = FINISHED
                return IMPROVED
        if control[PROVES] == 1 and control[REQUESTED] == 0:
            control[BOUND] = max(control[BOUND], bound_of(record, g, h))
        record.closed[node] = True
        expand(record, node)
        budget -= 1
    return RUNNING


@inlined
def bound_of(record, g, h):
    """The lower bound on any solution when this state has the least priority."""
    priority = record.weights[0] * g + record.weights[1] * h
    return np.int64(np.ceil(priority / max(1.0, record.weights[1]) - 1e-3))


ORDERS: Mapping[str, tuple[float, float]] = {"astar": (1.0, 1.0), "greedy": (0.0, 1.0), "breadth": (1.0, 0.0)}
"""The weights of g and h in each order."""


def machine(
    instance: Instance,
    estimate: Estimate,
    rules: KernelRules,
    weights: tuple[float, float],
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
        np.array(weights),
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
    record.control[PROVES] = weights[0] == 1 and (estimate.admissible or weights[1] == 0)

    def requests(record: AstarRecord) -> State:
        return unpacked(rules, record.keys[record.unscored[: record.control[REQUESTED]]])

    return Machine(record, runner(step, rules), solution, enlarged, lambda record: EXHAUSTED, requests)


def solution(record: AstarRecord) -> list[int]:
    """The moves from the start to the goal."""
    moves, node = [], int(record.control[GOAL])
    while record.parent[node] != NOWHERE:
        moves.append(int(record.move[node]))
        node = int(record.parent[node])
    return moves[::-1]


def enlarged(record: AstarRecord, room: int) -> Any:
    """The record with a hash table of twice the size, or None."""
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

    `order` is `astar`, `greedy` (the estimate alone) or `breadth` (the moves from the start alone). A network scores
    the successors of `batch` expanded states at once.
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
        g_weight, h_weight = ORDERS[self.order]
        weights = (g_weight, h_weight * self.weight)
        return drive(machine(instance, estimate, rules, weights, self.batch, limit), limit, estimate, rules)


SOLVER = Astar
