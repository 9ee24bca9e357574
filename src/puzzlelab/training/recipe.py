"""The interface of a recipe, and its settings: read from TOML, from `name.name=value`, or from a run's folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

import numpy as np

from puzzlelab.core.errors import BadOption, PuzzlelabError, UnknownName, shorten
from puzzlelab.core.plug_ins import Group
from puzzlelab.core.settings import read_options
from puzzlelab.engine.executor import Executor
from puzzlelab.training.runs import Run
from puzzlelab.training.settings import RecipeSettings
from puzzlelab.version import PACKAGE

CONFIGS = PACKAGE / "configs"
"""The folder with the files of settings that come with the package."""

Watch = Callable[[], None]
"""Is called between steps and while a program waits. An exception of it ends the work, whose state is saved."""


class TrainingStopped(Exception):
    """A callback has stopped the training."""


class Diverged(PuzzlelabError):
    """The error about a training whose losses or weights are no numbers any more."""


OnStep: TypeAlias = "Callable[[int, Mapping[str, float]], object]"
"""Is called after each step with its number and its losses, which are fetched from the device when they are read."""
OnEvaluation: TypeAlias = "Callable[[int, dict[str, float]], object]"
"""Is called after each evaluation with the number of the step and a copy of the metrics."""


@dataclass(frozen=True)
class Callbacks:
    """The functions that the process that learns calls; one that returns True stops the training, as Ctrl-C does."""

    on_step: OnStep | None = None
    on_evaluation: OnEvaluation | None = None

    def after_step(self, step: int, losses: Mapping[str, float]) -> None:
        """Call `on_step`; raises `TrainingStopped`, and what it raises."""
        if self.on_step is not None:
            _stop_if(self.on_step(step, MappingProxyType(losses)))

    def after_evaluation(self, step: int, metrics: Mapping[str, float]) -> None:
        """Call `on_evaluation`; raises `TrainingStopped`, and what it raises."""
        if self.on_evaluation is not None:
            _stop_if(self.on_evaluation(step, dict(metrics)))


def _stop_if(answer: object) -> None:
    """Raise `TrainingStopped` at True alone: other values, such as the bytes that were written, mean nothing."""
    if isinstance(answer, bool | np.bool_) and answer:
        raise TrainingStopped


NO_CALLBACKS = Callbacks()


class Generate(Protocol):
    """The program of a recipe that makes samples."""

    def __call__(self, run: Run, settings: Any, watch: Watch, executor: Executor) -> None:
        """Work until the run is done, or until the watch raises; the executor does what others can do of it."""


class Learn(Protocol):
    """The program of a recipe that learns."""

    def __call__(
        self, run: Run, settings: Any, watch: Watch, executor: Executor, callbacks: Callbacks = NO_CALLBACKS
    ) -> None:
        """Train until the run is done, or until the watch or a callback raises, and save the state then."""


def refuse_executor(settings: Any) -> None:
    """Raise `BadOption`: the recipe does all of its work in one process."""
    raise BadOption(f"the recipe '{settings.recipe}' leaves nothing to an executor: leave out --executor")


@dataclass(frozen=True)
class Recipe:
    """A way to train: its settings, and a program that learns; some have a second program, which makes samples."""

    settings: type[RecipeSettings]
    check: Callable[[Any], None]
    """Raises `BadInput` for settings that cannot be trained with, before a folder is made for them."""
    learn: Learn
    """Trains with these settings until the run is done, continuing from the saved state in its folder."""
    generate: Generate | None = None
    """Makes samples until the run is done, and shares only the run's folder with the learner. None: the learner makes
    the samples itself.
    """
    check_executor: Callable[[Any], None] = refuse_executor
    """Raises `BadInput` where the recipe leaves nothing to an executor with these settings."""
    check_new: Callable[[Any], None] = lambda settings: None
    """Raises `BadInput` for what a run needs only at its beginning, such as a file that it reads once."""
    refuses_callbacks: str = ""
    """Why its learner cannot call functions of this process, as a sentence; empty: it can."""


RECIPES = Group("recipes", "recipe", "RECIPE", ("training/recipes",))


def find(name: str) -> Recipe:
    """Return the recipe of this name; raises `UnknownName` or `BrokenPlugin`."""
    return RECIPES.find(name, Recipe)  # type: ignore[no-any-return]


Changes: TypeAlias = "Iterable[str] | Mapping[str, Any]"
"""Changes of settings: texts such as `learning.learning_rate=0.001`, or names such as `learning.steps` with values."""


def with_changes(values: Mapping[str, Any], changes: Changes) -> dict[str, Any]:
    """Return the values after these changes; raises `BadOption`."""
    changed = {name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()}
    for name, value in (changes if isinstance(changes, Mapping) else read_options(changes)).items():
        *outer, last = name.split(".")
        table: Any = changed
        for part in outer:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise BadOption(f"'{shorten(name)}' sets a part of '{part}', which has no parts")
        table[last] = value
    return changed


def settings_of(name: str, values: Mapping[str, Any], changes: Changes = ()) -> Any:
    """Return the settings of a recipe, from values and changes.

    A setting that is changed here holds from the first step on, also where the values are those of a run that changed
    it later.

    Raises `BadOption` for values that are of another recipe, unknown or out of range.
    """
    model = find(name).settings
    given = changes if isinstance(changes, Mapping) else read_options(changes)
    values = with_changes(values, given)
    recipe = values.get("recipe", name)
    if recipe != name:
        raise BadOption(f"these are settings of the recipe '{shorten(str(recipe))}', not of '{name}'")
    settings = model(**{**values, "recipe": name})
    kept = [each for each in settings.changes if not any(f"{each.setting}.".startswith(f"{other}.") for other in given)]
    return settings.model_copy(update={"changes": tuple(kept)})


def config_file(path: Path) -> Path:
    """Return the file of settings of this path, or the one of the package with this name.

    Raises:
        UnknownName: for a name that is neither; a path with a folder or an ending is not looked for in the package.
    """
    if len(path.parts) != 1 or path.suffix or path.is_file():
        return path
    known = sorted(file.stem for file in CONFIGS.glob("*.toml"))
    if path.name not in known:
        raise UnknownName("configuration", path.name, known)
    return CONFIGS / f"{path.name}.toml"
