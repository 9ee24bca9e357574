# mypy: allow-untyped-defs
"""The kernel of `log_probabilities`; shapes as there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled, inlined


@inlined
def group_moves(named, logits, greatest, total):
    """Write the greatest logit of each group of equivalent moves into `greatest: float64[M]`, -inf for a group without.

    `total: float64[M]` gets the sum of exp(logit - greatest) of each group.
    """
    for move in range(named.size):
        greatest[move], total[move] = -np.inf, 0.0
    for move in range(named.size):
        group = named[move]
        if group >= 0 and (logits[move] > greatest[group] or np.isnan(logits[move])):
            greatest[group] = logits[move]
    for move in range(named.size):
        group = named[move]
        if group >= 0 and np.isfinite(greatest[group]):
            is_greatest = logits[move] == greatest[group]
            total[group] += 1.0 if is_greatest else np.exp(logits[move] - greatest[group])


@compiled
def normalise(
    named: NDArray[np.int64],
    logits: NDArray[np.float64],
    sums: bool,
    min_probability: float,
    total: NDArray[np.float64],
    logarithms: NDArray[np.float64],
) -> None:
    """Write `logarithms: float64[B, M]`; `total: float64[M]` is a work buffer."""
    for row in range(len(named)):
        scores, greatest, total_probability = logarithms[row], -np.inf, 0.0
        group_moves(named[row], logits[row], scores, total)
        for group in range(scores.size):
            if not np.isfinite(scores[group]):
                scores[group] = -np.inf
                continue
            if sums and total[group] != 1.0:
                scores[group] += np.log(total[group])
            greatest = max(greatest, scores[group])
        for group in range(scores.size):
            if scores[group] > -np.inf:
                probability = max(np.exp(scores[group] - greatest), min_probability)
                scores[group] = probability
                total_probability += probability
        for group in range(scores.size):
            if scores[group] > -np.inf:
                scores[group] = np.log(scores[group] / total_probability)
