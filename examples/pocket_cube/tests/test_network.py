"""The network that comes with the package, and the recipe that trains it."""

# ruff: noqa: D103
import tomllib
from pathlib import Path

import numpy as np
import pytest
from pocket_cube import PocketCube
from pocket_cube.sampling import uniform

from puzzlelab import Instance, solve
from puzzlelab.core.registry import make_solver
from puzzlelab.storage import networks

CUBE = PocketCube()
RECIPE = Path(__file__).parents[1] / "recipes" / "cube-2x2x2.toml"


def test_the_network_guides_searches():
    assert networks.find(CUBE).heads == ("policy", "cost_to_go")
    solver, random = make_solver("beam", {"width": 1000, "estimate": "net"}), np.random.default_rng(6)
    for _ in range(5):
        assert solve(Instance(CUBE, uniform(random, None, 1)[0]), solver).moves is not None


def test_the_recipe_is_one():
    pytest.importorskip("torch")
    from puzzlelab.training.recipes.imitation import ImitationSettings, check

    settings = ImitationSettings.model_validate(tomllib.loads(RECIPE.read_text(encoding="utf-8")))
    check(settings)
    assert settings.puzzle == CUBE.name


def test_commands_find_it_by_its_name():
    pytest.importorskip("onnxruntime")
    from puzzlelab.nets import model_zoo

    assert model_zoo.path_anywhere("cube-2x2x2").name == "cube-2x2x2"
