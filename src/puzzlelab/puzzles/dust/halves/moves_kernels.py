# mypy: allow-untyped-defs
"""The moves of half-boards: how they are listed and kept, and the states after them; shapes as in `boards_kernels`."""

from __future__ import annotations

import numpy as np

from puzzlelab.engine.compiler import load, lowest, store
from puzzlelab.engine.kernels import compiled, inlined
from puzzlelab.puzzles.dust.halves.boards_kernels import (
    EDGES,
    EXACT,
    KNOWN,
    LINE_SHIFT,
    LINE_WORD,
    LOW,
    bound,
    find,
    hash_of,
    pack_half,
    unpack_half,
)
from puzzlelab.puzzles.dust.kernels import (
    NONE,
    ONE,
    count_colours,
    count_planes,
    flood,
    grow_clusters,
    mask,
    occupied,
    plane,
    same_colour,
    settle,
)

UNNUMBERED, TRIED = np.uint64(1 << 57), np.uint64(1 << 58)
"""Flags in a move: its state has no number yet; that state is known not to go in one wave for each colour."""


@inlined
def target(edge):
    """Return the state that a move leads to."""
    return np.int64(edge & np.uint64(0xFFFFFFFF))


@inlined
def rows_of(edge):
    """Return the rows at the line that a move takes."""
    return (edge >> np.uint64(32)) & np.uint64(0xFFFF)


@inlined
def cost_of(edge):
    """Return the cost of a move: 1 at the line, 2 elsewhere."""
    return np.int64(2) if rows_of(edge) == np.uint64(0) else np.int64(1)


@inlined
def least_of(edge):
    """Return a lower bound of the cost of a move and of what remains after it."""
    return np.int64((edge >> np.uint64(48)) & LOW)


@inlined
def is_single_cluster(edge):
    """Tell whether a move takes one cluster at the line."""
    return (edge >> np.uint64(56)) & np.uint64(1) != np.uint64(0)


@inlined
def is_unnumbered(edge):
    """Tell whether the state that a move leads to has no number yet."""
    return edge & UNNUMBERED != np.uint64(0)


@inlined
def with_least(edge, least):
    """Return a move with another lower bound."""
    return (edge & ~(LOW << np.uint64(48))) | (np.uint64(least) << np.uint64(48))


@inlined
def hue(tables, state, bit):
    """Return the colour at this bit."""
    found = np.int64(0)
    one, none = mask(tables, ONE) << bit, mask(tables, NONE)
    for p in range(count_planes(tables, state)):
        if plane(tables, state, p) & one != none:
            found |= 1 << p
    return found


@inlined
def list_clusters(half):
    """Return the clusters of `half.state`: (those at the line, the others)."""
    own, state, wide = half.tables, half.state, len(half.tables.like)
    line, none = load(half.line, np.int64(0), own.like), mask(own, NONE)
    left = occupied(own, state)
    at, away = np.int64(0), np.int64(0)
    while left != none:
        bit = lowest(left)
        cells = flood(own, same_colour(own, state, bit), bit)
        left = left & ~cells
        place = at
        if cells & line != none:
            at += 1
        else:
            away += 1
            place = 128 - away
        store(cells, half.clusters, np.int64(place * wide))
        half.hues[place] = hue(own, state, bit)
    return at, away


@inlined
def add_move(half, gone, low, flags):
    """Keep the move that takes these cells, with a lower bound of what remains after it."""
    own = half.tables
    line = load(half.line, np.int64(0), own.like)
    store(gone & line, half.strip, np.int64(0))
    rows = half.strip[half.shape[LINE_WORD]] >> np.uint64(half.shape[LINE_SHIFT])
    edge = UNNUMBERED | (rows << np.uint64(32)) | (np.uint64(flags) << np.uint64(56)) | lowest(gone)
    half.edges[half.counts[EDGES]] = with_least(edge, low + cost_of(edge))
    half.counts[EDGES] += 1


@compiled
def expand(half, number):
    """Store the moves of a state; there must be capacity."""
    own, state, wide = half.tables, half.state, len(half.tables.like)
    none, begin = mask(own, NONE), half.counts[EDGES]
    unpack_half(half, half.records[number], state)
    colours = count_colours(own, state)
    at, away = list_clusters(half)
    # At the line: each cluster with every subset of the later ones of its colour, so that no set is listed twice.
    # What remains costs at least 1 for each colour that is left.
    for i in range(at):
        first = load(half.clusters, np.int64(i * wide), own.like)
        same = same_colour(own, state, lowest(first))
        others = np.int64(0)
        for j in range(i + 1, at):
            if half.hues[j] == half.hues[i]:
                others += 1
        for chosen in range(1 << others):
            gone, bits = first, chosen
            for j in range(i + 1, at):
                if half.hues[j] == half.hues[i]:
                    if bits & 1 == 1:
                        gone = gone | load(half.clusters, np.int64(j * wide), own.like)
                    bits >>= 1
            add_move(half, gone, colours if same & ~gone != none else colours - 1, 1 if chosen == 0 else 0)
    # Away from the line: one cluster each.
    for i in range(away):
        gone = load(half.clusters, np.int64((127 - i) * wide), own.like)
        same = same_colour(own, state, lowest(gone))
        add_move(half, gone, colours if same & ~gone != none else colours - 1, 0)
    # The note of the state now says how many moves it has, and where they begin.
    note = half.records[number, half.records.shape[1] - 1] & (LOW | EXACT)
    note |= KNOWN | (np.uint64(half.counts[EDGES] - begin) << np.uint64(10)) | (np.uint64(begin) << np.uint64(24))
    half.records[number, half.records.shape[1] - 1] = note


@inlined
def make_child(half, number, edge):
    """Write the state after a move into `half.child`."""
    own, state = half.tables, half.state
    unpack_half(half, half.records[number], state)
    # A move without a number names one cell of its cluster; a move at the line names the rows of all its clusters.
    seeds = mask(own, ONE) << np.uint64(target(edge))
    if rows_of(edge) != np.uint64(0):
        for i in range(half.strip.size):
            half.strip[i] = np.uint64(0)
        half.strip[half.shape[LINE_WORD]] = rows_of(edge) << np.uint64(half.shape[LINE_SHIFT])
        seeds = load(half.strip, np.int64(0), own.like)
    gone = grow_clusters(own, same_colour(own, state, lowest(seeds)), seeds)
    settle(own, state, occupied(own, state) & ~gone, half.child)


@inlined
def number_child(half, place):
    """Give `half.child`, the state after this move, a number; there must be room for it."""
    edge = half.edges[place]
    pack_half(half, half.child, half.key)
    low = np.uint64(least_of(edge) - cost_of(edge))
    child = find(half, half.key, hash_of(half.key, half.key.size), low)
    kept = edge & ~(UNNUMBERED | TRIED | np.uint64(0xFFFFFFFF))
    half.edges[place] = with_least(kept | np.uint64(child), max(least_of(edge), bound(half, child) + cost_of(edge)))
    return child
