"""The parts of training, each by numbers that can be worked out by hand."""

from math import log

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from puzzlelab.core.errors import BadFile, BadInput, BadOption, UnknownName
from puzzlelab.training import learner, recipe
from puzzlelab.training.learner import LearnerSettings, rate_at
from puzzlelab.training.losses import moves_loss, shares_loss, value_loss
from puzzlelab.training.metrics import Metrics, read
from puzzlelab.training.runs import Run, differences

# --- losses ---


def test_the_softmax_loss_counts_possible_moves_alone_and_all_wanted_ones_as_right() -> None:
    scores = torch.zeros(1, 4)
    wanted, possible = torch.tensor([[True, True, False, False]]), torch.tensor([[True, True, True, False]])
    assert moves_loss(scores, wanted, possible, "softmax").item() == pytest.approx(-log(2 / 3))


def test_the_binary_loss_counts_every_move_for_itself() -> None:
    scores = torch.tensor([[0.0, 0.0, -100.0, 100.0]])
    wanted = torch.tensor([[True, False, False, True]])
    assert moves_loss(scores, wanted, wanted, "binary").item() == pytest.approx(2 * log(2) / 4)


def test_distances_of_remaining_moves() -> None:
    found, wanted = torch.tensor([1.0, 5.0]), torch.tensor([1.0, 2.0])
    assert value_loss(found, wanted, "squared").item() == pytest.approx(4.5)
    assert value_loss(found, wanted, "huber").item() == pytest.approx(2.5 / 2)


@pytest.mark.parametrize("policy", ["softmax", "binary", "cells"])
def test_gradients_of_losses_of_moves_are_the_numerical_ones(policy) -> None:
    scores = torch.randn(3, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True)
    wanted = torch.tensor([[1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1], [0, 0, 1, 1, 0, 0]], dtype=torch.bool)
    possible = wanted | torch.tensor([[0, 1, 0, 1, 0, 0], [1, 0, 1, 0, 1, 0], [1, 0, 0, 0, 0, 1]], dtype=torch.bool)
    assert torch.autograd.gradcheck(lambda found: moves_loss(found, wanted, possible, policy, digits=3), scores)
    shares = torch.rand(3, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    named = torch.tensor([[0, 0, 2, 3, -1, 5], [0, 1, 1, 1, 4, 5], [-1, 1, 2, 2, 4, 4]])
    assert torch.autograd.gradcheck(lambda found: shares_loss(found, shares, named), scores)


@pytest.mark.parametrize("distance", ["squared", "huber"])
def test_gradients_of_losses_of_values_are_the_numerical_ones(distance) -> None:
    found = torch.tensor([0.3, 2.5, -4.0], dtype=torch.float64, requires_grad=True)
    wanted, weights = torch.tensor([0.0, 5.0, -4.2]).double(), torch.tensor([1.0, 0.5, 2.0]).double()
    assert torch.autograd.gradcheck(lambda each: value_loss(each, wanted, distance, weights), found)


# --- learner ---


@pytest.mark.parametrize(("step", "rate"), [(0, 0.1), (4, 0.5), (55, 0.51), (110, 0.02), (999, 0.02)])
def test_the_rate_warms_up_and_falls_by_a_cosine(step, rate) -> None:
    settings = LearnerSettings(rate=1.0, warmup=9, steps=110, last=0.02)
    assert rate_at(settings, step) == pytest.approx(rate, rel=0.01)


def test_a_restart_lets_the_rate_rise_and_fall_again() -> None:
    settings = LearnerSettings(rate=1.0, warmup=0, steps=150, last=0.1, restarts=(100, 130), again=0.5)
    before = LearnerSettings(rate=1.0, warmup=0, steps=100, last=0.1)
    assert [rate_at(settings, step) for step in range(100)] == [rate_at(before, step) for step in range(100)]
    found = [rate_at(settings, step) for step in (100, 115, 129, 130, 140, 150)]
    assert found == pytest.approx([0.5, 0.275, 0.051, 0.25, 0.1375, 0.025], rel=0.02)
    for wrong in [(100, 100), (150,), (0, 10)]:
        with pytest.raises(BadOption, match="restarts come one after the other"):
            LearnerSettings(steps=150, restarts=wrong)


def test_the_rate_is_constant_where_that_is_asked() -> None:
    settings = LearnerSettings(rate=0.25, warmup=0, steps=10, schedule="constant")
    assert {rate_at(settings, step) for step in range(10)} == {0.25}


@pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd"])
def test_a_restored_learner_takes_the_same_steps(optimiser) -> None:
    from puzzlelab.core import registry

    puzzle = registry.load("tiles-3x3")
    settings = LearnerSettings(optimiser=optimiser, rate=0.01, precision="float32")
    states = np.arange(9, dtype=np.uint8)[None]

    def losses(student):
        return lambda: {"odd": (student.model.forward(states)["cost_to_go"] - 3).square().mean()}

    def new():
        return learner.new(puzzle, {"kind": "dense", "width": 4, "depth": 1}, settings, seed=3)

    one = new()
    for _ in range(3):
        one.update(losses(one))
    other = new()
    other.restore(one.state(), one.step)
    for _ in range(3):
        assert one.update(losses(one)) == other.update(losses(other))
    assert all(torch.equal(a, b) for a, b in zip(one.average.parameters(), other.average.parameters(), strict=True))


def test_the_running_mean_follows_slowly() -> None:
    from puzzlelab.core import registry

    puzzle = registry.load("tiles-3x3")
    found = learner.new(puzzle, {"kind": "dense", "width": 4, "depth": 1}, LearnerSettings(mean=0.9), seed=3)
    weight, mean = next(found.model.module.parameters()), next(found.average.parameters())
    before = mean.clone()
    found.step = 1000
    with torch.no_grad():
        weight += 1.0
    found._follow()
    assert torch.allclose(mean - before, torch.full_like(mean, 0.1), atol=1e-5)


# --- settings ---


def test_changes_reach_into_tables() -> None:
    values = {"seed": 1, "data": {"ring": 5}}
    changed = recipe.with_changes(values, ["data.ring=7", "data.reuse=2", "seed=3", "teacher.set.width=9"])
    assert changed == {"seed": 3, "data": {"ring": 7, "reuse": 2}, "teacher": {"set": {"width": 9}}}
    assert values == {"seed": 1, "data": {"ring": 5}}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["data.rign=7"], "data has no option 'rign'; did you mean 'ring'"),
        (["sed=7"], "imitation has no option 'sed'; did you mean 'seed'"),
        (["data.ring=0"], "data: the option 'ring' cannot be '0'"),
        (["recipe=dqn"], "these are settings of the recipe 'dqn', not of 'imitation'"),
        (["seed.x=1"], "sets a part of 'seed', which has no parts"),
        (["nothing"], "write NAME=VALUE"),
    ],
)
def test_bad_settings_get_a_sentence(settings_of, changes, words) -> None:
    with pytest.raises(BadOption, match=words):
        settings_of(*changes)


def test_an_unknown_recipe_gets_the_nearest() -> None:
    with pytest.raises(UnknownName, match="there is no recipe 'imitate'; did you mean 'imitation'"):
        recipe.find("imitate")


def test_bad_toml_gets_its_place(tmp_path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("seed = 1\nseed = \n")
    with pytest.raises(BadFile, match=r"is no TOML: .*line 2"):
        recipe.read_toml(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadFile, match="is no TOML"):
        recipe.read_toml(path)
    with pytest.raises(BadFile, match="cannot read"):
        recipe.read_toml(tmp_path / "none.toml")


# --- folders ---


def test_a_folder_remembers_its_settings(tmp_path, settings_of) -> None:
    run = Run(tmp_path / "run")
    run.begin(settings_of())
    assert recipe.settings_of("imitation", run.held()) == settings_of()
    run.begin(settings_of("learning.threads=2", "teacher.jobs=3"))  # the machine may be another
    with pytest.raises(BadInput, match=r"begun with other settings: data.ring is 300 there, not 400"):
        run.begin(settings_of("data.ring=400"))


def test_a_setting_that_an_earlier_version_did_not_have_counts_as_if_nobody_said_it(tmp_path, settings_of) -> None:
    run, settings = Run(tmp_path / "run"), settings_of()
    run.begin(settings)
    held = run.config.read_text(encoding="utf-8")
    assert "walks = 0\n" in held
    run.config.write_text(held.replace("walks = 0\n", ""), encoding="utf-8")
    run.begin(settings)
    with pytest.raises(BadInput, match=r"teacher.walks is 0 there, not 7"):
        run.begin(settings_of("teacher.walks=7"))
    run.config.write_text(held.replace('"imitation"', '"dqn"'), encoding="utf-8")
    with pytest.raises(BadInput, match='begun with other settings: recipe is "dqn" there, not "imitation"'):
        run.begin(settings)


def test_a_folder_of_something_else_is_left_alone(tmp_path, settings_of) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match="is not empty, and holds no run"):
        Run(tmp_path).begin(settings_of())
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_differences_name_the_inner_setting() -> None:
    assert differences({"a": {"b": 1, "threads": 1}}, {"a": {"b": 2, "threads": 9}}) == ["a.b is 1 there, not 2"]


# --- metrics ---


def test_metrics_are_cut_back_to_what_counts(tmp_path) -> None:
    path = tmp_path / "metrics.jsonl"
    metrics = Metrics(path)
    metrics.write(1, {"loss": 2.0})
    kept = metrics.length
    metrics.write(2, {"loss": 1.0})
    again = Metrics(path, kept)
    again.write(2, {"loss": 1.5})
    assert read(path) == [{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.5}]


def test_what_is_no_metrics_gets_a_sentence(tmp_path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text("loss 3\n")
    with pytest.raises(BadFile, match="holds no metrics"):
        read(path)
