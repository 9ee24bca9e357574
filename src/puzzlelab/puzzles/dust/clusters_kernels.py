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
    """Give both cells of every pair of equal neighbours the lesser label of the two, until nothing changes."""
    for board in range(len(states)):
        for cell in range(states.shape[1]):
            labels[board, cell] = cell if states[board, cell] else -1
        changed = True
        while changed:
            changed = False
            for pair in range(len(first)):
                a, b = first[pair], second[pair]
                if states[board, a] and states[board, a] == states[board, b] and labels[board, a] != labels[board, b]:
                    labels[board, a] = labels[board, b] = min(labels[board, a], labels[board, b])
                    changed = True
