"""One call that trains, from the name of a recipe and its settings to the network: for the command line and Python."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from puzzlelab.core.errors import BadFile, BadInput, BadOption, shorten, wrong_argument
from puzzlelab.core.settings import Settings
from puzzlelab.core.solver import NETWORK
from puzzlelab.engine.executor import Executor
from puzzlelab.training import metrics, programs, run_files
from puzzlelab.training.recipe import (
    NO_CALLBACKS,
    Callbacks,
    Changes,
    Recipe,
    TrainingStopped,
    config_file,
    settings_of,
)
from puzzlelab.training.runs import Run, read_toml

Source: TypeAlias = "str | PathLike[str] | Mapping[str, Any] | Settings"
"""The settings of a run: a file of TOML, the name of one of the package, a mapping as in such a file, or a value."""


@dataclass(frozen=True)
class Training:
    """A run after a call that has trained it.

    >>> from pathlib import Path
    >>> puzzlelab.Training(Path("runs/small"), "4f0c2d", steps=20, metrics={"solved": 1.0}, finished=True).option
    'net:runs/small'
    """

    run: Path
    """The folder of the run."""
    network: str
    """The name of the network: the hash of its weights."""
    steps: int
    """The steps that are done."""
    metrics: Mapping[str, float]
    """The losses and the results of the last evaluation, as `on_evaluation` gets them; empty before the first one."""
    finished: bool
    """Whether all steps are done; false where a callback has stopped the training."""

    @property
    def option(self) -> str:
        """The last network as a solver takes it, such as `net:runs/small`."""
        return f"{NETWORK}:{self.run}"

    @property
    def best_option(self) -> str:
        """The best network by the evaluations as a solver takes it, such as `net:runs/small:best`."""
        return f"{self.option}:best"


def settings_from(recipe: str, run: Run | None, source: Source | None, changes: Changes) -> Any:
    """Return the settings of a recipe from this source, or else of the existing run, with the changes."""
    if source is None:
        if run is None:
            raise BadOption("give the settings of a run with --config, or its folder with --run")
        values: Mapping[str, Any] = run.saved_settings()
        if (own := values.get("recipe", recipe)) != recipe:
            raise BadInput(
                f"{run.folder} is a run of the recipe '{shorten(str(own))}', not of '{recipe}': give another"
            )
        with run.reading_settings():
            settings_of(recipe, values)
    elif isinstance(source, Settings):
        values = source.model_dump()
    elif isinstance(source, Mapping):
        values = source
    elif isinstance(source, str | PathLike):
        values = read_toml(config_file(Path(source)))
    else:
        raise wrong_argument("the settings", "a mapping, a file, or the name of a configuration", source)
    return settings_of(recipe, values, changes)


_at_work = threading.Lock()
"""Held by the thread that trains: a seed, and the export to ONNX, are PyTorch's for a process."""


def train(
    recipe: Recipe,
    settings: Any,
    run: Run,
    executor: Executor,
    callbacks: Callbacks = NO_CALLBACKS,
    resources: Mapping[str, float] | None = None,
    restart: bool = False,
) -> Training:
    """Train until all steps are done, or until a callback stops it; the same call continues a run.

    With `restart` the files of an existing run are removed first.
    """
    if recipe.refuses_callbacks and callbacks != NO_CALLBACKS:
        raise BadOption(recipe.refuses_callbacks)
    recipe.check(settings)
    if restart or not run.begun:
        recipe.check_new(settings)
    settings = run.begin(settings, anew=restart)
    if not run.finished():
        if not _at_work.acquire(blocking=False):
            raise BadInput("another training is at work in this process: start each in a process of its own")
        try:
            with suppress(TrainingStopped):
                programs.train(recipe, run, settings, executor, resources, callbacks)
        finally:
            _at_work.release()
    network = run.trained()
    if network is None:
        raise BadFile(f"{run.folder} has no champion: train again")
    *_, last = [{}, *metrics.lines(run.metrics)]
    numbers = {name: value for name, value in last.items() if name != "step" and isinstance(value, (int, float))}
    return Training(run.folder, network.name, run_files.saved_step(run.folder), numbers, run.done.exists())
