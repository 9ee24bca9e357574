"""Sweeps: runs of one recipe that differ in the seed and in some other settings, each in a folder of its own.

The folder of a sweep has the runs in it, and nothing else of its own: each is a run as any other. One program trains
them one after another.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadInput, BadOption, PuzzlelabError, shorten
from puzzlelab.core.settings import read_options
from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor
from puzzlelab.training.recipe import Recipe
from puzzlelab.training.runs import Run
from puzzlelab.training.train import train

SEED = "seed"
"""The setting that `seeds` changes."""
MOST_RUNS = 1000
LONGEST_VALUE = 40
"""Characters of a value in the name of a folder."""

# --- which runs there are ---


def plan(
    settings_with: Callable[[Mapping[str, Any]], Any],
    changes: Mapping[str, Any],
    grid: Sequence[str],
    seeds: int | None,
) -> dict[str, Any]:
    """Map the name of each run's folder, such as `learning_rate=0.001,seed=2`, to its settings.

    Args:
        settings_with: returns the settings with these changes, or raises `BadInput`.
        changes: those of all runs.
        grid: texts such as `learning.learning_rate=1e-3,3e-4`; there is a run for each combination of their values.
        seeds: the number of seeds of each combination, from that of its settings on; None: that one alone.

    Raises:
        BadInput: for a grid that cannot be read, or settings that cannot be.
    """
    values = read_grid(grid)
    if seeds is not None and SEED in values:
        raise BadOption("--seeds and --grid both set the seed: leave out one of them")
    if both := sorted(values.keys() & changes.keys()):
        raise BadOption(f"--set and --grid both set '{shorten(both[0])}': leave out one of them")
    count = math.prod([seeds or 1, *map(len, values.values())])
    if count > MOST_RUNS:
        raise BadOption(f"this sweep has {count:,} runs, and {MOST_RUNS:,} are the most")
    own = [dict(zip(values, combination, strict=True)) for combination in product(*values.values())]
    if seeds is not None:
        first = [settings_with({**changes, **each}).seed for each in own]
        own = [{**each, SEED: begin + place} for each, begin in zip(own, first, strict=True) for place in range(seeds)]
    planned = {_folder_name(each): settings_with({**changes, **each}) for each in own}
    if len({each.model_dump_json() for each in planned.values()}) < count:
        raise BadOption("two values of --grid are alike: their runs would have the same settings, or the same folder")
    return planned


def read_grid(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Map the names of settings to their values in texts such as `network.width=64,128`; raises `BadOption`.

    Values are JSON, as in `network.filters=[64,64],[32]`, or else texts between commas.
    """
    grid: dict[str, list[Any]] = {}
    for text in texts:
        name, _, values = text.partition("=")
        if not name or not values.strip():
            raise BadOption(f"'{shorten(text)}' is no --grid; write NAME=VALUE,VALUE")
        if name in grid:
            raise BadOption(f"--grid sets '{shorten(name)}' twice: write all of its values behind one")
        listed = read_options([f"{name}=[{values}]"])[name]
        if not isinstance(listed, list):
            listed = [read_options([f"{name}={part.strip()}"])[name] for part in values.split(",")]
            if "" in listed:
                raise BadOption(f"'{shorten(text)}' has an empty value; write it as \"\" between texts in quotes")
        grid[name] = listed
    return grid


def _folder_name(changes: Mapping[str, Any]) -> str:
    """Return the changes as the name of a folder, with the last parts of the settings' names where these differ."""
    last_parts = Counter(name.rpartition(".")[2] for name in changes)
    shown = {name: last if last_parts[last := name.rpartition(".")[2]] == 1 else name for name in changes}
    return ",".join(f"{shown[name]}={_as_name(value)}" for name, value in changes.items())


def _as_name(value: Any) -> str:
    """Return a value as a part of a file name, which ends with a hash where that is not all of it."""
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", "="))
    plain = re.sub(r'[\s{}\[\]"]+', "", text)
    safe = re.sub(r"[^\w.,=+-]", "_", plain, flags=re.ASCII)
    if safe == plain and len(safe) <= LONGEST_VALUE:
        return safe
    return f"{safe[:LONGEST_VALUE]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


# --- training them ---


def train_all(
    recipe: Recipe,
    folder: Path,
    planned: Mapping[str, Any],
    executor: Executor,
    resources: Mapping[str, float] | None = None,
    restart: bool = False,
) -> list[str]:
    """Train all runs until they are finished; the same call continues, and passes over those that are finished.

    Returns the names of those that failed; the others are trained. Raises `BadInput` before any is trained if one
    of them cannot be, or if its folder was begun with other settings.
    """
    if Run(folder).begun:
        raise BadInput(f"{folder} holds a run: give the runs of a sweep another --run")
    for settings in planned.values():
        recipe.check(settings)
    runs = {name: Run(folder / name) for name in planned}
    for name in sorted(runs, key=lambda name: not runs[name].begun):  # those that may be refused come first
        runs[name].begin(planned[name], anew=restart)
    failed = []
    for number, (name, run) in enumerate(runs.items(), start=1):
        try:
            with report.titled(f"run {number} of {len(runs)} ({name}): "):
                train(recipe, planned[name], run, executor, resources=resources)
        except PuzzlelabError as error:
            report.note(f"{name} failed, and the other runs go on: {error}")
            failed.append(name)
    for name in [each for each in failed if runs[each].done.exists()]:  # another program was at work on them
        with suppress(PuzzlelabError):
            train(recipe, planned[name], runs[name], executor, resources=resources)
            failed.remove(name)
    return failed
