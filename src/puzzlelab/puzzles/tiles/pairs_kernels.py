# mypy: allow-untyped-defs
"""The kernels of the learned estimate: Manhattan distance, and a weight for where each two tiles lie.

Shapes: N cells, E near cells of a cell, P near pairs of cells, W weights, B boards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels as names
from puzzlelab.engine.kernels import compiled, implements, inlined
from puzzlelab.puzzles.tiles.estimate_kernels import moving
from puzzlelab.puzzles.tiles.kernels import TilesTables

UNITS = 64
"""Weights are whole numbers of this part of a move, so that their sums do not depend on the order."""


class PairTables(NamedTuple):
    """The weights of all pairs of pieces in near cells; a piece that would be in two cells has 0."""

    geometry: TilesTables
    alone: NDArray[np.int16]
    """[N N]: the units of piece p in cell c, at N p + c: its Manhattan distance."""
    weights: NDArray[np.int16]
    """[N N, N N]: the units of piece p in cell c beside piece q in cell e, at (N p + c, N e + q)."""
    near: NDArray[np.int32]
    """[N, E]: the near cells of each cell; the cell itself, beside which nothing has a weight, fills the row."""
    offset: np.int64
    """What is added to every sum."""


@inlined
def beside(estimate, state, piece, cell):
    """Return the sum of the weights of a piece in a cell beside what lies in the near cells."""
    cells, total = np.int64(state.size - 1), np.int64(0)
    place = np.int64(piece) * cells + np.int64(cell)
    for i in range(estimate.near.shape[1]):
        other = np.int64(estimate.near[cell, i])
        total += np.int64(estimate.weights[place, other * cells + np.int64(state[other])])
    return total


@implements(names.evaluate, PairTables)
def evaluate(estimate, state, memo):
    cells, twice, total = np.int64(state.size - 1), np.int64(0), estimate.offset
    for cell in range(cells):
        twice += beside(estimate, state, state[cell], cell)
        total += np.int64(estimate.alone[np.int64(state[cell]) * cells + cell])
    return np.float64(total + twice // 2) / UNITS


@implements(names.evaluate_move, PairTables)
def evaluate_move(estimate, state, move, value, memo, delta, most):
    piece, source, blank = moving(estimate.geometry, state, move)
    home, cells = estimate.geometry.home, np.int64(state.size - 1)
    before, after = np.int64(piece) * cells + np.int64(source), np.int64(piece) * cells + np.int64(blank)
    change = np.int64(estimate.alone[after]) - np.int64(estimate.alone[before])
    change += beside(estimate, state, piece, blank) - beside(estimate, state, piece, source)
    change += beside(estimate, state, home, source) - beside(estimate, state, home, blank)
    # The tile and the blank beside each other: counted twice before the move, and not at all after it.
    change += np.int64(estimate.weights[before, np.int64(blank) * cells + np.int64(home)])
    change += np.int64(estimate.weights[after, np.int64(source) * cells + np.int64(home)])
    return value + np.float64(change) / UNITS


@implements(names.is_carried, PairTables)
def _needs_no_memo(estimate):
    return True


@compiled
def fit(parameters, squares, places, cells, states, targets, order, rate):
    """Fit the weights to `targets: float32[B]` in this order of the boards; return the mean squared error before.

    One step of gradient descent a board (AdaGrad: Duchi, Hazan and Singer, 2011): `parameters: float32[W]`, with the
    sums of their squared gradients `squares`. What two pieces in a near pair of `cells: int64[P, 2]` add is the sum of
    the K parameters at `places: int32[P, N N, K]`, of which number 0 stays 0. With a rate of 0 nothing changes.
    """
    size, error = states.shape[1] - 1, 0.0
    for board in order:
        total = np.float32(0)
        for pair in range(cells.shape[0]):
            first, second = np.int64(states[board, cells[pair, 0]]), np.int64(states[board, cells[pair, 1]])
            for k in range(places.shape[2]):
                total += parameters[places[pair, first * size + second, k]]
        miss = targets[board] - total
        error += np.float64(miss) * np.float64(miss)
        if rate == 0:
            continue
        for pair in range(cells.shape[0]):
            first, second = np.int64(states[board, cells[pair, 0]]), np.int64(states[board, cells[pair, 1]])
            for k in range(places.shape[2]):
                at = places[pair, first * size + second, k]
                if at > 0:
                    squares[at] += miss * miss
                    parameters[at] += rate * miss / np.sqrt(squares[at])
    return error / order.size
