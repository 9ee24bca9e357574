"""The lower bounds, rewards and scales of sliding tiles by name. Kernels are imported when their tables are needed.

The rewards are those that Spence (2021) tried; all three change which solution is best. An illegal move leaves the
board as it is, and costs one more (`experience.rewards`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import UnknownName
from puzzlelab.core.views import Estimate, Scale
from puzzlelab.puzzles.tiles.notation import OPEN
from puzzlelab.puzzles.tiles.rules import reversed_goal

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Board, Tiles


FEW_EQUAL = 4
"""Equal tiles that fit into a group of a database on every board that has one."""


@dataclass(frozen=True)
class TilesEstimates:
    """The view `Estimates` of sliding tiles."""

    puzzle: Tiles

    @property
    def estimates(self) -> Mapping[str, str]:
        known = {name: about for name, (about, _, fits) in CATALOGUE.items() if fits(self.puzzle)}
        others = MULTI_ABOUT if self.puzzle.is_multi else {}
        others = others if self.puzzle.is_permutation else others | OPEN_ABOUT
        return {name: others.get(name, about) for name, about in known.items()}

    def estimate(self, name: str | None = None) -> Estimate:
        """Return the estimate of this name, or the default one; raises `UnknownName`."""
        known, chosen = self.estimates, name or default(self.puzzle)
        base = "pdb" if chosen.startswith(("pdb:", "pdb-")) else chosen
        if base not in known:
            raise UnknownName(f"estimate of {self.puzzle.name}", chosen, known)
        estimate = CATALOGUE[base][1](self.puzzle, chosen)
        return replace(estimate, guide="pairs") if name is None and "pairs" in known else estimate


def default(puzzle: Tiles) -> str:
    """Return the estimate of searches that name none."""
    small = "walking" if puzzle.is_multi else "conflicts"
    if puzzle.is_permutation and puzzle.cells <= 10 and (_has_walking(puzzle) or not puzzle.is_multi):
        return small
    if puzzle.cells <= 25 and _has_database(puzzle):
        return "pdb"
    return "manhattan" if puzzle.is_multi or not puzzle.is_permutation else "conflicts"


def _simple(puzzle: Tiles, name: str) -> Estimate:
    """Return an estimate of `estimate_kernels`."""

    def tables() -> Any:
        from puzzlelab.puzzles.tiles import estimate_kernels

        return getattr(estimate_kernels, name)(puzzle)

    return Estimate(name, admissible=not puzzle.is_multi or name == "shared", kernel=tables)


def _of_module(module: str) -> Callable[[Tiles, str], Estimate]:
    """Return an estimate that has a module of its own."""

    def make(puzzle: Tiles, name: str) -> Estimate:
        estimate: Estimate = import_module(f"puzzlelab.puzzles.tiles.{module}").estimate_of(puzzle, name)
        return estimate

    return make


def _has_walking(puzzle: Tiles) -> bool:
    return puzzle.is_permutation and max(puzzle.rows, puzzle.columns) <= 4


def _has_database(puzzle: Tiles) -> bool:
    fewest = min((puzzle.goal.count(tile) for tile in {*puzzle.goal} - {0, OPEN}), default=puzzle.cells)
    return puzzle.cells <= (25 if puzzle.is_multi else 36) and fewest <= FEW_EQUAL


def _has_pairs(puzzle: Tiles) -> bool:
    is_large = puzzle.cells > 16 and min(puzzle.rows, puzzle.columns) > 2
    return _is_single(puzzle) and puzzle.is_permutation and is_large and bool(reversed_goal(puzzle)[-1] == 0)


def _is_single(puzzle: Tiles) -> bool:
    return not puzzle.is_multi


CATALOGUE: Mapping[str, tuple[str, Callable[[Tiles, str], Estimate], Callable[[Tiles], bool]]] = {
    "misplaced": ("tiles that are not where they belong", _simple, _is_single),
    "manhattan": ("distances of all tiles from where they belong", _simple, lambda puzzle: True),
    "conflicts": (
        "Manhattan distance, and 2 for each tile that must leave its line to let others pass",
        _of_module("linear_conflict_kernels"),
        lambda puzzle: _is_single(puzzle) and puzzle.is_permutation,
    ),
    "shared": (
        "distances along rows and columns, each divided by the most tiles of a move",
        _simple,
        lambda puzzle: puzzle.is_multi,
    ),
    "walking": (
        "walking distance: rows and columns each as a puzzle of their own",
        _of_module("walking_distance_kernels"),
        _has_walking,
    ),
    "pdb": (
        "the usual additive pattern database of this size; also pdb-663, pdb-78, pdb-6666, or pdb:1,2,3/4,5,6/7,8",
        _of_module("pattern_database"),
        _has_database,
    ),
    "pairs": (
        "Manhattan distance, and learned weights of where two and three tiles lie; no lower bound",
        _of_module("pairs"),
        _has_pairs,
    ),
    "exact": (
        "the true distance, from a table of all states",
        _of_module("exact_distances_kernels"),
        lambda puzzle: puzzle.is_permutation and puzzle.cells <= 10,
    ),
}
"""Name -> (what it is, how it is made, which boards have it)."""

MULTI_ABOUT = {
    "manhattan": "distances of all tiles from where they belong: no lower bound, because a move may slide several",
    "pdb": "the greatest entry of the usual pattern databases of this size; also pdb-66, pdb-555, or pdb:1,2,3/4,5,6",
}
"""Name -> what it is where several tiles slide in one move."""
OPEN_ABOUT = {"pdb": "pattern databases of the tiles that the goal names; also pdb:1,2,3/4,5, by their numbers"}
"""Name -> what it is for goals with equal tiles or with places that do not matter."""


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
        from puzzlelab.engine.batch_rules import estimated
        from puzzlelab.puzzles.tiles.sampling import levels_of_boards

        if name == "level":
            return -levels_of_boards(self.puzzle, after).astype(np.float64)
        if name == "manhattan":
            return -estimated(self.puzzle, TilesEstimates(self.puzzle).estimate(name), after)
        right: NDArray[np.float64] = (after == np.array(self.puzzle.goal)).sum(axis=1) - float(self.puzzle.cells)
        return right


@dataclass(frozen=True)
class TilesSamples:
    """The view `Samples` of sliding tiles."""

    puzzle: Tiles
    generator: ClassVar[None] = None

    @cached_property
    def scales(self) -> Mapping[str, Scale]:
        from puzzlelab.puzzles.tiles import sampling

        return sampling.scales(self.puzzle)

    def difficulty(self, states: Board) -> Mapping[str, NDArray[np.int64]]:
        from puzzlelab.puzzles.tiles import sampling

        return sampling.difficulty(self.puzzle, states)
