"""Plots of how good answers are: how often there is one, how near the optimum, and what a wider search brings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from puzzlelab.bench import tables
from puzzlelab.bench.charts import (
    Chart,
    legend_below,
    panels,
    plain_numbers,
    reach,
    show_seconds,
    show_share,
    whole_numbers,
)
from puzzlelab.bench.reference_curves import Curves, ReferencePoint
from puzzlelab.bench.runs import BenchAnswer, BenchRun, label
from puzzlelab.bench.statistics import Mean, Proportion, mean
from puzzlelab.bench.suites import SuiteEntry
from puzzlelab.core.errors import BadInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BESIDE = 0.1
"""Levels that two solvers' points of one level are apart, so that both are seen."""


# --- levels ---


@dataclass(frozen=True)
class LevelQuality:
    """How one solver did at one level."""

    level: int
    solved: Proportion
    excess: Mean
    """Moves more than the reference, over solved boards that have one."""
    seconds: float
    """The median."""


def levels(run: BenchRun) -> Chart:
    """Which share of the boards of each level is solved, and how many moves more than the optimum that takes.

    A board without a level counts at the length of its known optimum. Where all solutions of a board have equally many
    moves, the seconds are shown in their place, and a board without a level is left out.
    """
    known, fills = tables.references(run), tables.fills(run.suite.puzzle)
    over = "true optimum" if all(each.optimal for each in known.values()) else "shortest known"
    series: dict[str, list[LevelQuality]] = {}
    for solver, answers in run.by_solver.items():
        found: dict[int, list[BenchAnswer]] = defaultdict(list)
        for answer in answers:
            if (level := _level(answer.entry, {} if fills else known)) is not None:
                found[level].append(answer)
        if found:
            series[solver] = [_at_level(level, found[level], known) for level in sorted(found)]
    if not series:
        raise BadInput(f"no board of '{run.suite.name}' has a level{'' if fills else ' or a known optimum'}")

    def draw(figure: Figure, mark: float) -> None:
        left, right = panels(figure, 2)
        lines = {}
        for number, (solver, points) in enumerate(series.items()):
            at = [point.level + BESIDE * (number - (len(series) - 1) / 2) for point in points]
            (lines[solver],) = left.plot(at, [point.solved.value for point in points], marker=".")
            low, high = zip(*(point.solved.interval for point in points), strict=True)
            left.fill_between(at, low, high, alpha=0.12)
            right.plot(at, [point.seconds if fills else point.excess.value for point in points], marker=".")
            if not fills:
                right.fill_between(at, *_band([point.excess for point in points]), alpha=0.12)
        show_share(left, "solved")
        if fills:
            show_seconds(right, "y", [point.seconds for points in series.values() for point in points], mark)
        else:
            right.set_ylabel(f"moves more than the {over}\n(mean, 95 % interval)")
        for axes in (left, right):
            axes.set_xlabel("level")
            whole_numbers(axes.xaxis)
        legend_below(figure, lines)

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
    remarks = () if fills or not known else (f"The excess is over the {over}, of the boards that were solved.",)
    return Chart("levels", f"{run.suite.name}: solved by level", header, tuple(body), draw, remarks)


def _band(means: Sequence[Mean]) -> tuple[list[float], list[float]]:
    """Where each interval begins, not below 0 for its sake alone, and ends; at the mean where too few values tell."""
    reaches = [0.0 if np.isnan(each.reach) else each.reach for each in means]
    low = [max(each.value - reach, min(0.0, each.value)) for each, reach in zip(means, reaches, strict=True)]
    return low, [each.value + reach for each, reach in zip(means, reaches, strict=True)]


def _level(entry: SuiteEntry, known: Mapping[str, tables.Reference]) -> int | None:
    reference = known.get(entry.board)
    if entry.level is not None or reference is None:
        return entry.level
    return reference.length if reference.optimal else None


def _at_level(level: int, answers: Sequence[BenchAnswer], known: dict[str, tables.Reference]) -> LevelQuality:
    solved = Proportion(sum(answer.length is not None for answer in answers), len(answers))
    seconds = float(np.median([answer.row.seconds for answer in answers]))
    return LevelQuality(level, solved, mean(tables.excesses(answers, known)), seconds)


# --- widths ---


@dataclass(frozen=True)
class WidthQuality:
    """How one solver did with one width."""

    width: int
    reached: Proportion
    """As short as the known optimum, of the boards that have one."""
    excess: Mean
    seconds: float
    """The median."""


def widths(run: BenchRun, beside: Curves | None = None) -> Chart:
    """Which share of the boards is solved in the least moves, against the width of the search and against its time.

    The solvers that differ in their width alone are one line; the curves `beside` them are somebody else's.
    """
    series, beside = _by_width(run), beside or {}

    def draw(figure: Figure, mark: float) -> None:
        left, right = panels(figure, 2)
        lines: dict[str, Any] = {}
        for solver, points in series.items():
            shares = [point.reached for point in points]
            for axes, at in ((left, [point.width for point in points]), (right, [point.seconds for point in points])):
                values = [share.value for share in shares]
                lines[solver] = axes.errorbar(at, values, reach(shares), marker="o", capsize=2)
        for name, published in beside.items():
            style: Any = {"marker": "s", "fillstyle": "none", "linestyle": "--"}
            (lines[name],) = left.plot(
                [point.width for point in published], [point.share for point in published], **style
            )
            timed = [(point.seconds, point.share) for point in published if point.seconds is not None]
            right.plot(*zip(*timed, strict=True) if timed else ((), ()), **style)
        drawn = {at.width for points in series.values() for at in points}
        drawn |= {at.width for points in beside.values() for at in points}
        _show_widths(left, sorted(drawn))
        right.set_xlabel("seconds for a board (median, log scale)")
        right.set_xscale("log")
        plain_numbers(right.xaxis)
        for axes in (left, right):
            show_share(axes, "optimal")
        legend_below(figure, lines)

    header = ("solver", "width", "optimal", "share", "95 %", "mean excess", "seconds")
    body = [_width_row(solver, at) for solver, points in series.items() for at in points]
    theirs = [_published_row(name, at) for name, points in beside.items() for at in points]
    return Chart("widths", f"{run.suite.name}: optimal by width", header, (*body, *theirs), draw)


def _by_width(run: BenchRun) -> dict[str, list[WidthQuality]]:
    """The solvers that have a width, by what else they are, the narrowest first; raises `BadInput` where none tells."""
    known = tables.references(run)
    series: dict[str, list[WidthQuality]] = defaultdict(list)
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
    return series


def _show_widths(axes: Axes, drawn: Sequence[int]) -> None:
    """A logarithmic axis with a tick at each of these widths."""
    axes.set_xlabel("width (log scale)")
    axes.set_xscale("log")
    axes.set_xticks(drawn, [str(width) for width in drawn], rotation=90 if len(drawn) > 6 else 0)
    axes.minorticks_off()


def _width_row(solver: str, at: WidthQuality) -> tuple[str, ...]:
    shares = tables.share(at.reached), tables.percent(at.reached), tables.interval(at.reached)
    return solver, str(at.width), *shares, tables.decimal(at.excess.value), tables.seconds(at.seconds)


def _published_row(name: str, at: ReferencePoint) -> tuple[str, ...]:
    return name, str(at.width), "-", f"{100 * at.share:g} %", "-", "-", "-" if at.seconds is None else f"{at.seconds:g}"


def _at_width(width: int, answers: Sequence[BenchAnswer], known: dict[str, tables.Reference]) -> WidthQuality:
    excess = mean(tables.excesses(answers, known, optimal=True))
    seconds = float(np.median([answer.row.seconds for answer in answers]))
    return WidthQuality(width, tables.reached(answers, known), excess, seconds)
