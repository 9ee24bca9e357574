# mypy: allow-untyped-defs
"""The kernel that labels the clusters of many boards; shapes as in `clusters`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Board


@compiled
def label(states: Board, first: NDArray[np.int64], second: NDArray[np.int64], labels: NDArray[np.int64]) -> None:
    """Label each cell with the first cell of its cluster, by union-find: the greater root points to the lesser one."""
    for board in range(len(states)):
        for cell in range(states.shape[1]):
            labels[board, cell] = cell if states[board, cell] else -1
        for pair in range(len(first)):
            a, b = first[pair], second[pair]
            if states[board, a] and states[board, a] == states[board, b]:
                while labels[board, a] != a:
                    a = labels[board, a]
                while labels[board, b] != b:
                    b = labels[board, b]
                labels[board, max(a, b)] = min(a, b)
        # Labels point to lesser cells, which have their final label already.
        for cell in range(states.shape[1]):
            if labels[board, cell] >= 0:
                labels[board, cell] = labels[board, labels[board, cell]]
