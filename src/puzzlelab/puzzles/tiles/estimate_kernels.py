# mypy: allow-untyped-defs
"""The kernels of the simple lower bounds of sliding tiles: tiles out of place, and Manhattan distance.

They work on the states of `kernels`: the goal cell of each piece, so that they hold for every goal board.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels as names
from puzzlelab.engine.kernels import implements
from puzzlelab.puzzles.tiles.kernels import MultiTables, TilesTables, rules

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles


class MisplacedTables(NamedTuple):
    """The tables of the number of tiles that are not where they belong (Hamming distance)."""

    geometry: TilesTables


class ManhattanTables(NamedTuple):
    """The tables of the sum of the distances of all tiles from where they belong."""

    geometry: TilesTables | MultiTables
    distance: NDArray[np.uint8]
    """[N << bits]: steps from cell c to the goal cell of piece p at (p << bits) + c; 0 for the blank."""


class MultiManhattanTables(ManhattanTables):
    """The tables of the same sum where several tiles slide in one move."""


class SharedTables(NamedTuple):
    """The tables of the moves that the distances of the tiles along each axis need, if all moves slide as many tiles as
    a line has.
    """

    geometry: MultiTables
    distances: NDArray[np.uint8]
    """[2, N << bits]: as `ManhattanTables.distance`, of rows and of columns."""
    most: NDArray[np.int64]
    """[2]: the tiles that one move slides at most, along a column and along a row."""


def grid_distance(rows: int, columns: int) -> NDArray[np.int64]:
    """Return [N, N]: the steps between any two cells."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    steps: NDArray[np.int64] = np.abs(row[:, None] - row) + np.abs(column[:, None] - column)
    return steps


def flat(table: NDArray[np.uint8], bits: np.uint64) -> NDArray[np.uint8]:
    """Return `uint8[R << bits]` from `uint8[R, N]`: rows of 2^bits places, one after the other."""
    return np.pad(table, ((0, 0), (0, (1 << int(bits)) - table.shape[1]))).reshape(-1)


def reach(puzzle: Tiles, distance: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return `uint8[N, N]` from a distance of cells `[N, N]`: that of each piece from each cell to the nearest cell
    where it may lie in the end; 0 for the blank.
    """
    geometry = rules(puzzle).tables
    nearest = np.stack([distance[geometry.kinds == kind].min(axis=0) for kind in geometry.kinds])
    nearest[geometry.home] = 0
    return nearest.astype(np.uint8)


@cache
def misplaced(puzzle: Tiles) -> MisplacedTables:
    return MisplacedTables(rules(puzzle).tables)


@cache
def manhattan(puzzle: Tiles) -> ManhattanTables:
    geometry, distance = rules(puzzle).tables, grid_distance(puzzle.rows, puzzle.columns)
    table = flat(reach(puzzle, distance), geometry.bits)
    return (MultiManhattanTables if puzzle.is_multi else ManhattanTables)(geometry, table)


@cache
def shared(puzzle: Tiles) -> SharedTables:
    geometry, sizes = rules(puzzle).tables, (puzzle.rows, puzzle.columns)
    lines = np.divmod(np.arange(puzzle.cells), puzzle.columns)
    distances = [reach(puzzle, np.abs(line[:, None] - line)) for line in lines]
    return SharedTables(
        geometry, np.stack([flat(distance, geometry.bits) for distance in distances]), np.array(sizes) - 1
    )


@names.inlined
def by_turns(one, other):
    """Return the fewest moves with at least these numbers along each axis.

    Two moves along one axis are one multi-tile move, so that a shortest solution takes turns between the axes.
    """
    return max(one + other, 2 * max(one, other) - 1)


@names.inlined
def moving(geometry, state, move):
    """Return (piece, from, to) of the tile that `move` slides."""
    blank = state[np.uint64(state.size) - np.uint64(1)]
    source = geometry.steps[(np.uint64(blank) << np.uint64(2)) | np.uint64(move)]
    return state[source], source, blank


@implements(names.remember, MisplacedTables, ManhattanTables)
def _needs_no_memo(estimate, state, memo):
    return True


@implements(names.evaluate, MisplacedTables)
def _misplaced_begin(estimate, state, memo):
    total = 0
    for cell in range(state.size - 1):
        if is_away(estimate.geometry, state[cell], cell) and state[cell] != estimate.geometry.home:
            total += 1
    return total


@names.inlined
def is_away(geometry, piece, cell):
    """Tell whether the piece does not belong in this cell."""
    return geometry.kinds[piece] != geometry.kinds[cell]


@implements(names.evaluate_move, MisplacedTables)
def _misplaced_peek(estimate, state, move, value, memo, delta, most):
    piece, source, blank = moving(estimate.geometry, state, move)
    geometry = estimate.geometry
    return value + np.int64(is_away(geometry, piece, blank)) - np.int64(is_away(geometry, piece, source))


@implements(names.evaluate, ManhattanTables, MultiManhattanTables)
def manhattan_begin(estimate, state, memo):
    total = np.int64(0)
    for cell in range(state.size - 1):
        total += np.int64(estimate.distance[(np.uint64(state[cell]) << estimate.geometry.bits) | np.uint64(cell)])
    return total


@implements(names.evaluate_move, ManhattanTables)
def manhattan_peek(estimate, state, move, value, memo, delta, most):
    piece, source, blank = moving(estimate.geometry, state, move)
    row = np.uint64(piece) << estimate.geometry.bits
    value += np.int64(estimate.distance[row | np.uint64(blank)])
    return value - np.int64(estimate.distance[row | np.uint64(source)])


@implements(names.evaluate, SharedTables)
def _shared_begin(estimate, state, memo):
    steps = np.int64(0)
    for cell in range(state.size - 1):
        place = (np.uint64(state[cell]) << estimate.geometry.bits) | np.uint64(cell)
        steps += (np.int64(estimate.distances[0, place]) << 32) + np.int64(estimate.distances[1, place])
    rows, columns = steps >> 32, steps & np.int64(0xFFFFFFFF)
    return by_turns(-(-rows // estimate.most[0]), -(-columns // estimate.most[1]))
