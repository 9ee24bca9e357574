# mypy: allow-untyped-defs
"""One half of a dust board on its own: every state that it can come to, and a lower bound on what it costs to clear.

In a half alone, taking a cluster away costs 2; taking away a cluster that touches the centre line, or any set of such
clusters of one colour, costs 1. A click on the whole board is one of these in one half, or the second kind in both, so
that it never costs more than 2 in all: the least cost of both halves together is at most twice the clicks that remain.

The states of a half are numbered as they are needed. Each keeps its moves, so that nothing is computed twice, and a
proven lower bound of its cost, which `costs_kernels` raises.

Shapes: P = planes, K = words of a plane, C = colours, V = words of a packed half, R = V + 1, N = states met,
E = moves kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels as names
from puzzlelab.engine.kernels import compiled, inlined
from puzzlelab.puzzles.dust.kernels import DustTables, count_colours, rule_tables

STATES, EDGES, DEPTH = range(3)
"""Places in `counts`: states met, moves kept, length of the stack."""
COLUMNS, PAIRED, LINE_WORD, LINE_SHIFT = range(4)
"""Places in `shape`."""
MOST_MOVES = 1024
"""More than any half has: with two colours in 16 rows, 2 * 255 sets at the line, and at most 112 other clusters."""
LOAD = 0.6
EXACT, KNOWN = np.uint64(1 << 8), np.uint64(1 << 9)
"""Flags in a state's note: its bound is its cost; its moves are known."""
LOW = np.uint64(255)


class HalfBoards(NamedTuple):
    """The states of one half that were met so far.

    The note of a state, last in its record: bits 0-7 the bound, 8 `EXACT`, 9 `KNOWN`, 10-23 how many moves, 24-63 the
    place of the first. A move: bits 0-31 the state it leads to (while `UNNUMBERED`: the lowest bit of the cluster),
    32-47 the rows of the column at the line that it takes (none for a cluster away from the line), 48-55 a lower bound
    of its cost and what remains, 56 whether it is a single cluster, 57 `UNNUMBERED`, 58 `TRIED`.
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
    """Write the planes of a half into a key, two in a word where they fit."""
    if half.shape[PAIRED] == 0:
        names.copy(state, key)
        return
    for w in range(key.size):
        key[w] = state[2 * w]
        if 2 * w + 1 < state.size:
            key[w] |= state[2 * w + 1] << np.uint64(32)


@inlined
def unpack_half(half, record, state):
    """Write a half from the key that `pack_half` made of it."""
    if half.shape[PAIRED] == 0:
        for w in range(state.size):
            state[w] = record[w]
        return
    for p in range(state.size):
        state[p] = (record[p // 2] >> np.uint64(32 * (p % 2))) & np.uint64(0xFFFFFFFF)


@inlined
def at_line(half, number, p):
    """Return the bits of plane `p` of a state in the column at the line."""
    shift = half.shape[LINE_SHIFT]
    if half.shape[PAIRED] == 1:
        word = half.records[number, p // 2] >> np.uint64(shift + 32 * (p % 2))
    else:
        word = half.records[number, p * len(half.tables.like) + half.shape[LINE_WORD]] >> np.uint64(shift)
    return word & ((np.uint64(1) << half.tables.stride) - np.uint64(1))


@inlined
def note(half, number):
    """Return the note of a state: its bound and flags."""
    return half.records[number, half.records.shape[1] - 1]


@inlined
def bound(half, number):
    """Return the proven lower bound of a state's cost."""
    return np.int64(note(half, number) & LOW)


@inlined
def is_exact(half, number):
    """Tell whether the bound of a state is exact."""
    return note(half, number) & EXACT != np.uint64(0)


@inlined
def has_moves(half, number):
    """Tell whether the moves of a state are stored."""
    return note(half, number) & KNOWN != np.uint64(0)


@inlined
def first_move(half, number):
    return np.int64(note(half, number) >> np.uint64(24))


@inlined
def count_moves(half, number):
    return np.int64((note(half, number) >> np.uint64(10)) & np.uint64(0x3FFF))


@inlined
def hash_of(key, words):
    """Hash a packed half to 64 bits."""
    h = np.uint64(0)
    for w in range(words):
        h = (h ^ key[w]) * np.uint64(0xBF58476D1CE4E5B9)
        h = h ^ (h >> np.uint64(32))
    h = h * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(29))


@inlined
def find(half, key, h, low):
    """Return the number of the state with this key and hash; a new one gets this bound (0 is exact)."""
    size = np.uint64(half.slots.size - 1)
    tag = (h >> np.uint64(32)) << np.uint64(32)
    slot = h & size
    # Linear probing; 32 bits of the hash in each slot spare most comparisons of records.
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
    # A new state gets the next number.
    number = half.counts[STATES]
    half.counts[STATES] += 1
    half.slots[slot] = tag | np.uint64(number + 1)
    for w in range(key.size):
        half.records[number, w] = key[w]
    half.records[number, key.size] = low if low > np.uint64(0) else EXACT
    return number


@inlined
def has_capacity(half):
    """Tell whether there is capacity for the moves of one more state."""
    counts = half.counts
    return (
        counts[STATES] + MOST_MOVES <= len(half.records)
        and counts[EDGES] + MOST_MOVES <= half.edges.size
        and np.float64(counts[STATES] + MOST_MOVES) <= LOAD * np.float64(half.slots.size)
    )


@inlined
def number_of(half):
    """Return the number of `half.state`; there must be room for it."""
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
    """Return the number of a half; there must be room for it."""
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


MOVES_A_STATE = 16
"""Moves per state for which memory is reserved: boards of 8x8 cells have 14 on average."""
FIRST_SLOTS = 1 << 13
"""Initial slots of the hash table: the proofs of most boards of 6x5 cells meet less than a thousand states."""
MOST_STATES = 1 << 28


def new_half(columns: int, height: int, colours: int, states: int, slots: int = FIRST_SLOTS) -> HalfBoards:
    """Return the record of a half with this number of columns: no states yet, and room for `states`."""
    own = rule_tables(columns, 0, height)
    wide = len(own.like)
    planes = colours.bit_length()
    paired = wide == 1 and columns * int(own.stride) <= 32
    words = -(-planes // 2) if paired else planes * wide
    bit = max(columns - 1, 0) * int(own.stride)
    line = np.zeros(wide, np.uint64)
    if columns:
        line[bit // 64] = np.uint64(((1 << height) - 1) << bit % 64)
    return HalfBoards(
        tables=own,
        shape=np.array([columns, paired, bit // 64, bit % 64], np.int64),
        line=line,
        slots=np.zeros(slots, np.uint64),
        records=np.empty((max(states, 4 * MOST_MOVES), words + 1), np.uint64),
        edges=np.empty(MOVES_A_STATE * max(states, 4 * MOST_MOVES), np.uint64),
        counts=np.zeros(3, np.int64),
        stack=np.zeros((columns * height + 2, 2), np.int64),
        state=np.zeros(planes * wide, np.uint64),
        child=np.zeros(planes * wide, np.uint64),
        key=np.zeros(words, np.uint64),
        clusters=np.zeros(128 * wide, np.uint64),
        hues=np.zeros(128, np.int64),
        strip=np.zeros(wide, np.uint64),
        trials=np.zeros((colours + 1, planes * wide), np.uint64),
        pending=np.zeros((colours + 1) * wide, np.uint64),
    )
