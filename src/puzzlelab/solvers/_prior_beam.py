"""Layered search by a prior, for beam search and limited-discrepancy search.

A network scores the moves of many states of a layer at once. The cost of a state is a sum over the moves that lead to
it: of minus the log probability of each, or of the rank of each among the moves by the prior, 0 for the best. Of
several paths to a state the cheapest is kept.

Shapes: N = states kept, R = states scored in one batch, W = words of a packed state, S, M, K as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, State
from puzzlelab.core.result import Proof, Stop
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import Estimate, KernelRules, Prior
from puzzlelab.engine import kernels
from puzzlelab.engine.driver import EXHAUSTED, Drive, Machine, prior_scorer, reserved, scorer, tables_of
from puzzlelab.engine.interpreted_kernels import runner
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
    implements,
    inlined,
)
from puzzlelab.solvers._top_k import BINS, threshold_exact
from puzzlelab.solvers.astar import unpacked

FIRST, LAST, ROWS, CURSOR, SCORED, PHASE, DEPTH, WAS_CUT, TOO_LONG, GOAL = range(OWN, OWN + 10)
"""The layer is rows FIRST to LAST, the next layer the rows from LAST to ROWS. WAS_CUT: the cost of a
state was too high; TOO_LONG: a state was dropped because solutions through it have too many moves."""
MAX_MOVES, WIDTH, DEPARTURES, ADMISSIBLE = range(4)
"""Slots of `settings`."""
START, EXPAND, SELECT, FINISHED = range(4)
NOWHERE = -1
UNBOUNDED = 1 << 40
"""A limit that is never reached."""
FIRST_TABLE = 1 << 12
LOAD = 0.6
Verdict = tuple[Proof, str, Stop]
SCORE_BATCH = 1 << 14
"""The most states of one batch."""
SCORES = 1 << 21
"""The most scores of one batch: one for each move of a state."""
MAX_PENALTY = 100.0
"""The greatest cost of a move: minus the logarithm of a vanishing probability."""


class NoEstimate(NamedTuple):
    """Stands for the tables of an estimate where there is none.

    (The field is a number because Numba takes far longer to type a text at each call.)
    """

    none: int = 0


@implements(kernels.evaluate, NoEstimate)
def _zero(estimate, state, memo):
    return 0


class PriorBeamRecord(NamedTuple):
    """The state of one search."""

    tables: Any
    estimate: Any
    control: NDArray[np.int64]
    settings: NDArray[np.int64]
    """[4]: the most moves, the most states of a layer, the most departures (-1: sum logarithms), whether admissible."""
    prior_weight: NDArray[np.float64]
    """[1]: the weight of minus a log probability."""
    keys: NDArray[np.uint64]
    """[N, W]: packed states."""
    parent: NDArray[np.int32]
    """[N]: the state before it."""
    move: NDArray[np.int32]
    """[N]: the move from that state."""
    cost: NDArray[np.float32]
    """[N]: the sum of the costs of the moves to it."""
    heuristic: NDArray[np.float32]
    """[N]: the estimate."""
    total: NDArray[np.float32]
    """[N]: scratch for the sum of both."""
    ranks: NDArray[np.int32]
    """[N]: the bits of `total`."""
    table: NDArray[np.int32]
    """[2^k]: the hash table of states."""
    scores: NDArray[np.float64]
    """[R M]: requested scores."""
    histogram: NDArray[np.int64]
    """[2^16]: scratch for selecting the least totals."""
    state: State
    child: State
    key: NDArray[np.uint64]
    moves: NDArray[np.int32]
    memo: NDArray[np.int64]
    delta: NDArray[np.int64]


@inlined
def slot_of(table, keys, key):
    """The slot of a state in the hash table, or the free slot for it."""
    mask = np.uint64(table.size - 1)
    slot = np.uint64(kernels.mix(key)) & mask
    while table[slot] != 0:
        same = True
        for w in range(key.size):
            if keys[table[slot] - 1, w] != key[w]:
                same = False
                break
        if same:
            return slot
        slot = (slot + np.uint64(1)) & mask
    return slot


@compiled
def insert_rows(table, keys, first, last):
    """Insert these rows into the hash table; a later row of the same state replaces an earlier one."""
    for row in range(first, last):
        table[slot_of(table, keys, keys[row])] = row + 1


@compiled
def remove_rows(table, keys, first, last):
    """Remove the rows that were inserted last, in reverse order, so that no gap hides another row."""
    for row in range(last - 1, first - 1, -1):
        table[slot_of(table, keys, keys[row])] = 0


@inlined
def sort_by_prior(record, count, base):
    """Sort the first `count` of `moves` by their scores, which begin at index `base` (stable)."""
    moves, scores = record.moves, record.scores
    for i in range(1, count):
        move, slot = moves[i], i
        while slot > 0 and scores[base + moves[slot - 1]] < scores[base + move]:
            moves[slot] = moves[slot - 1]
            slot -= 1
        moves[slot] = move


@inlined
def write_row(record, row, parent, move, cost):
    """Write the parent, the move and the cost of a state."""
    record.parent[row], record.move[row], record.cost[row] = parent, move, cost


@inlined
def add_child(record, parent, move, cost, heuristic):
    """Add the state in `record.child` to the next layer, unless it is known at no higher cost."""
    control = record.control
    kernels.pack(record.tables, record.child, record.key)
    slot = slot_of(record.table, record.keys, record.key)
    known, row = record.table[slot] - 1, control[ROWS]
    if known >= control[LAST]:
        if cost < record.cost[known]:
            write_row(record, known, parent, move, cost)
        return
    # A known state is reopened only if it has fewer departures now, and so may reach other states.
    if known >= 0 and (record.settings[DEPARTURES] < 0 or cost >= record.cost[known]):
        return
    kernels.copy(record.key, record.keys[row])
    write_row(record, row, parent, move, cost)
    record.heuristic[row] = heuristic
    record.table[slot] = row + 1
    control[ROWS] += 1


@inlined
def step_cost(record, rank, count, base):
    """The cost of the move with this index in `moves`."""
    if record.settings[DEPARTURES] >= 0:
        return np.float64(rank)
    return record.prior_weight[0] * min(MAX_PENALTY, max(0.0, -record.scores[base + record.moves[rank]]))


@inlined
def expand(record, row, base):
    """Add the successors of a state, whose scores begin at index `base`; True if one of them is solved."""
    control, tables, estimate, settings = record.control, record.tables, record.estimate, record.settings
    kernels.unpack(tables, record.keys[row], record.state)
    count = kernels.legal(tables, record.state, record.moves)
    value = np.int64(0)
    if kernels.incremental(estimate):
        value = kernels.evaluate(estimate, record.state, record.memo)
    if settings[DEPARTURES] >= 0:
        sort_by_prior(record, count, base)
    control[EXPANDED] += 1
    for i in range(count):
        cost = record.cost[row] + step_cost(record, i, count, base)
        if settings[DEPARTURES] >= 0 and cost > settings[DEPARTURES]:
            control[WAS_CUT] = 1
            break
        move = record.moves[i]
        kernels.apply(tables, record.state, move, record.child)
        control[GENERATED] += 1
        if kernels.solved(tables, record.child):
            control[GOAL] = control[ROWS]
            write_row(record, control[ROWS], row, move, cost)
            return True
        heuristic = np.int64(0)
        if not kernels.is_external(estimate):
            if kernels.incremental(estimate):
                heuristic = kernels.evaluate_move(
                    estimate, record.state, move, value, record.memo, record.delta, np.int64(1 << 40)
                )
            else:
                heuristic = kernels.evaluate(estimate, record.child, record.memo)
        if control[DEPTH] + 1 + max(1, settings[ADMISSIBLE] * heuristic) > settings[MAX_MOVES]:
            control[TOO_LONG] = 1
            continue
        add_child(record, row, move, cost, heuristic)
    return False


@inlined
def select(record):
    """Keep the best `width` states of the next layer."""
    control, settings = record.control, record.settings
    first, count = control[LAST], control[ROWS] - control[LAST]
    if count <= settings[WIDTH]:
        return
    control[WAS_CUT] = 1
    for row in range(first, first + count):
        record.total[row] = record.cost[row] + record.heuristic[row]
    threshold, ties = threshold_exact(record.ranks, first, count, settings[WIDTH], record.histogram)
    remove_rows(record.table, record.keys, first, first + count)
    kept = first
    for row in range(first, first + count):
        rank = record.ranks[row]
        if rank > threshold or (rank == threshold and ties == 0):
            continue
        if rank == threshold:
            ties -= 1
        kernels.copy(record.keys[row], record.keys[kept])
        write_row(record, kept, record.parent[row], record.move[row], record.cost[row])
        kept += 1
    insert_rows(record.table, record.keys, first, kept)
    control[ROWS] = kept


@inlined
def begin(record):
    """Make the start the first layer; True if it is solved."""
    control = record.control
    kernels.pack(record.tables, record.state, record.keys[0])
    write_row(record, 0, NOWHERE, NOWHERE, 0.0)
    insert_rows(record.table, record.keys, 0, 1)
    control[ROWS], control[LAST], control[PHASE], control[GOAL] = 1, 1, EXPAND, 0
    if kernels.solved(record.tables, record.state):
        control[LENGTH] = 0
        return True
    control[BOUND] = 1
    if record.settings[ADMISSIBLE] == 1 and not kernels.is_external(record.estimate):
        control[BOUND] = max(1, kernels.evaluate(record.estimate, record.state, record.memo))
    return False


@inlined
def take_estimates(record):
    """Store the estimates that arrived."""
    control = record.control
    for i in range(control[REQUESTED]):
        record.heuristic[control[SCORED] + i] = max(0.0, record.scores[i])
    control[SCORED] += control[REQUESTED]
    control[REQUESTED] = 0


@inlined
def next_layer(record):
    """Select the next layer, and continue with it."""
    control = record.control
    select(record)
    control[FIRST], control[CURSOR], control[SCORED] = control[LAST], control[LAST], control[LAST]
    control[LAST] = control[ROWS]
    control[DEPTH] += 1
    control[PHASE] = EXPAND
    if control[WAS_CUT] == 0:  # so far it was a breadth-first search
        control[BOUND] = max(control[BOUND], control[DEPTH] + 1)


@inlined
def is_full(record):
    """Whether the arrays must grow before the next state is expanded."""
    rows = record.control[ROWS] + record.moves.size + 1
    return rows > len(record.keys) or rows > LOAD * record.table.size


@inlined
def expand_layer(record, budget):
    """Expand at most `budget` states of the layer; returns (status, rest of the budget), DONE at its end."""
    control, moves = record.control, record.moves.size
    while control[CURSOR] < control[LAST]:
        if control[CURSOR] == control[SCORED]:
            control[REQUESTED] = min(control[LAST] - control[CURSOR], record.scores.size // moves)
            control[SCORED] += control[REQUESTED]
            return NEEDS_SCORES, budget
        if budget == 0:
            return RUNNING, budget
        if is_full(record):
            return FULL, budget
        row = control[CURSOR]
        if expand(record, row, (row + control[REQUESTED] - control[SCORED]) * moves):
            control[LENGTH], control[PHASE] = control[DEPTH] + 1, FINISHED
            if control[WAS_CUT] == 0:
                control[BOUND] = control[LENGTH]
            return IMPROVED, budget
        control[CURSOR] = row + 1
        budget -= 1
    control[PHASE], control[SCORED], control[REQUESTED] = SELECT, control[LAST], 0
    return DONE, budget


@compiled
def step(record, budget):
    """One slice: expand at most `budget` states."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control[PHASE] == FINISHED:
        return DONE
    if control[PHASE] == START and begin(record):
        control[PHASE] = FINISHED
        return IMPROVED
    while True:
        if control[PHASE] == EXPAND:
            status, budget = expand_layer(record, budget)
            if status != DONE:
                return status
        if kernels.is_external(record.estimate):
            take_estimates(record)
            if control[SCORED] < control[ROWS]:
                control[REQUESTED] = min(control[ROWS] - control[SCORED], record.scores.size, SCORE_BATCH)
                return NEEDS_SCORES
        if control[ROWS] == control[LAST]:
            control[PHASE] = FINISHED
            if control[WAS_CUT] == 0 and control[TOO_LONG] == 1:
                control[BOUND] = record.settings[MAX_MOVES] + 1
            return DONE
        next_layer(record)


@dataclass(frozen=True)
class Bounds:
    """The limits of a search."""

    max_moves: int = UNBOUNDED
    """The most moves of a solution."""
    width: int = UNBOUNDED
    """The most states of a layer, by the least sum of cost and estimate."""
    departures: int | None = None
    """The most departures from the best move on a path; None sums log probabilities instead."""
    prior_weight: float = 1.0
    """The weight of minus a log probability."""


def machine(
    instance: Instance,
    estimate: Estimate | None,
    rules: KernelRules,
    bounds: Bounds,
    limit: Limit,
    empty_verdict: Verdict,
) -> Machine:
    """The search from this start; `empty_verdict` is its verdict if it dropped states without a solution."""
    moves = instance.puzzle.move_count
    reserve = reserved(8 * rules.words + 24, limit)
    values = np.empty(reserve, np.float32)
    memo = 1 if estimate is None else estimate.memo
    departures = -1 if bounds.departures is None else bounds.departures
    admissible = estimate is not None and estimate.admissible
    record = PriorBeamRecord(
        rules.tables,
        NoEstimate() if estimate is None else tables_of(estimate, rules),
        np.zeros(16, np.int64),
        np.array([bounds.max_moves, bounds.width, departures, admissible], np.int64),
        np.array([bounds.prior_weight]),
        np.empty((reserve, rules.words), np.uint64),
        np.empty(reserve, np.int32),
        np.empty(reserve, np.int32),
        np.empty(reserve, np.float32),
        np.empty(reserve, np.float32),
        values,
        values.view(np.int32),
        np.zeros(FIRST_TABLE, np.int32),
        np.empty(moves * max(1, min(SCORE_BATCH, bounds.width, SCORES // moves)), np.float64),
        np.empty(BINS, np.int64),
        rules.encode(instance.state[None])[0].astype(rules.dtype),
        np.empty(rules.size, rules.dtype),
        np.empty(rules.words, np.uint64),
        np.empty(moves, np.int32),
        np.empty(memo, np.int64),
        np.empty(memo, np.int64),
    )
    record.control[LENGTH] = -1

    def requests(record: PriorBeamRecord) -> State:
        first = record.control[CURSOR if record.control[PHASE] == EXPAND else SCORED]
        return unpacked(rules, record.keys[first : first + record.control[REQUESTED]])

    def verdict(record: PriorBeamRecord) -> Verdict:
        if record.control[WAS_CUT]:
            return empty_verdict
        if record.control[TOO_LONG]:
            return "none", f"there is no solution of at most {bounds.max_moves} moves", "done"
        return EXHAUSTED

    return Machine(record, runner(step, rules), solution, enlarged, verdict, requests)


def drive(
    machine: Machine, instance: Instance, prior: Prior, estimate: Estimate | None, rules: KernelRules, limit: Limit
) -> Iterator[Attempt]:
    """Run the search: the prior scores the states of a layer, and an external estimate their successors."""
    priors = prior_scorer(prior, rules, instance.puzzle)
    estimates = None if estimate is None else scorer(estimate, rules)

    def score(states: State) -> NDArray[np.float64]:
        score_states = priors if machine.control[PHASE] == EXPAND else estimates
        if score_states is None:
            raise PuzzlelabError("a search asked for scores, but its estimate has no function that gives them")
        return score_states(states)

    return iter(Drive(machine, limit, score))


def solution(record: PriorBeamRecord) -> list[int]:
    """The moves from the start to the goal."""
    moves, row = [], int(record.control[GOAL])
    while record.parent[row] != NOWHERE:
        moves.append(int(record.move[row]))
        row = int(record.parent[row])
    return moves[::-1]


def enlarged(record: PriorBeamRecord, room: int) -> Any:
    """The record with a hash table of twice the size, or None."""
    rows, size = int(record.control[ROWS]), record.table.size
    if rows + record.moves.size + 1 <= LOAD * size or 8 * size > room:
        return None
    table = np.zeros(2 * size, np.int32)
    insert_rows(table, record.keys, 0, rows)
    return record._replace(table=table)
