"""The losses of values and of policies.

A loss of values is a file of this folder, or the object of an entry point in the group `puzzlelab.losses`: a function
of predicted values and their targets. The setting `distance` names it.

Shapes: B = samples, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from puzzlelab.nets.form import Policy
from puzzlelab.training.settings import LOSSES, Distance

Loss: TypeAlias = "Callable[[Tensor, Tensor], Tensor]"
"""The loss of each predicted value with its target, as a tensor of their shape; the mean is taken elsewhere."""

MIN_PROBABILITY = 1e-30
"""Lower bound of probabilities, so that their logarithm is finite."""


def loss_of(name: str) -> Loss:
    """Return the loss of this name; raises `UnknownName` or `BrokenPlugin`."""
    return LOSSES.find(name, Callable)  # type: ignore[no-any-return]


def value_loss(predicted: Tensor, target: Tensor, distance: Distance, weights: Tensor | None = None) -> Tensor:
    """Return the mean loss of predicted values, with an optional weight for each of them."""
    each = loss_of(distance)(predicted, target)
    return (each if weights is None else weights * each).mean()


def policy_loss(scores: Tensor, target: Tensor, legal: Tensor, policy: Policy, digits: int = 1) -> Tensor:
    """Return the cross-entropy of the target moves `bool[B, M]` under the scores `float[B, M]`.

    `softmax`: one choice among all legal moves `bool[B, M]`, every target move being equally right. `binary`: the mean
    binary cross-entropy of each move, illegal ones included, as in the document on dust. `cells`: one choice in each
    cell with a target move, among the legal ones of its `digits` moves; the mean over these cells.
    """
    if policy == "cells":
        scores, target, legal = (tensor.reshape(-1, digits) for tensor in (scores, target, legal))
        without = ~target.any(1, keepdim=True)
        losses = _choice_losses(scores, target | without, legal | without)  # 0 in a cell without a target
        return losses.sum() / (~without).sum().clamp_min(1)
    if policy == "binary":
        return functional.binary_cross_entropy_with_logits(scores, target.to(scores.dtype))
    return _choice_losses(scores, target, legal).mean()


def _choice_losses(scores: Tensor, target: Tensor, legal: Tensor) -> Tensor:
    """Return `float[B]`: the cross-entropy of one choice among the legal moves, the target moves being right."""
    of_legal = scores.masked_fill(~legal, float("-inf"))
    of_target = scores.masked_fill(~target, float("-inf"))
    return of_legal.logsumexp(1) - of_target.logsumexp(1)


def search_policy_loss(scores: Tensor, shares: Tensor, canonical: Tensor) -> Tensor:
    """Return the cross-entropy of the shares `float[B, M]` of a search's playouts under the scores `float[B, M]`.

    `canonical: int[B, M]` is the canonical move of each move, -1 for an illegal one. A canonical move has the
    probability of all moves with its effect.
    """
    probabilities = scores.masked_fill(canonical < 0, float("-inf")).softmax(1)
    summed = torch.zeros_like(probabilities).scatter_add(1, canonical.clamp_min(0), probabilities)
    total = shares.sum(1, keepdim=True).clamp_min(MIN_PROBABILITY)
    return -(shares / total * summed.clamp_min(MIN_PROBABILITY).log()).sum(1).mean()
