"""Estimates the number of solutions of a board where they are too many to count, with the error of the estimate.

A probe goes from the board down the tree of guesses. In the cell with the fewest candidates it counts, up to a small
number, the solutions with each of them. Where all are found, they are counted; of the candidates with more it follows
one, drawn at random, and what is counted below is multiplied by their number. On average a probe counts all solutions
(Knuth, "Estimating the efficiency of backtrack programs", 1975); the spread of many probes gives the error.

Shapes: P = probes, C = their children, N = cells, D = digits, S = length of a state.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import State
from puzzlelab.core.result import Stop
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import Candidates, candidates_view
from puzzlelab.engine.batch_verify import NOT_SAMPLED
from puzzlelab.engine.enumeration import Enumerator, count, count_parts, require_enumerator

PROBES = 500
"""The probes of an estimate by default."""
TOGETHER = 250
"""Probes that go down together."""
GOLDEN = (sqrt(5) - 1) / 2
"""The step between draws of probes in a row: any number of its multiples are spread evenly, modulo 1."""
COUNTED = 128
"""A candidate with so many solutions or more is one of which a probe may follow; those of others are counted."""
NORMAL = 1.96
"""Standard errors on each side of the mean in which 95 of 100 normal values are."""


@dataclass(frozen=True)
class CountEstimate:
    """An estimate of the number of solutions of a board, and its error.

    >>> found = puzzlelab.estimate_count(puzzlelab.load("sudoku-9x9").read("many"), probes=50)
    >>> found.low <= 254 <= found.high, found.probes
    (True, 50)
    """

    solutions: float
    """The mean of all probes: the estimate."""
    standard_error: float
    """The standard error of the mean; 0 where the solutions were counted, or where all probes are alike."""
    low: float
    """The lower end of the interval that holds the number with a probability of about 95 %."""
    high: float
    probes: int
    """The number of probes; 0 where the solutions were counted."""
    stop: Stop = "done"
    """'done' if all probes were made; otherwise the limit that ended them."""

    @property
    def is_exact(self) -> bool:
        """Whether the solutions were counted."""
        return self.probes == 0 and self.stop == "done"


def estimate_count(
    solver: Solver, instance: Instance, limit: Limit, probes: int = PROBES, seed: int = 0
) -> CountEstimate:
    """Estimate the number of solutions of a board from so many probes, or as many as the time allows.

    The time is that of `limit`; its nodes are for each count of a few solutions. A number below `COUNTED` is exact.
    Raises `Unsupported` if the puzzle has no candidates or the solver cannot count.
    """
    view, began = candidates_view(instance.puzzle), time.perf_counter()
    enumerator = require_enumerator(solver, instance.puzzle)
    few = count(enumerator, instance, limit, COUNTED)
    if few.stop == "done":
        return CountEstimate(few.solutions, 0, few.solutions, few.solutions, 0)
    random, values = np.random.default_rng(seed), list[float]()
    stop: Stop = "done" if few.stop == "solutions" else few.stop
    while stop == "done" and len(values) < probes:
        tree = _Probes(view, enumerator, instance, min(TOGETHER, probes - len(values)), random)
        stop = tree.go_down(limit, began)
        values += tree.values.tolist() if stop == "done" else []
    return _estimate(np.array(values), stop)


def _estimate(values: NDArray[np.float64], stop: Stop) -> CountEstimate:
    """Return the estimate from the values of probes.

    The interval is that of Johnson (1978), "Modified t tests and confidence intervals for asymmetrical populations".
    """
    if len(values) < 2:
        return CountEstimate(float("nan"), float("inf"), COUNTED, float("inf"), 0, stop)
    mean, spread = float(values.mean()), float(values.std(ddof=1))
    error = spread / sqrt(len(values))
    skew = float(((values - mean) ** 3).mean()) / (6 * spread**2 * len(values)) if spread else 0.0
    low, high = mean + skew - NORMAL * error, mean + skew + NORMAL * error
    return CountEstimate(mean, error, max(low, COUNTED), high, len(values), stop)


class _Probes:
    """Some probes that go down together from a board with at least `COUNTED` solutions."""

    def __init__(
        self, view: Candidates, solver: Enumerator, instance: Instance, number: int, random: np.random.Generator
    ) -> None:
        self.view, self.solver, self.puzzle, self.random = view, solver, instance.puzzle, random
        self.states: State = np.repeat(instance.state[None], number, axis=0)
        self.active = np.arange(number)
        """The probes that are not at their end."""
        self.weights = np.ones(number)
        self.values = np.zeros(number)

    def go_down(self, limit: Limit, began: float) -> Stop:
        """Go down until all probes have ended; return 'done', or the limit that ended them before."""
        while len(self.active):
            left = limit.share(time.perf_counter() - began, 0)
            if left is None:
                return "time"
            boards, places = np.unique(self.states[self.active], axis=0, return_inverse=True)
            owners, children = self._children(boards)
            numbers = self._counts(children, left)
            if numbers is None:
                return "time" if limit.seconds is not None else "nodes"
            self._follow(places, owners, children, numbers)
        return "done"

    def _children(self, boards: State) -> tuple[NDArray[np.int64], State]:
        """Return (the place of its board, the state) for each candidate of the cell with the fewest."""
        candidates = np.stack([self.view.candidates(board) for board in boards])
        counts = candidates.sum(axis=2)
        cells = np.where(counts == 0, counts.shape[1] + 1, counts).argmin(axis=1)
        owners, digits = np.nonzero(candidates[np.arange(len(cells)), cells])
        moves = cells[owners] * candidates.shape[2] + digits
        pairs = zip(owners.tolist(), moves.tolist(), strict=True)
        return owners, np.stack([self.puzzle.apply(boards[owner], move) for owner, move in pairs])

    def _counts(self, children: State, limit: Limit) -> NDArray[np.int64] | None:
        """Return `int64[C]`: the solutions of each child, up to `COUNTED`; None where the limit ended a count."""
        boards = Boards(self.puzzle, children, np.arange(len(children)) + NOT_SAMPLED)
        found = list[int]()
        for some in count_parts(self.solver, boards, limit, COUNTED):
            if not some.is_stopped_by("done", "solutions").all():
                return None
            found += some.solutions.tolist()
        return np.array(found, np.int64)

    def _follow(
        self, places: NDArray[np.int64], owners: NDArray[np.int64], children: State, numbers: NDArray[np.int64]
    ) -> None:
        """Count the children with few solutions, and go to one of the others, if there are any.

        Probes at one board are spread evenly over its children: each goes to each of them with equal probability.
        Probes at other boards are independent, or their paths would resemble each other, and the error be too small.
        """
        count, is_large = int(owners[-1]) + 1, numbers >= COUNTED
        counted = np.bincount(owners, np.where(is_large, 0, numbers), count)
        self.values[self.active] += self.weights[self.active] * counted[places]
        large = np.bincount(owners[is_large], minlength=count)
        drawn = (self.random.random(count)[places] + _ranks(places) * GOLDEN) % 1
        own, goes_on = large[places], large[places] > 0
        first = (np.cumsum(large) - large)[places]
        chosen = np.flatnonzero(is_large)[(first + (drawn * own).astype(np.int64))[goes_on]]
        self.weights[self.active] *= np.maximum(own, 1)
        self.active = self.active[goes_on]
        self.states[self.active] = children[chosen]


def _ranks(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `int64[P]`: the number of earlier members of the same group, for each member of `groups: int64[P]`."""
    order, sizes = np.argsort(groups, kind="stable"), np.bincount(groups)
    ranks = np.empty(len(groups), np.int64)
    ranks[order] = np.arange(len(groups)) - (np.cumsum(sizes) - sizes)[groups[order]]
    return ranks
