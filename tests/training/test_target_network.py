"""The copy that follows: at once, a little at a time, or not a copy at all."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption
from puzzlelab.training import learner
from puzzlelab.training.learner import LearnerSettings
from puzzlelab.training.target_network import TargetNetwork, TargetUpdate

STATES = np.arange(9, dtype=np.uint8)[None]


@pytest.fixture
def model():
    network = {"kind": "dense", "width": 4, "depth": 1, "heads": ["q", "cost_to_go"]}
    return learner.new(registry.load("tiles-3x3"), network, LearnerSettings(), seed=3).model


def moved(model, by=1.0):
    """The network after each of its weights grew."""
    with torch.no_grad():
        for parameter in model.module.parameters():
            parameter += by
    return model.module


def weights(model):
    return torch.cat([parameter.detach().reshape(-1) for parameter in model.module.parameters()])


def test_a_copy_stays_what_it_was(model) -> None:
    slow = TargetNetwork.of(model, TargetUpdate(rule="hard", every=10))
    before, said = weights(slow.model).clone(), slow.model.outputs(STATES)["q"]
    assert torch.equal(before, weights(model))
    moved(model)
    assert torch.equal(weights(slow.model), before)
    assert np.array_equal(slow.model.outputs(STATES)["q"], said)
    assert not np.allclose(model.outputs(STATES)["q"], said)
    assert not any(parameter.requires_grad for parameter in slow.model.module.parameters())
    assert all(parameter.requires_grad for parameter in model.module.parameters())


def test_a_hard_copy_is_made_now_and_then(model) -> None:
    """Not at every step, as where a constant was tested in the place of the step."""
    slow = TargetNetwork.of(model, TargetUpdate(rule="hard", every=4))
    made = []
    for step in range(1, 13):
        moved(model)
        slow.follow(model.module, step)
        made.append(torch.equal(weights(slow.model), weights(model)))
    assert [step for step, copied in enumerate(made, 1) if copied] == [4, 8, 12]


def test_a_hard_copy_takes_the_units_too(model) -> None:
    slow = TargetNetwork.of(model, TargetUpdate(rule="hard", every=1))
    model.module.heads.each["remaining"].middle.fill_(7.0)
    slow.follow(model.module, 1)
    assert slow.model.outputs(STATES)["cost_to_go"].tolist() == [7.0]


def test_a_soft_copy_moves_a_little_at_every_step(model) -> None:
    slow = TargetNetwork.of(model, TargetUpdate(rule="soft", rate=0.25))
    before = weights(slow.model).clone()
    moved(model)
    for step, share in ((1, 0.25), (2, 1 - 0.75**2), (3, 1 - 0.75**3)):
        slow.follow(model.module, step)
        assert torch.allclose(weights(slow.model), before + share, atol=1e-6)


def test_a_soft_copy_of_rate_one_is_the_network(model) -> None:
    slow = TargetNetwork.of(model, TargetUpdate(rule="soft", rate=1.0))
    slow.follow(moved(model), 1)
    assert torch.allclose(weights(slow.model), weights(model))


def test_no_copy_is_the_network_itself(model) -> None:
    slow = TargetNetwork.of(model, TargetUpdate(rule="none"))
    moved(model)
    slow.follow(model.module, 1)
    assert slow.model is model
    assert all(parameter.requires_grad for parameter in model.module.parameters())
    assert slow.state() == {}
    slow.restore({})


@pytest.mark.parametrize("settings", [{"rule": "hard", "every": 4}, {"rule": "soft", "rate": 0.3}])
def test_a_restored_copy_goes_on_as_it_would_have(model, settings) -> None:
    one = TargetNetwork.of(model, TargetUpdate(**settings))
    for step in range(1, 7):
        one.follow(moved(model), step)
    kept = one.state()
    other = TargetNetwork.of(model, TargetUpdate(**settings))
    other.restore({**kept, "network.weight": torch.zeros(3)})  # it finds its own among all that was kept
    for step in range(7, 10):
        moved(model)
        for slow in (one, other):
            slow.follow(model.module, step)
        assert torch.equal(weights(one.model), weights(other.model))


def test_what_was_kept_does_not_change_with_the_copy(model) -> None:
    slow = TargetNetwork.of(model, TargetUpdate(rule="soft", rate=0.5))
    before, kept = weights(slow.model).clone(), slow.state()
    slow.follow(moved(model), 1)
    assert not torch.equal(weights(slow.model), before)
    slow.restore(kept)
    assert torch.equal(weights(slow.model), before)


@pytest.mark.parametrize("values", [{"rule": "slow"}, {"every": 0}, {"rate": 0}, {"rate": 1.5}])
def test_settings_that_make_no_sense(values) -> None:
    with pytest.raises(BadOption, match=f"target-update: the option '{next(iter(values))}' cannot be"):
        TargetUpdate(**values)
