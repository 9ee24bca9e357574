"""The lower bounds of sliding tiles by name, and the simple ones: tiles out of place, and Manhattan distance.

All work on the states of `kernels`: the goal cell of each piece, so that they hold for every goal board.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core import kernels as names
from puzzlelab.core.errors import UnknownName
from puzzlelab.core.kernels import implements
from puzzlelab.core.puzzle import Estimate
from puzzlelab.puzzles.tiles.kernels import TilesTables

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles


class MisplacedTables(NamedTuple):
    """Tiles that are not where they belong (Hamming distance)."""

    geometry: TilesTables


class ManhattanTables(NamedTuple):
    """Sum of the distances of all tiles from where they belong."""

    geometry: TilesTables
    distance: NDArray[np.uint8]
    """[64 N]: steps from cell c to the goal cell of piece p at 64 p + c; 0 for the blank."""


def grid_distance(rows: int, columns: int) -> NDArray[np.int64]:
    """[N, N]: steps between any two cells."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    steps: NDArray[np.int64] = np.abs(row[:, None] - row) + np.abs(column[:, None] - column)
    return steps


def flat(table: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """`uint8[64 R]` from `uint8[R, N]`: rows of 64 places, one after the other."""
    return np.pad(table, ((0, 0), (0, 64 - table.shape[1]))).reshape(-1)


@cache
def misplaced(puzzle: Tiles) -> MisplacedTables:
    return MisplacedTables(puzzle.kernel().tables)


@cache
def manhattan(puzzle: Tiles) -> ManhattanTables:
    geometry = puzzle.kernel().tables
    distance = grid_distance(puzzle.rows, puzzle.columns).astype(np.uint8)
    distance[geometry.home] = 0
    return ManhattanTables(geometry, flat(distance))


@names.inlined
def moving(geometry, state, move):
    """(piece, from, to) of the tile that `move` slides."""
    blank = state[np.uint64(state.size) - np.uint64(1)]
    source = geometry.steps[(np.uint64(blank) << np.uint64(2)) | np.uint64(move)]
    return state[source], source, blank


@implements(names.incremental, MisplacedTables)
def _misplaced_incremental(estimate):
    return True


@implements(names.begin, MisplacedTables)
def _misplaced_begin(estimate, state, memo):
    total = 0
    for cell in range(state.size - 1):
        if state[cell] != cell and state[cell] != estimate.geometry.home:
            total += 1
    return total


@implements(names.peek, MisplacedTables)
def _misplaced_peek(estimate, state, move, value, memo, delta, most):
    piece, source, blank = moving(estimate.geometry, state, move)
    return value + np.int64(piece != blank) - np.int64(piece != source)


@implements(names.incremental, ManhattanTables)
def _manhattan_incremental(estimate):
    return True


@implements(names.begin, ManhattanTables)
def manhattan_begin(estimate, state, memo):
    total = np.int64(0)
    for cell in range(state.size - 1):
        total += np.int64(estimate.distance[(np.uint64(state[cell]) << np.uint64(6)) | np.uint64(cell)])
    return total


@implements(names.peek, ManhattanTables)
def manhattan_peek(estimate, state, move, value, memo, delta, most):
    piece, source, blank = moving(estimate.geometry, state, move)
    row = np.uint64(piece) << np.uint64(6)
    value += np.int64(estimate.distance[row | np.uint64(blank)])
    return value - np.int64(estimate.distance[row | np.uint64(source)])


def _simple(kernel: Callable[[Tiles], object]) -> Callable[[Tiles, str], Estimate]:
    def make_simple(puzzle: Tiles, name: str) -> Estimate:
        return Estimate(name, admissible=True, kernel=lambda: kernel(puzzle))

    return make_simple


def _elsewhere(module: str) -> Callable[[Tiles, str], Estimate]:
    def make_elsewhere(puzzle: Tiles, name: str) -> Estimate:
        found: Estimate = import_module(f"puzzlelab.puzzles.tiles.{module}").estimate(puzzle, name)
        return found

    return make_elsewhere


CATALOGUE: Mapping[str, tuple[str, Callable[[Tiles, str], Estimate], Callable[[Tiles], bool]]] = {
    "misplaced": ("tiles that are not where they belong", _simple(misplaced), lambda puzzle: True),
    "manhattan": ("distances of all tiles from where they belong", _simple(manhattan), lambda puzzle: True),
    "conflicts": (
        "Manhattan distance, and 2 for each tile that must leave its line to let others pass",
        _elsewhere("conflicts"),
        lambda puzzle: True,
    ),
    "walking": (
        "walking distance: rows and columns each as a puzzle of their own",
        _elsewhere("walking"),
        lambda puzzle: max(puzzle.rows, puzzle.columns) <= 4,
    ),
    "pdb": (
        "the usual additive pattern database of this size; also pdb-663, pdb-78, pdb-6666, or pdb:1,2,3/4,5,6/7,8",
        _elsewhere("pattern"),
        lambda puzzle: puzzle.cells <= 36,
    ),
    "exact": (
        "the true distance, from a table of all states",
        _elsewhere("distances"),
        lambda puzzle: puzzle.cells <= 10,
    ),
}
"""Name -> (what it is, how it is made, which boards have it)."""


def offered(puzzle: Tiles) -> Mapping[str, str]:
    """The estimates of this board, each with a sentence."""
    return {name: about for name, (about, _, suits) in CATALOGUE.items() if suits(puzzle)}


def usual(puzzle: Tiles) -> str:
    """The estimate that is used when nobody names one."""
    if puzzle.cells <= 10 or puzzle.cells > 25:
        return "conflicts"
    return "pdb"


def make(puzzle: Tiles, name: str | None) -> Estimate:
    """The estimate of this name, or the usual one; raises `UnknownName`."""
    name = name or usual(puzzle)
    base = "pdb" if name.startswith(("pdb:", "pdb-")) else name
    known = offered(puzzle)
    if base not in known:
        raise UnknownName(f"estimate of {puzzle.name}", name, known)
    return CATALOGUE[base][1](puzzle, name)
