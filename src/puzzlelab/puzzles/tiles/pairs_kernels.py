# mypy: allow-untyped-defs
"""The kernels of the learned estimate: Manhattan distance, and weights for where each two and three tiles lie.

Shapes: N cells, E near cells of a cell, P near pairs of cells, T trios of a piece, G trios of the board, W parameters,
B boards.
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

SCALE = 0.001
"""The part of squared errors in what is learned, beside the order of states."""


class PairTables(NamedTuple):
    """The weights of all pairs of pieces in near cells, and of all trios; a piece that would be in two cells has 0."""

    geometry: TilesTables
    alone: NDArray[np.int16]
    """[N N]: the units of piece p in cell c, at N p + c: its Manhattan distance."""
    weights: NDArray[np.int16]
    """[N E N N]: the units of piece p in cell c beside piece q in near cell e of it, at N (N (E c + e) + p) + q."""
    near: NDArray[np.int32]
    """[N, E]: the near cells of each cell; the cell itself, beside which nothing has a weight, fills the row."""
    facing: NDArray[np.int64]
    """[4 N]: E c + e of the near cell whose tile slides into the blank in cell c, for each move."""
    counts: NDArray[np.int64]
    """[N]: the trios of each piece."""
    most: np.uint64
    """T: the most of them."""
    partners: NDArray[np.uint8]
    """[2 N T]: the two other pieces of trio t of piece p, at 2 (T p + t)."""
    codes: NDArray[np.int16]
    """[3 N N T]: what cell c of the piece and of its two partners adds to the place of their trio in `trios`, at
    3 N (T p + t), N further, and 2 N further, each plus c."""
    trios: NDArray[np.int16]
    """The units of where the three pieces of a trio lie."""
    offset: np.int64
    """What is added to every sum."""


@inlined
def row_of(estimate, cell, number, piece, cells):
    """Return where the weights of a piece in a cell begin, beside what lies in the near cell of this number."""
    at = np.uint64(cell) * np.uint64(estimate.near.shape[1]) + np.uint64(number)
    return (at * cells + np.uint64(piece)) * cells


@inlined
def beside(estimate, state, piece, cell):
    """Return the sum of the weights of a piece in a cell beside what lies in the near cells."""
    cells, total = np.uint64(state.size - 1), np.int64(0)
    for i in range(estimate.near.shape[1]):
        other = np.uint64(state[np.uint64(estimate.near[np.uint64(cell), np.uint64(i)])])
        total += np.int64(estimate.weights[row_of(estimate, cell, i, piece, cells) + other])
    return total


@inlined
def exchanged(estimate, state, piece, instead, cell):
    """Return `beside` of a piece in a cell less that of another piece in it."""
    cells, total = np.uint64(state.size - 1), np.int64(0)
    for i in range(estimate.near.shape[1]):
        other = np.uint64(state[np.uint64(estimate.near[np.uint64(cell), np.uint64(i)])])
        total += np.int64(estimate.weights[row_of(estimate, cell, i, piece, cells) + other])
        total -= np.int64(estimate.weights[row_of(estimate, cell, i, instead, cells) + other])
    return total


@inlined
def place_beside(estimate, number, cells, memo):
    """Return what the partners of a piece add to the place of its trio of this number."""
    codes, partners, first = estimate.codes, estimate.partners, np.uint64(3) * cells * number
    one = np.uint64(memo[partners[np.uint64(2) * number]])
    two = np.uint64(memo[partners[np.uint64(2) * number + np.uint64(1)]])
    return np.int64(codes[first + cells + one]) + np.int64(codes[first + np.uint64(2) * cells + two])


@inlined
def trio(estimate, number, cells, cell, place):
    """Return the weight of a piece in a cell in its trio of this number, whose partners add `place`."""
    own = np.int64(estimate.codes[np.uint64(3) * cells * number + np.uint64(cell)])
    return np.int64(estimate.trios[np.uint64(place + own)])


@implements(names.remember, PairTables)
def _remember_cells(estimate, state, memo):
    for cell in range(state.size - 1):
        memo[state[cell]] = cell
    return True


@implements(names.evaluate, PairTables)
def evaluate(estimate, state, memo):
    cells, twice, thrice, total = np.int64(state.size - 1), np.int64(0), np.int64(0), estimate.offset
    names.remember(estimate, state, memo)
    for cell in range(cells):
        piece = np.int64(state[cell])
        total += np.int64(estimate.alone[piece * cells + cell])
        twice += beside(estimate, state, piece, cell)
        first, size = np.uint64(piece) * estimate.most, np.uint64(cells)
        for i in range(estimate.counts[piece]):
            number = first + np.uint64(i)
            thrice += trio(estimate, number, size, cell, place_beside(estimate, number, size, memo))
    return np.float64(total + twice // 2 + thrice // 3) / UNITS


@implements(names.evaluate_move, PairTables)
def evaluate_move(estimate, state, move, value, memo, delta, most):
    piece, source, blank = moving(estimate.geometry, state, move)
    home, cells = estimate.geometry.home, np.int64(state.size - 1)
    before, after = np.int64(piece) * cells + np.int64(source), np.int64(piece) * cells + np.int64(blank)
    change = np.int64(estimate.alone[after]) - np.int64(estimate.alone[before])
    change += exchanged(estimate, state, piece, home, blank) - exchanged(estimate, state, piece, home, source)
    # The tile and the blank beside each other: counted twice before the move, and not at all after it.
    facing = estimate.facing[(np.uint64(blank) << np.uint64(2)) | np.uint64(move)] * cells
    change += np.int64(estimate.weights[np.uint64((facing + np.int64(home)) * cells + np.int64(piece))])
    change += np.int64(estimate.weights[np.uint64((facing + np.int64(piece)) * cells + np.int64(home))])
    first, size = np.uint64(piece) * estimate.most, np.uint64(cells)
    for i in range(estimate.counts[piece]):
        number = first + np.uint64(i)
        place = place_beside(estimate, number, size, memo)
        change += trio(estimate, number, size, blank, place) - trio(estimate, number, size, source, place)
    delta[0], delta[1], delta[2], delta[3] = piece, blank, home, source
    return value + np.float64(change) / UNITS


@implements(names.swap_delta, PairTables)
def swap_delta(estimate, memo, delta):
    for i in (1, 3):
        piece = delta[i - 1]
        memo[piece], delta[i] = delta[i], memo[piece]


class Features(NamedTuple):
    """The parameters that an estimate is the sum of, for `fit`."""

    distance: NDArray[np.float32]
    """[N, N]: the moves of each piece from each cell to its goal cell."""
    cells: NDArray[np.int64]
    """[P, 2]."""
    pairs: NDArray[np.int32]
    """[P, N N, K]: the numbers of the parameters of the pieces p and q in each pair of near cells, at N p + q."""
    pieces: NDArray[np.uint8]
    """[G, 3]."""
    codes: NDArray[np.int16]
    """[G, 3, N]: what the cells of a trio's pieces add to its place in `trios`."""
    trios: NDArray[np.int32]
    """The number of the parameter of each place."""


@inlined
def estimate_by(parameters, features, state, memo, numbers):
    """Return the estimate of a working state by `parameters: float32[W]`, of which the last one is always added.

    Their numbers are written into `numbers: int32[P K + G]`; `memo: int64[N]` is scratch.
    """
    size, parts, total = np.int64(state.size - 1), features.pairs.shape[2], parameters[-1]
    for cell in range(size):
        total += features.distance[state[cell], cell]
        memo[state[cell]] = cell
    count = 0
    for pair in range(features.cells.shape[0]):
        first, second = features.cells[pair, 0], features.cells[pair, 1]
        both = np.int64(state[first]) * size + np.int64(state[second])
        for part in range(parts):
            numbers[count] = features.pairs[pair, both, part]
            count += 1
    for i in range(features.pieces.shape[0]):
        place = np.int64(0)
        for j in range(3):
            place += np.int64(features.codes[i, j, memo[features.pieces[i, j]]])
        numbers[count] = features.trios[place]
        count += 1
    for i in range(count):
        total += parameters[numbers[i]]
    return total


@inlined
def descend(parameters, squares, number, slope, rate):
    """Make a step of gradient descent with a parameter (AdaGrad: Duchi, Hazan and Singer, 2011); number 0 stays 0."""
    if number != 0:
        squares[number] += slope * slope
        parameters[number] -= rate * slope / np.sqrt(squares[number])


@compiled
def fit(parameters, squares, features, states, rivals, left, order, rate, memo, numbers):
    """Learn that `states: uint8[L, S]` rank before their `rivals: uint8[L, R, S]`; return the mean loss before.

    `order: int64[T]` has numbers of rivals. The loss of one is that of logistic regression, by the difference of the
    two estimates (Burges and others, "Learning to rank using gradient descent", 2005). For the step, `SCALE` of the
    squared difference to the moves that are `left: float32[L]` is added, so that estimates stay numbers of moves.
    `squares: float32[W]` are the sums of the squared gradients of the `parameters: float32[W]`; `memo: int64[N]` and
    `numbers: int32[2, P K + G]` are scratch.
    """
    ours, theirs, loss = numbers[0], numbers[1], 0.0
    for at in order:
        lesson, rival = at // rivals.shape[1], at % rivals.shape[1]
        value = estimate_by(parameters, features, states[lesson], memo, ours)
        difference = value - estimate_by(parameters, features, rivals[lesson, rival], memo, theirs)
        loss += max(difference, 0.0) + np.log1p(np.exp(-abs(difference)))
        rank = np.float32(1.0 / (1.0 + np.exp(-difference)))
        pull = np.float32(SCALE) * (value - left[lesson])
        descend(parameters, squares, parameters.size - 1, pull, rate)
        for i in range(ours.size):
            if ours[i] == theirs[i]:
                descend(parameters, squares, ours[i], pull, rate)
            else:
                descend(parameters, squares, ours[i], rank + pull, rate)
                descend(parameters, squares, theirs[i], -rank, rate)
    return loss / order.size
