# mypy: allow-untyped-defs
"""The kernel that makes every click of many boards; shapes as in `features`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.compiler import lowest
from puzzlelab.engine.kernels import compiled
from puzzlelab.puzzles.dust.estimate_kernels import count, count_clusters
from puzzlelab.puzzles.dust.kernels import NONE, flood, mask, occupied, same_colour, settle


@compiled
def click_all(
    tables: Any,
    states: NDArray[np.uint64],
    children: NDArray[np.uint64],
    keep: bool,
    sizes: NDArray[np.int16],
    joined: NDArray[np.int16],
) -> None:
    """Write for each cluster of working states `[B, S]`, at its first cell, its size and the clusters its click joins.

    A click joins K clusters if afterwards there are K fewer than without that cluster; clusters that fall apart count
    as negative. `sizes: int16[B, N]` and `joined: int16[B, N]` are zero before, and stay zero at other cells. With
    `keep`, the state after each click is written into `children: [B, N, S]`; else `[1, 1, S]` is a work buffer.
    """
    none = mask(tables, NONE)
    for row in range(len(states)):
        state = states[row]
        everything = occupied(tables, state)
        clusters, _ = count_clusters(tables, state)
        left = everything
        while left != none:
            bit = lowest(left)
            cells = flood(tables, same_colour(tables, state, bit), bit)
            left = left & ~cells
            cell = tables.cell[bit]
            child = children[row, cell] if keep else children[0, 0]
            settle(tables, state, everything & ~cells, child)
            remaining, _ = count_clusters(tables, child)
            sizes[row, cell] = count(cells)
            joined[row, cell] = clusters - 1 - remaining
