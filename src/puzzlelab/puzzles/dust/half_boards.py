"""One half of a dust board on its own: every state that it can come to, and a lower bound on what it costs to clear.

In a half alone, taking a cluster away costs 2; taking away a cluster that touches the centre line, or any set of such
clusters of one colour, costs 1. A click on the whole board is one of these in one half, or the second kind in both, so
that it never costs more than 2 in all: the least cost of both halves together is at most twice the clicks that remain.

The states of a half are numbered as they are needed. Each keeps its moves, so that nothing is computed twice, and a
proven lower bound of its cost, which `half_costs` raises.

Shapes: P = planes, K = words of a plane, C = colours, V = words of a packed half, R = V + 1, N = states met,
E = moves kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels as names
from puzzlelab.engine.kernels import compiled, inlined
from puzzlelab.engine.wide_integers import load, lowest, store
from puzzlelab.puzzles.dust.kernels import (
    NONE,
    ONE,
    DustTables,
    alike,
    count_colours,
    count_planes,
    flood,
    mask,
    occupied,
    plane,
    settle,
    spread,
    tables,
)

STATES, EDGES, DEPTH = range(3)
"""Places in `counts`: states met, moves kept, length of the stack."""
COLUMNS, PAIRED, LINE_WORD, LINE_SHIFT = range(4)
"""Places in `shape`."""
MOST_MOVES = 1024
"""More than any half has: with two colours in 16 rows, 2 * 255 sets at the line, and at most 112 other clusters."""
MOVES_A_STATE = 16
"""Moves per state for which memory is reserved: boards of 8x8 cells have 14 on average."""
LOAD = 0.6
FIRST_SLOTS = 1 << 16
MOST_STATES = 1 << 28
EXACT, KNOWN = np.uint64(1 << 8), np.uint64(1 << 9)
"""In a state's note: whether its bound is its cost, and whether its moves are known."""
LOW = np.uint64(255)
AHEAD, TRIED = np.uint64(1 << 57), np.uint64(1 << 58)
"""In a move: its state has no number yet; that state is known not to go in one wave for each colour."""


class HalfBoards(NamedTuple):
    """The states of one half that were met so far.

    The note of a state, last in its record: bits 0-7 the bound, 8 `EXACT`, 9 `KNOWN`, 10-23 how many moves, 24-63 the
    place of the first. A move: bits 0-31 the state it leads to (while that is `AHEAD`: the lowest bit of the cluster),
    32-47 the rows of the column at the line that it takes (none for a cluster away from the line), 48-55 a lower bound
    of its cost and what remains, 56 whether it is a single cluster, 57 `AHEAD`, 58 `TRIED`.
    """

    tables: DustTables
    shape: NDArray[np.int64]
    line: NDArray[np.uint64]
    """[K]: the cells of the column at the line."""
    slots: NDArray[np.uint64]
    """[2^j]: the hash table: the number of a state + 1, and 32 bits of its hash above."""
    records: NDArray[np.uint64]
    """[N, R]: each state packed, and its note."""
    edges: NDArray[np.uint64]
    """[E]: the moves."""
    counts: NDArray[np.int64]
    stack: NDArray[np.int64]
    """[D, 2]: states whose bound is being raised, and the place of the move that is looked at."""
    state: NDArray[np.uint64]
    child: NDArray[np.uint64]
    key: NDArray[np.uint64]
    """[V]."""
    clusters: NDArray[np.uint64]
    """[128 K]: the clusters of one state, those at the line from the front, the others from the back."""
    hues: NDArray[np.int64]
    """[128]: their colours."""
    strip: NDArray[np.uint64]
    """[K]."""
    trials: NDArray[np.uint64]
    """[C + 1, P K]: states on the way of `one_wave_each`."""
    pending: NDArray[np.uint64]
    """[(C + 1) K]: the cells at the line of each whose colours are still to be tried."""


@inlined
def pack_half(half, state, key):
    """The planes of a half, two in a word where they fit."""
    if half.shape[PAIRED] == 0:
        names.copy(state, key)
        return
    for w in range(key.size):
        key[w] = state[2 * w]
        if 2 * w + 1 < state.size:
            key[w] |= state[2 * w + 1] << np.uint64(32)


@inlined
def unpack_half(half, record, state):
    """The inverse."""
    if half.shape[PAIRED] == 0:
        for w in range(state.size):
            state[w] = record[w]
        return
    for p in range(state.size):
        state[p] = (record[p // 2] >> np.uint64(32 * (p % 2))) & np.uint64(0xFFFFFFFF)


@inlined
def at_line(half, number, p):
    """The bits of plane `p` of a state in the column at the line."""
    shift = half.shape[LINE_SHIFT]
    if half.shape[PAIRED] == 1:
        word = half.records[number, p // 2] >> np.uint64(shift + 32 * (p % 2))
    else:
        word = half.records[number, p * len(half.tables.like) + half.shape[LINE_WORD]] >> np.uint64(shift)
    return word & ((np.uint64(1) << half.tables.stride) - np.uint64(1))


@inlined
def note(half, number):
    """The note of a state: its bound and flags."""
    return half.records[number, half.records.shape[1] - 1]


@inlined
def bound(half, number):
    """The proven lower bound of its cost."""
    return np.int64(note(half, number) & LOW)


@inlined
def is_exact(half, number):
    """Whether the bound of a state is exact."""
    return note(half, number) & EXACT != np.uint64(0)


@inlined
def has_moves(half, number):
    """Whether the moves of a state are stored."""
    return note(half, number) & KNOWN != np.uint64(0)


@inlined
def first_move(half, number):
    return np.int64(note(half, number) >> np.uint64(24))


@inlined
def count_moves(half, number):
    return np.int64((note(half, number) >> np.uint64(10)) & np.uint64(0x3FFF))


@inlined
def target(edge):
    """The state that a move leads to."""
    return np.int64(edge & np.uint64(0xFFFFFFFF))


@inlined
def rows_of(edge):
    """The rows at the line that it takes."""
    return (edge >> np.uint64(32)) & np.uint64(0xFFFF)


@inlined
def cost_of(edge):
    """What it costs: 1 at the line, 2 elsewhere."""
    return np.int64(2) if rows_of(edge) == np.uint64(0) else np.int64(1)


@inlined
def least_of(edge):
    """A lower bound of its cost and what remains after it."""
    return np.int64((edge >> np.uint64(48)) & LOW)


@inlined
def is_single_cluster(edge):
    """Whether it is one cluster at the line."""
    return (edge >> np.uint64(56)) & np.uint64(1) != np.uint64(0)


@inlined
def is_unnumbered(edge):
    """Whether the state that a move leads to has no number yet."""
    return edge & AHEAD != np.uint64(0)


@inlined
def with_least(edge, least):
    """A move with another lower bound."""
    return (edge & ~(LOW << np.uint64(48))) | (np.uint64(least) << np.uint64(48))


@inlined
def hash_of(key, words):
    """64 bits of a packed half."""
    h = np.uint64(0)
    for w in range(words):
        h = (h ^ key[w]) * np.uint64(0xBF58476D1CE4E5B9)
        h = h ^ (h >> np.uint64(32))
    h = h * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(29))


@inlined
def find(half, key, h, low):
    """The number of the state with this key and hash; a new one gets this bound (0 is exact)."""
    size = np.uint64(half.slots.size - 1)
    tag = (h >> np.uint64(32)) << np.uint64(32)
    slot = h & size
    while True:
        entry = half.slots[slot]
        if entry == np.uint64(0):
            break
        if (entry ^ tag) >> np.uint64(32) == np.uint64(0):
            number = np.int64(entry & np.uint64(0xFFFFFFFF)) - 1
            same = True
            for w in range(key.size):
                if half.records[number, w] != key[w]:
                    same = False
            if same:
                return number
        slot = (slot + np.uint64(1)) & size
    number = half.counts[STATES]
    half.counts[STATES] += 1
    half.slots[slot] = tag | np.uint64(number + 1)
    for w in range(key.size):
        half.records[number, w] = key[w]
    half.records[number, key.size] = low if low > np.uint64(0) else EXACT
    return number


@inlined
def hue(tables, state, bit):
    """The colour at this bit."""
    found = np.int64(0)
    one, none = mask(tables, ONE) << bit, mask(tables, NONE)
    for p in range(count_planes(tables, state)):
        if plane(tables, state, p) & one != none:
            found |= 1 << p
    return found


@inlined
def list_clusters(half):
    """The clusters of `half.state`; returns (those at the line, the others)."""
    own, state, wide = half.tables, half.state, len(half.tables.like)
    line, none = load(half.line, np.int64(0), own.like), mask(own, NONE)
    left = occupied(own, state)
    at, away = np.int64(0), np.int64(0)
    while left != none:
        bit = lowest(left)
        cells = flood(own, alike(own, state, bit), bit)
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
    edge = AHEAD | (rows << np.uint64(32)) | (np.uint64(flags) << np.uint64(56)) | lowest(gone)
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
    for i in range(at):
        first = load(half.clusters, np.int64(i * wide), own.like)
        same = alike(own, state, lowest(first))
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
    for i in range(away):
        gone = load(half.clusters, np.int64((127 - i) * wide), own.like)
        same = alike(own, state, lowest(gone))
        add_move(half, gone, colours if same & ~gone != none else colours - 1, 0)
    note = half.records[number, half.records.shape[1] - 1] & (LOW | EXACT)
    note |= KNOWN | (np.uint64(half.counts[EDGES] - begin) << np.uint64(10)) | (np.uint64(begin) << np.uint64(24))
    half.records[number, half.records.shape[1] - 1] = note


@inlined
def make_child(half, number, edge):
    """Write the state after a move into `half.child`."""
    own, state = half.tables, half.state
    unpack_half(half, half.records[number], state)
    seeds = mask(own, ONE) << np.uint64(target(edge))
    if rows_of(edge) != np.uint64(0):
        for i in range(half.strip.size):
            half.strip[i] = np.uint64(0)
        half.strip[half.shape[LINE_WORD]] = rows_of(edge) << np.uint64(half.shape[LINE_SHIFT])
        seeds = load(half.strip, np.int64(0), own.like)
    gone = spread(own, alike(own, state, lowest(seeds)), seeds)
    settle(own, state, occupied(own, state) & ~gone, half.child)


@inlined
def number_child(half, place):
    """Give `half.child`, the state after this move, a number; there must be room for it."""
    edge = half.edges[place]
    pack_half(half, half.child, half.key)
    low = np.uint64(least_of(edge) - cost_of(edge))
    child = find(half, half.key, hash_of(half.key, half.key.size), low)
    kept = edge & ~(AHEAD | TRIED | np.uint64(0xFFFFFFFF))
    half.edges[place] = with_least(kept | np.uint64(child), max(least_of(edge), bound(half, child) + cost_of(edge)))
    return child


@inlined
def has_capacity(half):
    """Whether there is capacity for the moves of one more state."""
    counts = half.counts
    return (
        counts[STATES] + MOST_MOVES <= len(half.records)
        and counts[EDGES] + MOST_MOVES <= half.edges.size
        and np.float64(counts[STATES] + MOST_MOVES) <= LOAD * np.float64(half.slots.size)
    )


@inlined
def number_of(half):
    """The number of `half.state`; there must be room for it."""
    pack_half(half, half.state, half.key)
    low = np.uint64(count_colours(half.tables, half.state))
    return find(half, half.key, hash_of(half.key, half.key.size), low)


@inlined
def clear_states(half):
    """Remove all states."""
    for i in range(half.slots.size):
        half.slots[i] = np.uint64(0)
    for i in range(half.counts.size):
        half.counts[i] = 0


@compiled
def add_state(half, state):
    """The number of a half; there must be room for it."""
    names.copy(state, half.state)
    return number_of(half)


@compiled
def read_state(half, number):
    """Write a state into `half.state`."""
    unpack_half(half, half.records[number], half.state)


@compiled
def rehash(slots, records, count):
    """Fill the empty hash table with the first `count` states."""
    size = np.uint64(slots.size - 1)
    for number in range(count):
        h = hash_of(records[number], records.shape[1] - 1)
        slot = h & size
        while slots[slot] != np.uint64(0):
            slot = (slot + np.uint64(1)) & size
        slots[slot] = ((h >> np.uint64(32)) << np.uint64(32)) | np.uint64(number + 1)


def new(columns: int, height: int, colours: int, states: int, slots: int = FIRST_SLOTS) -> HalfBoards:
    """No states yet, of a half of so many columns, and room for `states`."""
    own = tables(columns, 0, height)
    wide = len(own.like)
    planes = colours.bit_length()
    paired = wide == 1 and columns * int(own.stride) <= 32
    words = -(-planes // 2) if paired else planes * wide
    bit = max(columns - 1, 0) * int(own.stride)
    line = np.zeros(wide, np.uint64)
    if columns:
        line[bit // 64] = np.uint64(((1 << height) - 1) << bit % 64)
    return HalfBoards(
        own,
        np.array([columns, paired, bit // 64, bit % 64], np.int64),
        line,
        np.zeros(slots, np.uint64),
        np.empty((max(states, 4 * MOST_MOVES), words + 1), np.uint64),
        np.empty(MOVES_A_STATE * max(states, 4 * MOST_MOVES), np.uint64),
        np.zeros(3, np.int64),
        np.zeros((columns * height + 2, 2), np.int64),
        np.zeros(planes * wide, np.uint64),
        np.zeros(planes * wide, np.uint64),
        np.zeros(words, np.uint64),
        np.zeros(128 * wide, np.uint64),
        np.zeros(128, np.int64),
        np.zeros(wide, np.uint64),
        np.zeros((colours + 1, planes * wide), np.uint64),
        np.zeros((colours + 1) * wide, np.uint64),
    )
