"""The tables of docs/settings-*.md: every setting of the documents' recipes is in them, with the recipe's value."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("settings-*.md"))
HEADER = ["setting", "here", "the document", "where", "remark"]


@dataclass(frozen=True)
class SettingsTable:
    """The table of a page, which links its recipes above it."""

    recipes: tuple[str, ...]
    rows: dict[str, tuple[object, ...]]
    """A value for each recipe by the setting's name."""


def table(text: str) -> SettingsTable:
    """The table of a page; a value that is the same in all recipes of a table stands there once."""
    recipes = tuple(re.findall(r"\]\(\.\./src/puzzlelab/configs/([\w.-]+)\.toml\)", text))
    header, _, *cells = [_cells(line) for line in text.splitlines() if line.startswith("|")]
    assert header == HEADER, recipes
    rows: dict[str, tuple[object, ...]] = {}
    for name, values, *rest in cells:
        assert len(rest) == 3, f"{recipes}: the row of {name} has not five cells"
        assert name.strip("`") not in rows, f"{recipes}: {name} is there twice"
        rows[name.strip("`")] = _values(values, len(recipes))
    return SettingsTable(recipes, rows)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _values(text: str, count: int) -> tuple[object, ...]:
    """The values in backticks, as TOML."""
    values = tuple(tomllib.loads(f"value = {value}")["value"] for value in re.findall(r"`([^`]*)`", text))
    assert len(values) in (1, count), text
    return values * count if len(values) == 1 else values


def flat(values: object, name: str = "") -> dict[str, object]:
    """Every value of nested tables by its path, such as `boards[0].count`."""
    if isinstance(values, dict):
        parts = {f"{name}.{key}" if name else key: value for key, value in values.items()}
    elif isinstance(values, list) and values and all(isinstance(value, dict) for value in values):
        parts = {f"{name}[{number}]": value for number, value in enumerate(values)}
    else:
        return {name: values}
    return {path: value for key, part in parts.items() for path, value in flat(part, key).items()}


def recipe_values(name: str) -> dict[str, object]:
    return tomllib.loads((ROOT / "src" / "puzzlelab" / "configs" / f"{name}.toml").read_text(encoding="utf-8"))


def default_values(name: str) -> dict[str, object]:
    """All settings of a recipe, with the defaults of those that its file leaves out."""
    pytest.importorskip("torch")
    from puzzlelab.training.recipe import settings_of

    values = recipe_values(name)
    return flat(settings_of(str(values["recipe"]), values).model_dump(mode="json"))


TABLES = [table(page.read_text(encoding="utf-8")) for page in PAGES]
CASES = [(each, number) for each in TABLES for number in range(len(each.recipes))]


@pytest.mark.parametrize(("table", "number"), CASES, ids=[each.recipes[number] for each, number in CASES])
def test_every_setting_of_a_documents_recipe_is_in_the_table_with_its_value(table: SettingsTable, number: int) -> None:
    written = flat(recipe_values(table.recipes[number]))
    named = {name: values[number] for name, values in table.rows.items()}
    assert sorted(written.keys() - named.keys()) == []
    left_out = named.keys() - written.keys()
    defaults = default_values(table.recipes[number]) if left_out else {}
    assert sorted(left_out - defaults.keys()) == []
    present = {name: written.get(name, defaults.get(name)) for name in named}
    different = {name: (named[name], present[name]) for name in named if named[name] != present[name]}
    assert different == {}, "(the page, the recipe)"


def test_all_recipes_of_documents_have_a_table() -> None:
    recipes = {name for each in TABLES for name in each.recipes}
    files = {path.stem for path in (ROOT / "src" / "puzzlelab" / "configs").glob("00*.toml")}
    assert recipes == files | {"tiles-3x3-selfplay"}
