"""Two numbers for a cube: one for where its corners are, one for how they are twisted, each with a table of its moves.

A move changes either number without a look at the other one, so that two small tables hold all rules.

Shapes: B = cubes, M = 9 moves, P = 7 places, N = permutations, T = twists of seven corners.
"""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from pocket_cube.rules import MOVES, PERMUTATION, PLACES, TWIST, Cube

PERMUTATIONS = np.array(list(permutations(range(PLACES))), np.uint8)
"""`uint8[N, P]`: the permutation of each number, in lexicographic order."""
_SIX = np.array(list(product(range(3), repeat=PLACES - 1)))
_SEVENTH = [(total - _SIX.sum(axis=1)) % 3 for total in range(3)]
TWISTS = np.concatenate([np.column_stack([_SIX, last]) for last in _SEVENTH]).astype(np.uint8)
"""`uint8[T, P]`: the twists of each number: first those that add up to whole turns, as on cubes that can be solved."""
SOLVABLE_TWISTS = len(_SIX)
"""How many those are; the last twist follows from the others."""

_FACTORIALS = np.array([720, 120, 24, 6, 2, 1, 1])
_POWERS_OF_3 = 3 ** np.arange(PLACES - 2, -1, -1)
_LATER = np.triu(np.ones((PLACES, PLACES), bool), 1)


def permutation_numbers(corners: Cube) -> NDArray[np.int64]:
    """`int64[B]`: the rank of each permutation `[B, P]`; each digit counts the smaller corners at later places."""
    smaller = corners[:, None, :] < corners[:, :, None]
    digits = (smaller & _LATER).sum(axis=2)
    numbers: NDArray[np.int64] = digits @ _FACTORIALS
    return numbers


def twist_numbers(twists: Cube) -> NDArray[np.int64]:
    """`int64[B]`: the number of the twists `[B, P]` of seven corners."""
    totals = twists.sum(axis=1, dtype=np.int64) % 3
    numbers: NDArray[np.int64] = totals * SOLVABLE_TWISTS + twists[:, :-1].astype(np.int64) @ _POWERS_OF_3
    return numbers


def encode(states: Cube) -> NDArray[np.uint16]:
    """`uint16[B, 2]`: both numbers of plain states `[B, 14]`."""
    numbers = permutation_numbers(states[:, :PLACES]), twist_numbers(states[:, PLACES:])
    return np.column_stack(numbers).astype(np.uint16)


def decode(numbers: NDArray[np.uint16]) -> Cube:
    """The inverse of `encode`."""
    return np.concatenate([PERMUTATIONS[numbers[:, 0]], TWISTS[numbers[:, 1]]], axis=1)


def move_tables() -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """(`uint16[N, M]`, `uint16[T, M]`): the number that each move makes of each permutation, and of each twist."""
    permutation = [permutation_numbers(PERMUTATIONS[:, PERMUTATION[move]]) for move in range(len(MOVES))]
    twist = [twist_numbers((TWISTS[:, PERMUTATION[move]] + TWIST[move]) % 3) for move in range(len(MOVES))]
    return np.column_stack(permutation).astype(np.uint16), np.column_stack(twist).astype(np.uint16)
