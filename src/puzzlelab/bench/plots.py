"""Draws a run, and prints the same numbers as a table. Matplotlib is imported only when something is drawn.

Each kind of plot is a function from a run to a `Chart`, which has all its numbers before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.bench import lengths, quality, suites, tables, times, timing
from puzzlelab.bench.charts import (
    INSTANT_SECONDS,
    MIN_SECONDS,
    Chart,
    add_panels,
    fit_height,
    ink,
    legend_below,
    named_artists,
    set_seconds_axis,
    whole_numbers,
)
from puzzlelab.bench.reference_curves import Curves
from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.tables import Summary
from puzzlelab.bench.timing import timing_of
from puzzlelab.core.errors import BadFile, BadInput, UnknownName
from puzzlelab.storage.files import replace_file
from puzzlelab.storage.outputs import check_image

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.table import Table

WIDTH, HEIGHT = 9.0, 4.5
"""The size of a figure in inches."""
MAX_PANELS = 4
"""The most boards that have a panel each; more share one panel."""
MAX_BOARDS_AS_BARS = 30
"""The most boards that are drawn as bars; of more, only the median and the 95th percentile are drawn."""
KIND_WITH_CURVES = "widths"
"""The kind that can also show reference curves."""
UNSOLVED_ALPHA = 0.35
"""The opacity of the bar of an unsolved board."""


def chart(run: BenchRun, kind: str, curves: Curves | None = None) -> Chart:
    """Return the chart of this kind; raises `UnknownName`, and `BadInput` if the run has nothing to show.

    `curves` are reference curves, which only the kind `widths` shows.
    """
    if kind not in KINDS:
        raise UnknownName("kind of plot", kind, KINDS)
    if not run.answers:
        raise BadInput(f"there are no answers to '{run.suite.name}' yet")
    if curves is None:
        return KINDS[kind](run)
    if kind != KIND_WITH_CURVES:
        raise BadInput(f"{kind} does not show published curves: they are for {KIND_WITH_CURVES}")
    return quality.widths(run, curves)


def select_solvers(run: BenchRun, solvers: Sequence[str]) -> BenchRun:
    """Return the answers of these solvers only, in this order; `beam:width=100` selects all with this name and option.

    Raises `UnknownName` for a solver without answers.
    """
    labels = list(run.by_solver)
    chosen: dict[str, None] = {}
    for text in solvers:
        matching = [label for label in labels if set(_parts(text)) <= set(_parts(label))]
        if not matching:
            raise UnknownName(f"solver that has answered '{run.suite.name}', called", text, labels)
        chosen |= dict.fromkeys(matching)
    return BenchRun(run.suite, tuple(answer for label in chosen for answer in run.by_solver[label]), run.interrupted)


def _parts(label: str) -> list[str]:
    return tables.wrapped_label(label).split(":\n")


def save(drawing: Chart, folder: Path, mark_seconds: float = INSTANT_SECONDS) -> list[Path]:
    """Draw a chart as `<kind>.png` and `<kind>.svg` in this folder; raises `BadInput` without matplotlib.

    A dashed line is drawn at `mark_seconds` if it is near the plotted seconds; 0 draws none.
    """
    figure = empty_figure(drawing.title)
    drawing.draw(figure, mark_seconds)
    paths = [folder / f"{drawing.kind}.png", folder / f"{drawing.kind}.svg"]
    for path in paths:
        check_image(path)
    for path in paths:
        write(figure, path)
    return paths


def empty_figure(title: str) -> Figure:
    """Return a figure with a title; raises `BadInput` without matplotlib."""
    try:
        from matplotlib import figure as figures
    except ImportError:
        raise BadInput("plots need matplotlib, which is not installed: pip install 'puzzlelab[plot]'") from None
    figure = figures.Figure(figsize=(WIDTH, HEIGHT), dpi=150, layout="constrained")
    figure.suptitle(title)
    return figure


def write(figure: Figure, path: Path) -> None:
    """Write a figure as PNG or SVG in one step, the same bytes for the same figure.

    Raises `BadFile`, also for a file that exists and is no image.
    """
    check_image(path)
    try:
        replace_file(path, image(figure, path.suffix.removeprefix(".")))
    except OSError as error:
        raise BadFile(f"cannot write the plot {path}: {error.strerror}") from None


def image(figure: Figure, form: str) -> bytes:
    """Return a figure as `png` or `svg`, the same bytes for the same figure."""
    from matplotlib import rc_context

    file = BytesIO()
    with rc_context({"svg.hashsalt": "puzzlelab"}):
        figure.savefig(file, format=form, metadata={"Date": None} if form == "svg" else None)
    return file.getvalue()


def table(drawing: Chart) -> Table:
    """Return the numbers of a chart as a table."""
    from rich.table import Table
    from rich.text import Text

    result = Table(title=Text(drawing.title), box=None)
    for number, head in enumerate(drawing.header):
        result.add_column(Text(tables.wrapped_label(head)), justify="left" if number == 0 else "right", overflow="fold")
    for row in drawing.body:
        result.add_row(*map(Text, row))
    return result


# --- bars ---


def bars(run: BenchRun) -> Chart:
    """Plot the seconds of each solver: for each board if they are few, else the median and the 95th percentile."""
    boards = {entry.board: number for number, entry in enumerate(run.suite.entries, start=1)}
    if len(boards) > MAX_BOARDS_AS_BARS:
        return _bars_by_solver(run)
    timed = [answer for answer in run.answers if timing_of([answer]).kind == "alone"]
    if not timed:
        raise BadInput(f"no board of '{run.suite.name}' was timed alone; {timing.ADVICE}")
    untimed = timing.note([answer.solver for answer in run.answers if answer not in timed], "parts of batches")
    return replace(_bars_by_board(BenchRun(run.suite, tuple(timed)), boards), remarks=untimed)


def _bars_by_board(run: BenchRun, boards: Mapping[str, int]) -> Chart:
    answers_by_board = {
        solver: {answer.entry.board: answer for answer in answers} for solver, answers in run.by_solver.items()
    }

    def draw(figure: Figure, mark_seconds: float) -> None:
        if len(boards) <= MAX_PANELS:
            _draw_few_boards(figure, run, boards, mark_seconds)
            return
        (axes,) = add_panels(figure, 1)
        width = 0.8 / len(answers_by_board)
        drawn = {}
        for number, (solver, answers) in enumerate(answers_by_board.items()):
            positions = (
                np.array([boards[board] for board in answers]) + (number - (len(answers_by_board) - 1) / 2) * width
            )
            drawn[solver] = axes.bar(positions, _heights(answers.values()), width, color=f"C{number}")
            _fade_unsolved(drawn[solver], answers.values())
        axes.set_xlabel("board (pale: not solved)")
        whole_numbers(axes.xaxis)
        set_seconds_axis(axes, "y", _seconds_of(run), mark_seconds)
        legend_below(figure, drawn | named_artists(axes))

    header = ("board", *answers_by_board)
    body = [
        (str(board_number), *(_seconds_text(answers.get(board)) for answers in answers_by_board.values()))
        for board, board_number in boards.items()
    ]
    return Chart("bars", f"{run.suite.name}: seconds for each board", header, tuple(body), draw)


def _seconds_of(run: BenchRun) -> list[float]:
    return [answer.row.seconds or 0.0 for answer in run.answers]


def _draw_few_boards(figure: Figure, run: BenchRun, boards: Mapping[str, int], mark_seconds: float) -> None:
    """Draw a panel for each board, with a horizontal bar for each solver; the first panel has their names."""
    solvers = {solver: number for number, solver in enumerate(run.by_solver)}
    names = [tables.wrapped_label(solver) for solver in solvers]
    fit_height(figure, names)
    panels = add_panels(figure, len(boards))
    for axes, (board, board_number) in zip(panels, boards.items(), strict=True):
        answers = [answer for answer in run.answers if answer.entry.board == board]
        positions = [solvers[answer.solver] for answer in answers]
        drawn = axes.barh(positions, _heights(answers), 0.7, color=[f"C{number}" for number in positions])
        _fade_unsolved(drawn, answers)
        axes.set_yticks(range(len(names)), names if axes is panels[0] else [""] * len(names))
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        axes.set_title(_heading(run, board, board_number), fontsize="medium")
        axes.sharex(panels[0])
    for axes in panels:
        set_seconds_axis(axes, "x", _seconds_of(run), mark_seconds)
    if not all(answer.length is not None for answer in run.answers):
        figure.supxlabel("pale: not solved", fontsize="medium")
    if marks := named_artists(panels[0]):
        legend_below(figure, marks)


def _heading(run: BenchRun, board: str, number: int) -> str:
    clues = suites.clue_count(run.suite.puzzle, board)
    return f"board {number}" if clues is None else f"board {number}: {clues} clues"


def _heights(answers: Iterable[BenchAnswer]) -> list[float]:
    return [max(answer.row.seconds or 0.0, MIN_SECONDS) for answer in answers]


def _fade_unsolved(drawn: Iterable[Any], answers: Iterable[BenchAnswer]) -> None:
    for bar, answer in zip(drawn, answers, strict=True):
        bar.set_alpha(1.0 if answer.length is not None else UNSOLVED_ALPHA)


def _seconds_text(answer: BenchAnswer | None) -> str:
    if answer is None:
        return "-"
    return tables.seconds(answer.seconds) + ("" if answer.length is not None else " unsolved")


def _timed_boards(answers: Sequence[BenchAnswer]) -> int:
    return sum(answer.row.error is None for answer in answers)


def _bars_by_solver(run: BenchRun) -> Chart:
    summaries = tables.summaries(run)
    totals = [timing_of(answers).mean * _timed_boards(answers) for answers in run.by_solver.values()]

    def draw(figure: Figure, mark_seconds: float) -> None:
        (axes,) = add_panels(figure, 1)
        positions = np.arange(len(summaries))
        kinds = (("median", [each.median for each in summaries]), ("95th percentile", [each.p95 for each in summaries]))
        for offset, (name, values) in zip((-0.2, 0.2), kinds, strict=True):
            axes.barh(positions + offset, np.maximum(values, MIN_SECONDS), 0.4, label=name)
        _draw_means(axes, positions, summaries)
        names = [tables.wrapped_label(each.solver) for each in summaries]
        fit_height(figure, names)
        axes.set_yticks(positions, names)
        axes.invert_yaxis()
        means = [each.seconds.value for each in summaries]
        set_seconds_axis(axes, "x", [*means, *(value for _, values in kinds for value in values)], mark_seconds)
        legend_below(figure, named_artists(axes))

    header = ("solver", "solved", "median", "95th percentile", "total")
    body = [
        (each.solver, tables.share(each.solved), *map(tables.seconds, (each.median, each.p95, total)))
        for each, total in zip(summaries, totals, strict=True)
    ]
    batched = [each.solver for each in summaries if np.isnan(each.median)]
    remarks = timing.note(batched, "whole batches")
    return Chart("bars", f"{run.suite.name}: seconds for a board", header, tuple(body), draw, remarks)


def _draw_means(axes: Axes, positions: NDArray[Any], summaries: Sequence[Summary]) -> None:
    """Draw a point for each mean, with its 95 % interval, cut off at 0."""
    means = np.array([max(each.seconds.value, MIN_SECONDS) for each in summaries])
    half_widths = np.nan_to_num([each.seconds.half_width for each in summaries])
    errors = [np.minimum(half_widths, means - MIN_SECONDS), half_widths]
    axes.errorbar(means, positions, xerr=errors, fmt="o", color=ink(), markersize=4, capsize=3, label="mean (95 %)")


KINDS: Mapping[str, Callable[[BenchRun], Chart]] = {
    "lengths": lengths.lengths,
    "lengths2d": lengths.lengths2d,
    "levels": quality.levels,
    "bars": bars,
    "widths": quality.widths,
    "jobs": times.jobs,
    "clues": times.clues,
}
"""Name of a kind -> the function that makes its chart."""


def default_kind(run: BenchRun) -> str:
    """Return the most informative kind for a run."""
    return "bars" if tables.has_filled_answers(run.suite.puzzle) else "lengths"
