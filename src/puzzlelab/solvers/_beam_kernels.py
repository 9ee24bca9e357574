# mypy: allow-untyped-defs
"""The kernels of beam search.

Source: Lowerre, "The Harpy speech recognition system" (1976).

Shapes: B = width, C = B M candidates of one layer, H = states kept so far, W, M as in `engine.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels
from puzzlelab.engine.control_slots import BOUND, EXPANDED, GENERATED, LENGTH, OWN, REQUESTED
from puzzlelab.engine.evaluation_kernels import evaluate_child, evaluate_state, prepare_children, take_scores
from puzzlelab.engine.hash_table_kernels import MAX_LOAD, find_or_add, mix, slot_of_hash
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED, NEEDS_SCORES, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import NOWHERE, EstimateRecord, Expansion, NodeTable
from puzzlelab.solvers._top_k_kernels import Selection, bits_of, threshold_16bit, threshold_exact

LAYER_SIZE, CURSOR, CANDIDATES, PHASE, DEPTH, KEPT_COUNT, SCORED, WAS_CUT, ADMISSIBLE, MAX_MOVES = range(OWN, OWN + 10)
"""WAS_CUT: a layer was too wide, and states were dropped."""
START, EXPAND, SELECT, FINISHED = range(4)
UNBOUNDED = 1 << 40
"""A limit that is never reached."""
ONE = np.uint64(1)


class BeamRecord(NamedTuple):
    """The state of one search."""

    tables: Any
    estimate: EstimateRecord
    control: NDArray[np.int64]
    layer: NDArray[np.uint64]
    """[B, W]: the packed states of the current layer, which are the last kept ones."""
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


@inlined
def hash_of(key):
    """Return a hash of a packed state that is not 0."""
    return mix(key) | ONE


@compiled
def add_hash(seen, h):
    """Add the hash of a kept state."""
    seen[slot_of_hash(seen, h)] = h


@compiled
def add_hashes(seen, hashes):
    """Add all hashes of a smaller table."""
    for i in range(hashes.size):
        if hashes[i] != 0:
            add_hash(seen, hashes[i])


@inlined
def is_new(record, key, candidate):
    """Tell whether no kept state and no candidate equals `key`, which then stands in the table of candidates."""
    h, seen, candidates = mix(key), record.seen_hashes, record.candidates
    if seen[slot_of_hash(seen, h | ONE)] != 0:
        return False
    return find_or_add(candidates.table, candidates.keys, key, h, candidate) < 0


@inlined
def expand(record, row):
    """Add the successors of one state of the layer to the candidates; True if one of them is solved."""
    control, tables, estimate, expansion = record.control, record.tables, record.estimate, record.expansion
    candidates, external = record.candidates, kernels.is_external(estimate.tables)
    kernels.unpack(tables, record.layer[row], expansion.state)
    count = kernels.legal(tables, expansion.state, expansion.moves)
    value = prepare_children(estimate, expansion.state)
    control[EXPANDED] += 1
    control[GENERATED] += count
    for i in range(count):
        move, candidate = expansion.moves[i], control[CANDIDATES]
        kernels.apply(tables, expansion.state, move, expansion.child)
        kernels.pack(tables, expansion.child, candidates.keys[candidate])
        if not is_new(record, candidates.keys[candidate], candidate):
            continue
        h = evaluate_child(estimate, expansion.state, value, move, expansion.child)
        candidates.parent[candidate], candidates.move[candidate] = row, move
        record.selection.values[candidate] = h
        if (h == 0 or external) and kernels.solved(tables, expansion.child):
            control[CURSOR] = candidate
            return True
        # A state through which no short enough solution can lead is dropped.
        if control[DEPTH] + 1 + control[ADMISSIBLE] * h > control[MAX_MOVES]:
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
    """Return the sort key of a candidate: scores of a network exactly, kernel estimates by 16 bits."""
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
def select(record):
    """Select the best candidates as the next layer."""
    control, candidates = record.control, record.candidates
    count, width = control[CANDIDATES], len(record.layer)
    threshold, ties = np.int64(1 << 32), np.int64(0)
    if count > width:
        control[WAS_CUT] = 1
        threshold, ties = threshold_of(record, count, width)
    base = control[KEPT_COUNT] - control[LAYER_SIZE]
    kept = np.int64(0)
    for i in range(count):
        rank = rank_of(record, i)
        if rank > threshold or (rank == threshold and ties == 0):
            continue
        if rank == threshold:
            ties -= 1
        kernels.copy(candidates.keys[i], record.layer[kept])
        add_hash(record.seen_hashes, hash_of(candidates.keys[i]))
        record.parent[control[KEPT_COUNT] + kept] = base + candidates.parent[i]
        record.move[control[KEPT_COUNT] + kept] = candidates.move[i]
        kept += 1
    control[LAYER_SIZE] = kept
    control[KEPT_COUNT] += kept
    control[DEPTH] += 1
    control[CANDIDATES], control[CURSOR], control[REQUESTED] = 0, 0, 0
    clear(candidates.table)


@inlined
def begin(record):
    """Make the start the first layer; True if it is solved."""
    control, expansion = record.control, record.expansion
    kernels.pack(record.tables, expansion.state, record.layer[0])
    add_hash(record.seen_hashes, hash_of(record.layer[0]))
    control[LAYER_SIZE], control[KEPT_COUNT], control[PHASE] = 1, 1, EXPAND
    record.parent[0] = NOWHERE
    if not kernels.is_external(record.estimate.tables) and control[ADMISSIBLE] == 1:
        control[BOUND] = evaluate_state(record.estimate, expansion.state)
    if kernels.solved(record.tables, expansion.state):
        control[LENGTH], control[BOUND] = 0, 0
        return True
    return False


@inlined
def expand_layer(record, budget):
    """Expand at most `budget` states of the layer; returns (status, rest of the budget), DONE at its end."""
    control = record.control
    if control[CURSOR] == 0:
        kernels.announce(record.tables, record.layer, 0, control[LAYER_SIZE])
    while control[CURSOR] < control[LAYER_SIZE]:
        if budget == 0:
            return RUNNING, budget
        row = control[CURSOR]
        if expand(record, row):
            record.parent[control[KEPT_COUNT]] = control[KEPT_COUNT] - control[LAYER_SIZE] + row
            record.move[control[KEPT_COUNT]] = record.candidates.move[control[CURSOR]]
            control[LENGTH], control[PHASE] = control[DEPTH] + 1, FINISHED
            if control[WAS_CUT] == 0:  # so far it was a breadth-first search
                control[BOUND] = control[LENGTH]
            return IMPROVED, budget
        control[CURSOR] = row + 1
        budget -= 1
    control[PHASE], control[SCORED] = SELECT, 0
    return DONE, budget


@inlined
def kept_after(record):
    """Return the number of kept states after the next layer is selected."""
    return record.control[KEPT_COUNT] + min(record.control[CANDIDATES], len(record.layer))


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
    if control[PHASE] == FINISHED:
        return DONE
    if control[PHASE] == START and begin(record):
        control[PHASE] = FINISHED
        return IMPROVED
    while True:
        # Expand every state of the layer; new successors become candidates.
        if control[PHASE] == EXPAND:
            status, budget = expand_layer(record, budget)
            if status != DONE:
                return status
        # Request the estimates of all candidates, a batch at a time.
        if kernels.is_external(record.estimate.tables):
            control[SCORED] += take_scores(record, record.selection.values, control[SCORED], 0.0)
            if control[SCORED] < control[CANDIDATES]:
                control[REQUESTED] = min(control[CANDIDATES] - control[SCORED], record.scores.size)
                return NEEDS_SCORES
        if control[CANDIDATES] == 0:
            control[PHASE] = FINISHED
            if control[WAS_CUT] == 0 and control[MAX_MOVES] < UNBOUNDED:
                control[BOUND] = control[MAX_MOVES] + 1
            return DONE
        # Keep the best of them as the next layer.
        if is_full(record):
            return FULL
        select(record)
        control[PHASE] = EXPAND
