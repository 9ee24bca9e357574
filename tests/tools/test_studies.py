"""The studies of `benchmarks/studies.py`: each variant of each has settings that can be trained with."""

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from puzzlelab.training import recipe
from puzzlelab.training.runs import read_toml

SOURCE = Path(__file__).parents[2] / "benchmarks" / "studies.py"


@pytest.fixture(scope="module")
def studies():
    """The program, as a module."""
    spec = importlib.util.spec_from_file_location("studies", SOURCE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["studies"] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["parts", "rewards", "topologies", "imitation"])
def test_every_variant_can_be_trained(studies, name) -> None:
    study = studies.STUDIES[name]
    recipes = []
    for changes in study.variants.values():
        values = recipe.with_changes(read_toml(studies.CONFIGS / study.config), [*study.common, *changes])
        recipes.append(recipe.settings_of(study.recipe, values))
        recipe.find(study.recipe).check(recipes[-1])
    assert len({settings.model_dump_json() for settings in recipes}) == len(study.variants) > 1


def test_no_study_is_left_out(studies) -> None:
    assert {"parts", "rewards", "topologies", "imitation"} == set(studies.STUDIES)
