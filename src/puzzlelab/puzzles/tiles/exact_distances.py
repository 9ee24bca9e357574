"""The perfect table of small boards: the true distance of every solvable state, by breadth-first search over ranks.

A state's place in the table is the rank of its permutation among all N! (mixed radix, a digit a cell); half of the
places belong to unsolvable states and hold `UNREACHED`. 3x3: 181,440 states, the farthest at 31.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Estimate
from puzzlelab.puzzles.tiles.exact_distances_kernels import UNREACHED, DistanceTables, search_breadth_first
from puzzlelab.puzzles.tiles.kernels import TilesTables, rules

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles


def table(tables: TilesTables, cells: int) -> NDArray[np.uint8]:
    """Return `uint8[N!]`: every distance; O(N! N) time and memory."""
    size = int(np.prod(np.arange(1, cells + 1)))
    distance = np.full(size, UNREACHED, np.uint8)
    widest = max(16, size // 10)
    layers = np.empty((2, widest, cells + 1), np.uint8)
    search_breadth_first(tables, layers[0], layers[1], np.empty(cells + 1, np.uint8), distance)
    return distance


@cache
def distances(puzzle: Tiles) -> DistanceTables:
    """Return the table of this board, which is built the first time."""
    geometry = rules(puzzle).tables
    return DistanceTables(geometry, table(geometry, puzzle.cells))


def states_at(puzzle: Tiles, distance: int) -> NDArray[np.int64]:
    """Return the ranks of all states at this true distance."""
    return np.flatnonzero(distances(puzzle).distance == distance)


def estimate(puzzle: Tiles, name: str) -> Estimate:
    """Return the estimate by its name."""
    return Estimate(name, admissible=True, kernel=lambda: distances(puzzle), unsolvable=UNREACHED)
