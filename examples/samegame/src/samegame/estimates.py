"""The estimates of the points that can still be made, by name: an upper bound, and a guess that guides a beam.

**The bound `colours`.** Take any game from a board on which n_c cells of colour c lie. It removes groups of colour c
with g_1 ... g_k cells, each at least 2, whose sum is at most n_c. For a, b >= 2 is (a - 2)^2 + (b - 2)^2 <=
(a + b - 2)^2, because the right side is (a - 2)^2 + b^2 + 2 (a - 2) b. So these groups make at most (n_c - 2)^2 points
if n_c >= 2, and none otherwise. At its end the game makes 1,000 points, or the sum of penalties, each 0 or less. A
colour with a single cell keeps it to the end, where it costs 1 point and the 1,000. So no game makes more than the sum
of (n_c - 2)^2 over the colours with n_c >= 2, plus 1,000 or, if k > 0 colours have a single cell, minus k. At the end
of the game nothing can be made, and the bound is 0.

**The guess.** The main colour, the one with most cells, is best kept for the end: what counts is how many cells it has,
and in how few groups. Of the other colours the groups count for what they make now, and single cells cost, unless they
nearly touch their like. The weights were fitted by trial: beams of width 100 on 24 random boards of 15x15x5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab import Estimate, UnknownName
from samegame.rules import ALL_CLEARED

if TYPE_CHECKING:
    from samegame.rules import Board, SameGame

DEFAULT = "guess"
WEIGHTS = np.array([[0, -202, 19, 7, 78], [12, -249, 1, -394, 96]], np.int64)
"""In 16ths of a point, for the other colours and, in the second row, for the main one: the weights of (n - 2)^2 for its
n cells, of each single cell, of (n - 2)^2 for each group of n cells, of each group, and of each near pair."""
FEATURES = 5
"""Weights of a row."""
UNITS = 16


@dataclass(frozen=True)
class SameGameEstimates:
    """The view `Estimates` of SameGame."""

    puzzle: SameGame
    estimates: ClassVar[Mapping[str, str]] = {
        "guess": "points of the groups and of the main colour, less for single cells: a guide for a beam",
        "colours": "each colour as a single group, and an empty board at the end: an upper bound",
    }

    def estimate(self, name: str | None = None) -> Estimate:
        """The estimate of this name, or the default one; raises `UnknownName`."""
        name = name or DEFAULT
        if name not in self.estimates:
            raise UnknownName(f"estimate of {self.puzzle.name}", name, self.estimates)
        is_bound = name == "colours"
        if self.puzzle.rules == "compiled":
            return Estimate(name, is_bound, kernel=lambda: _tables(self.puzzle, name))
        if self.puzzle.rules == "batch":
            from samegame.batch import SameGameBatch

            batch = SameGameBatch(self.puzzle)
            return Estimate(name, is_bound, scores=batch.bound if is_bound else batch.guess)
        score = bound if is_bound else guess
        return Estimate(
            name, is_bound, scores=lambda states: np.array([score(self.puzzle, state) for state in states], np.int64)
        )


def _tables(puzzle: SameGame, name: str) -> Any:
    """The tables of a compiled estimate."""
    from samegame import estimate_kernels, kernels

    rules = kernels.rules(puzzle).tables
    if name == "colours":
        return estimate_kernels.ColoursTables(rules)
    return estimate_kernels.GuessTables(rules, WEIGHTS.reshape(-1))


def bound(puzzle: SameGame, state: Board) -> int:
    """The upper bound `colours` of a plain state."""
    if puzzle.solved(state):
        return 0
    counts = _counts(puzzle, state)
    singles = int((counts == 1).sum())
    return int(((counts[counts > 1] - 2) ** 2).sum()) + (-singles if singles else ALL_CLEARED)


def guess(puzzle: SameGame, state: Board) -> int:
    """The guess of a plain state."""
    if puzzle.solved(state):
        return 0
    counts = _counts(puzzle, state)
    weights = [WEIGHTS[int(colour == counts.argmax())].tolist() for colour in range(puzzle.colours)]
    total = 0
    for colour, count in enumerate(counts.tolist()):
        of_count, *_, of_near_pair = weights[colour]
        total += of_count * (count - 2) ** 2 if count > 1 else 0
        total += of_near_pair * near_pairs(puzzle, state == colour + 1)
    for group in puzzle.groups(state):
        _, of_single, of_points, of_group, _ = weights[state[group[0]] - 1]
        total += of_single if len(group) == 1 else of_points * (len(group) - 2) ** 2 + of_group
    return int(total // UNITS)


def near_pairs(puzzle: SameGame, cells: NDArray[np.bool_]) -> int:
    """How many pairs of these cells lie diagonally side by side, or in a column with one cell between them."""
    grid = cells.reshape(puzzle.width, puzzle.height)
    over, rising, falling = grid[:, :-2] & grid[:, 2:], grid[:-1, :-1] & grid[1:, 1:], grid[:-1, 1:] & grid[1:, :-1]
    return int(over.sum() + rising.sum() + falling.sum())


def _counts(puzzle: SameGame, state: Board) -> NDArray[np.int64]:
    """`int64[C]`: the cells of each colour."""
    return np.bincount(state, minlength=puzzle.colours + 1)[1:]
