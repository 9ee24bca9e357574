# mypy: allow-untyped-defs
"""The kernel that labels the clusters of many boards; shapes as in `clusters`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled, inlined

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Board


@inlined
def root(labels, cell):
    """Return the end of the chain of labels that begins at a cell."""
    while labels[cell] != cell:
        cell = np.int64(labels[cell])
    return cell


@compiled
def label(
    states: Board, height: int, own: NDArray[np.uint16], pairs: NDArray[np.uint16], labels: NDArray[np.int64]
) -> None:
    """Label each cell of `states: uint8[B, N]` with the first cell of its cluster, and empty cells with -1.

    By union-find over the runs of equal cells in the columns: the greater root points to the lesser one. `own` and
    `pairs`, both `uint16[N]`, are work buffers. The loops over all cells have no branches that depend on the colours,
    because a processor cannot predict those.
    """
    cells = states.shape[1]
    for board in range(len(states)):
        state = states[board]
        count = np.int64(0)
        for column in range(0, cells, height):
            first, joined_below = np.int64(column), False
            for cell in range(column, column + height):
                continues = cell > column and state[cell] == state[cell - 1]
                first = first if continues else np.int64(cell)
                own[cell] = first
                # Of the pairs of cells side by side in the same two runs, the lowest is enough.
                joined = column > 0 and state[cell] == state[cell - height] and state[cell] != 0
                pairs[count] = cell
                count += joined and not (continues and joined_below)
                joined_below = joined
        for i in range(count):
            a = root(own, np.int64(pairs[i]))
            b = root(own, np.int64(pairs[i]) - height)
            own[max(a, b)] = min(a, b)
        # Labels point to lesser cells, which have their final label already.
        for cell in range(cells):
            own[cell] = own[own[cell]]
            labels[board, cell] = np.int64(own[cell]) if state[cell] != 0 else np.int64(-1)
