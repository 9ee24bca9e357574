"""The estimates of puzzles with a score, as searches use them: they minimise, and so need minus the points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.views import Estimate
from puzzlelab.engine.kernels import Negated


def minimised(puzzle: Puzzle, estimate: Estimate) -> Estimate:
    """The estimate of the remaining sum of steps: of a puzzle with a score, minus the estimate of the points."""
    if objective_of(puzzle).kind != "score":
        return estimate
    kernel, scores = estimate.kernel, estimate.scores
    return replace(
        estimate,
        kernel=None if kernel is None else lambda: Negated(kernel()),
        scores=None if scores is None else lambda states: -np.asarray(scores(states), np.float64),
    )
