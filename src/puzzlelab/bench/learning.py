"""How training went: what greedy play by a network did on the boards to examine by, over the minutes of learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlelab.bench.charts import Chart, panels
from puzzlelab.core.errors import BadInput
from puzzlelab.training import metrics
from puzzlelab.training.runs import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KIND = "learning"
"""The kind that is drawn of folders of training runs."""
ROWS = 10
"""Lines of the table for each run."""


@dataclass(frozen=True)
class Curve:
    """The examinations of one run."""

    name: str
    puzzle: str
    exams: Sequence[Mapping[str, float]]
    """Each with `step`, `seconds`, `solved`, and, where any board was, the mean of its `moves` and their optimum."""

    @property
    def of_solved(self) -> list[Mapping[str, float]]:
        """Those in which some board was solved."""
        return [exam for exam in self.exams if "moves" in exam]


def is_run(folder: Path) -> bool:
    """Whether this is the folder of a training run, and not of a benchmark."""
    return Run(folder).begun


def learning(folders: Sequence[Path]) -> Chart:
    """The chart of some runs with one puzzle; raises `BadInput` where there is nothing to show in it."""
    curves = [_curve(folder) for folder in folders]
    if len({curve.puzzle for curve in curves}) > 1:
        raise BadInput(f"these runs are of different puzzles: {', '.join(f'{c.name} {c.puzzle}' for c in curves)}")

    def draw(figure: Figure, mark: float) -> None:
        shares, lengths = panels(figure, 2)
        for number, curve in enumerate(curves):
            shares.plot(*_points(curve.exams, "solved"), color=f"C{number}", label=curve.name)
            lengths.plot(*_points(curve.of_solved, "moves"), color=f"C{number}")
            optimum = [exam for exam in curve.of_solved if "least" in exam]
            lengths.plot(*_points(optimum, "least"), color=f"C{number}", linestyle=":")
        shares.set(xlabel="minutes of learning", ylabel="share of boards solved greedily", ylim=(-0.03, 1.03))
        lengths.set(xlabel="minutes of learning (dotted: the optimum)", ylabel="moves, where solved")
        shares.legend()

    header = ("run", "step", "minutes", "solved", "moves", "optimum")
    body = [row for curve in curves for row in _rows(curve)]
    return Chart(KIND, f"{curves[0].puzzle}: greedy play while it was learned", header, tuple(body), draw)


def _curve(folder: Path) -> Curve:
    run = Run(folder)
    exams = [line for line in metrics.read(run.metrics) if "solved" in line] if run.metrics.exists() else []
    if not exams:
        raise BadInput(f"{folder} holds no examination yet, or none with boards (evaluation.boards)")
    puzzle = run.saved_settings().get("puzzle")
    if puzzle is None:
        raise BadInput(f"{run.config} names no puzzle: it is not as training wrote it")
    return Curve(folder.name or str(folder), str(puzzle), exams)


def _points(exams: Sequence[Mapping[str, float]], what: str) -> tuple[list[float], list[float]]:
    return [exam["seconds"] / 60 for exam in exams], [exam[what] for exam in exams]


def _rows(curve: Curve) -> list[tuple[str, ...]]:
    """Some of the examinations, evenly, and the last one."""
    apart = -(-len(curve.exams) // ROWS)
    chosen = curve.exams[::-1][::apart][::-1]
    return [
        (
            curve.name,
            f"{exam['step']:,}",
            f"{exam['seconds'] / 60:.1f}",
            f"{exam['solved']:.1%}",
            f"{exam['moves']:.2f}" if "moves" in exam else "-",
            f"{exam['least']:.2f}" if "least" in exam else "-",
        )
        for exam in chosen
    ]
