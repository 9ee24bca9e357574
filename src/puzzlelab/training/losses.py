"""What a network is told was wrong: of a number that it found, and of its scores of moves.

Shapes: B = samples, M = number of moves.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from puzzlelab.nets.network import Policy

Distance = Literal["squared", "huber"]
LEAST = 1e-30
"""No probability is taken to be less."""


def value_loss(found: Tensor, wanted: Tensor, distance: Distance, weights: Tensor | None = None) -> Tensor:
    """The mean distance between the numbers `float[B]` and `float[B]`, each of which counts so much."""
    measure = functional.huber_loss if distance == "huber" else functional.mse_loss
    if weights is None:
        return measure(found, wanted)
    return (weights * measure(found, wanted, reduction="none")).mean()


def moves_loss(scores: Tensor, wanted: Tensor, possible: Tensor, policy: Policy, digits: int = 1) -> Tensor:
    """How improbable the wanted moves `bool[B, M]` were by the scores `float[B, M]`.

    `softmax`: cross-entropy of one choice among all possible moves, all wanted ones being equally right. `binary`: the
    mean binary cross-entropy of every move for itself, impossible ones too, as in the document on dust. `cells`:
    cross-entropy of one choice among the possible ones of so many `digits` in each cell that has a wanted one, the mean
    over these cells.
    """
    if policy == "cells":
        scores, wanted, possible = (array.reshape(-1, digits) for array in (scores, wanted, possible))
        asked = wanted.any(1)
        scores, wanted, possible = scores[asked], wanted[asked], possible[asked]
    if policy == "binary":
        return functional.binary_cross_entropy_with_logits(scores, wanted.to(scores.dtype))
    among = scores.masked_fill(~possible, float("-inf"))
    right = scores.masked_fill(~wanted, float("-inf"))
    return (among.logsumexp(1) - right.logsumexp(1)).mean()


def shares_loss(scores: Tensor, shares: Tensor, named: Tensor) -> Tensor:
    """The cross-entropy of what the scores `float[B, M]` say with the `shares: float[B, M]` of a search.

    `named: int[B, M]` is the move that each move comes to, -1 for one that is impossible: a move that stands for
    several has the probability of all of them.
    """
    among = scores.masked_fill(named < 0, float("-inf"))
    each = among.softmax(1)
    together = torch.zeros_like(each).scatter_add(1, named.clamp_min(0), each)
    total = shares.sum(1, keepdim=True).clamp_min(LEAST)
    return -(shares / total * together.clamp_min(LEAST).log()).sum(1).mean()
