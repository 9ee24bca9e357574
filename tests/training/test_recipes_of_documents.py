"""The recipes with the settings of the documents."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from puzzlelab.core.registry import load
from puzzlelab.nets.network import read_network
from puzzlelab.training import recipe
from puzzlelab.training.runs import read_toml

CONFIGS = Path(__file__).parents[2] / "src" / "puzzlelab" / "configs"


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("000", 20_769_048), ("001", 9_511_548), ("002-8", 144_754), ("004-even", 7_605_145), ("004-doubling", 7_605_145)],
)
def test_the_networks_have_as_many_weights_as_those_of_the_documents(name: str, parameters: int) -> None:
    values = read_toml(CONFIGS / f"{name}.toml")
    settings = recipe.settings_of(str(values["recipe"]), values)
    with torch.device("meta"):
        module = read_network(settings.network).build(load(settings.puzzle))
    assert sum(parameter.numel() for parameter in module.parameters()) == parameters


@pytest.mark.parametrize(
    ("name", "width", "parameters", "most"), [("002-8", 250, 144_754, 21), ("002-15", 500, 623_504, 50)]
)
def test_the_settings_are_those_of_the_document_002(name: str, width: int, parameters: int, most: int) -> None:
    settings = recipe.settings_of("dqn", read_toml(CONFIGS / f"{name}.toml"))
    recipe.find("dqn").check(settings)
    module = read_network(settings.network).build(load(settings.puzzle))
    assert (settings.network["depth"], settings.network["width"]) == (3, width)
    assert sum(parameter.numel() for parameter in module.parameters()) == parameters
    curriculum = settings.curriculum
    assert (curriculum.scale, curriculum.growth, curriculum.max_difficulty) == ("walk-to-level", "evaluations", most)
    assert (curriculum.evaluation_interval, curriculum.evaluation_boards, curriculum.checks_in_a_row) == (50, 10, 3)
    assert (settings.replay.size, settings.learning.batch_size, settings.minibatch_size) == (100_000, 100, 32)
    assert (settings.discount, settings.learning.learning_rate, settings.max_moves) == (0.9, 1e-4, 50)


@pytest.mark.parametrize("change", ["replay.size=5000", "reward=in-place", "reward=manhattan"])
@pytest.mark.parametrize("name", ["002-8", "002-15"])
def test_what_the_document_002_tried_first_can_be_set(name: str, change: str) -> None:
    recipe.find("dqn").check(recipe.settings_of("dqn", read_toml(CONFIGS / f"{name}.toml"), [change]))


@pytest.mark.parametrize("name", ["002-8", "002-15"])
def test_every_setting_of_the_document_002_has_its_line(name: str) -> None:
    lines = (CONFIGS / f"{name}.toml").read_text(encoding="utf-8").splitlines()
    settings = [line for line in lines if " = " in line and not line.startswith("#")]
    bare = [line.split(" = ")[0] for line in settings if "#" not in line]
    assert bare == ["recipe", "kind", "warmup", "ema", "teacher_games", "levels"]
