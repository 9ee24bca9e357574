"""Draws a run, and gives the same figures as a table. Needs matplotlib, which is imported only when something is drawn.

Each kind is a function from a run to a `Chart`: all numbers are there before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.bench import lengths, quality, tables, times
from puzzlelab.bench.charts import AT_ONCE, LEAST_SECONDS, Chart, panels, show_seconds, whole_numbers
from puzzlelab.bench.reference_curves import Curves
from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.tables import Summary
from puzzlelab.core.errors import BadFile, BadInput, UnknownName

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.table import Table

WIDE, HIGH = 9.0, 4.5
"""Inches of one figure."""
MOST_PANELS = 4
"""Boards that have a panel each."""
MOST_BARS = 30
"""Boards that are drawn one by one."""
WITH_CURVES = "widths"
"""The kind that shows published curves beside the answers."""
PALE = 0.35
"""How much is seen of the bar of a board that was not solved."""


def chart(run: BenchRun, kind: str, beside: Curves | None = None) -> Chart:
    """The chart of this kind; raises `UnknownName`, and `BadInput` where the run has nothing to show in it.

    `beside` are curves that others published, which widths alone shows.
    """
    if kind not in KINDS:
        raise UnknownName("kind of plot", kind, KINDS)
    if not run.answers:
        raise BadInput(f"there are no answers to '{run.suite.name}' yet")
    if beside is None:
        return KINDS[kind](run)
    if kind != WITH_CURVES:
        raise BadInput(f"{kind} shows nothing beside the answers: published curves are for {WITH_CURVES}")
    return quality.widths(run, beside)


def only(run: BenchRun, solvers: Sequence[str]) -> BenchRun:
    """The answers of these solvers alone, in this order; `beam:width=100` means all that have this name and option.

    Raises `UnknownName` for one that has answered nothing.
    """
    labels = list(run.by_solver)
    chosen: dict[str, None] = {}
    for text in solvers:
        found = [label for label in labels if set(_parts(text)) <= set(_parts(label))]
        if not found:
            raise UnknownName(f"solver that has answered '{run.suite.name}', called", text, labels)
        chosen |= dict.fromkeys(found)
    return BenchRun(run.suite, tuple(answer for label in chosen for answer in run.by_solver[label]), run.interrupted)


def _parts(label: str) -> list[str]:
    return tables.broken(label).split(":\n")


def save(made: Chart, folder: Path, mark: float = AT_ONCE) -> list[Path]:
    """Draw a chart as `<kind>.png` and `<kind>.svg` in this folder; raises `BadInput` without matplotlib.

    A dashed line marks so many seconds wherever it is near the seconds that are drawn; 0 is none.
    """
    figure = empty_figure(made.title)
    made.draw(figure, mark)
    paths = [folder / f"{made.kind}.png", folder / f"{made.kind}.svg"]
    for path in paths:
        write(figure, path)
    return paths


def empty_figure(title: str) -> Figure:
    """A figure with a title; raises `BadInput` without matplotlib."""
    try:
        from matplotlib import figure as figures
    except ImportError:
        raise BadInput("plots need matplotlib, which is not installed: pip install 'puzzlelab[plot]'") from None
    figure = figures.Figure(figsize=(WIDE, HIGH), dpi=150, layout="constrained")
    figure.suptitle(title)
    return figure


def write(figure: Figure, path: Path) -> None:
    """Write a figure as PNG or SVG, the same bytes for the same figure; raises `BadFile`."""
    from matplotlib import rc_context

    try:
        with rc_context({"svg.hashsalt": "puzzlelab"}):
            figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    except OSError as error:
        raise BadFile(f"cannot write the plot {path}: {error.strerror}") from None


def table(made: Chart) -> Table:
    """The figures of a chart."""
    from rich.table import Table
    from rich.text import Text

    shown = Table(title=Text(made.title), box=None)
    for number, head in enumerate(made.header):
        shown.add_column(Text(tables.broken(head)), justify="left" if number == 0 else "right", overflow="fold")
    for row in made.body:
        shown.add_row(*map(Text, row))
    return shown


# --- bars ---


def bars(run: BenchRun) -> Chart:
    """Seconds of each solver: for each board where there are few, else the median and the 95th percentile."""
    boards = {entry.board: place for place, entry in enumerate(run.suite.entries, start=1)}
    return _bars_by_board(run, boards) if len(boards) <= MOST_BARS else _bars_by_solver(run)


def _bars_by_board(run: BenchRun, boards: Mapping[str, int]) -> Chart:
    found = {solver: {answer.entry.board: answer for answer in answers} for solver, answers in run.by_solver.items()}

    def draw(figure: Figure, mark: float) -> None:
        if len(boards) <= MOST_PANELS:
            _few(figure, run, boards, mark)
            return
        (axes,) = panels(figure, 1)
        width = 0.8 / len(found)
        for number, (solver, answers) in enumerate(found.items()):
            at = np.array([boards[board] for board in answers]) + (number - (len(found) - 1) / 2) * width
            _bars(axes, at, list(answers.values()), width, [f"C{number}"] * len(answers), solver)
        axes.set_xlabel("board (pale: not solved)")
        whole_numbers(axes.xaxis)
        show_seconds(axes, "y", _drawn(run), mark)
        axes.legend()

    header = ("board", *found)
    body = [(str(place), *(_time(answers.get(board)) for answers in found.values())) for board, place in boards.items()]
    return Chart("bars", f"{run.suite.name}: seconds for each board", header, tuple(body), draw)


def _drawn(run: BenchRun) -> list[float]:
    return [answer.row.seconds for answer in run.answers]


def _few(figure: Figure, run: BenchRun, boards: Mapping[str, int], mark: float) -> None:
    """A panel for each board, with a bar for each solver."""
    solvers = {solver: number for number, solver in enumerate(run.by_solver)}
    every = panels(figure, len(boards))
    for axes, (board, place) in zip(every, boards.items(), strict=True):
        answers = [answer for answer in run.answers if answer.entry.board == board]
        at = np.array([solvers[answer.solver] for answer in answers])
        _bars(axes, at, answers, 0.7, [f"C{number}" for number in at.tolist()])
        names = [tables.broken(solver) for solver in solvers]
        axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
        axes.grid(visible=False, axis="x")
        axes.set_title(_heading(run, board, place), fontsize="medium")
        axes.sharey(every[0])
    for axes in every:
        show_seconds(axes, "y", _drawn(run), mark)
    if not all(answer.length is not None for answer in run.answers):
        figure.supxlabel("pale: not solved", fontsize="medium")
    if every[0].get_legend_handles_labels()[0]:
        every[0].legend()


def _heading(run: BenchRun, board: str, place: int) -> str:
    clues = times.clues_of(run.suite.puzzle, board)
    return f"board {place}" if clues is None else f"board {place}: {clues} clues"


def _bars(
    axes: Axes, at: NDArray[Any], answers: Sequence[BenchAnswer], width: float, colors: Sequence[str], name: str = ""
) -> None:
    heights = [max(answer.row.seconds, LEAST_SECONDS) for answer in answers]
    drawn = axes.bar(at, heights, width, color=colors, label=name)
    for bar, answer in zip(drawn, answers, strict=True):
        bar.set_alpha(1.0 if answer.length is not None else PALE)


def _time(answer: BenchAnswer | None) -> str:
    if answer is None:
        return "-"
    return tables.seconds(answer.row.seconds) + ("" if answer.length is not None else " unsolved")


def _bars_by_solver(run: BenchRun) -> Chart:
    found = tables.summaries(run)
    totals = [sum(answer.row.seconds for answer in answers) for answers in run.by_solver.values()]

    def draw(figure: Figure, mark: float) -> None:
        (axes,) = panels(figure, 1)
        at = np.arange(len(found))
        kinds = (("median", [each.median for each in found]), ("95th percentile", [each.p95 for each in found]))
        for offset, (name, values) in zip((-0.2, 0.2), kinds, strict=True):
            axes.barh(at + offset, np.maximum(values, LEAST_SECONDS), 0.4, label=name)
        _means(axes, at, found)
        axes.set_yticks(at, [tables.broken(each.solver) for each in found])
        axes.invert_yaxis()
        show_seconds(axes, "x", [value for _, values in kinds for value in values], mark)
        axes.legend()

    header = ("solver", "solved", "median", "95th percentile", "total")
    body = [
        (each.solver, tables.share(each.solved), *map(tables.seconds, (each.median, each.p95, total)))
        for each, total in zip(found, totals, strict=True)
    ]
    return Chart("bars", f"{run.suite.name}: seconds for a board", header, tuple(body), draw)


def _means(axes: Axes, at: NDArray[Any], found: Sequence[Summary]) -> None:
    """A point for each mean, with its 95 % interval; what would reach below 0 is cut off."""
    means = np.array([max(each.seconds.value, LEAST_SECONDS) for each in found])
    reaches = np.nan_to_num([each.seconds.reach for each in found])
    within = [np.minimum(reaches, means - LEAST_SECONDS), reaches]
    axes.errorbar(means, at, xerr=within, fmt="o", color="black", markersize=4, capsize=3, label="mean (95 %)")


KINDS: Mapping[str, Callable[[BenchRun], Chart]] = {
    "lengths": lengths.lengths,
    "lengths2d": lengths.lengths2d,
    "levels": quality.levels,
    "bars": bars,
    "widths": quality.widths,
    "jobs": times.jobs,
    "clues": times.clues,
}
"""Name -> how it is made."""


def usual(run: BenchRun) -> str:
    """The kind that shows most of a run."""
    return "bars" if tables.fills(run.suite.puzzle) else "lengths"
