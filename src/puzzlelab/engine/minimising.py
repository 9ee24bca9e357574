"""The estimates of puzzles with a score, as searches use them: they minimise, and so need minus the points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.views import Estimate
from puzzlelab.engine.kernels import Negated


def minimised(puzzle: Puzzle, estimate: Estimate) -> Estimate:
    """Return the estimate of the remaining sum of steps: of a puzzle with a score, minus the estimate of the points."""
    if objective_of(puzzle).kind != "score":
        return estimate
    kernel, scores = estimate.kernel, estimate.scores
    return replace(
        estimate,
        kernel=None if kernel is None else lambda: Negated(kernel()),
        scores=None if scores is None else lambda states: _negative(np.asarray(scores(states))),
    )


def _negative(values: NDArray[Any]) -> NDArray[Any]:
    """Return minus these numbers; whole ones stay whole."""
    return -values.astype(np.int64 if values.dtype.kind in "iu" else np.float64)
