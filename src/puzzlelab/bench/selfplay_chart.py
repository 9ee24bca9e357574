"""The chart of a self-play run: ratings of the champions, and boards solved with and without search, over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from puzzlelab.bench.charts import Chart, add_panels
from puzzlelab.core.errors import BadInput
from puzzlelab.training import metrics
from puzzlelab.training.recipe import settings_of
from puzzlelab.training.selfplay.run_folder import SelfPlayRun
from puzzlelab.training.selfplay.status import RunStatus, StatusReader

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KIND = "elo"
"""The name of this kind of plot."""
HEADER = ("champion", "network", "minutes", "shifts", "Elo", "solves of the hardest")
"""The column headings of `rows`."""


def is_selfplay_run(folder: Path) -> bool:
    """Tell whether this is the folder of a run of self-competition."""
    run = SelfPlayRun(folder)
    return run.begun and run.saved_settings().get("recipe") == "selfplay"


def elo(folder: Path) -> Chart:
    """Return the chart of one run; raises `BadInput` if no match was played yet."""
    run = SelfPlayRun(folder)
    status = StatusReader(run, settings_of("selfplay", run.saved_settings())).read()
    if not status.matches:
        raise BadInput(f"{folder} holds no match yet")

    def draw(figure: Figure, mark_seconds: float) -> None:
        ratings, solved = add_panels(figure, 2)
        minutes = [reign.minutes for reign in status.champions]
        ratings.step(minutes, [reign.rating for reign in status.champions], where="post", marker="o", markersize=3)
        for number, (name, rating) in enumerate(status.opponents, start=1):
            ratings.axhline(rating, color=f"C{number}", linestyle="--", label=name)
        ratings.set(xlabel="minutes", ylabel="Elo of the champion (with its search)")
        ratings.legend()
        solved_shares = [(reign.minutes, reign.solved) for reign in status.champions if reign.solved is not None]
        if solved_shares:
            solved.plot(*zip(*solved_shares, strict=True), label="champion, with its search", color="C0")
        solved.plot(*_network_alone(run, status), label="newest network alone", color="C3")
        if status.max_scramble_length:
            shifts = [reign.scramble_length / status.max_scramble_length for reign in status.champions]
            solved.step(
                minutes,
                shifts,
                where="post",
                color="C7",
                linestyle=":",
                label=f"shifts, of {status.max_scramble_length}",
            )
        solved.set(xlabel="minutes", ylabel="share of boards solved", ylim=(-0.03, 1.03))
        solved.legend()

    remarks = tuple(f"{name} has {rating:,.0f}" for name, rating in status.opponents)
    return Chart(KIND, f"{status.puzzle}: self-competition", HEADER, rows(status), draw, remarks)


def rows(status: RunStatus) -> tuple[tuple[str, ...], ...]:
    """Return a line of the table for each champion."""
    return tuple(
        (
            str(number),
            reign.network,
            f"{reign.minutes:.1f}",
            str(reign.scramble_length),
            f"{reign.rating:,.0f}",
            "-" if reign.solved is None else f"{reign.solved:.0%}",
        )
        for number, reign in enumerate(status.champions, start=1)
    )


def _network_alone(run: SelfPlayRun, status: RunStatus) -> tuple[list[float], list[float]]:
    """Return minutes, and the share that the newest network solved greedily."""
    evaluations = [line for line in metrics.lines(run.metrics) if "solved" in line]
    return [(evaluation["at"] - status.began) / 60 for evaluation in evaluations], [
        evaluation["solved"] for evaluation in evaluations
    ]
