# mypy: allow-untyped-defs
"""Manhattan distance with linear conflicts, exact and incremental.

Of the tiles that lie in their goal row (or column), those out of order must let each other pass: twice the least number
that has to leave the line is added. That number is the count of such tiles less their longest increasing subsequence.
Source: Hansson, Mayer and Yung, "Criticizing solutions to relaxed models yields powerful admissible heuristics" (1992).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Estimate
from puzzlelab.engine import kernels as names
from puzzlelab.engine.kernels import compiled, implements, inlined
from puzzlelab.puzzles.tiles.estimate_kernels import ManhattanTables, manhattan, manhattan_begin, manhattan_peek, moving

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles


class ConflictTables(NamedTuple):
    """The tables of linear conflicts. Lines are numbered rows first, then columns. A line's code: a digit a cell, goal
    place in the line + 1 or 0.
    """

    manhattan: ManhattanTables
    digits: NDArray[np.int64]
    """[2, N, N]: what piece p in cell c adds to the code of the cell's row (0) or column (1)."""
    lines: NDArray[np.uint8]
    """[2, N]: the number of the row, and of the column, of each cell."""
    costs: NDArray[np.uint8]
    """Moves to add for each code, tables of both line lengths one after the other."""
    offsets: NDArray[np.int64]
    """[lines]: where the table of each line begins, or -1 where it is computed."""
    bases: NDArray[np.int64]
    """[lines]: cells of the line + 1."""


@inlined
def line_cost(code, base):
    """Return twice the least number of tiles that must leave a line with this code.

    The longest increasing subsequence by patience sorting: bit d of `tops` says that a pile has d on top.
    """
    tops, length, tiles = np.uint64(0), 0, 0
    while code > 0:
        digit = np.uint64(code % base)
        code //= base
        if digit > np.uint64(0):
            tiles += 1
            above = (tops >> digit) << digit
            if above == np.uint64(0):
                length += 1
            else:
                tops ^= above & (~above + np.uint64(1))
            tops |= np.uint64(1) << digit
    return 2 * (tiles - length)


@compiled
def tabulate_line_costs(length, costs):
    for code in range(costs.size):
        costs[code] = line_cost(code, length + 1)


@inlined
def cost(estimate, line, code):
    """Return the moves that this code of this line adds."""
    start = estimate.offsets[line]
    if start < 0:
        return line_cost(code, estimate.bases[line])
    return np.int64(estimate.costs[np.uint64(start + code)])


@implements(names.evaluate, ConflictTables)
def evaluate(estimate, state, memo):
    for line in range(estimate.offsets.size):
        memo[line] = 0
    for cell in range(state.size - 1):
        for axis in range(2):
            memo[estimate.lines[axis, cell]] += estimate.digits[axis, state[cell], cell]
    total = manhattan_begin(estimate.manhattan, state, memo)
    for line in range(estimate.offsets.size):
        total += cost(estimate, line, memo[line])
    return total


@implements(names.evaluate_move, ConflictTables)
def evaluate_move(estimate, state, move, value, memo, delta, most):
    """Return the estimate after a move: a vertical one (axis 0) leaves a row, enters one, and shifts in a column."""
    piece, source, blank = moving(estimate.manhattan.geometry, state, move)
    value = manhattan_peek(estimate.manhattan, state, move, value, memo, delta, most)
    axis = np.uint64(move) >> np.uint64(1)
    other = axis ^ np.uint64(1)
    leaves, enters = estimate.lines[axis, source], estimate.lines[axis, blank]
    within = estimate.lines[other, blank]
    delta[0], delta[1], delta[2] = leaves, enters, within
    delta[3] = memo[leaves] - estimate.digits[axis, piece, source]
    delta[4] = memo[enters] + estimate.digits[axis, piece, blank]
    delta[5] = memo[within] + estimate.digits[other, piece, blank] - estimate.digits[other, piece, source]
    for i in range(3):
        line = np.uint64(delta[i])
        if delta[3 + i] != memo[line]:
            value += cost(estimate, line, delta[3 + i]) - cost(estimate, line, memo[line])
    return value


@implements(names.swap_delta, ConflictTables)
def swap_delta(estimate, memo, delta):
    for i in range(3):
        line = np.uint64(delta[i])
        memo[line], delta[3 + i] = delta[3 + i], memo[line]


TABLED = 7
"""The longest line whose costs fit into a table; those of longer lines are computed on demand."""


@cache
def conflicts(puzzle: Tiles) -> ConflictTables:
    """Return the tables of the estimate; the costs of short lines are computed once."""
    base = manhattan(puzzle)
    rows, columns, cells = puzzle.rows, puzzle.columns, puzzle.cells
    row, column = np.divmod(np.arange(cells), columns)
    digits = np.zeros((2, cells, cells), np.int64)
    same_row, same_column = row[:, None] == row, column[:, None] == column
    digits[0] = same_row * (column[:, None] + 1) * (columns + 1) ** column
    digits[1] = same_column * (row[:, None] + 1) * (rows + 1) ** row
    digits[:, base.geometry.home] = 0
    tables, offsets, start = [np.zeros(0, np.uint8)], {}, 0
    for length in {rows, columns}:
        offsets[length] = -1
        if length <= TABLED:
            costs = np.zeros((length + 1) ** length, np.uint8)
            tabulate_line_costs(length, costs)
            offsets[length], start = start, start + costs.size
            tables.append(costs)
    lengths = [columns] * rows + [rows] * columns
    lines = np.stack([row, rows + column]).astype(np.uint8)
    starts = np.array([offsets[length] for length in lengths], np.int64)
    return ConflictTables(base, digits, lines, np.concatenate(tables), starts, np.array(lengths, np.int64) + 1)


def estimate_of(puzzle: Tiles, name: str) -> Estimate:
    """Return the estimate by its name."""
    memo = max(6, puzzle.rows + puzzle.columns)
    return Estimate(name, admissible=True, kernel=lambda: conflicts(puzzle), memo=memo, is_cheap=True)
