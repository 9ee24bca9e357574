"""Compares every two solvers of a run, board by board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from puzzlelab.bench.runs import BenchAnswer, BenchRun, by_occurrence
from puzzlelab.bench.statistics import Ratio, ratio
from puzzlelab.bench.timing import timing_of


@dataclass(frozen=True)
class Comparison:
    """One solver against another one, on the boards that both have answered."""

    better: int
    """Boards of which its solution has fewer moves, a lower cost or a higher score, or of which it alone has one."""
    equal: int
    worse: int
    seconds: Ratio
    """Its seconds divided by the other's, where both solved the board; nan if the times of boards were not measured."""


def comparisons(run: BenchRun) -> dict[tuple[str, str], Comparison]:
    """Return a comparison for every two solvers, in both directions: keys are (solver, the other one)."""
    solvers = run.by_solver
    timed = {solver: timing_of(answers).kind == "alone" for solver, answers in solvers.items()}
    return {
        (one, other): _compare(solvers[one], solvers[other], timed[one] and timed[other])
        for one, other in permutations(solvers, 2)
    }


def _compare(one: Sequence[BenchAnswer], other: Sequence[BenchAnswer], is_timed: bool) -> Comparison:
    mine, theirs = by_occurrence(one), by_occurrence(other)
    pairs = [(answer, theirs[key]) for key, answer in mine.items() if key in theirs]
    signs = Counter(_sign(answer, against) for answer, against in pairs)
    seconds = [
        (answer.seconds, against.seconds)
        for answer, against in pairs
        if is_timed and answer.length is not None and against.length is not None
    ]
    return Comparison(signs[-1], signs[0], signs[1], ratio(seconds))


def _sign(answer: BenchAnswer, against: BenchAnswer) -> int:
    """Return -1 if the answer is better than the other one, 0 if it is as good, 1 if it is worse."""
    if answer.value is None or against.value is None:
        return int(answer.value is None) - int(against.value is None)
    return int(np.sign(answer.excess_over(against.value) or 0))
