"""Runs that differ in the seed alone, as one setting: its name, and means with 95 % intervals over the seeds."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from puzzlelab.bench.summaries import Mean, mean
from puzzlelab.bench.tables import TextTable
from puzzlelab.training import metrics
from puzzlelab.training.runs import Run
from puzzlelab.training.sweeps import SEED, runs_in

SEED_AT_END = re.compile(r"[-_,. ]?(seed[-_=]?)?[0-9]+$")
"""Matches the number of the seed at the end of the name of a folder."""
COLUMNS: Mapping[str, tuple[str, str]] = {
    "solved": ("solved", "{:.1%}"),
    "moves": ("moves", "{:.2f}"),
    "cost": ("cost", "{:.2f}"),
    "score": ("score", "{:.2f}"),
    "excess": ("excess", "{:.2f}"),
    "optimal": ("best moves", "{:.1%}"),
    "agreement": ("agreement", "{:.1%}"),
    "loss": ("loss", "{:.3g}"),
    "seconds": ("seconds", "{:.0f}"),
}
"""Metric -> its heading and its form in a table."""


class Setting(NamedTuple):
    """Runs, or networks, whose settings are alike but for the seed."""

    name: str
    members: Sequence[Path]

    @property
    def label(self) -> str:
        """The name, with the number of seeds if there are several."""
        return self.name if len(self.members) == 1 else f"{self.name} ({len(self.members)} seeds)"


def in_folders(folders: Iterable[Path]) -> list[Path]:
    """Return these folders, with the runs in it in the place of the folder of a sweep."""
    return [run for folder in folders for run in runs_in(folder) or [folder]]


def of_runs(folders: Iterable[Path]) -> list[Setting]:
    """Return the settings of the runs in these folders, in their order; raises `BadFile`."""
    return grouped({folder: Run(folder).saved_settings() for folder in folders})


def grouped(settings: Mapping[Path, Mapping[str, Any]]) -> list[Setting]:
    """Return the members with equal settings as one, named by what their folders' names have in common.

    Two members with one seed are two settings: the second one tells nothing about chance.
    """
    members: dict[str, list[Path]] = defaultdict(list)
    for path, own in settings.items():
        others = {name: value for name, value in own.items() if name != SEED}
        members[json.dumps(others, sort_keys=True, default=str)].append(path)
    found: list[Setting] = []
    for paths in members.values():
        is_one = len({settings[path].get(SEED) for path in paths}) == len(paths)
        for each in [paths] if is_one else [[path] for path in paths]:
            taken = {other.name for other in found}
            found.append(Setting(next(name for name in _names(each) if name not in taken), each))
    return found


def _names(paths: Sequence[Path]) -> Iterable[str]:
    """Yield names of a setting, the best one first."""
    if len(paths) > 1:
        begins = {SEED_AT_END.sub("", path.name) for path in paths}
        if len(begins) == 1:
            yield from filter(None, begins)
        yield paths[0].resolve().parent.name
    yield ", ".join(path.name or str(path) for path in paths)
    yield ", ".join(map(str, paths))


def over_seeds(text: Callable[[float], str], value: Mean) -> str:
    """Write a mean with the half width of its interval, such as '92.1% ± 3.0%'; '-' for nan."""
    if math.isnan(value.value):
        return "-"
    return text(value.value) + ("" if math.isnan(value.half_width) else f" ± {text(value.half_width)}")


def of_last_evaluations(folders: Sequence[Path]) -> TextTable | None:
    """Return a line for each setting of these runs, with the means of the last evaluation; None if there is none."""
    lines = {folder: line for folder in folders for line in metrics.lines(Run(folder).metrics)}
    if not lines:
        return None
    shown = {name: column for name, column in COLUMNS.items() if any(name in line for line in lines.values())}
    rows = [_row(setting, [lines[run] for run in setting.members], shown) for setting in of_runs(lines)]
    header = ("setting", "seeds", "step", *(heading for heading, _ in shown.values()))
    return TextTable("The last evaluation: mean over the seeds, and 95 % interval", header, rows)


def _row(setting: Setting, lines: Sequence[Mapping[str, float]], shown: Iterable[str]) -> Sequence[str]:
    steps = sorted({int(line["step"]) for line in lines})
    span = f"{steps[0]:,}" if len(steps) == 1 else f"{steps[0]:,} to {steps[-1]:,}"
    values = (mean(line.get(name, math.nan) for line in lines) for name in shown)
    cells = (over_seeds(COLUMNS[name][1].format, value) for name, value in zip(shown, values, strict=True))
    return setting.name, str(len(lines)), span, *cells
