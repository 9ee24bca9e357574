"""Draws a run, and gives the same figures as a table. Needs matplotlib, which is imported only when something is drawn.

Each kind is a function from a run to a `Chart`: all numbers are there before anything is drawn.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from puzzlelab.bench import tables
from puzzlelab.bench.runs import Answer, Run, label
from puzzlelab.bench.suites import Entry
from puzzlelab.bench.tables import Mean, Share
from puzzlelab.core.errors import BadFile, BadInput, UnknownName

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from rich.table import Table

WIDE, HIGH = 9.0, 4.5
"""Inches of one figure."""
MOST_BARS = 30
"""Boards that are drawn one by one."""
MOST_BINS = 60
MOST_BESIDE = 3
"""Solvers whose histograms stand side by side; those of more are outlines."""
AT_ONCE = 0.1
"""Seconds: what feels as if it took no time."""
MARKED: Mapping[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1, "label": "100 ms"}
LEAST_SECONDS = 1e-6
BESIDE = 0.1
"""Levels that two solvers' points of one level are apart, so that both are seen."""


@dataclass(frozen=True)
class Chart:
    """One plot: its figures as text, and how to draw them."""

    kind: str
    title: str
    header: tuple[str, ...]
    body: tuple[tuple[str, ...], ...]
    draw: Callable[[Figure], None]


def chart(run: Run, kind: str) -> Chart:
    """The chart of this kind; raises `UnknownName`, and `BadInput` where the run has nothing to show in it."""
    if kind not in KINDS:
        raise UnknownName("kind of plot", kind, KINDS)
    if not run.answers:
        raise BadInput(f"there are no answers to '{run.suite.name}' yet")
    return KINDS[kind](run)


def save(made: Chart, folder: Path) -> list[Path]:
    """Draw a chart as `<kind>.png` and `<kind>.svg` in this folder; raises `BadInput` without matplotlib."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise BadInput("plots need matplotlib, which is not installed: pip install 'puzzlelab[plot]'") from None
    figure = Figure(figsize=(WIDE, HIGH), dpi=150, layout="constrained")
    figure.suptitle(made.title)
    made.draw(figure)
    paths = [folder / f"{made.kind}.png", folder / f"{made.kind}.svg"]
    try:
        with rc_context({"svg.hashsalt": "puzzlelab"}):
            figure.savefig(paths[0])
            figure.savefig(paths[1], metadata={"Date": None})
    except OSError as error:
        raise BadFile(f"cannot write the plot into {folder}: {error.strerror}") from None
    return paths


def table(made: Chart) -> Table:
    """The figures of a chart."""
    from rich.markup import escape
    from rich.table import Table

    shown = Table(title=escape(made.title), box=None)
    for number, head in enumerate(made.header):
        shown.add_column(escape(tables.broken(head)), justify="left" if number == 0 else "right", overflow="fold")
    for row in made.body:
        shown.add_row(*map(escape, row))
    return shown


def _axes(figure: Figure, count: int) -> list[Axes]:
    made = [figure.add_subplot(1, count, place + 1) for place in range(count)]
    for axes in made:
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    return made


def _whole_numbers(axis: Axis) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def _reach(shares: Sequence[Share]) -> list[list[float]]:
    """How far each interval reaches below and above its share."""
    pairs = [(share.value, share.interval) for share in shares]
    return [[max(0.0, at - low) for at, (low, _) in pairs], [max(0.0, high - at) for at, (_, high) in pairs]]


def _show_share(axes: Axes, what: str) -> None:
    axes.set_ylim(-0.03, 1.03)
    axes.set_ylabel(f"{what} (share of boards, 95 % interval)")


# --- lengths ---


def lengths(run: Run) -> Chart:
    """How many boards each solver solves in how many moves, and what the optimum is."""
    known = tables.references(run)
    optima = Counter(known[e.board].length for e in run.suite.entries if e.board in known and known[e.board].optimal)
    counts = {
        solver: Counter(answer.length for answer in answers if answer.length is not None)
        for solver, answers in run.by_solver.items()
    }
    every = sorted({length for count in [optima, *counts.values()] for length in count})
    if not every:
        raise BadInput(f"no board of '{run.suite.name}' was solved: there are no lengths to draw")

    def draw(figure: Figure) -> None:
        (axes,) = _axes(figure, 1)
        width = max(1, math.ceil((every[-1] - every[0] + 1) / MOST_BINS))
        bins = np.arange(every[0] - 0.5, every[-1] + width + 0.5, width).tolist()
        style: Literal["bar", "step"] = "bar" if len(counts) <= MOST_BESIDE else "step"
        axes.hist([list(count.elements()) for count in counts.values()], bins, histtype=style, label=list(counts))
        if optima:
            axes.hist(list(optima.elements()), bins, histtype="step", color="black", linewidth=1.5, label="optimum")
        axes.set_xlabel("length (moves)")
        axes.set_ylabel("boards")
        _whole_numbers(axes.yaxis)
        axes.legend()

    header = ("length", "optimum", *counts)
    body = [(str(each), str(optima[each]), *(str(count[each]) for count in counts.values())) for each in every]
    return Chart("lengths", f"{run.suite.name}: lengths of solutions", header, tuple(body), draw)


# --- levels ---


@dataclass(frozen=True)
class AtLevel:
    """How one solver did at one level."""

    level: int
    solved: Share
    excess: Mean
    """Moves more than the reference, over solved boards that have one."""


def levels(run: Run) -> Chart:
    """Which share of the boards of each level is solved, and how many moves more than known that takes.

    A board without a level counts at the length of its known optimum.
    """
    known = tables.references(run)
    series: dict[str, list[AtLevel]] = {}
    for solver, answers in run.by_solver.items():
        found: dict[int, list[Answer]] = defaultdict(list)
        for answer in answers:
            if (level := _level(answer.entry, known)) is not None:
                found[level].append(answer)
        if found:
            series[solver] = [_at_level(level, found[level], known) for level in sorted(found)]
    if not series:
        raise BadInput(f"no board of '{run.suite.name}' has a level or a known optimum")

    def draw(figure: Figure) -> None:
        left, right = _axes(figure, 2)
        for number, (solver, points) in enumerate(series.items()):
            at = [point.level + BESIDE * (number - (len(series) - 1) / 2) for point in points]
            left.plot(at, [point.solved.value for point in points], marker=".", label=solver)
            low, high = zip(*(point.solved.interval for point in points), strict=True)
            left.fill_between(at, low, high, alpha=0.12)
            right.plot(at, [point.excess.value for point in points], marker=".", label=solver)
        _show_share(left, "solved")
        right.set_ylabel("moves more than known (mean)")
        for axes in (left, right):
            axes.set_xlabel("level")
            _whole_numbers(axes.xaxis)
        left.legend()

    body = [
        (solver, str(at.level), tables.share(at.solved), tables.interval(at.solved), tables.decimal(at.excess.value))
        for solver, points in series.items()
        for at in points
    ]
    header = ("solver", "level", "solved", "95 %", "mean excess")
    return Chart("levels", f"{run.suite.name}: solved by level", header, tuple(body), draw)


def _level(entry: Entry, known: Mapping[str, tables.Reference]) -> int | None:
    reference = known.get(entry.board)
    if entry.level is not None or reference is None:
        return entry.level
    return reference.length if reference.optimal else None


def _at_level(level: int, answers: Sequence[Answer], known: dict[str, tables.Reference]) -> AtLevel:
    solved = Share(sum(answer.length is not None for answer in answers), len(answers))
    return AtLevel(level, solved, tables.mean(tables.excesses(answers, known)))


# --- bars ---


def bars(run: Run) -> Chart:
    """Seconds of each solver: for each board where there are few, else the median and the 95th percentile."""
    boards = {entry.board: place for place, entry in enumerate(run.suite.entries, start=1)}
    return _bars_by_board(run, boards) if len(boards) <= MOST_BARS else _bars_by_solver(run)


def _bars_by_board(run: Run, boards: Mapping[str, int]) -> Chart:
    found = {solver: {answer.entry.board: answer for answer in answers} for solver, answers in run.by_solver.items()}

    def draw(figure: Figure) -> None:
        (axes,) = _axes(figure, 1)
        width = 0.8 / len(found)
        for number, (solver, answers) in enumerate(found.items()):
            at = np.array([boards[board] for board in answers]) + (number - (len(found) - 1) / 2) * width
            heights = [max(answer.row.seconds, LEAST_SECONDS) for answer in answers.values()]
            drawn = axes.bar(at, heights, width, label=solver)
            for bar, answer in zip(drawn, answers.values(), strict=True):
                bar.set_alpha(1.0 if answer.length is not None else 0.35)
        axes.set_xlabel("board (pale: not solved)")
        _whole_numbers(axes.xaxis)
        axes.set_yscale("log")
        axes.set_ylabel("seconds (log scale)")
        axes.axhline(AT_ONCE, **MARKED)
        axes.legend()

    header = ("board", *found)
    body = [(str(place), *(_time(answers.get(board)) for answers in found.values())) for board, place in boards.items()]
    return Chart("bars", f"{run.suite.name}: seconds for each board", header, tuple(body), draw)


def _time(answer: Answer | None) -> str:
    if answer is None:
        return "-"
    return tables.seconds(answer.row.seconds) + ("" if answer.length is not None else " unsolved")


def _bars_by_solver(run: Run) -> Chart:
    found = tables.summaries(run)
    totals = [sum(answer.row.seconds for answer in answers) for answers in run.by_solver.values()]

    def draw(figure: Figure) -> None:
        (axes,) = _axes(figure, 1)
        at = np.arange(len(found))
        for offset, name, values in (
            (-0.2, "median", [each.median for each in found]),
            (0.2, "95th percentile", [each.p95 for each in found]),
        ):
            axes.barh(at + offset, np.maximum(values, LEAST_SECONDS), 0.4, label=name)
        axes.set_yticks(at, [tables.broken(each.solver) for each in found])
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlabel("seconds (log scale)")
        axes.axvline(AT_ONCE, **MARKED)
        axes.legend()

    header = ("solver", "solved", "median", "95th percentile", "total")
    body = [
        (each.solver, tables.share(each.solved), *map(tables.seconds, (each.median, each.p95, total)))
        for each, total in zip(found, totals, strict=True)
    ]
    return Chart("bars", f"{run.suite.name}: seconds for a board", header, tuple(body), draw)


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

    def draw(figure: Figure) -> None:
        left, right = _axes(figure, 2)
        for solver, points in series.items():
            shares = [point.reached for point in points]
            for axes, at in ((left, [point.width for point in points]), (right, [point.seconds for point in points])):
                values = [share.value for share in shares]
                axes.errorbar(at, values, _reach(shares), marker="o", capsize=2, label=solver)
        left.set_xlabel("width")
        left.set_xscale("log")
        drawn = sorted({point.width for points in series.values() for point in points})
        left.set_xticks(drawn, [str(width) for width in drawn], rotation=90 if len(drawn) > 6 else 0)
        left.minorticks_off()
        right.set_xlabel("seconds (median)")
        right.set_xscale("log")
        for axes in (left, right):
            _show_share(axes, "optimal")
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
    excess = tables.mean(tables.excesses(answers, known, optimal=True))
    seconds = float(np.median([answer.row.seconds for answer in answers]))
    return AtWidth(width, tables.reached(answers, known), excess, seconds)


KINDS: Mapping[str, Callable[[Run], Chart]] = {"lengths": lengths, "levels": levels, "bars": bars, "widths": widths}
"""Name -> how it is made."""
