"""The clusters of many boards at once: all cells of a cluster are one move.

Shapes: B = boards, N = cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Legality
from puzzlelab.puzzles.dust.clusters_kernels import label

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Board, Dust


def legality(puzzle: Dust) -> Legality:
    """Return the view of dust: every cell of a cluster may be clicked, and its first cell stands for all of them."""

    def canonical_moves(states: Board) -> NDArray[np.int64]:
        """Return `int64[B, N]`: the first cell of the cluster that each cell belongs to; -1 for an empty one."""
        labels = np.empty(states.shape, np.int64)
        own, pairs = np.empty((2, puzzle.cells), np.uint16)
        label(np.ascontiguousarray(states), puzzle.height, own, pairs, labels)
        return labels

    return Legality(lambda state, move: bool(state[move] != 0), canonical_moves)
