"""The learning rate, the moving average, and saved states of a learner."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption
from puzzlelab.training.learner import learning_rate_at, new_learner
from puzzlelab.training.settings import LearnerSettings
from puzzlelab.training.target_network import TargetNetwork, TargetUpdate


@pytest.mark.parametrize(("step", "rate"), [(0, 0.1), (4, 0.5), (55, 0.51), (110, 0.02), (999, 0.02)])
def test_the_rate_warms_up_and_falls_by_a_cosine(step, rate) -> None:
    settings = LearnerSettings(learning_rate=1.0, warmup=9, steps=110, final_lr_share=0.02)
    assert learning_rate_at(settings, step) == pytest.approx(rate, rel=0.01)


def test_a_restart_lets_the_rate_rise_and_fall_again() -> None:
    settings = LearnerSettings(
        learning_rate=1.0, warmup=0, steps=150, final_lr_share=0.1, restarts=(100, 130), restart_factor=0.5
    )
    before = LearnerSettings(learning_rate=1.0, warmup=0, steps=100, final_lr_share=0.1)
    assert [learning_rate_at(settings, step) for step in range(100)] == [
        learning_rate_at(before, step) for step in range(100)
    ]
    found = [learning_rate_at(settings, step) for step in (100, 115, 129, 130, 140, 150)]
    assert found == pytest.approx([0.5, 0.275, 0.051, 0.25, 0.1375, 0.025], rel=0.02)
    for wrong in [(100, 100), (150,), (0, 10)]:
        with pytest.raises(
            BadOption, match="^learner: restarts must rise and lie before the last of 150 steps, not be"
        ):
            LearnerSettings(steps=150, restarts=wrong)


@pytest.mark.parametrize("precision", ["float32", "bf16"])
def test_what_plays_and_what_is_copied_has_the_precision_of_training(precision) -> None:
    network = {"kind": "dense", "width": 4, "depth": 1, "heads": ["q"]}
    learner = new_learner(registry.load("tiles-3x3"), network, LearnerSettings(precision=precision), seed=0)
    follower = TargetNetwork.of(learner.model, TargetUpdate(rule="hard")).model
    assert {learner.model.precision, learner.ema_model.precision, follower.precision} == {precision}


def odd_losses(model, settings, columns):
    output = model.forward(columns)["cost_to_go"]
    return {"odd": (output - columns["target"]).square().mean()}, output


def take_a_step(learner, states, *targets):
    """Make one step, with a minibatch for each target, by default 3."""
    columns = learner.model.columns(states)
    minibatches = [{**columns, "target": torch.tensor(float(target))} for target in targets or (3,)]
    return dict(learner.update(odd_losses, None, *minibatches)[0])


@pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd"])
def test_a_restored_learner_takes_the_same_steps(optimiser) -> None:
    from puzzlelab.core import registry

    puzzle = registry.load("tiles-3x3")
    settings = LearnerSettings(optimiser=optimiser, learning_rate=0.01, precision="float32")
    states = np.arange(9, dtype=np.uint8)[None]

    def new():
        return new_learner(puzzle, {"kind": "dense", "width": 4, "depth": 1}, settings, seed=3)

    one = new()
    for _ in range(3):
        take_a_step(one, states)
    other = new()
    other.restore(one.state(), one.step)
    for _ in range(3):
        assert take_a_step(one, states) == take_a_step(other, states)
    assert all(
        torch.equal(a, b) for a, b in zip(one.ema_module.parameters(), other.ema_module.parameters(), strict=True)
    )


def test_the_running_mean_follows_slowly() -> None:
    from puzzlelab.core import registry

    puzzle = registry.load("tiles-3x3")
    learner = new_learner(puzzle, {"kind": "dense", "width": 4, "depth": 1}, LearnerSettings(ema=0.9), seed=3)
    weight, mean = next(learner.model.module.parameters()), next(learner.ema_module.parameters())
    before = mean.clone()
    learner.step = 1000
    with torch.no_grad():
        weight += 1.0
    learner._update_average()
    assert torch.allclose(mean - before, torch.full_like(mean, 0.1), atol=1e-5)


def test_minibatches_are_one_step_of_several_updates() -> None:
    from puzzlelab.core import registry

    def new():
        settings = LearnerSettings(optimiser="adam", learning_rate=0.01, precision="float32")
        return new_learner(puzzle, {"kind": "dense", "width": 4, "depth": 1}, settings, seed=3)

    puzzle, states = registry.load("tiles-3x3"), np.arange(9, dtype=np.uint8)[None]
    one, other = new(), new()
    other.settings = other.settings.model_copy(update={"warmup": 0})
    one.settings = other.settings
    together = take_a_step(one, states, 3, 5)
    apart = [take_a_step(other, states, target) for target in (3, 5)]
    assert (one.step, other.step) == (1, 2)
    assert together["odd"] == pytest.approx((apart[0]["odd"] + apart[1]["odd"]) / 2)
    pairs = zip(one.model.module.parameters(), other.model.module.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


NORMALISED = {"kind": "convolution", "filters": [4, 4], "norm": "batch", "width": 4, "heads": ["cost_to_go"]}
STATES = np.stack([np.random.default_rng(number).permutation(9) for number in range(8)]).astype(np.uint8)


def normalised_learner(**settings):
    from puzzlelab.core import registry

    settings = LearnerSettings(precision="float32", learning_rate=0.01, warmup=0, **settings)
    return new_learner(registry.load("tiles-3x3"), NORMALISED, settings, seed=3)


@pytest.mark.parametrize("ema", [0.0, 0.9])
def test_running_statistics_are_averaged_as_weights_are(ema) -> None:
    learner = normalised_learner(ema=ema)
    learner.step = 1000
    before = learner.ema_module.convolutions[2].running_mean.clone()
    take_a_step(learner, STATES)
    current, average = (module.convolutions[2] for module in (learner.model.module, learner.ema_module))
    assert not torch.equal(current.running_mean, before)
    assert torch.allclose(average.running_mean, ema * before + (1 - ema) * current.running_mean, atol=1e-6)
    assert average.num_batches_tracked == current.num_batches_tracked == 1
