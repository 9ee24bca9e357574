"""Beam search: each layer keeps only the `width` states with the least estimates; duplicates are dropped by hash.

The solution need not be optimal, unless its length meets a lower bound. Without a width the search is anytime: the
width doubles, and only shorter solutions are accepted. Source: Lowerre, "The Harpy speech recognition system" (1976).
With a prior each layer keeps the states on the most probable paths: see `_prior_beam`.

Shapes: B = width, C = B M candidates of one layer, W = words of a packed state, H = states kept so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, State
from puzzlelab.core.result import Proof, Result, Stop
from puzzlelab.core.solver import Attempt, SolverSettings, chosen_estimate, chosen_prior
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Prior
from puzzlelab.engine import kernels
from puzzlelab.engine.driver import EXHAUSTED, Machine, doubled, drive, round_robin, tables_of
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
from puzzlelab.solvers import _prior_beam
from puzzlelab.solvers._prior_beam import Bounds
from puzzlelab.solvers._top_k import BINS, bits_of, threshold_16bit, threshold_exact
from puzzlelab.solvers.astar import unpacked

LAYER_SIZE, CURSOR, CANDIDATES, PHASE, DEPTH, KEPT_COUNT, SCORED, WAS_CUT, ADMISSIBLE, MAX_MOVES = range(OWN, OWN + 10)
START, EXPAND, SELECT, FINISHED = range(4)
FIRST_WIDTH = 64
MAX_WIDTH = 1 << 22
SCORE_BATCH = 1 << 14
"""The most states that a network scores at once."""
LOAD = 0.6
PRIOR_WEIGHT = 0.1
"""The weight of minus the log probability, in moves, beside an estimate: enough to break ties."""
UNBOUNDED = 1 << 40
"""A limit that is never reached."""
BEAM_EMPTY: tuple[Proof, str, Stop] = "none", "every state in the beam led only to states seen before", "dead end"


class BeamRecord(NamedTuple):
    """The state of one search."""

    tables: Any
    estimate: Any
    control: NDArray[np.int64]
    layer: NDArray[np.uint64]
    """[B, W]: the packed states of the current layer, which are the last kept ones."""
    candidates: NDArray[np.uint64]
    """[C, W]: the candidates for the next layer."""
    candidate_parent: NDArray[np.int32]
    """[C]: the row in the layer of its parent."""
    candidate_move: NDArray[np.int32]
    """[C]: the move from the parent."""
    value: NDArray[np.float32]
    """[C]: its estimate."""
    ranks: NDArray[np.int32]
    """[C]: the bits of `value`."""
    table: NDArray[np.int32]
    """[2^j]: the hash table of the candidates."""
    parent: NDArray[np.int32]
    """[H]: the parent of every kept state."""
    move: NDArray[np.int32]
    """[H]: the move from the parent."""
    seen_hashes: NDArray[np.uint64]
    """[2^k]: hash table of the hashes of all kept states, 0 for none."""
    scores: NDArray[np.float64]
    """[SCORE_BATCH]: requested scores."""
    histogram: NDArray[np.int64]
    """[2^16]: scratch for selecting the B least estimates."""
    state: State
    child: State
    moves: NDArray[np.int32]
    memo: NDArray[np.int64]
    delta: NDArray[np.int64]


@inlined
def is_known(record, fingerprint):
    """Whether a state with this hash was kept."""
    mask = np.uint64(record.seen_hashes.size - 1)
    slot = fingerprint & mask
    while record.seen_hashes[slot] != 0:
        if record.seen_hashes[slot] == fingerprint:
            return True
        slot = (slot + np.uint64(1)) & mask
    return False


@compiled
def add_hash(seen, fingerprint):
    """Add the hash of a kept state."""
    mask = np.uint64(seen.size - 1)
    slot = fingerprint & mask
    while seen[slot] != 0:
        if seen[slot] == fingerprint:
            return
        slot = (slot + np.uint64(1)) & mask
    seen[slot] = fingerprint


@compiled
def add_hashes(seen, hashes):
    """Add all hashes of a smaller table."""
    for i in range(hashes.size):
        if hashes[i] != 0:
            add_hash(seen, hashes[i])


@inlined
def expand(record, row):
    """Add the successors of one state of the layer to the candidates; True if one of them is solved."""
    control, tables, estimate = record.control, record.tables, record.estimate
    kernels.unpack(tables, record.layer[row], record.state)
    count = kernels.legal(tables, record.state, record.moves)
    value = np.int64(0)
    if kernels.incremental(estimate):
        value = kernels.evaluate(estimate, record.state, record.memo)
    control[EXPANDED] += 1
    control[GENERATED] += count
    for i in range(count):
        move = record.moves[i]
        kernels.apply(tables, record.state, move, record.child)
        candidate = control[CANDIDATES]
        key = record.candidates[candidate]
        kernels.pack(tables, record.child, key)
        h = kernels.mix(key)
        if (
            is_known(record, h | np.uint64(1))
            or kernels.find_or_add(record.table, record.candidates, key, h, candidate) >= 0
        ):
            continue
        child_value = np.int64(0)
        if not kernels.is_external(estimate):
            if kernels.incremental(estimate):
                child_value = kernels.evaluate_move(
                    estimate, record.state, move, value, record.memo, record.delta, np.int64(1 << 40)
                )
            else:
                child_value = kernels.evaluate(estimate, record.child, record.memo)
        record.candidate_parent[candidate], record.candidate_move[candidate], record.value[candidate] = (
            row,
            move,
            child_value,
        )
        if (child_value == 0 or kernels.is_external(estimate)) and kernels.solved(tables, record.child):
            control[CURSOR] = candidate
            return True
        if control[DEPTH] + 1 + control[ADMISSIBLE] * child_value > control[MAX_MOVES]:
            continue
        control[CANDIDATES] += 1
    return False


@compiled
def clear(table):
    """Empty a hash table."""
    for i in range(table.size):
        table[i] = 0


@inlined
def rank_of(record, i):
    """The sort key of a candidate: scores of a network exactly, kernel estimates by 16 bits."""
    return np.int64(record.ranks[i]) if kernels.is_external(record.estimate) else bits_of(record.value[i])


@inlined
def select(record):
    """Select the best candidates as the next layer."""
    control = record.control
    count, width = control[CANDIDATES], len(record.layer)
    threshold, ties = np.int64(1 << 32), np.int64(0)
    if count > width:
        control[WAS_CUT] = 1
        if kernels.is_external(record.estimate):
            threshold, ties = threshold_exact(record.ranks, 0, count, width, record.histogram)
        else:
            threshold, ties = threshold_16bit(record.value, count, width, record.histogram)
    base = control[KEPT_COUNT] - control[LAYER_SIZE]
    kept = np.int64(0)
    for i in range(count):
        rank = rank_of(record, i)
        if rank > threshold or (rank == threshold and ties == 0):
            continue
        if rank == threshold:
            ties -= 1
        kernels.copy(record.candidates[i], record.layer[kept])
        add_hash(record.seen_hashes, kernels.mix(record.candidates[i]) | np.uint64(1))
        record.parent[control[KEPT_COUNT] + kept] = base + record.candidate_parent[i]
        record.move[control[KEPT_COUNT] + kept] = record.candidate_move[i]
        kept += 1
    control[LAYER_SIZE] = kept
    control[KEPT_COUNT] += kept
    control[DEPTH] += 1
    control[CANDIDATES], control[CURSOR], control[REQUESTED] = 0, 0, 0
    clear(record.table)


@inlined
def take_scores(record):
    """Store the scores that arrived."""
    control = record.control
    first = control[SCORED]
    for i in range(control[REQUESTED]):
        record.value[first + i] = max(0.0, record.scores[i])
    control[SCORED] += control[REQUESTED]
    control[REQUESTED] = 0


@compiled
def step(record, budget):
    """One slice: expand at most `budget` states."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control[PHASE] == FINISHED:
        return DONE
    if control[PHASE] == START:
        kernels.pack(record.tables, record.state, record.layer[0])
        add_hash(record.seen_hashes, kernels.mix(record.layer[0]) | np.uint64(1))
        control[LAYER_SIZE], control[KEPT_COUNT], control[PHASE] = 1, 1, EXPAND
        record.parent[0] = -1
        if not kernels.is_external(record.estimate) and control[ADMISSIBLE] == 1:
            control[BOUND] = kernels.evaluate(record.estimate, record.state, record.memo)
        if kernels.solved(record.tables, record.state):
            control[LENGTH], control[PHASE], control[BOUND] = 0, FINISHED, 0
            return IMPROVED
    while True:
        if control[PHASE] == EXPAND:
            while control[CURSOR] < control[LAYER_SIZE]:
                if budget == 0:
                    return RUNNING
                row = control[CURSOR]
                if expand(record, row):
                    record.parent[control[KEPT_COUNT]] = control[KEPT_COUNT] - control[LAYER_SIZE] + row
                    record.move[control[KEPT_COUNT]] = record.candidate_move[control[CURSOR]]
                    control[LENGTH], control[PHASE] = control[DEPTH] + 1, FINISHED
                    if control[WAS_CUT] == 0:  # so far it was a breadth-first search
                        control[BOUND] = control[LENGTH]
                    return IMPROVED
                control[CURSOR] = row + 1
                budget -= 1
            control[PHASE], control[SCORED] = SELECT, 0
        if kernels.is_external(record.estimate):
            take_scores(record)
            if control[SCORED] < control[CANDIDATES]:
                control[REQUESTED] = min(control[CANDIDATES] - control[SCORED], record.scores.size)
                return NEEDS_SCORES
        if control[CANDIDATES] == 0:
            control[PHASE] = FINISHED
            if control[WAS_CUT] == 0 and control[MAX_MOVES] < UNBOUNDED:
                control[BOUND] = control[MAX_MOVES] + 1
            return DONE
        next_size = min(control[CANDIDATES], len(record.layer))
        if (
            control[KEPT_COUNT] + next_size + 1 > record.parent.size
            or control[KEPT_COUNT] + next_size > LOAD * record.seen_hashes.size
        ):
            return FULL
        select(record)
        control[PHASE] = EXPAND


def machine(instance: Instance, estimate: Estimate, rules: KernelRules, width: int, max_moves: int) -> Machine:
    """The search of one width for a solution of at most `max_moves` moves."""
    moves = instance.puzzle.move_count
    candidates = (width + 1) * moves
    values = np.zeros(candidates, np.float32)
    record = BeamRecord(
        rules.tables,
        tables_of(estimate, rules),
        np.zeros(16, np.int64),
        np.empty((width, rules.words), np.uint64),
        np.empty((candidates, rules.words), np.uint64),
        np.empty(candidates, np.int32),
        np.empty(candidates, np.int32),
        values,
        values.view(np.int32),
        np.zeros(_table_size(candidates), np.int32),
        np.empty(64 * width + 16, np.int32),
        np.empty(64 * width + 16, np.int32),
        np.zeros(_table_size(64 * width), np.uint64),
        np.empty(SCORE_BATCH, np.float64),
        np.empty(BINS, np.int64),
        rules.encode(instance.state[None])[0].astype(rules.dtype),
        np.empty(rules.size, rules.dtype),
        np.empty(moves, np.int32),
        np.empty(estimate.memo, np.int64),
        np.empty(estimate.memo, np.int64),
    )
    record.control[LENGTH], record.control[MAX_MOVES] = -1, max_moves
    record.control[ADMISSIBLE] = estimate.admissible

    def requests(record: BeamRecord) -> State:
        first = record.control[SCORED]
        return unpacked(rules, record.candidates[first : first + record.control[REQUESTED]])

    return Machine(record, runner(step, rules), solution, enlarged, verdict, requests)


def restart(search: Machine, start: State) -> None:
    """Restart from another working state `[S]` in the same arrays, for many small searches in a row."""
    record = search.record
    max_moves, admissible = record.control[MAX_MOVES], record.control[ADMISSIBLE]
    record.control[:] = 0
    record.control[LENGTH], record.control[MAX_MOVES], record.control[ADMISSIBLE] = -1, max_moves, admissible
    record.table[:] = 0
    record.seen_hashes[:] = 0
    record.state[:] = start


def _table_size(entries: int) -> int:
    """The least power of two that holds this many entries within the load."""
    return 1 << int(np.ceil(np.log2(entries / LOAD)))


def solution(record: BeamRecord) -> list[int]:
    """The moves to the solved state, which is stored after the last kept one."""
    if record.control[LENGTH] == 0:
        return []
    moves, row = [], int(record.control[KEPT_COUNT])
    while record.parent[row] >= 0:
        moves.append(int(record.move[row]))
        row = int(record.parent[row])
    return moves[::-1]


def enlarged(record: BeamRecord, room: int) -> Any:
    """The record with twice the capacity for kept states and their hashes, or None."""
    larger = doubled(record, ("parent", "move"), room - 16 * record.seen_hashes.size)
    if larger is None:
        return None
    hashes = np.zeros(2 * record.seen_hashes.size, np.uint64)
    add_hashes(hashes, record.seen_hashes)
    return larger._replace(seen_hashes=hashes)


def verdict(record: BeamRecord) -> tuple[Proof, str, Stop]:
    """The verdict of a search whose beam became empty."""
    if record.control[WAS_CUT]:
        return BEAM_EMPTY
    if record.control[MAX_MOVES] < UNBOUNDED:
        return "none", "no shorter solution", "done"
    return EXHAUSTED


class Beam(SolverSettings):
    """Beam search of a fixed `width`; without one, the width doubles from 64 for as long as the limit allows.

    With a `prior` a state costs the sum of minus the log probabilities of the moves that lead to it. With an `estimate`
    as well, a tenth of that sum is added to the estimate.
    """

    name: ClassVar[str] = "beam"
    needs: ClassVar[tuple[type, ...]] = (Estimates,)

    estimate: str | Estimate | None = None
    prior: str | Prior | None = None
    width: int | None = Field(default=None, ge=1, le=MAX_WIDTH)

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress and ever shorter solutions; O(width x depth) memory."""
        search = self._search(instance)
        return _widening(search, limit) if self.width is None else search(self.width, UNBOUNDED, limit)

    def _search(self, instance: Instance) -> Search:
        puzzle, rules = instance.puzzle, rules_of(instance)
        if self.prior is None:
            estimate = chosen_estimate(puzzle, self.estimate)
            return lambda width, max_moves, limit_left: drive(
                machine(instance, estimate, rules, width, max_moves), limit_left, estimate, rules
            )
        prior = chosen_prior(puzzle, self.prior)
        estimate_beside = None if self.estimate is None else chosen_estimate(puzzle, self.estimate)

        def by_prior(width: int, max_moves: int, limit_left: Limit) -> Iterator[Attempt]:
            bounds = Bounds(max_moves, width, prior_weight=PRIOR_WEIGHT if estimate_beside else 1.0)
            search = _prior_beam.machine(instance, estimate_beside, rules, bounds, limit_left, BEAM_EMPTY)
            return _prior_beam.drive(search, instance, prior, estimate_beside, rules, limit_left)

        return by_prior


Search = Callable[[int, int, Limit], Iterator[Attempt]]
"""(width, max_moves, limit) -> the attempts of one search."""


def _widening(search: Search, limit: Limit) -> Iterator[Attempt]:
    """One search after another, each twice as wide and for shorter solutions only.

    A search that dropped no state and found no shorter solution proves the best answer optimal.
    """

    def of_width(width: int) -> Callable[[Limit, Result], Iterator[Attempt]]:
        return lambda limit_left, best: search(
            width, UNBOUNDED if best.moves is None else len(best.moves) - 1, limit_left
        )

    doublings = (MAX_WIDTH // FIRST_WIDTH).bit_length()
    return round_robin((of_width(FIRST_WIDTH << doubling) for doubling in range(doublings)), limit)


SOLVER = Beam
