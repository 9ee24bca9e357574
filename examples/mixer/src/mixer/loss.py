"""A loss by which a network learns a low estimate: A* with it seldom misses the best solution."""

import torch
from torch import Tensor

SHARE = 0.2
"""The share of boards whose remaining moves are below the estimate, where nothing else tells them apart."""


def low(predicted: Tensor, target: Tensor) -> Tensor:
    """Return the loss of each value, least at the 20 % quantile of the targets (Koenker and Bassett, 1978)."""
    missing = target - predicted
    return torch.maximum(SHARE * missing, (SHARE - 1) * missing)
