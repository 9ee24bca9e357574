"""The estimates of the remaining clicks of dust, and the rewards of a click, by name.

Kernels are imported when a search asks for the tables of an estimate. The rewards are those that the document 001 tried
(its line 82); both change what the best solution is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import UnknownName
from puzzlelab.core.views import Estimate

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Board, Dust

MOST_CELLS = 64
"""The largest boards with the estimate of the halves, which takes too long on others."""
HALVES = "halves"


@dataclass(frozen=True)
class DustEstimates:
    """The view `Estimates` of dust."""

    puzzle: Dust

    @property
    def estimates(self) -> Mapping[str, str]:
        fits = self.puzzle.cells <= MOST_CELLS
        return {name: about for name, (about, _) in CATALOGUE.items() if fits or name != HALVES}

    def estimate(self, name: str | None = None) -> Estimate:
        """Return the estimate of this name, or the first; raises `UnknownName`."""
        name = name or next(iter(CATALOGUE))
        known = self.estimates
        if name not in known:
            raise UnknownName(f"estimate of {self.puzzle.name}", name, known)
        return _estimate(self.puzzle, name)


@cache
def _estimate(puzzle: Dust, name: str) -> Estimate:
    return Estimate(name, CATALOGUE[name][1], lambda: _tables(puzzle, name), is_cheap=name == "colours")


def _tables(puzzle: Dust, name: str) -> Any:
    """Return the tables that `estimate_kernels` makes under this name."""
    from puzzlelab.puzzles.dust.estimate_kernels import TABLES

    return TABLES[name](puzzle)


CATALOGUE: Mapping[str, tuple[str, bool]] = {
    "fitted": (
        "clusters, colours and cells left, less for equal colours that nearly touch; in 16ths of a cluster: "
        "a guide for a beam",
        False,
    ),
    "clusters+2colours": ("clusters left + twice the colours left: the best simple guide", False),
    "clusters": ("clusters left", False),
    "colours": ("colours left", True),
    "cells": ("cells left: to take the largest cluster first", False),
    "cells-largest": ("cells left outside the largest cluster", False),
    HALVES: ("half of what both halves of the board cost alone", True),
}
"""Name -> (what it is, whether it is a lower bound). The first is the default."""


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
