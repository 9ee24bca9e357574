"""Learning of the remaining moves and of the choice of moves from samples: shared by imitation and self-play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.nets.model import digits_per_cell
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training.batch import PolicyValueBatch
from puzzlelab.training.learner import Learner, Losses
from puzzlelab.training.losses import policy_loss, search_policy_loss, value_loss
from puzzlelab.training.settings import PolicyValueSettings


def train_on(
    learner: Learner,
    samples: Mapping[str, NDArray[Any]],
    settings: PolicyValueSettings,
    random: np.random.Generator,
) -> dict[str, float]:
    """Train for one step on these columns of samples; the losses."""
    batch = PolicyValueBatch.from_samples(learner.puzzle, samples)
    if settings.augment:
        has_symmetry = settings.network["kind"] == "exchangeable"
        batch = batch.augmented(learner.puzzle, random, permute_symbols=not has_symmetry)
    return learner.update(lambda: losses_of(learner.model, batch, settings))


def losses_of(model: TorchModel, batch: PolicyValueBatch, settings: PolicyValueSettings) -> Losses:
    """Return the weighted losses of the outputs that the network has."""
    outputs = model.forward(batch.states)
    losses: Losses = {}
    if "cost_to_go" in outputs:
        distance = value_loss(outputs["cost_to_go"], model.tensor(batch.cost_to_go), settings.distance)
        losses["cost_to_go_loss"] = settings.cost_to_go_weight * distance
    if "policy" in outputs:
        scores, target = outputs["policy"], model.tensor(batch.policy_target)
        if batch.is_of_search:
            loss = search_policy_loss(scores, target, model.tensor(batch.canonical))
        else:
            legal, digits = model.tensor(batch.legal), digits_per_cell(model.puzzle)
            loss = policy_loss(scores, target, legal, model.settings.policy, digits)
        losses["policy_loss"] = settings.policy_weight * loss
    return losses
