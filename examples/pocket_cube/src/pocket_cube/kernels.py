# mypy: allow-untyped-defs
"""The compiled rules and estimates of the pocket cube.

A working state is `uint16[2]`: the numbers of a permutation and of twists, as in `coordinates`.
Tables are flat, with rows of 16 places, so that a shift finds a place.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pocket_cube.coordinates import PERMUTATIONS, SOLVABLE_TWISTS, decode, encode, move_tables
from pocket_cube.rules import FACES, MOVES, TURNS
from puzzlelab import KernelRules
from puzzlelab.engine import kernels as names
from puzzlelab.engine.kernels import compiled, implements, inlined

if TYPE_CHECKING:
    from pocket_cube.rules import PocketCube

CUBES = len(PERMUTATIONS) * SOLVABLE_TWISTS
"""All cubes that can be solved: 3,674,160."""
UNREACHED = 255


class CubeTables(NamedTuple):
    """The rules; N permutations and T twists."""

    permutation: NDArray[np.uint16]
    """[16 N]: the permutation after move m of permutation p, at 16 p + m."""
    twist: NDArray[np.uint16]
    """[16 T]: the same of the twists."""
    pending: NDArray[np.uint64]
    """[4]: what to try after a turn of each face, and at the start: four bits a move + 1."""


class BoundTables(NamedTuple):
    """The larger of two lower bounds: the moves that the permutation needs, and those that the twists need."""

    rules: CubeTables
    permutation: NDArray[np.uint8]
    """[N]."""
    twist: NDArray[np.uint8]
    """[T]."""


class DistanceTables(NamedTuple):
    """The true distance."""

    rules: CubeTables
    distance: NDArray[np.uint8]
    """[3,674,160]: that of permutation p and twists t, at 729 p + t."""


@cache
def tables() -> CubeTables:
    """The tables of the rules. Two turns of one face are never tried in a row: they are one turn, or none."""
    permutation, twist = (np.pad(table, ((0, 0), (0, 16 - len(MOVES)))).reshape(-1) for table in move_tables())
    pending = [
        sum((move + 1) << (4 * place) for place, move in enumerate(m for m in range(len(MOVES)) if m // 3 != last))
        for last in range(len(FACES) + 1)
    ]
    return CubeTables(permutation, twist, np.array(pending, np.uint64))


def rules(puzzle: PocketCube) -> KernelRules:
    """The compiled rules, and the working form of the states."""
    return KernelRules(tables(), 2, np.uint16, 1, encode, decode)


@inlined
def permutation_after(tables, state, move):
    """The number of the permutation after a move."""
    return tables.permutation[(np.uint64(state[0]) << np.uint64(4)) | np.uint64(move)]


@inlined
def twist_after(tables, state, move):
    """The number of the twists after a move."""
    return tables.twist[(np.uint64(state[1]) << np.uint64(4)) | np.uint64(move)]


# --- rules ---


@implements(names.legal, CubeTables)
def legal(tables, state, moves):
    for move in range(len(MOVES)):
        moves[move] = move
    return np.int64(len(MOVES))


@implements(names.apply, CubeTables)
def apply(tables, state, move, child):
    child[0] = permutation_after(tables, state, move)
    child[1] = twist_after(tables, state, move)


@implements(names.solved, CubeTables)
def solved(tables, state):
    return state[0] == 0 and state[1] == 0


@implements(names.inverse, CubeTables)
def inverse(tables, move):
    return move + 2 - 2 * (move % len(TURNS))


@implements(names.pack, CubeTables)
def pack(tables, state, words):
    words[0] = (np.uint64(state[0]) << np.uint64(16)) | np.uint64(state[1])


@implements(names.unpack, CubeTables)
def unpack(tables, words, state):
    state[0] = words[0] >> np.uint64(16)
    state[1] = words[0] & np.uint64(0xFFFF)


@implements(names.pending_moves, CubeTables)
def pending_moves(tables, state, last, row):
    return tables.pending[len(FACES) if last < 0 else last // len(TURNS)]


# --- estimates ---


@implements(names.evaluate, BoundTables)
def bound(estimate, state, memo):
    return np.int64(max(estimate.permutation[state[0]], estimate.twist[state[1]]))


@implements(names.evaluate_move, BoundTables)
def bound_after(estimate, state, move, value, memo, delta, most):
    permutation = permutation_after(estimate.rules, state, move)
    twist = twist_after(estimate.rules, state, move)
    return np.int64(max(estimate.permutation[permutation], estimate.twist[twist]))


@implements(names.evaluate, DistanceTables)
def distance(estimate, state, memo):
    return np.int64(estimate.distance[np.int64(state[0]) * SOLVABLE_TWISTS + np.int64(state[1])])


@implements(names.evaluate_move, DistanceTables)
def distance_after(estimate, state, move, value, memo, delta, most):
    permutation = np.int64(permutation_after(estimate.rules, state, move))
    twist = np.int64(twist_after(estimate.rules, state, move))
    return np.int64(estimate.distance[permutation * SOLVABLE_TWISTS + twist])


# --- the table of true distances ---


@compiled
def spread(tables, state, distance):
    """Breadth-first search over all cubes: fill `distance: uint8[3,674,160]`; return the greatest distance.

    All entries are UNREACHED at first. Each level looks through the whole table, which needs no list of cubes.
    `state: uint16[2]` is room to work in.
    """
    distance[0] = 0
    depth, found = 0, 1
    while found > 0:
        found = 0
        for place in range(distance.size):
            if distance[place] != depth:
                continue
            state[0], state[1] = place // SOLVABLE_TWISTS, place % SOLVABLE_TWISTS
            for move in range(len(MOVES)):
                permutation = np.int64(permutation_after(tables, state, move))
                twist = np.int64(twist_after(tables, state, move))
                after = permutation * SOLVABLE_TWISTS + twist
                if distance[after] == UNREACHED:
                    distance[after] = depth + 1
                    found += 1
        depth += 1
    return depth - 1
