"""The charts of training runs: greedy play on the evaluation boards over time, and ratings of self-competition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puzzlelab.bench.charts import Chart, Line, Panel
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

Evaluation = Mapping[str, float]
"""Has `step`, `seconds`, `solved`, and, where any board was, the mean of its `moves` and their optimum, `least`."""


def is_run(folder: Path) -> bool:
    """Tell whether this is the folder of a training run, and not of a benchmark."""
    return Run(folder).begun


def is_selfplay_run(folder: Path) -> bool:
    """Tell whether this is the folder of a run of self-competition."""
    run = Run(folder)
    return run.begun and run.saved_settings().get("recipe") == "selfplay"


def learning(folders: Sequence[Path]) -> Chart:
    """Return the chart of some runs with one puzzle; raises `BadInput` if there is nothing to show."""
    runs = [(folder.name or str(folder), _evaluations(folder), _puzzle(folder)) for folder in folders]
    if len({puzzle for _, _, puzzle in runs}) > 1:
        texts = ", ".join(f"{name} {puzzle}" for name, _, puzzle in runs)
        raise BadInput(f"these runs are of different puzzles: {texts}")
    shares, lengths = list[Line](), list[Line]()
    for place, (name, evaluations, _) in enumerate(runs):
        style = {"marker": "", "color": f"C{place}"}
        shares.append(_line(name, evaluations, "solved", style))
        lengths.append(_line(name, evaluations, "moves", style))
        lengths.append(_line("optimum", evaluations, "least", {**style, "linestyle": ":"}))
    greedy = {"ylabel": "share of boards solved greedily", "ylim": (-0.03, 1.03)}
    solved = {"xlabel": "minutes of learning (dotted: the optimum)", "ylabel": "moves, where solved"}
    rows = [_row(name, each) for name, evaluations, _ in runs for each in _spaced(evaluations)]
    header = "run", "step", "minutes", "solved", "moves", "optimum"
    panels = [Panel(shares, {"xlabel": "minutes of learning", **greedy}), Panel(lengths, solved)]
    return Chart(f"{runs[0][2]}: greedy play while it was learned", header, rows, (), panels, kind=LEARNING)


def _puzzle(folder: Path) -> str:
    run = Run(folder)
    if (puzzle := run.saved_settings().get("puzzle")) is None:
        raise BadInput(f"{run.config} names no puzzle: it was changed after training wrote it")
    return str(puzzle)


def _evaluations(folder: Path) -> Sequence[Evaluation]:
    evaluations = [line for line in metrics.lines(Run(folder).metrics) if "solved" in line]
    if not evaluations:
        raise BadInput(f"{folder} has no evaluation yet, or none with boards")
    return evaluations


def _line(name: str, evaluations: Sequence[Evaluation], what: str, style: Mapping[str, Any]) -> Line:
    present = [each for each in evaluations if what in each]
    return Line(name, [each["seconds"] / 60 for each in present], [each[what] for each in present], style)


def _spaced(evaluations: Sequence[Evaluation]) -> Sequence[Evaluation]:
    """Return evenly spaced evaluations, among them the last one."""
    return evaluations[::-1][:: -(-len(evaluations) // MAX_ROWS)][::-1]


def _row(name: str, evaluation: Evaluation) -> Sequence[str]:
    lengths = (f"{evaluation[what]:.2f}" if what in evaluation else "-" for what in ("moves", "least"))
    return name, f"{evaluation['step']:,}", f"{evaluation['seconds'] / 60:.1f}", f"{evaluation['solved']:.1%}", *lengths


def elo(folder: Path) -> Chart:
    """Return the chart of one run of self-competition; raises `BadInput` if no match was played yet."""
    run = Run(folder)
    status = StatusReader(run, settings_of("selfplay", run.saved_settings())).read()
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
