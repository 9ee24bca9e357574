# mypy: allow-untyped-defs
"""The kernel of `log_probabilities`: it merges the logits of equivalent moves; B = states, M = moves."""

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
def merge(
    named: NDArray[np.int64],
    logits: NDArray[np.float64],
    sums: bool,
    total: NDArray[np.float64],
    merged: NDArray[np.float64],
) -> None:
    """Write the logit of each group of equivalent moves into `merged: float64[B, M]`.

    `named: int64[B, M]` is the group of each move; `total: float64[M]` is a work buffer.
    """
    for row in range(len(named)):
        group_moves(named[row], logits[row], merged[row], total)
        for group in range(total.size):
            if not np.isfinite(merged[row, group]):
                merged[row, group] = -np.inf
            elif sums and total[group] != 1.0:
                merged[row, group] += np.log(total[group])


@compiled
def normalise(logits: NDArray[np.float64], least: float) -> None:
    """Replace `logits: float64[B, M]` by the logarithms of their softmax.

    Logits that are more than `-least` below the greatest one are raised to that. -inf stays -inf.
    """
    for row in range(len(logits)):
        scores, greatest, total = logits[row], -np.inf, 0.0
        for move in range(scores.size):
            greatest = max(greatest, scores[move])
        for move in range(scores.size):
            if scores[move] > -np.inf:
                scores[move] = max(scores[move] - greatest, least)
                total += np.exp(scores[move])
        shift = np.log(total)
        for move in range(scores.size):
            if scores[move] > -np.inf:
                scores[move] -= shift
