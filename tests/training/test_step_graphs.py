"""Updates that a graphics card does at one call: the same numbers as without."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from puzzlelab.core import registry
from puzzlelab.training.learner import LossMeans, new_learner
from puzzlelab.training.settings import LearnerSettings

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no graphics card for PyTorch")
STATES = np.stack([np.random.default_rng(number).permutation(9) for number in range(20)]).astype(np.uint8)


def test_the_losses_of_a_step_are_means_over_its_minibatches() -> None:
    losses = LossMeans(("loss", "policy_loss"), [torch.tensor([1.0, 0.5]), torch.tensor([4.0, 2.5])], 1, 0.1)
    assert dict(losses) == {"loss": 2.5, "policy_loss": 1.5}
    assert len(losses) == 2


def losses_of(model, settings, columns):
    output = model.forward(columns)["cost_to_go"]
    return {"odd": (output - columns["target"]).square().mean()}, output


def trained(choice, optimiser):
    """Take eight steps of a long and a short minibatch, at a learning rate that changes."""
    settings = LearnerSettings(optimiser=optimiser, compile=choice, precision="float32", warmup=4, learning_rate=0.01)
    network = {"kind": "dense", "width": 16, "depth": 2}
    learner = new_learner(registry.load("tiles-3x3"), network, settings, seed=3)
    losses = []
    for step in range(8):
        columns = learner.model.columns(STATES)
        columns["target"] = torch.arange(20.0, device=learner.model.device) + step
        parts = [{name: column[rows] for name, column in columns.items()} for rows in (slice(0, 15), slice(15, 20))]
        means, output = learner.update(losses_of, None, *parts)
        losses.append((dict(means), output.tolist()))
    return losses, [parameter.tolist() for parameter in learner.model.module.parameters()]


@needs_gpu
@pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd"])
def test_recorded_updates_are_those_that_are_made_one_by_one(optimiser) -> None:
    assert trained("auto", optimiser) == trained("off", optimiser)


@needs_gpu
def test_a_restored_learner_records_anew() -> None:
    settings = LearnerSettings(precision="float32", warmup=0)
    one, other = (
        new_learner(registry.load("tiles-3x3"), {"kind": "dense", "width": 16, "depth": 1}, settings, seed=seed)
        for seed in (1, 2)
    )

    def step(learner):
        columns = {**learner.model.columns(STATES), "target": torch.zeros((), device=learner.model.device)}
        return dict(learner.update(losses_of, None, columns)[0])

    for _ in range(6):
        step(one)
    other.restore(one.state(), one.step)
    assert [step(one) for _ in range(6)] == [step(other) for _ in range(6)]
