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
from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.suites import clue_count
from puzzlelab.bench.summaries import ADVICE, Summary, summaries, time_notes
from puzzlelab.core.errors import BadInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_PANELS = 4
"""The most boards that have a panel each; more share one panel."""
MAX_BOARDS_AS_BARS = 30
"""The most boards that are drawn as bars; of more, only the median and the 95th percentile are drawn."""
UNSOLVED_ALPHA = 0.35
"""The opacity of the bar of an unsolved board."""

Answers = Mapping[str, BenchAnswer]
"""Board -> the answer of a solver."""


def bars(run: BenchRun) -> Chart:
    """Plot the seconds of each solver: for each board if they are few, else the median and the 95th percentile."""
    boards = {entry.board: number for number, entry in enumerate(run.suite.entries, start=1)}
    if len(boards) > MAX_BOARDS_AS_BARS:
        return _of_solvers(run)
    timed = {
        solver: {answer.entry.board: answer for answer in answers if answer.row.seconds is not None or answer.row.error}
        for solver, answers in run.by_solver.items()
    }
    if not any(timed.values()):
        raise BadInput(f"no board of '{run.suite.name}' was timed alone; {ADVICE}")
    return _of_boards(run, {solver: answers for solver, answers in timed.items() if answers}, boards)


def _of_boards(run: BenchRun, answers: Mapping[str, Answers], boards: Mapping[str, int]) -> Chart:
    seconds = [each.row.seconds or 0.0 for of_solver in answers.values() for each in of_solver.values()]
    few = len(boards) <= MAX_PANELS

    def draw(figure: Figure, mark_seconds: float) -> None:
        if few:
            _draw_panels(figure, run, answers, boards)
        else:
            _draw_groups(figure, answers, boards)
        for axes in figure.axes:
            set_seconds_axis(axes, "x" if few else "y", seconds, mark_seconds)

    parts = [
        Summary(each.solver, [each], {}) for each in run.answers if each.row.seconds is None and not each.row.error
    ]
    header = ("board", *answers)
    rows = [(str(number), *(_text(each.get(board)) for each in answers.values())) for board, number in boards.items()]
    remarks = time_notes(parts)
    panels = len(boards) if few else 1
    return of_run(run, "bars", "seconds for each board", header, rows, draw, remarks, panels)


def _draw_panels(figure: Figure, run: BenchRun, answers: Mapping[str, Answers], boards: Mapping[str, int]) -> None:
    """Draw a panel for each board, with a horizontal bar for each solver; the first panel has their names."""
    names = [tables.wrapped_label(solver) for solver in answers]
    fit_height(figure, names)
    for axes, (board, number) in zip(figure.axes, boards.items(), strict=True):
        of_board = {at: each[board] for at, each in enumerate(answers.values()) if board in each}
        colours = [f"C{at}" for at in of_board]
        _fade_unsolved(axes.barh(list(of_board), _heights(of_board.values()), 0.7, color=colours), of_board.values())
        axes.set_yticks(range(len(names)), names if axes is figure.axes[0] else [""] * len(names))
        axes.set_ylim(len(names) - 0.5, -0.5)
        clues = clue_count(run.suite.puzzle, board)
        axes.set_title(f"board {number}" + ("" if clues is None else f": {clues} clues"), fontsize="medium")
        axes.sharex(figure.axes[0])
    if any(answer.length is None for each in answers.values() for answer in each.values()):
        figure.supxlabel("pale: not solved", fontsize="medium")


def _draw_groups(figure: Figure, answers: Mapping[str, Answers], boards: Mapping[str, int]) -> None:
    """Draw one panel with a group of bars for each board."""
    (axes,) = figure.axes
    width = 0.8 / len(answers)
    for number, (solver, each) in enumerate(answers.items()):
        positions = [boards[board] + (number - (len(answers) - 1) / 2) * width for board in each]
        drawn = axes.bar(positions, _heights(each.values()), width, color=f"C{number}", label=solver)
        _fade_unsolved(drawn, each.values())
    axes.set_xlabel("board (pale: not solved)")
    whole_numbers(axes.xaxis)


def _heights(answers: Iterable[BenchAnswer]) -> list[float]:
    return [max(answer.row.seconds or 0.0, MIN_SECONDS) for answer in answers]


def _fade_unsolved(drawn: Iterable[Any], answers: Iterable[BenchAnswer]) -> None:
    for bar, answer in zip(drawn, answers, strict=True):
        bar.set_alpha(1.0 if answer.length is not None else UNSOLVED_ALPHA)


def _text(answer: BenchAnswer | None) -> str:
    if answer is None:
        return "-"
    return tables.seconds(answer.seconds) + ("" if answer.length is not None else " unsolved")


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
