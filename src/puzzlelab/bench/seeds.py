"""Runs that differ in the seed alone, as one setting: its name, and means with 95 % intervals over the seeds."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from puzzlelab.bench.runs import BenchRun, label_of
from puzzlelab.bench.suites import SUITE_FILE
from puzzlelab.bench.summaries import Mean, Summary, mean, summaries
from puzzlelab.bench.tables import VALUES, TextTable, decimal, seconds, wrapped_label
from puzzlelab.core.errors import BadInput
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import NETWORK
from puzzlelab.storage import networks
from puzzlelab.training import metrics
from puzzlelab.training.runs import Run

if TYPE_CHECKING:
    from puzzlelab.nets.card import Card

SEED = "seed"
WHICH = re.compile(r"(:\w+)+$")
"""Matches which network of a run is meant, at the end of a name."""
SEED_AT_END = re.compile(r"[-_,. ]?(seed[-_=]?)?[0-9]+(?=(:\w+)*$)")
"""Matches the number of the seed at the end of the name of a folder, or before what is said of its networks."""
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


def runs_in(folder: Path) -> list[Path]:
    """Return the folders of the runs in the folder of a sweep, in the order of their numbers; none in other folders."""
    if Run(folder).begun or (folder / SUITE_FILE).exists() or not folder.is_dir():
        return []
    return sorted((path for path in folder.iterdir() if Run(path).begun), key=_by_numbers)


def _by_numbers(path: Path) -> list[tuple[str, float]]:
    """Return the key that sorts `seed=2` before `seed=10`."""
    return [(text, float(number or 0)) for text, number in re.findall(r"(\D+)([\d.]*)", path.name)]


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
            yield from (name for name in begins if name and not name.startswith(":"))
        yield paths[0].resolve().parent.name
    yield ", ".join(path.name or str(path) for path in paths)
    yield ", ".join(map(str, paths))


def over_seeds(text: Callable[[float], str], value: Mean) -> str:
    """Write a mean with the half width of its interval, such as '92.1% ± 3.0%'; '-' for nan."""
    if math.isnan(value.value):
        return "-"
    return text(value.value) + ("" if math.isnan(value.half_width) else f" ± {text(value.half_width)}")


def tables_of_runs(folders: Sequence[Path]) -> list[TextTable]:
    """Return the last evaluation of each setting of these runs, and its last and best networks on other boards, each if
    there is one.
    """
    return list(filter(None, (_last_evaluations(folders), _best_networks(folders))))


def _last_evaluations(folders: Sequence[Path]) -> TextTable | None:
    lines = {folder: line for folder in folders for line in metrics.lines(Run(folder).metrics)}
    shown = [name for name in COLUMNS if any(name in line for line in lines.values())]
    rows = []
    for setting in of_runs(lines):
        own = [lines[run] for run in setting.members]
        steps = sorted({int(line["step"]) for line in own})
        span = f"{steps[0]:,}" if len(steps) == 1 else f"{steps[0]:,} to {steps[-1]:,}"
        rows.append((setting.name, str(len(own)), span, *(_cell(name, own) for name in shown)))
    header = ("setting", "seeds", "step", *(COLUMNS[name][0] for name in shown))
    return TextTable("The last evaluation: mean over the seeds, and 95 % interval", header, rows) if rows else None


def _best_networks(folders: Sequence[Path]) -> TextTable | None:
    cards = {folder: Run(folder).measured() for folder in folders}
    both = {folder: (last, best) for folder, (best, last) in cards.items() if best is not None and last is not None}
    known = {name for pair in both.values() for card in pair for name in card.other_boards}
    shown = [name for name in ("solved", "moves", "cost", "score") if name in known]
    rows = []
    for setting in of_runs(both):
        pairs = [both[run] for run in setting.members]
        cells = (_cell(name, [pair[place].other_boards for pair in pairs]) for name in shown for place in (0, 1))
        steps = over_seeds("{:.0f}".format, mean(best.steps for _, best in pairs))
        rows.append((setting.name, str(len(pairs)), *cells, steps))
    values = (f"{COLUMNS[name][0]}:\n{which}" for name in shown for which in ("last", "best"))
    title = "The last and the best network on other boards: mean over the seeds, and 95 % interval"
    return TextTable(title, ("setting", "seeds", *values, "step of\nthe best"), rows) if rows else None


def _cell(name: str, lines: Iterable[Mapping[str, float]]) -> str:
    """Return the mean of a metric over the seeds."""
    return over_seeds(COLUMNS[name][1].format, mean(line.get(name, math.nan) for line in lines))


def networks_in(name: str) -> list[str]:
    """Return the network of this name, or those of the runs in the folder of a sweep, as in `FOLDER:averaged`."""
    folder, which = _parts(name)
    return [f"{run}{which}" for run in runs_in(folder)] or [name]


def _parts(name: str) -> tuple[Path, str]:
    """Return the path in the name of a network, and which one of a run is meant, such as `:best:averaged`."""
    path = name.removeprefix(f"{NETWORK}:")
    end = WHICH.search(path)
    return (Path(path[: end.start()]), end[0]) if end else (Path(path), "")


def of_networks(run: BenchRun) -> TextTable | None:
    """Return a line for each solver with networks that differ in their seed alone; None if there are none."""
    if sum(answers[0].row.net is not None for answers in run.by_solver.values()) < 2:
        return None
    networks_of: dict[str, dict[Path, Mapping[str, Any]]] = defaultdict(dict)
    lines: dict[tuple[str, Path], Summary] = {}
    for each in summaries(run):
        row = each.answers[0].row
        names = set(networks.named(row.options))
        if len(names) == 1 and (card := _card(run.suite.puzzle, name := names.pop(), row.net)):
            path, which = _parts(name)
            options = {option: NETWORK if value == name else value for option, value in row.options.items()}
            label, member = label_of(row.solver, options), path.with_name(path.name + which)
            networks_of[label][member] = {**card.settings, "which": which}
            lines[label, member] = each
    rows = [
        (wrapped_label(label), setting.name, str(len(setting.members)), *_cells([lines[label, path] for path in paths]))
        for label, settings in networks_of.items()
        for setting in grouped(settings)
        if len(paths := setting.members) > 1
    ]
    value, distance = VALUES[objective_of(run.suite.puzzle).kind]
    header = "solver", "networks", "seeds", "solved", value, distance, "seconds"
    return TextTable("Mean over the seeds of the networks, and 95 % interval", header, rows) if rows else None


def _card(puzzle: Puzzle, name: str, net: str | None) -> Card | None:
    """Return the card of the network of this name; None if it is not there any more, or is another one now."""
    from puzzlelab.nets import model_zoo
    from puzzlelab.nets.card import CARD, file_of, read_card

    try:
        card = read_card(file_of(model_zoo.path_of(puzzle, networks.parts(name)[0]), CARD))
    except BadInput:
        return None
    return card if card.name == net and card.settings else None


def _cells(lines: Sequence[Summary]) -> Sequence[str]:
    solved = over_seeds("{:.1%}".format, mean(each.solved.value for each in lines))
    others = (
        (decimal, [each.length.value for each in lines]),
        (decimal, [each.excess.value for each in lines]),
        (seconds, [each.seconds.value for each in lines]),
    )
    return solved, *(over_seeds(text, mean(values)) for text, values in others)
