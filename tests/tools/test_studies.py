"""The studies of `benchmarks/studies.py`: each variant of each has settings that can be trained with."""

import pytest

pytest.importorskip("torch")

import studies
from puzzlelab.training import recipe
from puzzlelab.training.runs import read_toml


@pytest.mark.parametrize("name", studies.STUDIES)
def test_every_variant_can_be_trained(name) -> None:
    study = studies.STUDIES[name]
    recipes = []
    for changes in study.variants.values():
        values = recipe.with_changes(read_toml(studies.CONFIGS / study.config), [*study.common, *changes])
        recipes.append(recipe.settings_of(study.recipe, values))
        recipe.find(study.recipe).check(recipes[-1])
    assert len({settings.model_dump_json() for settings in recipes}) == len(study.variants) > 1
