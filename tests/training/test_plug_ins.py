"""Architectures, losses and recipes of another package, known by its entry points."""

import sys

import pytest

import puzzlelab
from puzzlelab.core.errors import BadOption, BrokenPlugin, UnknownName
from puzzlelab.nets.network import ARCHITECTURES, read_network
from puzzlelab.training import recipe

pytest.importorskip("torch")

import torch

from puzzlelab.training.losses import loss_of, value_loss

PLUG_IN = """
from dataclasses import replace
from typing import Literal

from pydantic import Field

from puzzlelab.nets.architectures.dense import Dense
from puzzlelab.training.recipes import tabular


class Narrow(Dense):
    kind: Literal["narrow"]
    width: int = Field(default=2, ge=1)


class Slow(tabular.TabularSettings):
    recipe: str = "slow"
    blend: float = Field(default=0.25, gt=0, le=1)


def upper(predicted, target):
    return (target - predicted).clamp_min(0)


SLOW = replace(tabular.RECIPE, settings=Slow)
"""
GAMES = {
    "puzzle": "tiles-2x2",
    "network": {"kind": "narrow", "heads": ["cost_to_go"]},
    "parallel_games": 4,
    "learning": {"steps": 2},
}


@pytest.fixture
def narrow(tmp_path, monkeypatch, plugged):
    """A package with one of each."""
    (tmp_path / "narrow_of_a_test.py").write_text(PLUG_IN)
    monkeypatch.syspath_prepend(tmp_path)
    plugged("puzzlelab.architectures", "narrow", "narrow_of_a_test:Narrow")
    plugged("puzzlelab.losses", "upper", "narrow_of_a_test:upper")
    plugged("puzzlelab.recipes", "slow", "narrow_of_a_test:SLOW")
    yield
    sys.modules.pop("narrow_of_a_test", None)


@pytest.mark.usefixtures("narrow")
def test_an_architecture_and_a_loss_of_a_plug_in_are_trained_and_play(tmp_path):
    changes = {"distance": "upper", "evaluation.boards": 2, "evaluation.every": 2}
    training = puzzlelab.train("value_iteration", GAMES, run=tmp_path / "run", changes=changes)
    board = puzzlelab.load("tiles-2x2").read("0 1 3 2")
    assert puzzlelab.solve(board, "astar", estimate=training.option).moves is not None


@pytest.mark.usefixtures("narrow")
def test_a_recipe_of_a_plug_in_has_its_own_settings(tmp_path):
    settings = {"puzzle": "tiles-2x2", "learning": {"steps": 2}, "evaluation": {"every": 2, "boards": 2}}
    puzzlelab.train("slow", settings, run=tmp_path / "run")
    assert "blend = 0.25" in (tmp_path / "run" / "config.toml").read_text()
    assert recipe.settings_of("slow", settings, {"blend": 0.5}).blend == 0.5


@pytest.mark.usefixtures("narrow")
def test_a_loss_is_a_function_of_predicted_values_and_targets():
    predicted, target = torch.tensor([1.0, 5.0]), torch.tensor([4.0, 2.0])
    assert value_loss(predicted, target, "upper").item() == 1.5
    assert value_loss(predicted, target, "upper", torch.tensor([2.0, 9.0])).item() == 3.0


@pytest.mark.usefixtures("narrow")
def test_a_wrong_setting_of_an_architecture_is_named_with_its_kind():
    with pytest.raises(BadOption, match="narrow has no option 'widht'; did you mean 'width'"):
        read_network({"kind": "narrow", "widht": 3})


def test_the_first_of_two_packages_has_the_name(narrow, plugged):
    plugged("puzzlelab.losses", "upper", "somebody:LOSS")
    assert loss_of("upper")(torch.tensor(0.0), torch.tensor(2.0)).item() == 2.0


def test_unknown_names_are_told_the_known_ones(tmp_path):
    with pytest.raises(UnknownName, match="there is no kind of network 'narow'; known are attention, convolution"):
        read_network({"kind": "narow"})
    with pytest.raises(UnknownName, match="there is no loss 'hubber'; did you mean 'huber'"):
        recipe.settings_of("dqn", GAMES, ["distance=hubber"])
    with pytest.raises(UnknownName, match="there is no recipe 'slow'; known are cnn, dqn, imitation"):
        puzzlelab.train("slow", GAMES, run=tmp_path / "run")


def test_a_broken_plug_in_is_found_before_the_run_begins(tmp_path, plugged):
    plugged("puzzlelab.losses", "upper", "no_such_module_of_a_test:upper")
    plugged("puzzlelab.architectures", "number", "math:pi")
    sentence = "the plug-in 'upper' cannot be used: ModuleNotFoundError: No module named 'no_such_module_of_a_test'"
    dense = {**GAMES, "network": {"kind": "dense", "heads": ["cost_to_go"]}, "distance": "upper"}
    with pytest.raises(BrokenPlugin, match=sentence):
        puzzlelab.train("value_iteration", dense, run=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    assert "number" in ARCHITECTURES.names()
    with pytest.raises(BrokenPlugin, match="the plug-in 'number' cannot be used: pi in math is no class"):
        read_network({"kind": "number"})
