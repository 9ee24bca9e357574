# mypy: allow-untyped-defs
"""The transposition table of `pair_search_kernels`: proven lower bounds on the clicks of pairs of half-boards.

An entry is a word: the pair, and 8 bits for the clicks. A bucket of 8 entries fills a cache line; a full one drops its
least bound. Source: Reinefeld and Marsland, "Enhanced iterative-deepening search" (1994).
"""

from __future__ import annotations

import numpy as np

from puzzlelab.engine.kernels import GOLDEN, compiled, inlined, scramble

BUCKET = np.uint64(8)
"""Entries of the table in one cache line."""
BITS = np.uint64(28)
"""Bits of the number of a half in an entry; below it are 8 bits for the clicks."""


@inlined
def key_of(left, right):
    """Return the key of a pair in the table; never 0."""
    return (np.uint64(left + 1) << BITS) | np.uint64(right)


@inlined
def bucket_of(table, key):
    """Return the first entry of the bucket of a key."""
    return scramble(key * GOLDEN) & np.uint64(table.size - 1) & ~(BUCKET - np.uint64(1))


@inlined
def stored_bound(table, left, right):
    """Return the stored lower bound on the clicks of this pair; 0 if there is none."""
    key = key_of(left, right)
    start = bucket_of(table, key)
    for i in range(8):
        entry = table[start + np.uint64(i)]
        if entry >> np.uint64(8) == key:
            return np.int64(entry & np.uint64(255))
    return np.int64(0)


@inlined
def store_bound(table, key, clicks):
    """Store a lower bound on the clicks of a pair; 1 for a new entry. A full bucket drops its least bound."""
    start = bucket_of(table, key)
    worst = start
    for i in range(8):
        place = start + np.uint64(i)
        entry = table[place]
        if entry == np.uint64(0) or entry >> np.uint64(8) == key:
            table[place] = (key << np.uint64(8)) | np.uint64(clicks)
            return 1 if entry == np.uint64(0) else 0
        if entry & np.uint64(255) < table[worst] & np.uint64(255):
            worst = place
    table[worst] = (key << np.uint64(8)) | np.uint64(clicks)
    return 0


@compiled
def copy_entries(table, entries):
    """Copy the entries of a smaller table."""
    for entry in entries:
        if entry != np.uint64(0):
            store_bound(table, entry >> np.uint64(8), entry & np.uint64(255))
