"""The rules for many cubes at once, in NumPy: searches are many times as fast by them as by the plain rules.

Shapes: B = cubes, M = 9 moves, P = 7 places.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pocket_cube.notation import SOLVED
from pocket_cube.rules import MOVES, PERMUTATION, PLACES, TWIST, Cube, PocketCube
from puzzlelab.core.views import BatchRules


def rules(puzzle: PocketCube) -> BatchRules:
    """The view `BatchRules` of the pocket cube."""
    return BatchRules(legal, apply, solved)


def legal(states: Cube) -> NDArray[np.bool_]:
    """`bool[B, 9]`."""
    return np.ones((len(states), len(MOVES)), bool)


def apply(states: Cube, moves: NDArray[np.int64]) -> Cube:
    """The cubes `[B, 14]` after one move each."""
    sources = PERMUTATION[moves]
    after = np.empty_like(states)
    after[:, :PLACES] = np.take_along_axis(states, sources, 1)
    after[:, PLACES:] = (np.take_along_axis(states, PLACES + sources, 1) + TWIST[moves]) % 3
    return after


def solved(states: Cube) -> NDArray[np.bool_]:
    """`bool[B]`."""
    return (states == SOLVED).all(axis=1)
