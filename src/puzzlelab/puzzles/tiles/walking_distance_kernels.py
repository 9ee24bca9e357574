# mypy: allow-untyped-defs
"""The kernels of walking distance: the estimate of a state, and its change by a move; `walking_distance` tells why."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels as names
from puzzlelab.engine.kernels import implements
from puzzlelab.puzzles.tiles.estimate_kernels import moving
from puzzlelab.puzzles.tiles.kernels import TilesTables


class WalkingTables(NamedTuple):
    """The tables of the walking distance. Axis 0 is the rows (vertical moves), axis 1 the columns. Q = states of one
    axis; those of axis 1 count from Q.
    """

    geometry: TilesTables
    links: NDArray[np.uint16]
    """[2 Q 8]: the state that follows state q when a tile with goal line l moves into the blank, at 8 q + 4 s + l;
    s is 0 if the tile comes from the line after the blank's, 1 if from the line before it."""
    distance: NDArray[np.uint8]
    """[2 Q]: moves that sort the axis."""
    lines: NDArray[np.uint8]
    """[2 * 64]: the row, then the column, of each cell."""
    codes: NDArray[np.int64]
    """[2, Q]: each state's code, sorted; `places[axis, i]` is the state whose code is `codes[axis, i]`."""
    places: NDArray[np.uint16]
    counts: NDArray[np.int64]
    """[2]: rows, columns."""


@implements(names.evaluate, WalkingTables)
def evaluate(estimate, state, memo):
    total = np.int64(0)
    # Each axis is a puzzle of its own: code its table of counts, find it among the sorted codes, add its distance.
    for axis in range(2):
        lines = estimate.counts[axis]
        code = np.int64(0)
        for cell in range(state.size - 1):
            line = np.int64(estimate.lines[64 * axis + cell])
            if state[cell] == estimate.geometry.home:
                code += line
            else:
                goal = np.int64(estimate.lines[64 * axis + np.int64(state[cell])])
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
    piece, _, _ = moving(estimate.geometry, state, move)
    axis = np.uint64(move) >> np.uint64(1)
    old = np.uint64(memo[axis])
    side = np.uint64(move) & np.uint64(1)
    line = np.uint64(estimate.lines[(axis << np.uint64(6)) | np.uint64(piece)])
    new = np.uint64(estimate.links[(old << np.uint64(3)) | (side << np.uint64(2)) | line])
    delta[0] = np.int64(axis)
    delta[1] = np.int64(new)
    return value + np.int64(estimate.distance[new]) - np.int64(estimate.distance[old])


@implements(names.swap_delta, WalkingTables)
def swap_delta(estimate, memo, delta):
    axis = np.uint64(delta[0])
    memo[axis], delta[1] = delta[1], memo[axis]
