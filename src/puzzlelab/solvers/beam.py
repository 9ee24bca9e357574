"""Beam search: of each layer only the `width` states with the least estimates go on; duplicates are dropped by hash.

Not optimal, but the length is proven to be when it meets a lower bound. Without a width it is anytime: the width
doubles, and only shorter solutions are looked for. Source: Lowerre, "The Harpy speech recognition system" (1976).
With a prior the states go on to which the most probable moves lead: see `_layers`.

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

LAYER, CURSOR, CANDIDATES, PHASE, DEPTH, KEPT, SEEN, CUT, ADMISSIBLE, MOST = range(OWN, OWN + 10)
START, EXPAND, SELECT, FINISHED = range(4)
FIRST_WIDTH = 64
WIDEST = 1 << 22
ASK = 1 << 14
"""States that an outside estimate is asked about at once."""
LOAD = 0.6
BESIDE_ESTIMATE = 0.1
"""Moves that minus a logarithm counts for beside an estimate: enough to tell apart what looks equally far."""
UNBOUNDED = 1 << 40
"""As many moves as one likes."""
LOST: tuple[Proof, str, Stop] = "none", "every state in the beam led only to states that were seen before", "dead end"


class BeamRecord(NamedTuple):
    """Where one search stands."""

    tables: Any
    estimate: Any
    control: NDArray[np.int64]
    layer: NDArray[np.uint64]
    """[B, W]: the packed states of the current layer; they are the last kept ones."""
    keys: NDArray[np.uint64]
    """[C, W]: the candidates for the next."""
    origin: NDArray[np.int32]
    """[C]: the place in the layer that each comes from."""
    taken: NDArray[np.int32]
    """[C]: the move that leads to it."""
    value: NDArray[np.float32]
    """[C]: its estimate."""
    ranks: NDArray[np.int32]
    """[C]: the bits of `value`."""
    table: NDArray[np.int32]
    """[2^j]: the hash table of the candidates."""
    parent: NDArray[np.int32]
    """[H]: for every state ever kept, the kept state before it."""
    move: NDArray[np.int32]
    """[H]: and the move from there."""
    seen: NDArray[np.uint64]
    """[2^k]: hashes of every state ever kept, 0 for none."""
    scores: NDArray[np.float64]
    """[ASK]: scores that were asked for."""
    histogram: NDArray[np.int64]
    """[2^16]: room to find the B least estimates."""
    state: State
    child: State
    moves: NDArray[np.int32]
    memo: NDArray[np.int64]
    delta: NDArray[np.int64]


@inlined
def known(record, fingerprint):
    """Whether a state with this hash was ever kept."""
    mask = np.uint64(record.seen.size - 1)
    slot = fingerprint & mask
    while record.seen[slot] != 0:
        if record.seen[slot] == fingerprint:
            return True
        slot = (slot + np.uint64(1)) & mask
    return False


@compiled
def keep(seen, fingerprint):
    """Remember the hash of a kept state."""
    mask = np.uint64(seen.size - 1)
    slot = fingerprint & mask
    while seen[slot] != 0:
        if seen[slot] == fingerprint:
            return
        slot = (slot + np.uint64(1)) & mask
    seen[slot] = fingerprint


@compiled
def keep_all(seen, others):
    """Remember every hash of a smaller table."""
    for i in range(others.size):
        if others[i] != 0:
            keep(seen, others[i])


@inlined
def expand(record, place):
    """Add the successors of one state of the layer to the candidates; True when one of them is solved."""
    control, tables, estimate = record.control, record.tables, record.estimate
    kernels.unpack(tables, record.layer[place], record.state)
    count = kernels.legal(tables, record.state, record.moves)
    value = np.int64(0)
    if kernels.incremental(estimate):
        value = kernels.evaluate(estimate, record.state, record.memo)
    control[EXPANDED] += 1
    control[GENERATED] += count
    for i in range(count):
        move = record.moves[i]
        kernels.apply(tables, record.state, move, record.child)
        row = control[CANDIDATES]
        key = record.keys[row]
        kernels.pack(tables, record.child, key)
        h = kernels.mix(key)
        if known(record, h | np.uint64(1)) or kernels.find_or_add(record.table, record.keys, key, h, row) >= 0:
            continue
        after = np.int64(0)
        if not kernels.is_external(estimate):
            if kernels.incremental(estimate):
                after = kernels.evaluate_move(
                    estimate, record.state, move, value, record.memo, record.delta, np.int64(1 << 40)
                )
            else:
                after = kernels.evaluate(estimate, record.child, record.memo)
        record.origin[row], record.taken[row], record.value[row] = place, move, after
        if (after == 0 or kernels.is_external(estimate)) and kernels.solved(tables, record.child):
            control[CURSOR] = row
            return True
        if control[DEPTH] + 1 + control[ADMISSIBLE] * after > control[MOST]:
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
    """What candidates are sorted by: scores that were asked for exactly, others by 16 bits."""
    return np.int64(record.ranks[i]) if kernels.is_external(record.estimate) else bits_of(record.value[i])


@inlined
def select(record):
    """Make the best candidates the next layer."""
    control = record.control
    count, width = control[CANDIDATES], len(record.layer)
    threshold, ties = np.int64(1 << 32), np.int64(0)
    if count > width:
        control[CUT] = 1
        if kernels.is_external(record.estimate):
            threshold, ties = threshold_exact(record.ranks, 0, count, width, record.histogram)
        else:
            threshold, ties = threshold_16bit(record.value, count, width, record.histogram)
    base = control[KEPT] - control[LAYER]
    kept = np.int64(0)
    for i in range(count):
        rank = rank_of(record, i)
        if rank > threshold or (rank == threshold and ties == 0):
            continue
        if rank == threshold:
            ties -= 1
        kernels.copy(record.keys[i], record.layer[kept])
        keep(record.seen, kernels.mix(record.keys[i]) | np.uint64(1))
        record.parent[control[KEPT] + kept] = base + record.origin[i]
        record.move[control[KEPT] + kept] = record.taken[i]
        kept += 1
    control[LAYER] = kept
    control[KEPT] += kept
    control[DEPTH] += 1
    control[CANDIDATES], control[CURSOR], control[REQUESTED] = 0, 0, 0
    clear(record.table)


@inlined
def take_scores(record):
    """Give the candidates that were asked for their scores."""
    control = record.control
    first = control[SEEN]
    for i in range(control[REQUESTED]):
        record.value[first + i] = max(0.0, record.scores[i])
    control[SEEN] += control[REQUESTED]
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
        keep(record.seen, kernels.mix(record.layer[0]) | np.uint64(1))
        control[LAYER], control[KEPT], control[PHASE] = 1, 1, EXPAND
        record.parent[0] = -1
        if not kernels.is_external(record.estimate) and control[ADMISSIBLE] == 1:
            control[BOUND] = kernels.evaluate(record.estimate, record.state, record.memo)
        if kernels.solved(record.tables, record.state):
            control[LENGTH], control[PHASE], control[BOUND] = 0, FINISHED, 0
            return IMPROVED
    while True:
        if control[PHASE] == EXPAND:
            while control[CURSOR] < control[LAYER]:
                if budget == 0:
                    return RUNNING
                place = control[CURSOR]
                if expand(record, place):
                    record.parent[control[KEPT]] = control[KEPT] - control[LAYER] + place
                    record.move[control[KEPT]] = record.taken[control[CURSOR]]
                    control[LENGTH], control[PHASE] = control[DEPTH] + 1, FINISHED
                    if control[CUT] == 0:  # so far it was a breadth-first search
                        control[BOUND] = control[LENGTH]
                    return IMPROVED
                control[CURSOR] = place + 1
                budget -= 1
            control[PHASE], control[SEEN] = SELECT, 0
        if kernels.is_external(record.estimate):
            take_scores(record)
            if control[SEEN] < control[CANDIDATES]:
                control[REQUESTED] = min(control[CANDIDATES] - control[SEEN], record.scores.size)
                return NEEDS_SCORES
        if control[CANDIDATES] == 0:
            control[PHASE] = FINISHED
            if control[CUT] == 0 and control[MOST] < UNBOUNDED:
                control[BOUND] = control[MOST] + 1
            return DONE
        room = min(control[CANDIDATES], len(record.layer))
        if control[KEPT] + room + 1 > record.parent.size or control[KEPT] + room > LOAD * record.seen.size:
            return FULL
        select(record)
        control[PHASE] = EXPAND


def machine(instance: Instance, estimate: Estimate, rules: KernelRules, width: int, most: int) -> Machine:
    """The search of one width for a solution of at most `most` moves."""
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
        np.empty(ASK, np.float64),
        np.empty(BINS, np.int64),
        rules.encode(instance.state[None])[0].astype(rules.dtype),
        np.empty(rules.size, rules.dtype),
        np.empty(moves, np.int32),
        np.empty(estimate.memo, np.int64),
        np.empty(estimate.memo, np.int64),
    )
    record.control[LENGTH], record.control[MOST] = -1, most
    record.control[ADMISSIBLE] = estimate.admissible

    def requests(record: BeamRecord) -> State:
        first = record.control[SEEN]
        return unpacked(rules, record.keys[first : first + record.control[REQUESTED]])

    return Machine(record, runner(step, rules), solution, longer, verdict, requests)


def restart(search: Machine, start: State) -> None:
    """Begin anew from another working state `[S]`, in the same arrays: for many small searches one after the other."""
    record = search.record
    most, admissible = record.control[MOST], record.control[ADMISSIBLE]
    record.control[:] = 0
    record.control[LENGTH], record.control[MOST], record.control[ADMISSIBLE] = -1, most, admissible
    record.table[:] = 0
    record.seen[:] = 0
    record.state[:] = start


def _table_size(entries: int) -> int:
    """The least power of two that holds so many entries below the load."""
    return 1 << int(np.ceil(np.log2(entries / LOAD)))


def solution(record: BeamRecord) -> list[int]:
    """The moves into the solved state, which stands behind the last kept one."""
    if record.control[LENGTH] == 0:
        return []
    moves, place = [], int(record.control[KEPT])
    while record.parent[place] >= 0:
        moves.append(int(record.move[place]))
        place = int(record.parent[place])
    return moves[::-1]


def longer(record: BeamRecord, room: int) -> Any:
    """Twice the history, and the table of hashes with it."""
    larger = doubled(record, ("parent", "move"), room - 16 * record.seen.size)
    if larger is None:
        return None
    seen = np.zeros(2 * record.seen.size, np.uint64)
    keep_all(seen, record.seen)
    return larger._replace(seen=seen)


def verdict(record: BeamRecord) -> tuple[Proof, str, Stop]:
    """Nothing was left in the beam."""
    if record.control[CUT]:
        return LOST
    if record.control[MOST] < UNBOUNDED:
        return "none", "no shorter solution", "done"
    return EXHAUSTED


class Beam(SolverSettings):
    """Beam search of a fixed `width`; without one, the width doubles from 64 for as long as the limit allows.

    A `prior` goes by what is likely: minus the logarithms of the probabilities of all moves so far, added up. With an
    `estimate` too, a tenth of that is added to it.
    """

    name: ClassVar[str] = "beam"
    needs: ClassVar[tuple[type, ...]] = (Estimates,)

    estimate: str | Estimate | None = None
    prior: str | Prior | None = None
    width: int | None = Field(default=None, ge=1, le=WIDEST)

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress and ever shorter solutions; memory is O(width x depth)."""
        search = self._search(instance)
        return _widening(search, limit) if self.width is None else search(self.width, UNBOUNDED, limit)

    def _search(self, instance: Instance) -> Search:
        puzzle, rules = instance.puzzle, rules_of(instance)
        if self.prior is None:
            estimate = chosen_estimate(puzzle, self.estimate)
            return lambda width, most, left: drive(
                machine(instance, estimate, rules, width, most), left, estimate, rules
            )
        prior = chosen_prior(puzzle, self.prior)
        added = None if self.estimate is None else chosen_estimate(puzzle, self.estimate)

        def likely(width: int, most: int, left: Limit) -> Iterator[Attempt]:
            bounds = Bounds(most, width, share=BESIDE_ESTIMATE if added else 1.0)
            made = _prior_beam.machine(instance, added, rules, bounds, left, LOST)
            return _prior_beam.drive(made, instance, prior, added, rules, left)

        return likely


Search = Callable[[int, int, Limit], Iterator[Attempt]]
"""The search of one width for solutions of at most so many moves, under a limit."""


def _widening(search: Search, limit: Limit) -> Iterator[Attempt]:
    """One search after another, each twice as wide, of which only shorter solutions are asked.

    A search that cut nothing away and found nothing shorter has proven the best answer optimal.
    """

    def wide(width: int) -> Callable[[Limit, Result], Iterator[Attempt]]:
        return lambda left, best: search(width, UNBOUNDED if best.moves is None else len(best.moves) - 1, left)

    doublings = (WIDEST // FIRST_WIDTH).bit_length()
    return round_robin((wide(FIRST_WIDTH << doubling) for doubling in range(doublings)), limit)


SOLVER = Beam
