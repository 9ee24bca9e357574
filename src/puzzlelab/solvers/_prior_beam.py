"""The machine of searches that go layer by layer and follow a prior: beams of what is likely, and few departures.

A network is asked about the states of a layer, many at once, how promising each of their moves is. What a state costs
is a sum over the moves that lead to it: of minus the logarithm of each probability, or of the place of each among the
guesses, 0 for the best. Of several ways to a state the cheapest is kept.

Shapes: N = states kept, R = states asked about at once, W = words of a packed state, S, M, K as in `engine.kernels`.
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

FIRST, LAST, ROWS, CURSOR, SCORED, PHASE, DEPTH, CUT, DEEP, GOAL = range(OWN, OWN + 10)
"""The layer is the rows from FIRST to LAST; behind them, up to ROWS, is what follows. CUT: something was left out;
DEEP: because a solution through it would have too many moves."""
MOST, WIDTH, DEPARTURES, ADMISSIBLE = range(4)
"""Places in `settings`."""
START, EXPAND, ESTIMATE, FINISHED = range(4)
NOWHERE = -1
UNBOUNDED = 1 << 40
"""As much as one likes."""
FIRST_TABLE = 1 << 12
LOAD = 0.6
Verdict = tuple[Proof, str, Stop]
ASK = 1 << 14
"""States that are asked about at once, at most."""
SCORES = 1 << 21
"""Scores that there is room for: one for each move of a state."""
IMPROBABLE = 100.0
"""Minus the logarithm of a probability that is as good as none."""


class Unestimated(NamedTuple):
    """In the place of an estimate's tables: there is none.

    (What it holds is a number, because Numba takes far longer to recognise a text at each call.)
    """

    none: int = 0


@implements(kernels.evaluate, Unestimated)
def _nothing(estimate, state, memo):
    return 0


class PriorBeamRecord(NamedTuple):
    """Where one search stands."""

    tables: Any
    estimate: Any
    control: NDArray[np.int64]
    settings: NDArray[np.int64]
    """[4]: the most moves, the most states of a layer, the most departures (-1: sum logarithms), whether admissible."""
    share: NDArray[np.float64]
    """[1]: what a logarithm counts."""
    keys: NDArray[np.uint64]
    """[N, W]: packed states."""
    parent: NDArray[np.int32]
    """[N]: the state before."""
    move: NDArray[np.int32]
    """[N]: the move that leads here from it."""
    cost: NDArray[np.float32]
    """[N]: the sum over the moves that lead here."""
    guess: NDArray[np.float32]
    """[N]: the estimate."""
    value: NDArray[np.float32]
    """[N]: room for the sum of both."""
    ranks: NDArray[np.int32]
    """[N]: the bits of `value`."""
    table: NDArray[np.int32]
    """[2^k]: the hash table of states."""
    scores: NDArray[np.float64]
    """[R M]: scores that were asked for."""
    histogram: NDArray[np.int64]
    """[2^16]: room to find the least values."""
    state: State
    child: State
    key: NDArray[np.uint64]
    moves: NDArray[np.int32]
    memo: NDArray[np.int64]
    delta: NDArray[np.int64]


@inlined
def slot_of(table, keys, key):
    """Where a state stands in the hash table, or could stand."""
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
def fill(table, keys, first, last):
    """Take these rows into the hash table; of a state that has several the last."""
    for row in range(first, last):
        table[slot_of(table, keys, keys[row])] = row + 1


@compiled
def withdraw(table, keys, first, last):
    """Take the rows that came last out of the hash table, in the order in which nothing is lost behind a gap."""
    for row in range(last - 1, first - 1, -1):
        table[slot_of(table, keys, keys[row])] = 0


@inlined
def best_first(record, count, base):
    """Sort the first `count` of `moves` by their scores from place `base` on; equal ones keep their order."""
    moves, scores = record.moves, record.scores
    for i in range(1, count):
        move, place = moves[i], i
        while place > 0 and scores[base + moves[place - 1]] < scores[base + move]:
            moves[place] = moves[place - 1]
            place -= 1
        moves[place] = move


@inlined
def put(record, row, parent, move, cost):
    """Write how a state was come to."""
    record.parent[row], record.move[row], record.cost[row] = parent, move, cost


@inlined
def add(record, place, move, cost, guess):
    """Take the state in `record.child` into the next layer, unless it is known at no higher cost."""
    control = record.control
    kernels.pack(record.tables, record.child, record.key)
    slot = slot_of(record.table, record.keys, record.key)
    found, row = record.table[slot] - 1, control[ROWS]
    if found >= control[LAST]:
        if cost < record.cost[found]:
            put(record, found, place, move, cost)
        return
    # Only a state with fewer departures than before leads on to others than it did then.
    if found >= 0 and (record.settings[DEPARTURES] < 0 or cost >= record.cost[found]):
        return
    kernels.copy(record.key, record.keys[row])
    put(record, row, place, move, cost)
    record.guess[row] = guess
    record.table[slot] = row + 1
    control[ROWS] += 1


@inlined
def step_cost(record, place, count, base):
    """What the move in this place of `moves` costs."""
    if record.settings[DEPARTURES] >= 0:
        return np.float64(place)
    return record.share[0] * min(IMPROBABLE, max(0.0, -record.scores[base + record.moves[place]]))


@inlined
def expand(record, place, base):
    """Add what follows a state, whose scores begin at place `base`; True when the goal is among that."""
    control, tables, estimate, settings = record.control, record.tables, record.estimate, record.settings
    kernels.unpack(tables, record.keys[place], record.state)
    count = kernels.legal(tables, record.state, record.moves)
    value = np.int64(0)
    if kernels.incremental(estimate):
        value = kernels.evaluate(estimate, record.state, record.memo)
    if settings[DEPARTURES] >= 0:
        best_first(record, count, base)
    control[EXPANDED] += 1
    for i in range(count):
        cost = record.cost[place] + step_cost(record, i, count, base)
        if settings[DEPARTURES] >= 0 and cost > settings[DEPARTURES]:
            control[CUT] = 1
            break
        move = record.moves[i]
        kernels.apply(tables, record.state, move, record.child)
        control[GENERATED] += 1
        if kernels.solved(tables, record.child):
            control[GOAL] = control[ROWS]
            put(record, control[ROWS], place, move, cost)
            return True
        after = np.int64(0)
        if not kernels.is_external(estimate):
            if kernels.incremental(estimate):
                after = kernels.evaluate_move(
                    estimate, record.state, move, value, record.memo, record.delta, np.int64(1 << 40)
                )
            else:
                after = kernels.evaluate(estimate, record.child, record.memo)
        if control[DEPTH] + 1 + max(1, settings[ADMISSIBLE] * after) > settings[MOST]:
            control[DEEP] = 1
            continue
        add(record, place, move, cost, after)
    return False


@inlined
def select(record):
    """Leave the best of the next layer in it, as many as it may have."""
    control, settings = record.control, record.settings
    first, count = control[LAST], control[ROWS] - control[LAST]
    if count <= settings[WIDTH]:
        return
    control[CUT] = 1
    for row in range(first, first + count):
        record.value[row] = record.cost[row] + record.guess[row]
    threshold, ties = threshold_exact(record.ranks, first, count, settings[WIDTH], record.histogram)
    withdraw(record.table, record.keys, first, first + count)
    kept = first
    for row in range(first, first + count):
        rank = record.ranks[row]
        if rank > threshold or (rank == threshold and ties == 0):
            continue
        if rank == threshold:
            ties -= 1
        kernels.copy(record.keys[row], record.keys[kept])
        put(record, kept, record.parent[row], record.move[row], record.cost[row])
        kept += 1
    fill(record.table, record.keys, first, kept)
    control[ROWS] = kept


@inlined
def begin(record):
    """Make the start the first layer; True when it is solved."""
    control = record.control
    kernels.pack(record.tables, record.state, record.keys[0])
    put(record, 0, NOWHERE, NOWHERE, 0.0)
    fill(record.table, record.keys, 0, 1)
    control[ROWS], control[LAST], control[PHASE], control[GOAL] = 1, 1, EXPAND, 0
    if kernels.solved(record.tables, record.state):
        control[LENGTH] = 0
        return True
    control[BOUND] = 1
    if record.settings[ADMISSIBLE] == 1 and not kernels.is_external(record.estimate):
        control[BOUND] = max(1, kernels.evaluate(record.estimate, record.state, record.memo))
    return False


@inlined
def take_guesses(record):
    """Note the estimates that were asked for."""
    control = record.control
    for i in range(control[REQUESTED]):
        record.guess[control[SCORED] + i] = max(0.0, record.scores[i])
    control[SCORED] += control[REQUESTED]
    control[REQUESTED] = 0


@inlined
def next_layer(record):
    """Go on to the next layer."""
    control = record.control
    select(record)
    control[FIRST], control[CURSOR], control[SCORED] = control[LAST], control[LAST], control[LAST]
    control[LAST] = control[ROWS]
    control[DEPTH] += 1
    control[PHASE] = EXPAND
    if control[CUT] == 0:  # so far it was a breadth-first search
        control[BOUND] = max(control[BOUND], control[DEPTH] + 1)


@inlined
def full(record):
    """Whether there is no room for what follows one state more."""
    rows = record.control[ROWS] + record.moves.size + 1
    return rows > len(record.keys) or rows > LOAD * record.table.size


@inlined
def expand_layer(record, budget):
    """Expand at most `budget` states of the layer: (how that ended, what is left of the budget); DONE at its end."""
    control, moves = record.control, record.moves.size
    while control[CURSOR] < control[LAST]:
        if control[CURSOR] == control[SCORED]:
            control[REQUESTED] = min(control[LAST] - control[CURSOR], record.scores.size // moves)
            control[SCORED] += control[REQUESTED]
            return NEEDS_SCORES, budget
        if budget == 0:
            return RUNNING, budget
        if full(record):
            return FULL, budget
        place = control[CURSOR]
        if expand(record, place, (place + control[REQUESTED] - control[SCORED]) * moves):
            control[LENGTH], control[PHASE] = control[DEPTH] + 1, FINISHED
            if control[CUT] == 0:
                control[BOUND] = control[LENGTH]
            return IMPROVED, budget
        control[CURSOR] = place + 1
        budget -= 1
    control[PHASE], control[SCORED], control[REQUESTED] = ESTIMATE, control[LAST], 0
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
            take_guesses(record)
            if control[SCORED] < control[ROWS]:
                control[REQUESTED] = min(control[ROWS] - control[SCORED], record.scores.size, ASK)
                return NEEDS_SCORES
        if control[ROWS] == control[LAST]:
            control[PHASE] = FINISHED
            if control[CUT] == 0 and control[DEEP] == 1:
                control[BOUND] = record.settings[MOST] + 1
            return DONE
        next_layer(record)


@dataclass(frozen=True)
class Bounds:
    """What a search leaves out."""

    most: int = UNBOUNDED
    """Moves of a solution."""
    width: int = UNBOUNDED
    """States of a layer: those of the least cost and estimate."""
    departures: int | None = None
    """Departures from the best guess on the way to a state; None sums logarithms in their place."""
    share: float = 1.0
    """What a logarithm counts, when it is added to an estimate."""


def machine(
    instance: Instance, estimate: Estimate | None, rules: KernelRules, bounds: Bounds, limit: Limit, said: Verdict
) -> Machine:
    """The search from this start; `said` is what it means that it left something out and found nothing."""
    moves = instance.puzzle.move_count
    reserve = reserved(8 * rules.words + 24, limit)
    values = np.empty(reserve, np.float32)
    memo = 1 if estimate is None else estimate.memo
    departures = -1 if bounds.departures is None else bounds.departures
    admissible = estimate is not None and estimate.admissible
    record = PriorBeamRecord(
        rules.tables,
        Unestimated() if estimate is None else tables_of(estimate, rules),
        np.zeros(16, np.int64),
        np.array([bounds.most, bounds.width, departures, admissible], np.int64),
        np.array([bounds.share]),
        np.empty((reserve, rules.words), np.uint64),
        np.empty(reserve, np.int32),
        np.empty(reserve, np.int32),
        np.empty(reserve, np.float32),
        np.empty(reserve, np.float32),
        values,
        values.view(np.int32),
        np.zeros(FIRST_TABLE, np.int32),
        np.empty(moves * max(1, min(ASK, bounds.width, SCORES // moves)), np.float64),
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
        if record.control[CUT]:
            return said
        if record.control[DEEP]:
            return "none", f"there is no solution of at most {bounds.most} moves", "done"
        return EXHAUSTED

    return Machine(record, runner(step, rules), solution, grown, verdict, requests)


def drive(
    machine: Machine, instance: Instance, prior: Prior, estimate: Estimate | None, rules: KernelRules, limit: Limit
) -> Iterator[Attempt]:
    """Run the search; the prior is asked about states, and the estimate, where it is no kernel, about what follows."""
    priors = prior_scorer(prior, rules, instance.puzzle)
    guesses = None if estimate is None else scorer(estimate, rules)

    def score(states: State) -> NDArray[np.float64]:
        asked = priors if machine.control[PHASE] == EXPAND else guesses
        if asked is None:
            raise PuzzlelabError("a search asked for scores, but its estimate has no function that gives them")
        return asked(states)

    return iter(Drive(machine, limit, score))


def solution(record: PriorBeamRecord) -> list[int]:
    """The moves from the start to the goal that was found."""
    moves, row = [], int(record.control[GOAL])
    while record.parent[row] != NOWHERE:
        moves.append(int(record.move[row]))
        row = int(record.parent[row])
    return moves[::-1]


def grown(record: PriorBeamRecord, room: int) -> Any:
    """Twice the hash table; None where that is not enough."""
    rows, size = int(record.control[ROWS]), record.table.size
    if rows + record.moves.size + 1 <= LOAD * size or 8 * size > room:
        return None
    table = np.zeros(2 * size, np.int32)
    fill(table, record.keys, 0, rows)
    return record._replace(table=table)
