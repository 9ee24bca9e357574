"""How self-competition went: the ratings of the champions, and what they and the networks alone solve, over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from puzzlelab.bench.charts import Chart, panels
from puzzlelab.core.errors import BadInput
from puzzlelab.training import metrics
from puzzlelab.training.recipe import settings_of
from puzzlelab.training.selfplay.run_folder import SelfPlayRun
from puzzlelab.training.selfplay.status import RunStatus, StatusReader

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KIND = "elo"
"""The kind that is drawn of one run of self-competition."""
HEADER = ("champion", "network", "minutes", "shifts", "Elo", "solves of the hardest")
"""What stands above `rows`."""


def is_selfplay_run(folder: Path) -> bool:
    """Whether this is the folder of a run of self-competition."""
    league = SelfPlayRun(folder)
    return league.begun and league.saved_settings().get("recipe") == "selfplay"


def elo(folder: Path) -> Chart:
    """The chart of one run; raises `BadInput` where no match was played yet."""
    league = SelfPlayRun(folder)
    facts = StatusReader(league, settings_of("selfplay", league.saved_settings())).read()
    if not facts.matches:
        raise BadInput(f"{folder} holds no match yet")

    def draw(figure: Figure, mark: float) -> None:
        ratings, solved = panels(figure, 2)
        minutes = [reign.minutes for reign in facts.champions]
        ratings.step(minutes, [reign.rating for reign in facts.champions], where="post", marker="o", markersize=3)
        for number, (name, rating) in enumerate(facts.opponents, start=1):
            ratings.axhline(rating, color=f"C{number}", linestyle="--", label=name)
        ratings.set(xlabel="minutes", ylabel="Elo of the champion (with its search)")
        ratings.legend()
        asked = [(reign.minutes, reign.solved) for reign in facts.champions if reign.solved is not None]
        if asked:
            solved.plot(*zip(*asked, strict=True), label="champion, with its search", color="C0")
        solved.plot(*_alone(league, facts), label="newest network alone", color="C3")
        if facts.max_scramble_length:
            shifts = [reign.scramble_length / facts.max_scramble_length for reign in facts.champions]
            solved.step(
                minutes,
                shifts,
                where="post",
                color="C7",
                linestyle=":",
                label=f"shifts, of {facts.max_scramble_length}",
            )
        solved.set(xlabel="minutes", ylabel="share of boards solved", ylim=(-0.03, 1.03))
        solved.legend()

    remarks = tuple(f"{name} has {rating:,.0f}" for name, rating in facts.opponents)
    return Chart(KIND, f"{facts.puzzle}: self-competition", HEADER, rows(facts), draw, remarks)


def rows(facts: RunStatus) -> tuple[tuple[str, ...], ...]:
    """A line of the table for each champion."""
    return tuple(
        (
            str(number),
            reign.network,
            f"{reign.minutes:.1f}",
            str(reign.scramble_length),
            f"{reign.rating:,.0f}",
            "-" if reign.solved is None else f"{reign.solved:.0%}",
        )
        for number, reign in enumerate(facts.champions, start=1)
    )


def _alone(league: SelfPlayRun, facts: RunStatus) -> tuple[list[float], list[float]]:
    """Minutes, and the share that the newest network solved greedily."""
    exams: list[dict[str, Any]] = metrics.read(league.metrics) if league.metrics.exists() else []
    exams = [exam for exam in exams if "solved" in exam]
    return [(exam["at"] - facts.began) / 60 for exam in exams], [exam["solved"] for exam in exams]
