"""The true distance of every cube, from a table that is made once and kept in the user's cache folder."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from pocket_cube.coordinates import SOLVABLE_TWISTS, decode, encode
from pocket_cube.kernels import CUBES, UNREACHED, spread, tables
from pocket_cube.rules import Cube
from puzzlelab.engine.table_cache import stored

FARTHEST = 11
"""The greatest distance ("God's number" of the pocket cube in the half-turn metric)."""


def make_table() -> NDArray[np.uint8]:
    """`uint8[3,674,160]`: every distance, by breadth-first search from the solved cube."""
    distance = np.full(CUBES, UNREACHED, np.uint8)
    spread(tables(), np.zeros(2, np.uint16), distance)
    return distance


@cache
def table() -> NDArray[np.uint8]:
    """The same, from the cache folder or made now."""
    return stored("pocket-cube-distances", make_table, np.uint8, (CUBES,))


def distances(states: Cube) -> NDArray[np.int64]:
    """`int64[B]`: the distances of plain states `[B, 14]` that can be solved."""
    numbers = encode(states).astype(np.int64)
    found: NDArray[np.int64] = table()[numbers[:, 0] * SOLVABLE_TWISTS + numbers[:, 1]].astype(np.int64)
    return found


def cubes_at(places: NDArray[np.int64]) -> Cube:
    """The plain states `[B, 14]` at these places of the table."""
    return decode(np.column_stack(np.divmod(places, SOLVABLE_TWISTS)).astype(np.uint16))
