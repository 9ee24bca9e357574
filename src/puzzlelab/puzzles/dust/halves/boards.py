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

import numpy as np

from puzzlelab.puzzles.dust.halves.boards_kernels import MOST_MOVES, HalfBoards
from puzzlelab.puzzles.dust.kernels import rule_tables

MOVES_A_STATE = 16
"""Moves per state for which memory is reserved: boards of 8x8 cells have 14 on average."""
FIRST_SLOTS = 1 << 13
"""Initial slots of the hash table: the proofs of most boards of 6x5 cells meet less than a thousand states."""
MOST_STATES = 1 << 28


def new(columns: int, height: int, colours: int, states: int, slots: int = FIRST_SLOTS) -> HalfBoards:
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
