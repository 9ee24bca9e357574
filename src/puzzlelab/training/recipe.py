"""What a recipe is, and how its settings are filled: from TOML, from `name.name=value`, or from a run's folder."""

from __future__ import annotations

import importlib
import pkgutil
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from typing_extensions import Protocol, runtime_checkable

from puzzlelab.core.errors import BadFile, BadOption, UnknownName, shorten
from puzzlelab.core.settings import Settings, read_options
from puzzlelab.training import recipes
from puzzlelab.training.runs import Run


class Recipe(Protocol):
    """A way to train: its settings, and a program that learns; it may have a second one, see `Generates`."""

    settings: type[Settings]
    """A frozen model of every setting; `recipe` is the recipe's own name."""

    def check(self, settings: Any) -> None:
        """Raise `BadInput` for settings that cannot be trained with, before a folder is made for them."""

    def learn(self, run: Run, settings: Any, watch: Callable[[], None]) -> None:
        """Train on them until the run is done, going on from what the folder holds.

        `watch` is called between steps and while the learner waits; what it raises ends the work, which is saved.
        """


@runtime_checkable
class Generates(Protocol):
    """A recipe whose samples come from a program of their own, which shares nothing with the learner but the folder."""

    def generate(self, run: Run, settings: Any, watch: Callable[[], None]) -> None:
        """Make samples until the run is done; `watch` is called now and then, and what it raises ends the work."""


def names() -> list[str]:
    """The recipes that there are."""
    return sorted(module.name for module in pkgutil.iter_modules(recipes.__path__))


def find(name: str) -> Recipe:
    """The recipe of this name; raises `UnknownName`."""
    if name not in names():
        raise UnknownName("recipe", name, names())
    found: Recipe = importlib.import_module(f"{recipes.__name__}.{name}").RECIPE
    return found


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file says; raises `BadFile` with the place."""
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(f"{path} is no TOML: {error}") from None


def with_changes(values: Mapping[str, Any], changes: Iterable[str]) -> dict[str, Any]:
    """The values, changed as texts such as `learning.rate=0.001` say; raises `BadOption`."""
    changed = {name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()}
    for name, value in read_options(changes).items():
        *outer, last = name.split(".")
        table: Any = changed
        for part in outer:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise BadOption(f"'{shorten(name)}' sets a part of '{part}', which has no parts")
        table[last] = value
    return changed


def settings_of(name: str, values: Mapping[str, Any]) -> Any:
    """The settings of a recipe; raises `BadOption` for values that are of another recipe, unknown or out of range."""
    told = values.get("recipe", name)
    if told != name:
        raise BadOption(f"these are settings of the recipe '{shorten(str(told))}', not of '{name}'")
    return find(name).settings(**{**values, "recipe": name})
