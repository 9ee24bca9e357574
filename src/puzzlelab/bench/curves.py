"""Curves of how well solvers do: by the level of boards; by the width of the search, or its playouts, beside published
curves; and by the seconds for a board.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from puzzlelab.bench.charts import Chart, Line, Panel, ink, lines_of, rows_of, share_axis
from puzzlelab.bench.lengths import compared_by
from puzzlelab.bench.runs import BenchRun
from puzzlelab.bench.summaries import (
    KNOWN_SHARE,
    Summary,
    by_level,
    by_option,
    has_filled_answers,
    points_of,
    references,
    time_notes,
)
from puzzlelab.bench.tables import decimal, interval, percent, seconds, share
from puzzlelab.core.errors import BadFile, BadInput, shorten
from puzzlelab.core.objective import Kind
from puzzlelab.storage.lines import lines_of as lines_in

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGE_EXCESS = 10.0
"""The greatest excess that an axis shows linearly; it is logarithmic above 1 where there are greater ones."""
LEVEL_OFFSET = 0.1
"""The horizontal distance between the points of two solvers at one level, so that both are visible."""
EFFORTS = ("width", "playouts")
"""Options that say how much a search does; the first that a solver of a benchmark has is on the axis."""
UNITS: Mapping[Kind, str] = {"moves": "moves", "cost": "cost", "score": "points"}
"""What is compared -> the unit on an axis."""
PUBLISHED: dict[str, Any] = {"marker": "s", "fillstyle": "none", "linestyle": "--"}
"""The style of published curves."""
POINT = re.compile(
    r"(?P<name>[^\t]+)\t(?P<width>[0-9]{1,12})\t(?P<percent>[0-9]{1,3}(\.[0-9]{1,15})?) *%?"
    r"(\t(?P<seconds>[0-9]{1,12}(\.[0-9]{1,15})?)?)?"
)
"""Matches a line of a file of published curves, without spaces around its columns."""
COLUMNS = "a name, a width, a share in per cent and, if known, seconds, with TABs between them"

Point = tuple[int, float, float]
"""A published result: the width, the share of boards solved optimally, from 0 to 1, and seconds for a board, or nan."""
Curves = Mapping[str, Sequence[Point]]
"""Name -> its points, the narrowest first."""


def levels(run: BenchRun) -> Chart:
    """Return the share of solved boards by level, and the mean excess of moves over the optimum.

    A board without a level counts at the length of its known optimum. The excess is left out where it is known at fewer
    than half of the levels with a solved board. If all solutions of a board have the same length,
    seconds are shown in place of the excess, and boards without a level are left out.
    """
    known, filled = references(run), has_filled_answers(run.suite.puzzle)
    series = by_level(run, at_optimum=not filled)
    points = points_of(series)
    if not points:
        raise BadInput(f"no board of '{run.suite.name}' has a level{'' if filled else ' or a known optimum'}")
    name = "true optimum" if all(each.optimal for each in known.values()) else "shortest known"
    values = [at.typical_seconds if filled else at.excess.value for at in points]
    left, right = (
        lines_of(series, attrgetter(what), offset=LEVEL_OFFSET)
        for what in ("solved", "typical_seconds" if filled else "excess")
    )
    label = {} if filled else {"ylabel": f"moves more than the {name}\n(mean, 95 % interval)"}
    panels = [Panel(left, {"xlabel": "level", **share_axis("solved")}, whole="x")]
    if np.isfinite(values).sum() >= max(1, KNOWN_SHARE * sum(at.solved.number > 0 for at in points)):
        panels.append(Panel(right, {"xlabel": "level", **label}, "y" if filled else "", whole="x"))

    def draw(figure: Figure) -> None:
        if not filled and len(panels) > 1 and np.nanmax(values) > LARGE_EXCESS:
            figure.axes[1].set_yscale("symlog", linthresh=1)

    def cells(at: Summary) -> Sequence[str]:
        last = seconds(at.typical_seconds) if filled else decimal(at.excess.value)
        return share(at.solved), interval(at.solved), last

    header = "solver", "level", "solved", "95 %", "seconds" if filled else "mean excess"
    excess_note = f"The excess is over the {name}, of the boards that were solved."
    remarks = time_notes(points) if filled else [excess_note] * bool(known)
    return Chart("solved by level", header, rows_of(series, cells), remarks, panels, draw)


def widths(run: BenchRun, curves: Curves | None = None) -> Chart:
    """Return the share of boards solved optimally, against the width of the search, or its playouts, and its time.

    Where no optimum is known, it is the mean excess over the shortest known solutions in place of the share.

    Solvers that differ only in their width form one line. `curves` are published ones, drawn dashed.
    """
    effort, series = next(((name, found) for name in EFFORTS if (found := by_option(run, name))), ("", {}))
    points = points_of(series)
    if not points:
        example = "run some, as in --with beam:width=100,beam:width=1000"
        raise BadInput(f"no solver of this benchmark has a width or playouts; {example}")
    has_optima = any(at.optimal.total for at in points)
    if not has_optima and not np.isfinite([at.excess.value for at in points]).any():
        raise BadInput(f"no board of '{run.suite.name}' has a known optimum; add a solver that proves it, such as ida")
    if not has_optima and curves:
        raise BadInput(f"no board of '{run.suite.name}' has a known optimum, and published curves are shares of optima")

    shown = attrgetter("optimal" if has_optima else "excess")
    axis = (
        share_axis("optimal") if has_optima else {"ylabel": "moves more than the shortest known\n(mean, 95 % interval)"}
    )
    by_width, by_seconds = lines_of(series, shown), lines_of(series, shown, lambda number, at: at.typical_seconds)
    rows = rows_of(series, _optimal_cells)
    for place, (name, published) in enumerate((curves or {}).items(), start=len(series)):
        (width, value, time), style = np.array(published).T, {"color": f"C{place}", **PUBLISHED}
        by_width.append(Line(name, width, value, style))
        by_seconds.append(Line(name, time[time == time], value[time == time], style))  # those with seconds
        for number, optimum, of_board in published:
            text = "-" if math.isnan(of_board) else f"{of_board:g}"
            rows.append((name, str(number), "-", f"{100 * optimum:g} %", "-", "-", text))
    panels = [
        Panel(lines, {**axis, "xscale": "log", "xlabel": label})
        for lines, label in (
            (by_width, f"{effort} (log scale)"),
            (by_seconds, "seconds for a board (median, log scale)"),
        )
    ]
    header = "solver", effort, "optimal", "share", "95 %", "mean excess", "seconds"
    title = f"{'optimal' if has_optima else 'excess'} by {effort}"
    return Chart(title, header, rows, time_notes(points), panels)


def _optimal_cells(at: Summary) -> Sequence[str]:
    shares = share(at.optimal), percent(at.optimal), interval(at.optimal)
    excess = at.excess_over_optimum if at.optimal.total else at.excess
    return *shares, decimal(excess.value), seconds(at.typical_seconds)


def effort(run: BenchRun) -> Chart:
    """Return the mean moves, cost or points of solutions against the seconds for a board.

    Only the boards that every solver has solved count. Solvers that differ only in a width, or in playouts, form one
    line. A dotted line is at the mean optimum, if it is known of all these boards.
    """
    unit = UNITS[compared_by(run)]
    solved = [{answer.entry for answer in answers if answer.length is not None} for answers in run.by_solver.values()]
    common = set.intersection(*solved)
    if not common:
        raise BadInput(f"no board of '{run.suite.name}' was solved by every solver")
    run = replace(run, answers=tuple(answer for answer in run.answers if answer.entry in common))
    known, series = references(run), by_option(run, *EFFORTS, others=True)
    optima = [best.value for entry in common if (best := known.get(entry.board)) is not None and best.optimal]
    label = {"ylabel": f"{unit} (mean, 95 % interval)"}
    lines = lines_of(series, attrgetter("length"), lambda place, at: at.typical_seconds)

    def draw(figure: Figure) -> None:
        if len(optima) == len(common):
            figure.axes[0].axhline(float(np.mean(optima)), color=ink(), linestyle=":", linewidth=1, label="the optimum")

    def cells(at: Summary) -> Sequence[str]:
        half_width = "" if math.isnan(at.length.half_width) else f"± {at.length.half_width:.2f}"
        return decimal(at.length.value), half_width, decimal(at.excess_over_optimum.value), seconds(at.typical_seconds)

    header = "solver", "width or playouts", unit, "95 %", "mean excess", "seconds"
    rows = [(name, place if place != "0" else "-", *rest) for name, place, *rest in rows_of(series, cells)]
    remarks = [f"Of the {len(common):,} boards that every solver solved.", *time_notes(points_of(series))]
    return Chart(f"{unit} by seconds", header, rows, remarks, [Panel(lines, label, "x")], draw)


def read_curves(path: Path) -> Curves:
    """Return the published curves in a file, in its order; raises `BadFile` with the line that is no point.

    A line has a point of a curve, with TABs between its columns: the name of the curve, the width of the search, the
    share of boards solved optimally in per cent, and optionally the seconds for a board. Empty lines and lines that
    start with `#` are ignored.
    """
    curves: dict[str, list[Point]] = defaultdict(list)
    for number, line in enumerate(lines_in(path), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        point = POINT.fullmatch("\t".join(column.strip() for column in line.split("\t")))
        if point is None or not int(point["width"]) or float(point["percent"]) > 100:
            text = shorten(line.strip())
            raise BadFile(f"{path}, line {number}: '{text}' is no point of a curve: a line has {COLUMNS}")
        share_of_boards = float(point["percent"]) / 100
        curves[point["name"]].append((int(point["width"]), share_of_boards, float(point["seconds"] or math.nan)))
    if not curves:
        raise BadFile(f"{path} holds no points of a curve: a line has {COLUMNS}")
    return {name: sorted(points, key=itemgetter(0)) for name, points in curves.items()}
