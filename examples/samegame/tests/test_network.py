"""The network that comes with the package, and the recipes."""

# ruff: noqa: D103
import tomllib
from pathlib import Path

import numpy as np
import pytest
from samegame import SameGame
from samegame.sampling import SameGameSamples

from puzzlelab import Instance, solve
from puzzlelab.core.registry import make_solver
from puzzlelab.storage import networks

GAME = SameGame(8, 8, 4)
RECIPES = Path(__file__).parents[1] / "recipes"


def test_the_network_guides_searches():
    assert networks.find(GAME).heads == ("policy", "cost_to_go")
    random = np.random.default_rng(6)
    for options in ({"width": 10, "estimate": "net"}, {"width": 10}):
        board = SameGameSamples(GAME).uniform(random, None, 1)[0]
        result = solve(Instance(GAME, board), make_solver("beam", options))
        assert result.moves is not None
        assert result.score is not None


def test_the_network_treats_colours_alike():
    random = np.random.default_rng(7)
    boards = np.array([SameGameSamples(GAME).of_cells(random, level) for level in (20, 40, 64)])
    renamed = np.array([0, 3, 1, 4, 2], np.uint8)[boards]
    network = networks.find(GAME)
    first, second = (network.estimate().scores(each) for each in (boards, renamed))
    assert np.allclose(first, second, atol=0.1)


def test_the_network_is_of_one_size():
    assert not networks.cards(SameGame(7, 8, 4))


@pytest.mark.parametrize("file", ["samegame-8x8x4.toml", "samegame-8x8x4-dqn.toml"])
def test_the_recipes_are_recipes(file: str):
    pytest.importorskip("torch")
    from puzzlelab.training.recipe import find

    values = tomllib.loads((RECIPES / file).read_text(encoding="utf-8"))
    recipe = find(values["recipe"])
    settings = recipe.settings.model_validate(values)
    recipe.check(settings)
    assert settings.puzzle == GAME.name
