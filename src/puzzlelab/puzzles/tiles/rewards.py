"""The rewards that Spence (2021) tried on tiles boards; all three change which solution is best.

An illegal move leaves the board as it is, and costs one more (`experience.rewards`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.batch_rules import estimated
from puzzlelab.puzzles.tiles.estimates import TilesEstimates
from puzzlelab.puzzles.tiles.sampling import levels_of_boards

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Board, Tiles

REWARDS = {
    "level": "minus the Manhattan distance that is left, and 2 more for each pair of tiles in conflict",
    "manhattan": "minus the Manhattan distance that is left",
    "in-place": "the cells that hold what the goal has there, less the number of cells",
}


@dataclass(frozen=True)
class TilesRewards:
    """The view `Rewards` of sliding tiles."""

    puzzle: Tiles
    rewards: ClassVar[Mapping[str, str]] = REWARDS

    def reward(self, name: str, before: Board, after: Board) -> NDArray[np.float64]:
        """Return `float64[B]`: the reward of coming to the states `after: uint8[B, N]`."""
        if name == "level":
            return -levels_of_boards(self.puzzle, after).astype(np.float64)
        if name == "manhattan":
            return -estimated(self.puzzle, TilesEstimates(self.puzzle).estimate(name), after)
        right: NDArray[np.float64] = (after == np.array(self.puzzle.goal)).sum(axis=1) - float(self.puzzle.cells)
        return right
