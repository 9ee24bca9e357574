"""A recipe with a loss of its own for the scores of moves: imitation with label smoothing.

All else is that of `imitation`: the teacher, the samples, the program that makes them, and their files. Source: Szegedy
et al., "Rethinking the Inception architecture" (2016).
"""

from functools import partial

import torch
from pydantic import Field
from torch import Tensor

from puzzlelab import Unsupported
from puzzlelab.nets.network import read_network
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training import loop
from puzzlelab.training.learner import Losses
from puzzlelab.training.losses import value_loss
from puzzlelab.training.recipe import Recipe
from puzzlelab.training.recipes import imitation
from puzzlelab.training.step_graphs import Minibatch


class SmoothSettings(imitation.ImitationSettings):
    """Every setting of the recipe: those of imitation, and one more."""

    recipe: str = "smooth"
    smoothing: float = Field(default=0.1, ge=0, lt=1)
    """The share of the target that all legal moves get alike."""


def losses_of(model: TorchModel, settings: SmoothSettings, columns: Minibatch) -> tuple[Losses, Tensor]:
    """Return the losses of a minibatch by name, which are added up; the recipe has no use for the second value.

    The columns are `cost_to_go: float[B]`, the remaining moves; `legal: bool[B, M]`, the legal moves; and
    `target: bool[B, M]`, those of the teacher.
    """
    outputs = model.forward(columns)
    distance = value_loss(outputs["cost_to_go"], columns["cost_to_go"], settings.distance)
    legal, target = columns["legal"], columns["target"]
    scores = outputs["policy"].masked_fill(~legal, float("-inf")).log_softmax(1)
    right = scores.masked_fill(~target, float("-inf")).logsumexp(1)
    alike = scores.masked_fill(~legal, 0.0).sum(1) / legal.sum(1)
    policy = -torch.lerp(right, alike, settings.smoothing).mean()
    losses = {"cost_to_go_loss": settings.cost_to_go_weight * distance, "policy_loss": settings.policy_weight * policy}
    return losses, policy


def check(settings: SmoothSettings) -> None:
    """Raise `BadInput` for settings that cannot be trained with, before there is a folder for them."""
    imitation.check(settings)
    network = read_network(settings.network)
    if set(network.heads) != {"policy", "cost_to_go"} or network.policy != "softmax":
        raise Unsupported(
            "the recipe 'smooth' needs a network with the heads policy and cost_to_go, and policy=softmax"
        )


SMOOTH = Recipe(
    SmoothSettings,
    check,
    learn=partial(loop.learn, partial(imitation.new_task, losses_of=losses_of)),
    generate=imitation.generate,
    check_executor=imitation.RECIPE.check_executor,
)
