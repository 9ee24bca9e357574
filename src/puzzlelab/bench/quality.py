"""Plots of how good answers are: how often there is one, how near the optimum, and what a wider search brings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.bench import tables
from puzzlelab.bench.charts import Chart, panels, reach, show_seconds, show_share, whole_numbers
from puzzlelab.bench.runs import Answer, Run, label
from puzzlelab.bench.shares import Mean, Share, mean
from puzzlelab.bench.suites import Entry
from puzzlelab.core.errors import BadInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BESIDE = 0.1
"""Levels that two solvers' points of one level are apart, so that both are seen."""


# --- levels ---


@dataclass(frozen=True)
class AtLevel:
    """How one solver did at one level."""

    level: int
    solved: Share
    excess: Mean
    """Moves more than the reference, over solved boards that have one."""
    seconds: float
    """The median."""


def levels(run: Run) -> Chart:
    """Which share of the boards of each level is solved, and how many moves more than known that takes.

    A board without a level counts at the length of its known optimum. Where all solutions of a board have equally many
    moves, the seconds are shown in their place, and a board without a level is left out.
    """
    known, fills = tables.references(run), tables.fills(run.suite.puzzle)
    series: dict[str, list[AtLevel]] = {}
    for solver, answers in run.by_solver.items():
        found: dict[int, list[Answer]] = defaultdict(list)
        for answer in answers:
            if (level := _level(answer.entry, {} if fills else known)) is not None:
                found[level].append(answer)
        if found:
            series[solver] = [_at_level(level, found[level], known) for level in sorted(found)]
    if not series:
        raise BadInput(f"no board of '{run.suite.name}' has a level{'' if fills else ' or a known optimum'}")

    def draw(figure: Figure, mark: float) -> None:
        left, right = panels(figure, 2)
        for number, (solver, points) in enumerate(series.items()):
            at = [point.level + BESIDE * (number - (len(series) - 1) / 2) for point in points]
            left.plot(at, [point.solved.value for point in points], marker=".", label=solver)
            low, high = zip(*(point.solved.interval for point in points), strict=True)
            left.fill_between(at, low, high, alpha=0.12)
            right.plot(at, [point.seconds if fills else point.excess.value for point in points], marker=".")
        show_share(left, "solved")
        if fills:
            show_seconds(right, "y", [point.seconds for points in series.values() for point in points], mark)
        else:
            right.set_ylabel("moves more than known (mean)")
        for axes in (left, right):
            axes.set_xlabel("level")
            whole_numbers(axes.xaxis)
        left.legend()

    body = [
        (
            solver,
            str(at.level),
            tables.share(at.solved),
            tables.interval(at.solved),
            tables.seconds(at.seconds) if fills else tables.decimal(at.excess.value),
        )
        for solver, points in series.items()
        for at in points
    ]
    header = ("solver", "level", "solved", "95 %", "seconds" if fills else "mean excess")
    return Chart("levels", f"{run.suite.name}: solved by level", header, tuple(body), draw)


def _level(entry: Entry, known: Mapping[str, tables.Reference]) -> int | None:
    reference = known.get(entry.board)
    if entry.level is not None or reference is None:
        return entry.level
    return reference.length if reference.optimal else None


def _at_level(level: int, answers: Sequence[Answer], known: dict[str, tables.Reference]) -> AtLevel:
    solved = Share(sum(answer.length is not None for answer in answers), len(answers))
    seconds = float(np.median([answer.row.seconds for answer in answers]))
    return AtLevel(level, solved, mean(tables.excesses(answers, known)), seconds)


# --- widths ---


@dataclass(frozen=True)
class AtWidth:
    """How one solver did with one width."""

    width: int
    reached: Share
    """As short as the known optimum, of the boards that have one."""
    excess: Mean
    seconds: float
    """The median."""


def widths(run: Run) -> Chart:
    """Which share of the boards is solved in the least moves, against the width of the search and against its time."""
    known = tables.references(run)
    series: dict[str, list[AtWidth]] = defaultdict(list)
    for answers in run.by_solver.values():
        row = answers[0].row
        width = row.options.get("width")
        if isinstance(width, int):
            series[label(row.solver, {**row.options, "width": None})].append(_at_width(width, answers, known))
    if not series:
        raise BadInput("no solver of this benchmark has a width; run some, as in --with beam:width=100,beam:width=1000")
    for points in series.values():
        points.sort(key=lambda point: point.width)
    if not any(point.reached.total for points in series.values() for point in points):
        raise BadInput(f"no board of '{run.suite.name}' has a known optimum; add a solver that proves it, such as ida")

    def draw(figure: Figure, mark: float) -> None:
        left, right = panels(figure, 2)
        for solver, points in series.items():
            shares = [point.reached for point in points]
            for axes, at in ((left, [point.width for point in points]), (right, [point.seconds for point in points])):
                values = [share.value for share in shares]
                axes.errorbar(at, values, reach(shares), marker="o", capsize=2, label=solver)
        left.set_xlabel("width")
        left.set_xscale("log")
        drawn = sorted({point.width for points in series.values() for point in points})
        left.set_xticks(drawn, [str(width) for width in drawn], rotation=90 if len(drawn) > 6 else 0)
        left.minorticks_off()
        right.set_xlabel("seconds (median)")
        right.set_xscale("log")
        for axes in (left, right):
            show_share(axes, "optimal")
        left.legend()

    body = [
        (
            solver,
            str(at.width),
            tables.share(at.reached),
            tables.interval(at.reached),
            tables.decimal(at.excess.value),
            tables.seconds(at.seconds),
        )
        for solver, points in series.items()
        for at in points
    ]
    header = ("solver", "width", "optimal", "95 %", "mean excess", "seconds")
    return Chart("widths", f"{run.suite.name}: optimal by width", header, tuple(body), draw)


def _at_width(width: int, answers: Sequence[Answer], known: dict[str, tables.Reference]) -> AtWidth:
    excess = mean(tables.excesses(answers, known, optimal=True))
    seconds = float(np.median([answer.row.seconds for answer in answers]))
    return AtWidth(width, tables.reached(answers, known), excess, seconds)
