"""Manhattan distance with linear conflicts, exact and incremental.

Of the tiles that lie in their goal row (or column), those out of order must let each other pass: twice the least number
that has to leave the line is added. That number is the count of such tiles less their longest increasing subsequence.
Source: Hansson, Mayer and Yung, "Criticizing solutions to relaxed models yields powerful admissible heuristics" (1992).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.core.views import Estimate
from puzzlelab.puzzles.tiles.estimate_kernels import manhattan
from puzzlelab.puzzles.tiles.linear_conflict_kernels import ConflictTables, tabulate_line_costs

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles

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


def estimate(puzzle: Tiles, name: str) -> Estimate:
    """Return the estimate by its name."""
    memo = max(6, puzzle.rows + puzzle.columns)
    return Estimate(name, admissible=True, kernel=lambda: conflicts(puzzle), memo=memo, is_cheap=True)
