"""The lower bounds of the moves that remain, by name.

Each has two forms: tables for the compiled searches, and a function of plain states for the puzzle without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from pocket_cube.coordinates import encode, move_tables
from puzzlelab import Estimate, UnknownName

if TYPE_CHECKING:
    from pocket_cube.kernels import BoundTables, DistanceTables
    from pocket_cube.rules import Cube, PocketCube

DEFAULT = "corners"


@dataclass(frozen=True)
class CubeEstimates:
    """The view `Estimates` of the pocket cube."""

    puzzle: PocketCube
    estimates: ClassVar[Mapping[str, str]] = {
        "corners": "the larger of the next two",
        "permutation": "moves that bring every corner to its place, twisted or not",
        "twists": "moves that untwist every corner, at its place or not",
        "exact": "the true distance, from a table of all 3,674,160 cubes",
    }

    def estimate(self, name: str | None = None) -> Estimate:
        """The estimate of this name, or the default one; raises `UnknownName`."""
        name = name or DEFAULT
        if name not in self.estimates:
            raise UnknownName(f"estimate of {self.puzzle.name}", name, self.estimates)
        if self.puzzle.rules == "compiled":
            return Estimate(name, admissible=True, kernel=lambda: _tables(name), is_cheap=name == "corners")
        return Estimate(name, admissible=True, scores=lambda states: _scores(name, states))


def _tables(name: str) -> BoundTables | DistanceTables:
    """The tables of a compiled estimate."""
    from pocket_cube import kernels

    if name == "exact":
        from pocket_cube.distances import table

        return kernels.DistanceTables(kernels.tables(), table())
    return kernels.BoundTables(kernels.tables(), *_bounds(name))


def _scores(name: str, states: Cube) -> NDArray[np.int64]:
    """`int64[B]`: the estimates of plain states `[B, 14]`."""
    if name == "exact":
        from pocket_cube.distances import distances

        return distances(states)
    permutation, twist = _bounds(name)
    numbers = encode(states)
    larger: NDArray[np.int64] = np.maximum(permutation[numbers[:, 0]], twist[numbers[:, 1]]).astype(np.int64)
    return larger


@cache
def _bounds(name: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """(`uint8[N]`, `uint8[T]`): the bounds by permutation and by twists; zeros for the one that is not wanted."""
    permutation, twist = (_levels(after) for after in move_tables())
    return permutation * np.uint8(name != "twists"), twist * np.uint8(name != "permutation")


def _levels(after: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """`uint8[K]`: the distance of each number from 0 by the moves `after: uint16[K, M]`; 0 for what is not reached."""
    distance, frontier, depth = np.full(len(after), -1), np.array([0]), 0
    while frontier.size:
        distance[frontier], depth = depth, depth + 1
        following = np.unique(after[frontier])
        frontier = following[distance[following] < 0]
    levels: NDArray[np.uint8] = np.maximum(distance, 0).astype(np.uint8)
    return levels
