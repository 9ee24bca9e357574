"""The copy that follows: at once, a little at a time, or not a copy at all."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption
from puzzlelab.training.learner import new_learner
from puzzlelab.training.settings import LearnerSettings
from puzzlelab.training.target_network import TargetNetwork, TargetUpdate

STATES = np.arange(9, dtype=np.uint8)[None]


@pytest.fixture
def model():
    network = {"kind": "dense", "width": 4, "depth": 1, "heads": ["q", "cost_to_go"]}
    return new_learner(registry.load("tiles-3x3"), network, LearnerSettings(), seed=3).model


def moved(model, by=1.0):
    """The network after each of its weights grew."""
    with torch.no_grad():
        for parameter in model.module.parameters():
            parameter += by
    return model.module


def weights(model):
    return torch.cat([parameter.detach().reshape(-1) for parameter in model.module.parameters()])


def test_a_copy_stays_what_it_was(model) -> None:
    target = TargetNetwork.of(model, TargetUpdate(rule="hard", interval=10))
    before, said = weights(target.model).clone(), target.model.outputs(STATES)["q"]
    assert torch.equal(before, weights(model))
    moved(model)
    assert torch.equal(weights(target.model), before)
    assert np.array_equal(target.model.outputs(STATES)["q"], said)
    assert not np.allclose(model.outputs(STATES)["q"], said)
    assert not any(parameter.requires_grad for parameter in target.model.module.parameters())
    assert all(parameter.requires_grad for parameter in model.module.parameters())


def test_a_hard_copy_is_made_now_and_then(model) -> None:
    """Not at every step, as where a constant was tested in the place of the step."""
    target = TargetNetwork.of(model, TargetUpdate(rule="hard", interval=4))
    copies = []
    for step in range(1, 13):
        moved(model)
        target.update(model.module, step)
        copies.append(torch.equal(weights(target.model), weights(model)))
    assert [step for step, copied in enumerate(copies, 1) if copied] == [4, 8, 12]


def test_a_soft_copy_moves_a_little_at_every_step(model) -> None:
    target = TargetNetwork.of(model, TargetUpdate(rule="soft", tau=0.25))
    before = weights(target.model).clone()
    moved(model)
    for step, share in ((1, 0.25), (2, 1 - 0.75**2), (3, 1 - 0.75**3)):
        target.update(model.module, step)
        assert torch.allclose(weights(target.model), before + share, atol=1e-6)


def test_no_copy_is_the_network_itself(model) -> None:
    target = TargetNetwork.of(model, TargetUpdate(rule="none"))
    moved(model)
    target.update(model.module, 1)
    assert target.model is model
    assert all(parameter.requires_grad for parameter in model.module.parameters())
    assert target.state() == {}
    target.restore({})


@pytest.mark.parametrize("settings", [{"rule": "hard", "interval": 4}, {"rule": "soft", "tau": 0.3}])
def test_a_restored_copy_goes_on_as_it_would_have(model, settings) -> None:
    one = TargetNetwork.of(model, TargetUpdate(**settings))
    for step in range(1, 7):
        one.update(moved(model), step)
    kept = one.state()
    other = TargetNetwork.of(model, TargetUpdate(**settings))
    other.restore({**kept, "network.weight": torch.zeros(3)})  # it finds its own among all that was kept
    for step in range(7, 10):
        moved(model)
        for target in (one, other):
            target.update(model.module, step)
        assert torch.equal(weights(one.model), weights(other.model))


@pytest.mark.parametrize("values", [{"rule": "slow"}, {"interval": 0}, {"tau": 0}, {"tau": 1.5}])
def test_settings_that_make_no_sense(values) -> None:
    with pytest.raises(BadOption, match=f"target-update: the option '{next(iter(values))}' cannot be"):
        TargetUpdate(**values)


@pytest.mark.parametrize("settings", [{"rule": "hard", "interval": 1}, {"rule": "soft", "tau": 0.25}])
def test_running_statistics_follow_and_are_used(settings) -> None:
    network = {"kind": "convolution", "filters": [4, 4], "norm": "batch", "width": 4, "heads": ["cost_to_go"]}
    model = new_learner(registry.load("tiles-3x3"), network, LearnerSettings(), seed=3).model
    target = TargetNetwork.of(model, TargetUpdate(**settings))
    share = settings.get("tau", 1.0)
    model.module.convolutions[2].running_mean.fill_(8.0)
    target.update(model.module, 1)
    statistics = target.model.module.convolutions[2].running_mean
    assert torch.allclose(statistics, torch.full((4,), 8.0 * share))
    target.model.forward(target.model.columns(STATES))
    assert torch.allclose(statistics, torch.full((4,), 8.0 * share))
