"""The charts of training runs: greedy play on the evaluation boards over time, and ratings of self-competition."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from puzzlelab.bench import seeds
from puzzlelab.bench.charts import Chart, Line, Panel
from puzzlelab.bench.seeds import over_seeds
from puzzlelab.bench.summaries import Mean, mean
from puzzlelab.core.errors import BadInput
from puzzlelab.training import metrics
from puzzlelab.training.recipe import settings_of
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay.status import RunStatus, StatusReader

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEARNING, ELO = "learning", "elo"
"""The names of these kinds of plot."""
CHAMPIONS = "champion", "network", "minutes", "shifts", "Elo", "solves of the hardest"
"""The headings of the columns of `champions`."""
MAX_ROWS = 10
"""The most lines of the table of learning for each run."""


def is_selfplay_run(folder: Path) -> bool:
    """Tell whether this is the folder of a run of self-competition."""
    run = Run(folder)
    return run.begun and run.saved_settings().get("recipe") == "selfplay"


def learning(folders: Sequence[Path]) -> Chart:
    """Return the chart of some runs with one puzzle; raises `BadInput` if there is nothing to show.

    Runs that differ in the seed alone are one line, their mean, at the steps that all of them have.
    """
    runs = {folder: _evaluations(folder) for folder in folders}
    evaluated = {folder: lines for folder, lines in runs.items() if lines}
    remarks = [f"{_name(folder)} has no evaluation yet, or none with boards" for folder in runs.keys() - evaluated]
    if not evaluated:
        raise BadInput("; ".join(sorted(remarks)))
    puzzles = {folder: _puzzle(folder) for folder in evaluated}
    if len({*puzzles.values()}) > 1:
        texts = ", ".join(f"{_name(folder)} {puzzle}" for folder, puzzle in puzzles.items())
        raise BadInput(f"these runs are of different puzzles: {texts}")
    shares, lengths, rows = list[Line](), list[Line](), list[Sequence[str]]()
    for place, setting in enumerate(seeds.of_runs(evaluated)):
        evaluations = _means([evaluated[run] for run in setting.members])
        style = {"marker": "", "color": f"C{place}"}
        shares.append(_line(setting.label, evaluations, "solved", style))
        lengths.append(_line(setting.label, evaluations, "moves", style))
        optimum = _line("optimum", evaluations, "least", {**style, "linestyle": ":"})
        lengths += [optimum] if optimum.y else []
        rows += [_row(setting.label, each) for each in _spaced(evaluations)]
        last = max(evaluated[run][-1]["step"] for run in setting.members)
        if not evaluations or evaluations[-1].step < last:
            remarks.append(f"{setting.label}: up to the last step that all of its runs have reached")
    greedy = {"ylabel": "share of boards solved greedily", "ylim": (-0.03, 1.03)}
    solved = {"xlabel": "minutes of learning", "ylabel": "moves, where solved"}
    header = "run", "step", "minutes", "solved", "moves", "optimum"
    panels = [Panel(shares, {"xlabel": "minutes of learning", **greedy}), Panel(lengths, solved)]
    title = f"{next(iter(puzzles.values()))}: greedy play while it was learned"
    return Chart(title, header, rows, sorted(remarks), panels, kind=LEARNING)


def _name(folder: Path) -> str:
    return folder.name or str(folder)


def _puzzle(folder: Path) -> str:
    run = Run(folder)
    if (puzzle := run.saved_settings().get("puzzle")) is None:
        raise BadInput(f"{run.config} names no puzzle: it was changed after training wrote it")
    return str(puzzle)


def _evaluations(folder: Path) -> Sequence[Mapping[str, float]]:
    return [line for line in metrics.lines(Run(folder).metrics) if "solved" in line]


class Evaluation(NamedTuple):
    """The evaluations of one setting after a step."""

    step: int
    means: Mapping[str, Mean]
    """Over the seeds: `seconds`, `solved`, and, where every seed solved a board, `moves` and the optimum, `least`."""


def _means(runs: Sequence[Sequence[Mapping[str, float]]]) -> list[Evaluation]:
    """Return the means of the evaluations of these runs, after the steps that all of them have."""
    by_step = [{int(line["step"]): line for line in lines} for lines in runs]
    steps = sorted(set(by_step[0]).intersection(*by_step))
    return [
        Evaluation(
            step,
            {
                name: mean(lines[step][name] for lines in by_step)
                for name in ("seconds", "solved", "moves", "least")
                if all(name in lines[step] for lines in by_step)
            },
        )
        for step in steps
    ]


def _line(name: str, evaluations: Sequence[Evaluation], what: str, style: Mapping[str, Any]) -> Line:
    """Return a line, with the intervals of means over several seeds."""
    present = [each.means for each in evaluations if what in each.means]
    values = [value.value if math.isnan(value.half_width) else value for each in present if (value := each[what])]
    return Line(name, [each["seconds"].value / 60 for each in present], values, style)


def _spaced(evaluations: Sequence[Evaluation]) -> Sequence[Evaluation]:
    """Return evenly spaced evaluations, among them the last one."""
    return evaluations[::-1][:: -(-len(evaluations) // MAX_ROWS)][::-1]


def _row(name: str, evaluation: Evaluation) -> Sequence[str]:
    step, means = evaluation
    lengths = (over_seeds("{:.2f}".format, means[what]) if what in means else "-" for what in ("moves", "least"))
    minutes, solved = f"{means['seconds'].value / 60:.1f}", over_seeds("{:.1%}".format, means["solved"])
    return name, f"{step:,}", minutes, solved, *lengths


def elo(folder: Path) -> Chart:
    """Return the chart of one run of self-competition; raises `BadInput` if no match was played yet."""
    run = Run(folder)
    with run.reading_settings():
        settings = settings_of("selfplay", run.saved_settings())
    status = StatusReader(run, settings).read()
    if not status.matches:
        raise BadInput(f"{folder} holds no match yet")

    minutes = [reign.minutes for reign in status.champions]
    tested = [(reign.minutes, reign.solved) for reign in status.champions if reign.solved is not None]
    alone = [line for line in metrics.lines(run.metrics) if "solved" in line]
    since_start = [(line["at"] - status.began) / 60 for line in alone]
    steps = {"drawstyle": "steps-post"}
    ratings = [Line("champion", minutes, [reign.rating for reign in status.champions], steps)]
    solved = [
        Line("champion, with its search", [each for each, _ in tested], [share for _, share in tested]),
        Line("newest network alone", since_start, [line["solved"] for line in alone], {"color": "C3"}),
    ]
    if longest := status.max_scramble_length:
        lengths = [reign.scramble_length / longest for reign in status.champions]
        style = {"marker": "", "color": "C7", "linestyle": ":", **steps}
        solved.append(Line(f"shifts, of {longest}", minutes, lengths, style))

    def draw(figure: Figure) -> None:
        for place, (name, rating) in enumerate(status.opponents, start=1):
            figure.axes[0].axhline(rating, color=f"C{place}", linestyle="--", label=name)

    left = {"xlabel": "minutes", "ylabel": "Elo of the champion (with its search)"}
    right = {"xlabel": "minutes", "ylabel": "share of boards solved", "ylim": (-0.03, 1.03)}
    remarks = [f"{name} has {rating:,.0f}" for name, rating in status.opponents]
    panels = [Panel(ratings, left), Panel(solved, right)]
    return Chart(f"{status.puzzle}: self-competition", CHAMPIONS, champions(status), remarks, panels, draw, ELO)


def champions(status: RunStatus) -> list[Sequence[str]]:
    """Return the row of a table for each champion."""
    return [
        (
            str(number),
            reign.network,
            f"{reign.minutes:.1f}",
            str(reign.scramble_length),
            f"{reign.rating:,.0f}",
            "-" if reign.solved is None else f"{reign.solved:.0%}",
        )
        for number, reign in enumerate(status.champions, start=1)
    ]
