"""The networks that come with the package: each is whole, small, told of, and can be made again."""

import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from puzzlelab.core import registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.registry import make_solver
from puzzlelab.core.views import Samples
from puzzlelab.engine.solving import solve_all
from puzzlelab.nets import model_zoo, onnx_model
from puzzlelab.puzzles.tiles.rules import Tiles
from puzzlelab.storage import networks

CONFIGS = Path(__file__).parents[2] / "src" / "puzzlelab" / "configs"
NAMES = sorted(model_zoo.shipped())
DOCUMENTS = {"tiles-3x3-document": "002-8", "tiles-4x4-document": "002-15"}
"""The networks by the settings of a document, and the name of its recipe."""


def test_all_of_them_take_less_than_30_megabytes() -> None:
    assert sum(path.stat().st_size for path in model_zoo.SHELF.iterdir()) < 30e6
    assert {path.suffix for path in model_zoo.SHELF.iterdir()} == {".json", ".onnx"}


@pytest.mark.parametrize("name", NAMES)
def test_a_network_is_whole_and_has_a_card_with_results(name) -> None:
    model, card = onnx_model.load(model_zoo.SHELF / name)
    assert name.startswith(card.puzzle)
    assert (card.steps > 0, card.hours > 0, card.version) == (True, True, "0.1.0")
    assert card.measured
    assert all({"command", "suite", "suite_hash", "solver", "boards"} <= set(result) for result in card.measured)
    assert "/" not in card.model_dump_json().replace("1/", "")
    assert networks.find(registry.load(card.puzzle), f"net:{card.name[:6]}").name == model.name == card.name


@pytest.mark.parametrize("name", NAMES)
def test_its_recipe_is_the_one_that_trained_it(name) -> None:
    pytest.importorskip("torch")
    from puzzlelab.training.recipe import settings_of
    from puzzlelab.training.runs import read_toml

    card = model_zoo.shipped()[name]
    settings = settings_of(card.recipe, read_toml(CONFIGS / f"{DOCUMENTS.get(name, name)}.toml"))
    assert settings == settings_of(card.recipe, card.settings)


@pytest.mark.parametrize(
    "name", [name if name.startswith("tiles") else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]
)
def test_it_knows_what_to_do(name) -> None:
    """Far from each limit, so that a processor that adds up otherwise does not change the verdict."""
    model, card = onnx_model.load(model_zoo.SHELF / name)
    puzzle = registry.load(card.puzzle)
    scale, level, most = {
        "tiles-3x3-document": ("walk-to-level", 8, 14),
        "tiles-4x4-document": ("walk-to-level", 8, 14),
        "dust-8x6x5": ("uniform", None, 16),
        "tiles-3x3": ("uniform", None, 24),
        "tiles-4x4": ("level", 12, 50),
        "sudoku-9x9": ("level", 4, 55),
    }[name if name in DOCUMENTS else card.puzzle]
    sample = puzzle.view(Samples).scales[scale].sample
    boards = [Instance(puzzle, sample(np.random.default_rng(number), level, 1)[0]) for number in range(30)]
    searches = make_solver("beam", {"width": 10, "estimate": f"net:{name}"})
    plays = make_solver("greedy", {"prior": f"net:{name}", "avoid_repeats": True, "max_moves": 100})
    results = solve_all(searches if "cost_to_go" in model.heads else plays, boards, Limit())
    lengths = [result.length for result in results if result.length is not None]
    assert len(lengths) >= 28
    assert np.mean(lengths) < most


def test_a_puzzle_may_bring_networks_of_its_own(tmp_path, monkeypatch):
    @dataclass(frozen=True)
    class WithNetworks(Tiles):
        __module__ = "brought.rules"

    package = ModuleType("brought")
    package.__file__ = str(networks.SHELF.with_name("__init__.py"))
    monkeypatch.setitem(sys.modules, "brought", package)
    puzzle = WithNetworks(3, 3)
    monkeypatch.setattr(networks, "SHELF", tmp_path)
    networks._load.cache_clear()
    try:
        assert "no network for tiles-3x3 comes with the package" in networks.missing(Tiles(3, 3))
        assert networks.missing(puzzle) is None
        assert next(iter(networks.cards(puzzle))) == "tiles-3x3"
        digits = networks.find(puzzle).name
        assert networks.find(puzzle, f"net:{digits[:6]}").name == digits
    finally:
        networks._load.cache_clear()
