"""Bars of the seconds of solvers: for each board if they are few, else the median and the 95th percentile."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from puzzlelab.bench import tables
from puzzlelab.bench.charts import (
    MIN_SECONDS,
    Chart,
    fit_height,
    ink,
    of_run,
    set_seconds_axis,
    whole_numbers,
)
from puzzlelab.bench.runs import BenchRun
from puzzlelab.bench.suites import clue_count
from puzzlelab.bench.summaries import ADVICE, Series, Summary, grouped, summaries, time_notes
from puzzlelab.core.errors import BadInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_PANELS = 4
"""The most boards that have a panel each; more share one panel."""
MAX_BOARDS_AS_BARS = 30
"""The most boards that are drawn as bars; of more, only the median and the 95th percentile are drawn."""
UNSOLVED_ALPHA = 0.35
"""The opacity of the bar of an unsolved board."""


def bars(run: BenchRun) -> Chart:
    """Plot the seconds of each solver: for each board if they are few, else the median and the 95th percentile."""
    boards = {entry.board: number for number, entry in enumerate(run.suite.entries, start=1)}
    if len(boards) > MAX_BOARDS_AS_BARS:
        return _of_solvers(run)
    every = grouped(run, lambda answer: (answer.solver, boards[answer.entry.board]))
    timed = {
        solver: {number: at for number, at in points.items() if at.timed == "alone"} for solver, points in every.items()
    }
    series = {solver: points for solver, points in timed.items() if points}
    if not series:
        raise BadInput(f"no board of '{run.suite.name}' was timed alone; {ADVICE}")
    few = len(boards) <= MAX_PANELS

    def draw(figure: Figure, mark_seconds: float) -> None:
        if few:
            _draw_panels(figure, run, series, boards)
        else:
            _draw_groups(figure, series)
        seconds = [at.typical_seconds for points in series.values() for at in points.values()]
        for axes in figure.axes:
            set_seconds_axis(axes, "x" if few else "y", seconds, mark_seconds)

    header = ("board", *series)
    rows = [(str(number), *(_text(points.get(number)) for points in series.values())) for number in boards.values()]
    remarks = time_notes([at for points in every.values() for at in points.values()])
    panels = len(boards) if few else 1
    return of_run(run, "bars", "seconds for each board", header, rows, draw, remarks, panels)


def _draw_panels(figure: Figure, run: BenchRun, series: Series, boards: Mapping[str, int]) -> None:
    """Draw a panel for each board, with a horizontal bar for each solver; the first panel has their names."""
    names = [tables.wrapped_label(solver) for solver in series]
    fit_height(figure, names)
    for axes, (board, number) in zip(figure.axes, boards.items(), strict=True):
        bars_of_board = {place: points[number] for place, points in enumerate(series.values()) if number in points}
        colours = [f"C{place}" for place in bars_of_board]
        heights = _heights(bars_of_board.values())
        _fade_unsolved(axes.barh(list(bars_of_board), heights, 0.7, color=colours), bars_of_board.values())
        axes.set_yticks(range(len(names)), names if axes is figure.axes[0] else [""] * len(names))
        axes.set_ylim(len(names) - 0.5, -0.5)
        clues = clue_count(run.suite.puzzle, board)
        axes.set_title(f"board {number}" + ("" if clues is None else f": {clues} clues"), fontsize="medium")
        axes.sharex(figure.axes[0])
    if not all(at.solved.number for points in series.values() for at in points.values()):
        figure.supxlabel("pale: not solved", fontsize="medium")


def _draw_groups(figure: Figure, series: Series) -> None:
    """Draw one panel with a group of bars for each board."""
    (axes,) = figure.axes
    width = 0.8 / len(series)
    for place, (solver, points) in enumerate(series.items()):
        positions = [number + (place - (len(series) - 1) / 2) * width for number in points]
        drawn = axes.bar(positions, _heights(points.values()), width, color=f"C{place}", label=solver)
        _fade_unsolved(drawn, points.values())
    axes.set_xlabel("board (pale: not solved)")
    whole_numbers(axes.xaxis)


def _heights(results: Iterable[Summary]) -> list[float]:
    return [float(np.fmax(at.typical_seconds, MIN_SECONDS)) for at in results]


def _fade_unsolved(drawn: Iterable[Any], results: Iterable[Summary]) -> None:
    for bar, at in zip(drawn, results, strict=True):
        bar.set_alpha(1.0 if at.solved.number else UNSOLVED_ALPHA)


def _text(at: Summary | None) -> str:
    if at is None:
        return "-"
    return tables.seconds(at.typical_seconds) + ("" if at.solved.number else " unsolved")


def _of_solvers(run: BenchRun) -> Chart:
    lines = summaries(run)

    def draw(figure: Figure, mark_seconds: float) -> None:
        names = [tables.wrapped_label(each.solver) for each in lines]
        fit_height(figure, names)
        (axes,) = figure.axes
        positions = np.arange(len(lines))
        means = np.array([each.seconds for each in lines]).T
        medians, highest = np.array([(each.percentiles[1], each.percentiles[3]) for each in lines]).T
        for offset, name, values in ((-0.2, "median", medians), (0.2, "95th percentile", highest)):
            axes.barh(positions + offset, np.maximum(values, MIN_SECONDS), 0.4, label=name)
        middle, half = np.maximum(means[0], MIN_SECONDS), np.nan_to_num(means[1])
        ends = [np.minimum(half, middle - MIN_SECONDS), half]
        style: Any = {"fmt": "o", "color": ink(), "markersize": 4, "capsize": 3}
        axes.errorbar(middle, positions, xerr=ends, label="mean (95 %)", **style)
        axes.set_yticks(positions, names)
        axes.invert_yaxis()
        set_seconds_axis(axes, "x", [*means[0], *medians, *highest], mark_seconds)

    header = ("solver", "solved", "median", "95th percentile", "total")
    rows = [_row(each) for each in lines]
    remarks = time_notes(lines)
    return of_run(run, "bars", "seconds for a board", header, rows, draw, remarks)


def _row(each: Summary) -> Sequence[str]:
    total = each.seconds.value * each.timed_boards if each.timed_boards else math.nan
    seconds = each.percentiles[1], each.percentiles[3], total
    return each.solver, tables.share(each.solved), *map(tables.seconds, seconds)
