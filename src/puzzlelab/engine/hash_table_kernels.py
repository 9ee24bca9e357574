# mypy: allow-untyped-defs
"""Hash tables with open addressing and linear probing, for kernels.

A table of rows, `table: int32[2^k]`, holds the row number of a packed state plus 1, or 0 for none; the states are the
rows of `keys: uint64[N, W]`. A table of hashes, `uint64[2^k]`, holds hashes that are not 0, or 0 for none.
Source: D. E. Knuth, "The Art of Computer Programming", volume 3, algorithm 6.4 L.

Shapes: N = states, W = words of a packed state, 2^k = size of a table.
"""

from __future__ import annotations

import numpy as np

from puzzlelab.engine.compiler import prefetch
from puzzlelab.engine.kernels import GOLDEN, compiled, inlined, scramble

MAX_LOAD = 0.6
"""The greatest share of a table that is in use."""
ONE = np.uint64(1)


@compiled
def mix(key):
    """Return a 64-bit hash of `key: uint64[W]`: `scramble`, word by word."""
    h = GOLDEN
    for w in range(key.size):
        h = scramble(h ^ key[w])
    return h


@inlined
def same_key(key, other):
    """Tell whether two packed states are equal."""
    for w in range(key.size):
        if key[w] != other[w]:
            return False
    return True


# --- tables of rows ---------------------------------------------------------------------------------------------------


@inlined
def slot_of(table, keys, key, h):
    """Return the slot of `key`, whose hash is `h`, or the free slot for it."""
    mask = np.uint64(table.size - 1)
    slot = np.uint64(h) & mask
    while table[slot] != 0 and not same_key(keys[table[slot] - 1], key):
        slot = (slot + ONE) & mask
    return slot


@inlined
def prefetch_row(table, h):
    """Ask the memory for the slot of a key with this hash, which is looked up soon."""
    prefetch(table, np.int64(np.uint64(h) & np.uint64(table.size - 1)))


@inlined
def find_or_add(table, keys, key, h, row):
    """Return the row of `key`, whose hash is `h`; or -1 if it is new, and then stands in the table as `row`.

    The caller writes a new key to `keys[row]`.
    """
    slot = slot_of(table, keys, key, h)
    known = table[slot] - 1
    if known < 0:
        table[slot] = row + 1
    return known


@inlined
def has_room(table, keys, rows, more):
    """Tell whether the table and the keys have room for `more` rows beyond `rows`."""
    return rows + more <= len(keys) and rows + more <= MAX_LOAD * table.size


@compiled
def insert_rows(table, keys, first, last):
    """Insert these rows; a later row of the same state replaces an earlier one."""
    for row in range(first, last):
        table[slot_of(table, keys, keys[row], mix(keys[row]))] = row + 1


@compiled
def remove_rows(table, keys, first, last):
    """Remove the rows that were inserted last, in reverse order, so that no gap hides another row."""
    for row in range(last - 1, first - 1, -1):
        table[slot_of(table, keys, keys[row], mix(keys[row]))] = 0


@compiled
def rehash(table, keys, count):
    """Fill the empty `table` with the first `count` rows, whose states all differ."""
    mask = np.uint64(table.size - 1)
    for row in range(count):
        slot = mix(keys[row]) & mask
        while table[slot] != 0:
            slot = (slot + ONE) & mask
        table[slot] = row + 1


# --- tables of hashes -------------------------------------------------------------------------------------------------


@inlined
def slot_of_hash(hashes, h):
    """Return the slot of a hash that is not 0, or the free slot for it; its lowest bit, maybe fixed, is not used."""
    mask = np.uint64(hashes.size - 1)
    slot = (h >> ONE) & mask
    while hashes[slot] != 0 and hashes[slot] != h:
        slot = (slot + ONE) & mask
    return slot


@inlined
def prefetch_hash(hashes, h):
    """Ask the memory for the slot of a hash, which is looked up soon."""
    prefetch(hashes, np.int64((h >> ONE) & np.uint64(hashes.size - 1)))
