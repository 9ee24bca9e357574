"""Rewards of a click in dust, as the document 001 tried them (its line 82); both change what the best solution is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Board, Dust

REWARDS = {
    "cleared": "the cells that were cleared: the same sum for every solution",
    "cleared-squared": "the square of the cells that were cleared",
}


@dataclass(frozen=True)
class DustRewards:
    """The view `Rewards` of dust."""

    puzzle: Dust
    rewards: ClassVar[Mapping[str, str]] = REWARDS

    def reward(self, name: str, before: Board, after: Board) -> NDArray[np.float64]:
        """Return `float64[B]`: the reward of coming from `before: uint8[B, N]` to `after`."""
        cleared = (np.count_nonzero(before, axis=1) - np.count_nonzero(after, axis=1)).astype(np.float64)
        squared: NDArray[np.float64] = cleared**2
        return cleared if name == "cleared" else squared
