# mypy: allow-untyped-defs
"""Walking distance: how far the rows are from being sorted, as a puzzle of their own, and likewise the columns.

Forget the columns: what is left is how many tiles of each goal row lie in each row, and where the blank is. The least
moves that sort this are found for all such tables once. Vertical and horizontal moves add up.
Source: K. Takahashi (2002).

Where several tiles slide in one move, the tables are the same, and a move passes several of them: one for each tile.
Two moves along one axis are one move, so that a shortest solution takes turns between the axes: it has at most one move
more of one axis than of the other.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Estimate
from puzzlelab.engine import kernels as names
from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.engine.table_cache import stored
from puzzlelab.puzzles.tiles.estimate_kernels import by_turns, flat, moving
from puzzlelab.puzzles.tiles.kernels import MultiTables, TilesTables, rules

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles


class WalkingTables(NamedTuple):
    """The tables of the walking distance. Axis 0 is the rows (vertical moves), axis 1 the columns. Q = states of one
    axis; those of axis 1 count from Q.
    """

    geometry: TilesTables | MultiTables
    links: NDArray[np.uint16]
    """[2 Q 8]: the state that follows state q when a tile with goal line l moves into the blank, at 8 q + 4 s + l;
    s is 0 if the tile comes from the line after the blank's, 1 if from the line before it."""
    distance: NDArray[np.uint8]
    """[2 Q]: moves that sort the axis."""
    lines: NDArray[np.uint8]
    """[2 << bits]: the row, then the column, of each cell."""
    codes: NDArray[np.int64]
    """[2, Q]: each state's code, sorted; `places[axis, i]` is the state whose code is `codes[axis, i]`."""
    places: NDArray[np.uint16]
    counts: NDArray[np.int64]
    """[2]: rows, columns."""


class MultiWalkingTables(WalkingTables):
    """The tables of the walking distance where several tiles slide in one move."""


@inlined
def line_of(estimate, axis, cell):
    """Return the row or the column of a cell."""
    return np.int64(estimate.lines[(np.uint64(axis) << estimate.geometry.bits) | np.uint64(cell)])


@implements(names.evaluate, WalkingTables)
def evaluate(estimate, state, memo):
    total = np.int64(0)
    # Each axis is a puzzle of its own: code its table of counts, find it among the sorted codes, add its distance.
    for axis in range(2):
        lines = estimate.counts[axis]
        code = np.int64(0)
        for cell in range(state.size - 1):
            line = line_of(estimate, axis, cell)
            if state[cell] == estimate.geometry.home:
                code += line
            else:
                goal = line_of(estimate, axis, state[cell])
                code += np.int64(1) << (2 + 3 * (line * lines + goal))
        low, high = 0, estimate.codes.shape[1] - 1
        while low < high:
            middle = (low + high) // 2
            if estimate.codes[axis, middle] < code:
                low = middle + 1
            else:
                high = middle
        memo[axis] = estimate.places[axis, low]
        total += np.int64(estimate.distance[memo[axis]])
    return total


@implements(names.evaluate_move, WalkingTables)
def evaluate_move(estimate, state, move, value, memo, delta, most):
    # A vertical move changes the table of the rows alone, a horizontal one that of the columns.
    piece, source, blank = moving(estimate.geometry, state, move)
    axis = np.uint64(move) >> np.uint64(1)
    old = np.uint64(memo[axis])
    side = np.uint64(source < blank)
    line = np.uint64(line_of(estimate, axis, piece))
    new = np.uint64(estimate.links[(old << np.uint64(3)) | (side << np.uint64(2)) | line])
    delta[0] = np.int64(axis)
    delta[1] = np.int64(new)
    return value + np.int64(estimate.distance[new]) - np.int64(estimate.distance[old])


@implements(names.evaluate, MultiWalkingTables)
def evaluate_multi(estimate, state, memo):
    evaluate(estimate, state, memo)
    return by_turns(np.int64(estimate.distance[memo[0]]), np.int64(estimate.distance[memo[1]]))


@implements(names.evaluate_move, MultiWalkingTables)
def evaluate_move_multi(estimate, state, move, value, memo, delta, most):
    stride = estimate.geometry.strides[move]
    axis, side = np.int64(abs(stride) == 1), np.int64(stride < 0)
    cell, new = np.int64(state[state.size - 1]), memo[axis]
    for _ in range(estimate.geometry.tiles[move]):
        cell += stride
        new = np.int64(estimate.links[8 * new + 4 * side + line_of(estimate, axis, state[cell])])
    delta[0], delta[1] = axis, new
    return by_turns(np.int64(estimate.distance[new]), np.int64(estimate.distance[memo[1 - axis]]))


@implements(names.swap_delta, WalkingTables, MultiWalkingTables)
def swap_delta(estimate, memo, delta):
    axis = np.uint64(delta[0])
    memo[axis], delta[1] = delta[1], memo[axis]


Counts = tuple[tuple[int, ...], ...]


def code_of(counts: Counts, blank: int) -> int:
    """Return a number for how many tiles of each goal line lie in each line, and the blank's line."""
    digits = [count for line in counts for count in line]
    return blank + sum(count << (2 + 3 * place) for place, count in enumerate(digits))


def _moved(counts: Counts, blank: int, side: int, goal: int) -> tuple[Counts, int] | None:
    """Return the counts after a tile with this goal line moves into the blank's line from its neighbour."""
    source = blank + (1 if side == 0 else -1)
    if not 0 <= source < len(counts) or counts[source][goal] == 0:
        return None
    lines = [list(line) for line in counts]
    lines[source][goal] -= 1
    lines[blank][goal] += 1
    return tuple(tuple(line) for line in lines), source


def walk(lines: int, across: int, home: int, metric: str = "single") -> NDArray[np.int64]:
    """Return `int64[Q, 10]`: code, distance and the eight links of every state of one axis, by breadth-first search."""
    goal = tuple(tuple((across - (j == home)) * (i == j) for j in range(lines)) for i in range(lines))
    order = [(goal, home)]
    index, distance = {(goal, home): 0}, [0]
    links: list[list[int]] = []
    for place, (counts, blank) in enumerate(order):
        links.append([-1] * 8)
        for link in range(2 * lines):
            side, line = divmod(link, lines)
            child = _moved(counts, blank, side, line)
            if child is None:
                continue
            if child not in index:
                index[child] = len(order)
                order.append(child)
                distance.append(distance[place] + 1)
            links[place][4 * side + line] = index[child]
    codes = [code_of(*state) for state in order]
    distances = np.array(distance) if metric == "single" else _multi_distances(np.array(links), lines)
    return np.column_stack([codes, distances, np.maximum(links, 0)]).astype(np.int64)


def _multi_distances(links: NDArray[np.int64], lines: int) -> NDArray[np.int64]:
    """Return `int64[Q]`: the distances where a move follows up to `lines` - 1 links of one side, from state 0 on."""
    distances = np.full(len(links), -1)
    distances[0], depth, frontier = 0, 0, np.zeros(1, np.int64)
    while frontier.size:
        depth += 1
        for side in range(2):
            passed = frontier
            for _ in range(lines - 1):
                passed = np.unique(links[passed, 4 * side : 4 * side + 4])
                passed = passed[passed >= 0]
                distances[passed[distances[passed] < 0]] = depth
        frontier = np.flatnonzero(distances == depth)
    return distances


@cache
def walking(puzzle: Tiles) -> WalkingTables:
    """Return the tables of the estimate, from the user's cache folder or built now."""
    geometry = rules(puzzle).tables
    home = divmod(int(geometry.home), puzzle.columns)
    sizes = ((puzzle.rows, puzzle.columns, home[0]), (puzzle.columns, puzzle.rows, home[1]))
    name = "walking-{}x{}-{}" + "-multi" * puzzle.is_multi
    walks = [stored(name.format(*size), partial(walk, *size, puzzle.moves), np.int64, (None, 10)) for size in sizes]
    most = max(len(found) for found in walks)
    table = np.stack([np.pad(found, ((0, most - len(found)), (0, 0)), mode="edge") for found in walks])
    places = np.argsort(table[:, :, 0], axis=1, kind="stable")
    begins = np.array([[0], [most]])
    return (MultiWalkingTables if puzzle.is_multi else WalkingTables)(
        geometry,
        (table[:, :, 2:] + begins[:, :, None]).astype(np.uint16).reshape(-1),
        table[:, :, 1].astype(np.uint8).reshape(-1),
        flat(np.stack(np.divmod(np.arange(puzzle.cells), puzzle.columns)).astype(np.uint8), geometry.bits),
        np.ascontiguousarray(np.take_along_axis(table[:, :, 0], places, axis=1)),
        (places + begins).astype(np.uint16),
        np.array([puzzle.rows, puzzle.columns], np.int64),
    )


def estimate_of(puzzle: Tiles, name: str) -> Estimate:
    """Return the estimate by its name."""
    return Estimate(name, admissible=True, kernel=lambda: walking(puzzle), memo=2)
