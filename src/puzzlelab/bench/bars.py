"""Bars of the seconds of solvers: for each board if they are few, else the median and the 95th percentile."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from puzzlelab.bench.charts import MIN_SECONDS, Chart, Panel, fit_height, ink, of_run
from puzzlelab.bench.runs import BenchRun
from puzzlelab.bench.suites import clue_count
from puzzlelab.bench.summaries import ADVICE, Summary, grouped, summaries, time_notes
from puzzlelab.bench.tables import seconds, share, wrapped_label
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
    if len(boards) <= MAX_PANELS:
        panels = [Panel(seconds="x")] * len(boards)
    else:
        panels = [Panel([], {"xlabel": "board (pale: not solved)"}, seconds="y", whole="x")]

    def draw(figure: Figure) -> None:
        names = [wrapped_label(solver) for solver in series]
        if len(boards) > MAX_PANELS:
            for place, (name, points) in enumerate(series.items()):
                _draw(
                    figure.axes[0].bar,
                    points,
                    (place + 0.5) / len(series) * 0.8 - 0.4,
                    0.8 / len(series),
                    f"C{place}",
                    name,
                )
            return
        fit_height(figure, names)
        for axes, (board, number) in zip(figure.axes, boards.items(), strict=True):
            for place, points in enumerate(series.values()):
                at_board = {place: points[number]} if number in points else {}
                _draw(axes.barh, at_board, 0, 0.7, f"C{place}")
            clues = clue_count(run.suite.puzzle, board)
            axes.set_title(f"board {number}" + ("" if clues is None else f": {clues} clues"), fontsize="medium")
            axes.set_yticks(range(len(names)), names if axes is figure.axes[0] else [""] * len(names))
            axes.set_ylim(len(names) - 0.5, -0.5)
        if not all(at.solved.number for points in series.values() for at in points.values()):
            figure.supxlabel("pale: not solved", fontsize="medium")

    rows = [(str(number), *(_text(points.get(number)) for points in series.values())) for number in boards.values()]
    remarks = time_notes([at for points in every.values() for at in points.values()])
    return of_run(run, "bars", "seconds for each board", ("board", *series), rows, remarks, panels, draw)


def _draw(
    draw: Any, points: Mapping[int, Summary], offset: float, width: float, colour: str, name: str | None = None
) -> None:
    """Draw a bar for each point, pale for a board that is not solved."""
    heights = [max(at.typical_seconds, MIN_SECONDS) for at in points.values()]
    drawn = draw([number + offset for number in points], heights, width, color=colour, label=name)
    for bar, at in zip(drawn, points.values(), strict=True):
        bar.set_alpha(1.0 if at.solved.number else UNSOLVED_ALPHA)


def _text(at: Summary | None) -> str:
    if at is None:
        return "-"
    return seconds(at.typical_seconds) + ("" if at.solved.number else " unsolved")


def _of_solvers(run: BenchRun) -> Chart:
    lines = summaries(run)

    def draw(figure: Figure) -> None:
        names = [wrapped_label(each.solver) for each in lines]
        fit_height(figure, names)
        (axes,) = figure.axes
        positions = np.arange(len(lines))
        for offset, name, place in ((-0.2, "median", 1), (0.2, "95th percentile", 3)):
            axes.barh(positions + offset, [_drawn(each.percentiles[place]) for each in lines], 0.4, label=name)
        middle = np.array([_drawn(each.seconds.value) for each in lines])
        half = np.nan_to_num([each.seconds.half_width for each in lines])
        ends = [np.minimum(half, middle - MIN_SECONDS), half]
        style: Any = {"fmt": "o", "color": ink(), "markersize": 4, "capsize": 3}
        axes.errorbar(middle, positions, xerr=ends, label="mean (95 %)", **style)
        axes.set_yticks(positions, names)
        axes.invert_yaxis()

    rows = []
    for each in lines:
        total = each.seconds.value * each.timed_boards if each.timed_boards else math.nan
        times = each.percentiles[1], each.percentiles[3], total
        rows.append((each.solver, share(each.solved), *map(seconds, times)))
    header = ("solver", "solved", "median", "95th percentile", "total")
    return of_run(run, "bars", "seconds for a board", header, rows, time_notes(lines), [Panel(seconds="x")], draw)


def _drawn(value: float) -> float:
    return float(np.maximum(value, MIN_SECONDS))
