"""The clusters of many boards at once: all cells of a cluster are one move.

Shapes: B = boards, N = cells, E = pairs of neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.puzzles.dust.clusters_kernels import label
from puzzlelab.puzzles.dust.planes import neighbours

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Board, Dust


@dataclass(frozen=True)
class DustClusters:
    """The view `EquivalentMoves` of dust."""

    puzzle: Dust

    def is_legal(self, state: Board, move: int) -> bool:
        """Whether something lies in this cell; every cell of a cluster may be clicked."""
        return bool(state[move] != 0)

    def canonical_moves(self, states: Board) -> NDArray[np.int64]:
        """`int64[B, N]`: the first cell of the cluster that each cell belongs to; -1 for an empty one."""
        labels = np.empty(states.shape, np.int64)
        first, second = neighbours(self.puzzle.width, self.puzzle.height)
        label(np.ascontiguousarray(states), first, second, labels)
        return labels
