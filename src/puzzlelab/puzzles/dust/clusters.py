"""The clusters of many boards at once: all cells of a cluster are one move.

Shapes: B = boards, N = cells, E = pairs of neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled
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
