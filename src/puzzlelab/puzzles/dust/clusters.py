"""The clusters of many boards at once: all cells of a cluster are one move.

Shapes: B = boards, N = cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.puzzles.dust.clusters_kernels import label

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Board, Dust


@dataclass(frozen=True)
class DustClusters:
    """The view `EquivalentMoves` of dust."""

    puzzle: Dust

    def is_legal(self, state: Board, move: int) -> bool:
        """Tell whether something lies in this cell; every cell of a cluster may be clicked."""
        return bool(state[move] != 0)

    def canonical_moves(self, states: Board) -> NDArray[np.int64]:
        """Return `int64[B, N]`: the first cell of the cluster that each cell belongs to; -1 for an empty one."""
        labels = np.empty(states.shape, np.int64)
        own, pairs = np.empty((2, self.puzzle.cells), np.uint16)
        label(np.ascontiguousarray(states), self.puzzle.height, own, pairs, labels)
        return labels
