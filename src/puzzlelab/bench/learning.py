"""The learning curve of training runs: results of greedy play on the evaluation boards over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlelab.bench.charts import Chart, add_panels
from puzzlelab.core.errors import BadInput
from puzzlelab.training import metrics
from puzzlelab.training.runs import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KIND = "learning"
"""The name of this kind of plot."""
MAX_ROWS = 10
"""The most lines of the table for each run."""


@dataclass(frozen=True)
class Curve:
    """The evaluations of one run."""

    name: str
    puzzle: str
    evaluations: Sequence[Mapping[str, float]]
    """Each with `step`, `seconds`, `solved`, and, where any board was, the mean of its `moves` and their optimum."""

    @property
    def of_solved(self) -> list[Mapping[str, float]]:
        """The evaluations in which a board was solved."""
        return [evaluation for evaluation in self.evaluations if "moves" in evaluation]


def is_run(folder: Path) -> bool:
    """Tell whether this is the folder of a training run, and not of a benchmark."""
    return Run(folder).begun


def learning(folders: Sequence[Path]) -> Chart:
    """Return the chart of some runs with one puzzle; raises `BadInput` if there is nothing to show."""
    curves = [_curve(folder) for folder in folders]
    if len({curve.puzzle for curve in curves}) > 1:
        raise BadInput(f"these runs are of different puzzles: {', '.join(f'{c.name} {c.puzzle}' for c in curves)}")

    def draw(figure: Figure, mark_seconds: float) -> None:
        shares, lengths = add_panels(figure, 2)
        for number, curve in enumerate(curves):
            shares.plot(*_points(curve.evaluations, "solved"), color=f"C{number}", label=curve.name)
            lengths.plot(*_points(curve.of_solved, "moves"), color=f"C{number}")
            optimum = [evaluation for evaluation in curve.of_solved if "least" in evaluation]
            lengths.plot(*_points(optimum, "least"), color=f"C{number}", linestyle=":")
        shares.set(xlabel="minutes of learning", ylabel="share of boards solved greedily", ylim=(-0.03, 1.03))
        lengths.set(xlabel="minutes of learning (dotted: the optimum)", ylabel="moves, where solved")
        shares.legend()

    header = ("run", "step", "minutes", "solved", "moves", "optimum")
    body = [row for curve in curves for row in _rows(curve)]
    return Chart(KIND, f"{curves[0].puzzle}: greedy play while it was learned", header, tuple(body), draw)


def _curve(folder: Path) -> Curve:
    run = Run(folder)
    puzzle = run.saved_settings().get("puzzle")
    evaluations = [line for line in metrics.lines(run.metrics) if "solved" in line]
    if not evaluations:
        raise BadInput(f"{folder} has no evaluation yet, or none with boards")
    if puzzle is None:
        raise BadInput(f"{run.config} names no puzzle: it was changed after training wrote it")
    return Curve(folder.name or str(folder), str(puzzle), evaluations)


def _points(evaluations: Sequence[Mapping[str, float]], what: str) -> tuple[list[float], list[float]]:
    return [evaluation["seconds"] / 60 for evaluation in evaluations], [evaluation[what] for evaluation in evaluations]


def _rows(curve: Curve) -> list[tuple[str, ...]]:
    """Return evenly spaced evaluations, among them the last one."""
    apart = -(-len(curve.evaluations) // MAX_ROWS)
    chosen = curve.evaluations[::-1][::apart][::-1]
    return [
        (
            curve.name,
            f"{evaluation['step']:,}",
            f"{evaluation['seconds'] / 60:.1f}",
            f"{evaluation['solved']:.1%}",
            f"{evaluation['moves']:.2f}" if "moves" in evaluation else "-",
            f"{evaluation['least']:.2f}" if "least" in evaluation else "-",
        )
        for evaluation in chosen
    ]
