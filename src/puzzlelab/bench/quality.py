"""Plots of the quality of answers: the share of solved boards, the excess over the optimum, the effect of width."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from puzzlelab.bench import tables, timing
from puzzlelab.bench.charts import (
    Chart,
    add_panels,
    error_bars,
    legend_below,
    outlier_limit,
    plain_numbers,
    set_seconds_axis,
    set_share_axis,
    whole_numbers,
)
from puzzlelab.bench.reference_curves import Curves, ReferencePoint
from puzzlelab.bench.runs import BenchAnswer, BenchRun, label_of
from puzzlelab.bench.statistics import Mean, Proportion, mean
from puzzlelab.bench.suites import SuiteEntry
from puzzlelab.bench.timing import Timing, timing_of
from puzzlelab.core.errors import BadInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AXIS_FACTOR = 1.25
"""The end of an axis without its outliers, as a multiple of the largest of the other values."""
LEAST_RATIO_OF_TICKS = 1.3
"""Two widths that both have a tick differ by this factor at least."""
LEVEL_OFFSET = 0.1
"""The horizontal distance between the points of two solvers at one level, so that both are visible."""


# --- levels ---


@dataclass(frozen=True)
class LevelQuality:
    """The results of one solver at one level."""

    level: int
    solved: Proportion
    excess: Mean
    """Moves more than the reference, over solved boards that have one."""
    timing: Timing


Series = Mapping[str, Sequence[LevelQuality]]
"""Solver -> its results, lowest level first."""


def levels(run: BenchRun) -> Chart:
    """Return the share of solved boards by level, and the mean excess of moves over the optimum.

    A board without a level counts at the length of its known optimum. If all solutions of a board have the same length,
    seconds are shown in place of the excess, and boards without a level are left out. An excess that is known at one of
    several levels has no panel, and is a remark.
    """
    reference_lengths, filled_answers = tables.references(run), tables.has_filled_answers(run.suite.puzzle)
    reference_name = "true optimum" if all(each.optimal for each in reference_lengths.values()) else "shortest known"
    series = _by_level(run, reference_lengths, filled_answers)

    values = [point.timing.typical if filled_answers else point.excess.value for _, point in _points(series)]
    known_levels = {
        point.level for (_, point), value in zip(_points(series), values, strict=True) if not np.isnan(value)
    }
    has_panel = len(known_levels) > 1 or len({point.level for _, point in _points(series)}) == 1

    def draw(figure: Figure, mark_seconds: float) -> None:
        left, *others = add_panels(figure, 1 + has_panel)
        legend_below(figure, _draw_solved(left, series))
        for right in others:
            if filled_answers:
                _draw_seconds(right, series, mark_seconds)
            else:
                _draw_excess(right, series)
                right.set_ylabel(f"moves more than the {reference_name}\n(mean, 95 % interval)")
        for axes in (left, *others):
            axes.set_xlabel("level")
            axes.set_xlim(left.get_xlim())
            whole_numbers(axes.xaxis)

    header = ("solver", "level", "solved", "95 %", "seconds" if filled_answers else "mean excess")
    body = [_level_row(solver, point, filled_answers) for solver, point in _points(series)]
    remarks = _time_notes(series) if filled_answers else _excess_notes(series, reference_lengths, reference_name)
    if not has_panel and known_levels:
        what = "measured seconds" if filled_answers else "a known excess"
        remarks += (f"Only level {min(known_levels)} has {what}: the table shows it, and the plot does not.",)
    return Chart("levels", f"{run.suite.name}: solved by level", header, tuple(body), draw, remarks)


def _points(series: Series) -> list[tuple[str, LevelQuality]]:
    """Return all points with their solvers."""
    return [(solver, point) for solver, points in series.items() for point in points]


def _time_notes(series: Series) -> tuple[str, ...]:
    """Return sentences about the solvers whose boards were answered in batches."""
    batched = [solver for solver, point in _points(series) if point.timing.kind == "whole batches"]
    crossing = [solver for solver, point in _points(series) if point.timing.kind == "parts of batches"]
    return timing.note(batched, "whole batches") + timing.note(crossing, "parts of batches")


def _excess_notes(
    series: Series, reference_lengths: Mapping[str, tables.Reference], reference_name: str
) -> tuple[str, ...]:
    """Return sentences about the reference, and about points that are above the axis."""
    if not reference_lengths:
        return ()
    sentences = [f"The excess is over the {reference_name}, of the boards that were solved."]
    if (limit := _excess_limit(series)) is not None:
        above = [(solver, point) for solver, point in _points(series) if point.excess.value > limit]
        places = ", ".join(f"{point.excess.value:.2f} of {solver} at level {point.level}" for solver, point in above)
        sentences.append(f"The axis of the excess ends where most points do; an arrow marks what is above: {places}.")
    return tuple(sentences)


def _excess_limit(series: Series) -> float | None:
    """Return the largest excess that is no outlier; None if there are no outliers."""
    return outlier_limit(point.excess.value for _, point in _points(series))


def _by_level(
    run: BenchRun, reference_lengths: dict[str, tables.Reference], filled_answers: bool
) -> dict[str, list[LevelQuality]]:
    """Return the results of each solver at each level, lowest first; raises `BadInput` if no board has a level."""
    series: dict[str, list[LevelQuality]] = {}
    for solver, answers in run.by_solver.items():
        by_level: dict[int, list[BenchAnswer]] = defaultdict(list)
        for answer in answers:
            if (level := _level(answer.entry, {} if filled_answers else reference_lengths)) is not None:
                by_level[level].append(answer)
        if by_level:
            series[solver] = [
                _level_quality(level, group, reference_lengths, timing_of(group))
                for level, group in sorted(by_level.items())
            ]
    if not series:
        raise BadInput(f"no board of '{run.suite.name}' has a level{'' if filled_answers else ' or a known optimum'}")
    return series


def _positions(series: Series) -> Iterator[tuple[str, Sequence[LevelQuality], list[float]]]:
    """Yield each solver with its points and their horizontal positions."""
    for number, (solver, points) in enumerate(series.items()):
        offset = LEVEL_OFFSET * (number - (len(series) - 1) / 2)
        yield solver, points, [point.level + offset for point in points]


def _draw_solved(axes: Axes, series: Series) -> dict[str, Any]:
    """Draw the shares of solved boards with their intervals; return the line of each solver."""
    lines = {}
    for solver, points, positions in _positions(series):
        (lines[solver],) = axes.plot(positions, [point.solved.value for point in points], marker=".")
        low, high = zip(*(point.solved.interval for point in points), strict=True)
        axes.fill_between(positions, low, high, alpha=0.12)
    set_share_axis(axes, "solved")
    return lines


def _draw_seconds(axes: Axes, series: Series, mark_seconds: float) -> None:
    for _, points, positions in _positions(series):
        axes.plot(positions, [point.timing.typical for point in points], marker=".")
    set_seconds_axis(axes, "y", [point.timing.typical for _, point in _points(series)], mark_seconds)


def _draw_excess(axes: Axes, series: Series) -> None:
    """Draw the means with their intervals; an axis that would be mostly empty ends below the outliers."""
    limit = _excess_limit(series)
    top = None if limit is None else AXIS_FACTOR * limit
    for _, points, positions in _positions(series):
        (line,) = axes.plot(positions, [point.excess.value for point in points], marker=".")
        axes.fill_between(positions, *_band([point.excess for point in points]), alpha=0.12)
        for point, position in zip(points, positions, strict=True):
            if top is not None and limit is not None and point.excess.value > limit:
                axes.plot(position, top, marker="^", color=line.get_color(), clip_on=False)
    if top is not None:
        lowest = min(point.excess.value for _, point in _points(series) if not np.isnan(point.excess.value))
        axes.set_ylim(min(0.0, lowest) - 0.03 * top, top)


def _level_row(solver: str, point: LevelQuality, filled_answers: bool) -> tuple[str, ...]:
    last = tables.seconds(point.timing.typical) if filled_answers else tables.decimal(point.excess.value)
    return solver, str(point.level), tables.share(point.solved), tables.interval(point.solved), last


def _band(means: Sequence[Mean]) -> tuple[list[float], list[float]]:
    """Return the lower ends of the intervals, cut off at 0 unless the mean is negative, and the upper ends."""
    half_widths = [0.0 if np.isnan(each.half_width) else each.half_width for each in means]
    low = [
        max(each.value - half_width, min(0.0, each.value)) for each, half_width in zip(means, half_widths, strict=True)
    ]
    return low, [each.value + half_width for each, half_width in zip(means, half_widths, strict=True)]


def _level(entry: SuiteEntry, reference_lengths: Mapping[str, tables.Reference]) -> int | None:
    reference = reference_lengths.get(entry.board)
    if entry.level is not None or reference is None:
        return entry.level
    return reference.value if reference.optimal else None


def _level_quality(
    level: int, answers: Sequence[BenchAnswer], reference_lengths: dict[str, tables.Reference], seconds: Timing
) -> LevelQuality:
    solved = Proportion(sum(answer.length is not None for answer in answers), len(answers))
    return LevelQuality(level, solved, mean(tables.excesses(answers, reference_lengths)), seconds)


# --- widths ---


@dataclass(frozen=True)
class WidthQuality:
    """The results of one solver with one width."""

    width: int
    optimal: Proportion
    """Solved in the optimal length, of the boards with a known optimum."""
    excess: Mean
    seconds: float
    """The median; the mean of boards that were answered in batches."""


def widths(run: BenchRun, curves: Curves | None = None) -> Chart:
    """Return the share of boards solved optimally, against the width of the search and against its time.

    Solvers that differ only in their width form one line. `curves` are reference curves, drawn dashed.
    """
    series, curves = _by_width(run), curves or {}

    def draw(figure: Figure, mark_seconds: float) -> None:
        left, right = add_panels(figure, 2)
        lines: dict[str, Any] = {}
        for solver, points in series.items():
            shares = [point.optimal for point in points]
            for axes, positions in (
                (left, [point.width for point in points]),
                (right, [point.seconds for point in points]),
            ):
                values = [share.value for share in shares]
                lines[solver] = axes.errorbar(positions, values, error_bars(shares), marker="o", capsize=2)
        for name, reference in curves.items():
            style: Any = {"marker": "s", "fillstyle": "none", "linestyle": "--"}
            (lines[name],) = left.plot(
                [point.width for point in reference], [point.share for point in reference], **style
            )
            timed = [(point.seconds, point.share) for point in reference if point.seconds is not None]
            right.plot(*zip(*timed, strict=True) if timed else ((), ()), **style)
        drawn = {point.width for points in series.values() for point in points}
        drawn |= {point.width for points in curves.values() for point in points}
        _set_width_axis(left, sorted(drawn))
        right.set_xlabel("seconds for a board (median, log scale)")
        right.set_xscale("log")
        plain_numbers(right.xaxis)
        for axes in (left, right):
            set_share_axis(axes, "optimal")
        legend_below(figure, lines)

    header = ("solver", "width", "optimal", "share", "95 %", "mean excess", "seconds")
    body = [_width_row(solver, point) for solver, points in series.items() for point in points]
    in_batches = [solver for solver, answers in run.by_solver.items() if timing_of(answers).kind != "alone"]
    remarks = timing.note(in_batches, "whole batches")
    reference_rows = [_reference_row(name, point) for name, points in curves.items() for point in points]
    return Chart("widths", f"{run.suite.name}: optimal by width", header, (*body, *reference_rows), draw, remarks)


def _by_width(run: BenchRun) -> dict[str, list[WidthQuality]]:
    """Return the solvers with a width, grouped by their other options, narrowest first; raises `BadInput` for none."""
    reference_lengths = tables.references(run)
    series: dict[str, list[WidthQuality]] = defaultdict(list)
    for answers in run.by_solver.values():
        row = answers[0].row
        width = row.options.get("width")
        if isinstance(width, int):
            series[label_of(row.solver, {**row.options, "width": None})].append(
                _width_quality(width, answers, reference_lengths, timing_of(answers).typical)
            )
    if not series:
        raise BadInput("no solver of this benchmark has a width; run some, as in --with beam:width=100,beam:width=1000")
    for points in series.values():
        points.sort(key=lambda point: point.width)
    if not any(point.optimal.total for points in series.values() for point in points):
        raise BadInput(f"no board of '{run.suite.name}' has a known optimum; add a solver that proves it, such as ida")
    return series


def _set_width_axis(axes: Axes, drawn: Sequence[int]) -> None:
    """Set a logarithmic axis with a tick at each of these widths."""
    axes.set_xlabel("width (log scale)")
    axes.set_xscale("log")
    shown: list[int] = []
    for width in sorted(drawn):  # labels of nearly equal widths would cover each other
        if not shown or width >= LEAST_RATIO_OF_TICKS * shown[-1]:
            shown.append(width)
    axes.set_xticks(shown, [str(width) for width in shown], rotation=90 if len(shown) > 6 else 0)
    axes.minorticks_off()


def _width_row(solver: str, point: WidthQuality) -> tuple[str, ...]:
    shares = tables.share(point.optimal), tables.percent(point.optimal), tables.interval(point.optimal)
    return solver, str(point.width), *shares, tables.decimal(point.excess.value), tables.seconds(point.seconds)


def _reference_row(name: str, point: ReferencePoint) -> tuple[str, ...]:
    return (
        name,
        str(point.width),
        "-",
        f"{100 * point.share:g} %",
        "-",
        "-",
        "-" if point.seconds is None else f"{point.seconds:g}",
    )


def _width_quality(
    width: int, answers: Sequence[BenchAnswer], reference_lengths: dict[str, tables.Reference], seconds: float
) -> WidthQuality:
    excess = mean(tables.excesses(answers, reference_lengths, optimal=True))
    return WidthQuality(width, tables.optimal_share(answers, reference_lengths), excess, seconds)
