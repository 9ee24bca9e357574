# mypy: allow-untyped-defs
"""The perfect table of small boards: the true distance of every solvable state, by breadth-first search over ranks.

A state's place in the table is the rank of its permutation among all N! (mixed radix, a digit a cell); half of the
places belong to unsolvable states and hold `UNREACHED`. 3x3: 181,440 states, the farthest at 31.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Estimate
from puzzlelab.engine import kernels as names
from puzzlelab.engine.kernels import compiled, implements, inlined
from puzzlelab.puzzles.tiles.kernels import MultiTables, TilesTables, rules

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles

UNREACHED = 255


class DistanceTables(NamedTuple):
    """The true distance by rank."""

    geometry: TilesTables | MultiTables
    distance: NDArray[np.uint8]
    """[N!]."""


@inlined
def rank(state):
    """Return the lexicographic rank of a working state: each digit counts the smaller pieces not yet seen."""
    cells = state.size - 1
    seen = np.uint64(0)
    number = np.int64(0)
    for cell in range(cells):
        piece = np.uint64(state[cell])
        smaller = seen & ((np.uint64(1) << piece) - np.uint64(1))
        count = np.int64(0)
        while smaller != np.uint64(0):
            smaller &= smaller - np.uint64(1)
            count += 1
        number = number * (cells - cell) + np.int64(piece) - count
        seen |= np.uint64(1) << piece
    return number


@compiled
def unrank(number, state, digits, home):
    """Write the state of this rank, the inverse of `rank`; `digits: int64[N]` is room to work in."""
    cells = state.size - 1
    # The digits of the rank in mixed radix, the last cell first.
    for cell in range(cells - 1, -1, -1):
        digits[cell] = number % (cells - cell)
        number //= cells - cell
    seen = np.uint64(0)
    # Each digit counts the smaller pieces that are left: take the piece with this number of them before it.
    for cell in range(cells):
        piece, remaining = 0, digits[cell]
        while remaining > 0 or (seen >> np.uint64(piece)) & np.uint64(1):
            if not (seen >> np.uint64(piece)) & np.uint64(1):
                remaining -= 1
            piece += 1
        state[cell] = piece
        seen |= np.uint64(1) << np.uint64(piece)
        if piece == home:
            state[cells] = cell


@compiled
def unrank_all(numbers, states, digits, home):
    """Write the states of many ranks into `states: uint8[B, N + 1]`."""
    for i in range(numbers.size):
        unrank(numbers[i], states[i], digits, home)


@compiled
def rank_of(state):
    """Rank a working state for callers in Python."""
    return rank(state)


@compiled
def distances_of(states, distance, found):
    """Look up the distances of `states: uint8[B, N + 1]` in the table, into `found: int64[B]`."""
    for i in range(len(states)):
        found[i] = distance[rank(states[i])]


@compiled
def search_breadth_first(tables, frontier, following, child, distance):
    """Search all states from the goal; `frontier` and `following` are `uint8[N!/2, N + 1]`. Returns the depth."""
    cells = frontier.shape[1] - 1
    for cell in range(cells):
        frontier[0, cell] = cell
    frontier[0, cells] = tables.home
    distance[rank(frontier[0])] = 0
    # Level by level; the table itself says which states were reached before.
    count, depth = 1, 0
    while count > 0:
        found = 0
        for i in range(count):
            blank = frontier[i, cells]
            for j in range(tables.counts[blank]):
                names.apply(tables, frontier[i], tables.moves[blank, j], child)
                place = rank(child)
                if distance[place] == UNREACHED:
                    distance[place] = depth + 1
                    names.copy(child, following[found])
                    found += 1
        frontier, following, count = following, frontier, found
        depth += 1
    return depth - 1


@implements(names.evaluate, DistanceTables)
def evaluate(estimate, state, memo):
    return np.int64(estimate.distance[rank(state)])


def table(tables: TilesTables | MultiTables, cells: int) -> NDArray[np.uint8]:
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


def estimate_of(puzzle: Tiles, name: str) -> Estimate:
    """Return the estimate by its name."""
    return Estimate(name, admissible=True, kernel=lambda: distances(puzzle), unsolvable=UNREACHED)
