# mypy: allow-untyped-defs
"""The kernels of beam search.

Source: Lowerre, "The Harpy speech recognition system" (1976).

Shapes: B = width, C = B M candidates of one layer, H = states kept so far, A = `AHEAD`, S, W, M as in `engine.kernels`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels
from puzzlelab.engine.evaluation_kernels import evaluate_child, evaluate_state, prepare_children, take_scores
from puzzlelab.engine.hash_table_kernels import MAX_LOAD, find_or_add, mix, prefetch_hash, prefetch_row, slot_of_hash
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED, NEEDS_SCORES, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import (
    NOWHERE,
    UNBOUNDED,
    Control,
    EstimateRecord,
    Expansion,
    NodeTable,
    control_type,
)
from puzzlelab.solvers._top_k_kernels import Selection, bits_of, threshold_16bit, threshold_exact

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import State

CONTROL = control_type("layer_size cursor candidates phase depth kept_count scored was_cut admissible max_moves room")
"""was_cut: a layer was too wide, and states were dropped. room: the states that the search may expand in all."""
START, EXPAND, SELECT, FINISHED = range(4)
ONE = np.uint64(1)
AHEAD = 4
"""The states whose successors are made before the first of them is looked up, so that the memory has time to answer."""


class Lookahead(NamedTuple):
    """The successors of the next states of a layer."""

    states: State
    """[A, S]: these states."""
    ends: NDArray[np.int64]
    """[A]: where the successors of each end, and those of the next begin."""
    moves: NDArray[np.int32]
    """[A M]."""
    children: State
    """[A M, S]: the successors."""
    keys: NDArray[np.uint64]
    """[A M, W]: the same, packed."""
    hashes: NDArray[np.uint64]
    """[A M]."""


class BeamRecord(NamedTuple):
    """The state of one search."""

    tables: Any
    estimate: EstimateRecord
    control: Control
    layer: NDArray[np.uint64]
    """[B, W]: the packed states of the current layer, which are the last kept ones."""
    layer_values: NDArray[np.float32]
    """[B]: their estimates."""
    candidates: NodeTable
    """[C]: the candidates for the next layer; a parent is a row of the layer."""
    selection: Selection
    """[C]: their estimates."""
    scores: NDArray[np.float64]
    """[batch]: requested scores."""
    parent: NDArray[np.int32]
    """[H]: the parent of every kept state."""
    move: NDArray[np.int32]
    """[H]: the move from the parent."""
    seen_hashes: NDArray[np.uint64]
    """[2^k]: the table of the hashes of all kept states."""
    expansion: Expansion
    ahead: Lookahead


@inlined
def add_hash(seen, h):
    """Add the hash of a kept state."""
    seen[slot_of_hash(seen, h | ONE)] = h | ONE


@compiled
def add_hashes(seen, hashes):
    """Add all hashes of a smaller table."""
    for i in range(hashes.size):
        if hashes[i] != 0:
            add_hash(seen, hashes[i])


@inlined
def is_new(record, key, h, candidate):
    """Tell whether no kept state and no candidate equals `key`, whose hash is `h`; a new one then is the candidate."""
    # States of earlier layers are known by their hashes alone, 8 bytes each; candidates of this layer are compared in
    # full.
    seen, candidates = record.seen_hashes, record.candidates
    if seen[slot_of_hash(seen, h | ONE)] != 0:
        return False
    return find_or_add(candidates.table, candidates.keys, key, h, candidate) < 0


@inlined
def value_of(record, row, state):
    """Return what the estimates of the successors of a state of the layer are reckoned from."""
    estimate = record.estimate
    if kernels.remember(estimate.tables, state, estimate.memo):
        return np.float64(record.layer_values[row])
    return prepare_children(estimate, state)


@inlined
def undoing_move(record, row):
    """Return the move from a state of the layer back to its parent, or -1."""
    control = record.control
    if control.depth == 0:
        return np.int64(-1)
    return np.int64(kernels.inverse(record.tables, record.move[control.kept_count - control.layer_size + row]))


@inlined
def prepare(record, row, number):
    """Make the successors of the state in this row of the layer, which becomes the state of this number."""
    tables, ahead, moves = record.tables, record.ahead, record.expansion.moves
    state, undoing = ahead.states[number], undoing_move(record, row)
    kernels.unpack(tables, record.layer[row], state)
    end = np.int64(0) if number == 0 else ahead.ends[number - 1]
    for i in range(kernels.legal(tables, state, moves)):
        if moves[i] == undoing:
            continue
        kernels.apply(tables, state, moves[i], ahead.children[end])
        kernels.pack(tables, ahead.children[end], ahead.keys[end])
        h = mix(ahead.keys[end])
        prefetch_hash(record.seen_hashes, h)
        prefetch_row(record.candidates.table, h)
        ahead.hashes[end], ahead.moves[end] = h, moves[i]
        end += 1
    ahead.ends[number] = end


@inlined
def expand(record, row, number):
    """Add the new ones of the prepared successors to the candidates; True if one of them is solved."""
    control, tables, estimate, ahead = record.control, record.tables, record.estimate, record.ahead
    candidates, state = record.candidates, ahead.states[number]
    # An incremental estimate reads the parent once for all of its children, if it was not kept.
    value = value_of(record, row, state)
    first = np.int64(0) if number == 0 else ahead.ends[number - 1]
    control.expanded += 1
    control.generated += ahead.ends[number] - first
    for i in range(first, ahead.ends[number]):
        candidate = control.candidates
        if not is_new(record, ahead.keys[i], ahead.hashes[i], candidate):
            continue
        # Evaluate it; a goal ends the search.
        kernels.copy(ahead.keys[i], candidates.keys[candidate])
        h = evaluate_child(estimate, state, value, ahead.moves[i], ahead.children[i])
        candidates.parent[candidate], candidates.move[candidate] = row, ahead.moves[i]
        record.selection.values[candidate] = h
        if (h == 0 or control.admissible == 0) and kernels.solved(tables, ahead.children[i]):
            return True
        # A state through which no short enough solution can lead is dropped.
        if control.depth + 1 + max(control.admissible * h, 1) > control.max_moves:
            continue
        control.candidates += 1
    return False


@compiled
def clear(table):
    """Empty a hash table."""
    for i in range(table.size):
        table[i] = 0


@inlined
def rank_of(record, i):
    """Return the sort key of a candidate: scores of a network exactly, kernel estimates by 16 bits."""
    # Estimates of a network differ by very little, hand-made ones by whole moves, which 16 bits tell apart.
    selection = record.selection
    if kernels.is_external(record.estimate.tables):
        return np.int64(selection.ranks[i])
    return bits_of(selection.values[i])


@inlined
def threshold_of(record, count, width):
    """Return (threshold, ties): the best `width` candidates rank below the threshold, and `ties` of them on it."""
    selection = record.selection
    if kernels.is_external(record.estimate.tables):
        return threshold_exact(selection.ranks, 0, count, width, selection.histogram)
    return threshold_16bit(selection.values, count, width, selection.histogram)


@inlined
def add_layer(record, count):
    """Add the hashes of the next layer, of this many states."""
    for i in range(count + AHEAD):
        if i < count:
            prefetch_hash(record.seen_hashes, mix(record.layer[i]))
        if i >= AHEAD:
            add_hash(record.seen_hashes, mix(record.layer[i - AHEAD]))


@inlined
def next_width(record):
    """Return the most states of the next layer: what is left to expand is shared among the layers that may follow."""
    control = record.control
    if control.max_moves == UNBOUNDED:
        return np.int64(len(record.layer))
    layers = max(control.max_moves - control.depth - 1, 1)
    return min(max((control.room - control.expanded) // layers, 1), np.int64(len(record.layer)))


@inlined
def select(record):
    """Select the best candidates as the next layer."""
    control, candidates = record.control, record.candidates
    count, width = control.candidates, next_width(record)
    threshold, ties = np.int64(1 << 32), np.int64(0)
    if count > width:
        control.was_cut = 1
        threshold, ties = threshold_of(record, count, width)
    # Prune: the best candidates become the layer, and are kept for the path and for telling repeats. The layer before
    # is the last of the kept rows, which turns a parent's row in it into its row among all.
    base = control.kept_count - control.layer_size
    kept = np.int64(0)
    for i in range(count):
        rank = rank_of(record, i)
        if rank > threshold or (rank == threshold and ties == 0):
            continue
        # Of the candidates on the threshold the first ones are kept, as many as the width still has room for.
        if rank == threshold:
            ties -= 1
        kernels.copy(candidates.keys[i], record.layer[kept])
        record.layer_values[kept] = record.selection.values[i]
        record.parent[control.kept_count + kept] = base + candidates.parent[i]
        record.move[control.kept_count + kept] = candidates.move[i]
        kept += 1
    add_layer(record, kept)
    control.layer_size = kept
    control.kept_count += kept
    control.depth += 1
    control.candidates, control.cursor, control.requested = 0, 0, 0
    clear(candidates.table)


@inlined
def begin(record):
    """Make the start the first layer; True if it is solved."""
    control, expansion = record.control, record.expansion
    kernels.pack(record.tables, expansion.state, record.layer[0])
    add_hash(record.seen_hashes, mix(record.layer[0]))
    control.layer_size, control.kept_count, control.phase = 1, 1, EXPAND
    record.parent[0] = NOWHERE
    if not kernels.is_external(record.estimate.tables):
        value = evaluate_state(record.estimate, expansion.state)
        record.layer_values[0] = value
        if control.admissible == 1:  # the only lower bound that a beam has while it drops states: that of the start
            control.bound = np.int64(value)
    if kernels.solved(record.tables, expansion.state):
        control.length, control.bound = 0, 0
        return True
    return False


@inlined
def expand_layer(record, budget):
    """Expand at most `budget` states of the layer; returns (status, rest of the budget), DONE at its end."""
    control = record.control
    if control.cursor == 0:
        # Rules without kernels are computed for the whole layer at once.
        kernels.announce(record.tables, record.layer, 0, control.layer_size)
    while control.cursor < control.layer_size:
        if budget == 0:
            return RUNNING, budget
        first, count = control.cursor, min(AHEAD, control.layer_size - control.cursor, budget)
        for i in range(count):
            prepare(record, first + i, i)
        for i in range(count):
            if expand(record, first + i, i):
                # The goal stands after the last kept state, so that the path to it is read as that of any other.
                record.parent[control.kept_count] = control.kept_count - control.layer_size + first + i
                record.move[control.kept_count] = record.candidates.move[control.candidates]
                control.length, control.phase = control.depth + 1, FINISHED
                if control.was_cut == 0:  # so far it was a breadth-first search
                    control.bound = control.length
                return IMPROVED, budget
        control.cursor = first + count
        budget -= count
    control.phase, control.scored = SELECT, 0
    return DONE, budget


@inlined
def kept_after(record):
    """Return the number of kept states after the next layer is selected."""
    return record.control.kept_count + min(record.control.candidates, len(record.layer))


@inlined
def is_full(record):
    """Tell whether the arrays must grow before the next layer is selected."""
    kept = kept_after(record)
    return kept + 1 > record.parent.size or kept > MAX_LOAD * record.seen_hashes.size


@compiled
def step(record, budget):
    """Run one slice: expand at most `budget` states."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control.phase == FINISHED:
        return DONE
    if control.phase == START and begin(record):
        control.phase = FINISHED
        return IMPROVED
    while True:
        # Expand every state of the layer; new successors become candidates.
        if control.phase == EXPAND:
            status, budget = expand_layer(record, budget)
            if status != DONE:
                return status
        # Request the estimates of all candidates, a batch at a time.
        if kernels.is_external(record.estimate.tables):
            control.scored += take_scores(record, record.selection.values, control.scored, 0.0)
            if control.scored < control.candidates:
                control.requested = min(control.candidates - control.scored, record.scores.size)
                return NEEDS_SCORES
        if control.candidates == 0:
            control.phase = FINISHED
            # Without a cut every path of allowed length was tried: a solution is longer.
            if control.was_cut == 0 and control.max_moves < UNBOUNDED:
                control.bound = control.max_moves + 1
            return DONE
        # Keep the best of them as the next layer.
        if is_full(record):
            return FULL
        select(record)
        control.phase = EXPAND
