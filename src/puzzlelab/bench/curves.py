"""Curves of the results of solvers: by the level of boards, their clues, the width of the search and its jobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.bench.charts import MIN_SECONDS, Chart, Line, Panel, of_run, share_axis
from puzzlelab.bench.reference_curves import Curves
from puzzlelab.bench.runs import BenchRun
from puzzlelab.bench.summaries import (
    ADVICE,
    Series,
    Summary,
    by_clues,
    by_level,
    by_option,
    has_filled_answers,
    references,
    time_notes,
)
from puzzlelab.bench.tables import decimal, interval, percent, seconds, share
from puzzlelab.core.errors import BadInput
from puzzlelab.core.result import LIMITS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGE_EXCESS = 10.0
"""The greatest excess that an axis shows linearly; it is logarithmic above 1 where there are greater ones."""
LEVEL_OFFSET = 0.1
"""The horizontal distance between the points of two solvers at one level, so that both are visible."""
MIN_BOARDS = 5
"""The fewest boards with one number of clues whose median can be the peak."""
REFERENCE: dict[str, Any] = {"marker": "s", "fillstyle": "none", "linestyle": "--"}
"""The style of reference curves."""
IDEAL: dict[str, Any] = {"marker": "", "linestyle": ":"}
"""The style of the ideal speed-up."""


def _all_of(series: Series) -> list[Summary]:
    """Return the results of all points."""
    return [each for points in series.values() for each in points.values()]


def _rows(series: Series, cells: Callable[[Summary], Sequence[str]]) -> list[Sequence[str]]:
    """Return the row of a table for each point: the name of its line, its number, and these cells."""
    return [(name, str(number), *cells(at)) for name, points in series.items() for number, at in points.items()]


def _lines(
    series: Series,
    y: Callable[[Summary], Any],
    x: Callable[[int, Summary], float] = lambda number, at: number,
    offset: float = 0.0,
) -> list[Line]:
    """Return a line for each name; the points of two lines with one number are `offset` apart."""
    middle = (len(series) - 1) / 2
    return [
        Line(
            name,
            [x(number, at) + offset * (place - middle) for number, at in points.items()],
            list(map(y, points.values())),
            {"color": f"C{place}"},
        )
        for place, (name, points) in enumerate(series.items())
    ]


def levels(run: BenchRun) -> Chart:
    """Return the share of solved boards by level, and the mean excess of moves over the optimum.

    A board without a level counts at the length of its known optimum. If all solutions of a board have the same length,
    seconds are shown in place of the excess, and boards without a level are left out.
    """
    known, filled = references(run), has_filled_answers(run.suite.puzzle)
    name = "true optimum" if all(each.optimal for each in known.values()) else "shortest known"
    series = by_level(run, at_optimum=not filled)
    points = _all_of(series)
    if not points:
        raise BadInput(f"no board of '{run.suite.name}' has a level{'' if filled else ' or a known optimum'}")
    values = [each.typical_seconds if filled else each.excess.value for each in points]
    excess = {"ylabel": f"moves more than the {name}\n(mean, 95 % interval)"}
    left, right = (
        _lines(series, attrgetter(what), offset=LEVEL_OFFSET)
        for what in ("solved", "typical_seconds" if filled else "excess")
    )
    panels = [
        Panel(left, {"xlabel": "level", **share_axis("solved")}, whole="x"),
        Panel(right, {"xlabel": "level", **({} if filled else excess)}, "y" if filled else "", whole="x"),
    ]

    def draw(figure: Figure) -> None:
        if not filled and len(shown) > 1 and np.nanmax(values) > LARGE_EXCESS:
            figure.axes[1].set_yscale("symlog", linthresh=1)

    def cells(at: Summary) -> Sequence[str]:
        value = seconds(at.typical_seconds) if filled else decimal(at.excess.value)
        return share(at.solved), interval(at.solved), value

    header = ("solver", "level", "solved", "95 %", "seconds" if filled else "mean excess")
    excess_note = f"The excess is over the {name}, of the boards that were solved."
    remarks = time_notes(points) if filled else [excess_note] * bool(known)
    shown = panels[: 1 if np.isnan(values).all() else 2]
    return of_run(run, "levels", "solved by level", header, _rows(series, cells), remarks, shown, draw)


def widths(run: BenchRun, curves: Curves | None = None) -> Chart:
    """Return the share of boards solved optimally, against the width of the search and against its time.

    Solvers that differ only in their width form one line. `curves` are reference curves, drawn dashed.
    """
    series, curves = by_option(run, "width"), curves or {}
    if not series:
        raise BadInput("no solver of this benchmark has a width; run some, as in --with beam:width=100,beam:width=1000")
    if not any(at.optimal.total for at in _all_of(series)):
        raise BadInput(f"no board of '{run.suite.name}' has a known optimum; add a solver that proves it, such as ida")
    optimal = attrgetter("optimal")
    by_width, by_seconds = _lines(series, optimal), _lines(series, optimal, lambda number, at: at.typical_seconds)
    for place, (name, points) in enumerate(curves.items(), start=len(series)):
        (width, value, time), style = np.array(points).T, {"color": f"C{place}", **REFERENCE}
        by_width.append(Line(name, width, value, style))
        by_seconds.append(Line(name, time[time == time], value[time == time], style))  # those with seconds
    panels = [
        Panel(lines, {**share_axis("optimal"), "xscale": "log", "xlabel": label})
        for lines, label in (
            (by_width, "width (log scale)"),
            (by_seconds, "seconds for a board (median, log scale)"),
        )
    ]

    def cells(at: Summary) -> Sequence[str]:
        shares = share(at.optimal), percent(at.optimal), interval(at.optimal)
        return *shares, decimal(at.excess_over_optimum.value), seconds(at.typical_seconds)

    published = [
        (name, str(width), "-", f"{100 * value:g} %", "-", "-", "-" if np.isnan(time) else f"{time:g}")
        for name, points in curves.items()
        for width, value, time in points
    ]
    header = ("solver", "width", "optimal", "share", "95 %", "mean excess", "seconds")
    rows = [*_rows(series, cells), *published]
    return of_run(run, "widths", "optimal by width", header, rows, time_notes(_all_of(series)), panels)


# --- jobs ---


def jobs(run: BenchRun) -> Chart:
    """Plot the seconds of each solver with an option `jobs`, by the number of jobs, beside the ideal speed-up."""
    several = {solver: points for solver, points in by_option(run, "jobs").items() if len(points) > 1}
    if not several:
        example = "--with permutation:jobs=1,permutation:jobs=2"
        raise BadInput(f"no solver of this benchmark was run with several numbers of jobs; run one, as in {example}")
    rows, remarks, left, right = list[Sequence[str]](), list[str](), list[Line](), list[Line]()
    for place, (solver, points) in enumerate(several.items()):
        times = np.array(list(_finished(points)))
        if not times.size:
            continue
        numbers, medians = np.array(list(points)), np.median(times, axis=1)
        speedups, ideal = np.median(times[0] / times, axis=1), numbers / numbers[0]
        rows += [
            (solver, f"{number}", f"{times.shape[1]}", seconds(median), f"{speedup:.2f}", f"{best:.2f}")
            for number, median, speedup, best in zip(numbers, medians, speedups, ideal, strict=True)
        ]
        remarks.append(_best_jobs_text(solver, numbers, speedups))
        style = {"color": f"C{place}"}
        left += [Line(solver, numbers, medians, style), Line("ideal", numbers, medians[0] / ideal, style | IDEAL)]
        right += [Line(solver, numbers, speedups, style), Line("ideal", numbers, ideal, style | IDEAL)]
    if not rows:
        raise BadInput(f"no board of '{run.suite.name}' was finished with every number of jobs")
    fewest = min(min(line.x) for line in right)
    panels = [
        Panel(left, {"xlabel": "jobs"}, seconds="y", whole="x"),
        Panel(right, {"xlabel": "jobs", "ylabel": f"times as fast as with {fewest} (dotted: ideal)"}, whole="x"),
    ]
    header = ("solver", "jobs", "boards", "seconds", "times as fast", "ideal")
    return of_run(run, "jobs", "seconds by jobs", header, rows, remarks, panels)


def _finished(points: Mapping[int, Summary]) -> Iterator[list[float]]:
    """Yield for each number of jobs the seconds of the boards that were finished with all of them within the limit.

    Boards without seconds of their own are left out; a board that occurs several times has the median of its times.
    """
    times: list[dict[str, list[float]]] = [defaultdict(list) for _ in points]
    for of_jobs, at in zip(times, points.values(), strict=True):
        for answer in at.answers:
            if answer.holds and answer.row.stop not in LIMITS and answer.row.seconds is not None:
                of_jobs[answer.entry.board].append(max(answer.row.seconds, MIN_SECONDS))
    common = [board for board in times[0] if all(board in of_jobs for of_jobs in times)]
    yield from ([float(np.median(of_jobs[board])) for board in common] for of_jobs in times)


def _best_jobs_text(solver: str, numbers: NDArray[np.int64], speedups: NDArray[np.float64]) -> str:
    best = int(speedups.argmax())
    if not best:
        return f"{solver} is fastest with {numbers[0]} job{'s' * bool(numbers[0] != 1)}: more do not help it here."
    return (
        f"{solver} is fastest with {numbers[best]} jobs, {speedups[best]:.2f} times as fast as with {numbers[0]} "
        f"(ideal: {numbers[best] / numbers[0]:.2f})."
    )


# --- clues ---


class Quartiles(NamedTuple):
    """The seconds by which points are compared, and the middle half of the boards."""

    value: float
    interval: tuple[float, float]


def clues(run: BenchRun) -> Chart:
    """Plot the seconds of each solver by the number of clues: the median, and the middle half of the boards."""
    every = by_clues(run)
    if not every:
        raise BadInput(f"{run.suite.puzzle.name} does not say how many clues a board has; draw bars instead")
    series = {
        solver: points
        for solver, points in every.items()
        if not any(np.isnan(at.typical_seconds) for at in points.values())
    }
    if not series:
        raise BadInput(f"the batches of '{run.suite.name}' hold boards of several numbers of clues; {ADVICE}")
    peaks = {solver: _peak(points) for solver, points in series.items()}
    lines = [
        line
        for place, (solver, points) in enumerate(series.items())
        for line in _lines_of_clues(solver, points, peaks[solver], f"C{place}")
    ]
    label = f"clues (shade: middle half of the boards; circle: fewer than {MIN_BOARDS}; star: slowest)"
    rows = [
        (*row, "peak" if row[1] == str(peaks[row[0]]) else "")
        for row in _rows(series, lambda at: (share(at.solved), *map(seconds, _quartiles(at))))
    ]
    header = ("solver", "clues", "solved", "25th percentile", "median", "75th percentile", "")
    slowest = [_slowest_text(solver, series[solver], peaks[solver]) for solver in series]
    panels = [Panel(lines, {"xlabel": label}, seconds="y", whole="x")]
    return of_run(run, "clues", "seconds by clues", header, rows, slowest + time_notes(_all_of(every)), panels)


def _quartiles(at: Summary) -> tuple[float, float, float]:
    """Return the 25th percentile, the seconds by which points are compared, and the 75th percentile."""
    return at.percentiles[0], at.typical_seconds, at.percentiles[2]


def _lines_of_clues(solver: str, points: Mapping[int, Summary], peak: int | None, colour: str) -> Iterator[Line]:
    """Yield a line through the medians of enough boards, circles for the others, and a star for the peak."""
    enough = _with_enough_boards(points)
    drawn = {}
    for number, at in points.items():
        low, middle, high = np.maximum(_quartiles(at), MIN_SECONDS).tolist()
        drawn[number] = Quartiles(middle, (low, high))
    yield Line(solver, list(enough), [drawn[number] for number in enough], {"color": colour})
    for number in points.keys() - enough.keys():
        circle = {"color": colour, "marker": "o", "fillstyle": "none"}
        yield Line("_", [number], [drawn[number].value], circle)
    if peak is not None:
        yield Line("_", [peak], [drawn[peak].value], {"color": colour, "marker": "*", "markersize": 14})


def _with_enough_boards(points: Mapping[int, Summary]) -> Mapping[int, Summary]:
    """Return the points of at least `MIN_BOARDS` boards; all points if fewer than two have as many."""
    enough = {number: at for number, at in points.items() if len(at.answers) >= MIN_BOARDS}
    return enough if len(enough) > 1 else points


def _peak(points: Mapping[int, Summary]) -> int | None:
    """Return the number of clues with the greatest time; None unless three quarters of its boards take longer than
    others.

    The others are represented by the median of their times.
    """
    typical = {number: at.typical_seconds for number, at in _with_enough_boards(points).items()}
    if len(typical) < 2:
        return None
    peak = max(typical, key=typical.__getitem__)
    others = float(np.median([each for number, each in typical.items() if number != peak]))
    lower = points[peak].percentiles[0] if points[peak].timed == "alone" else typical[peak]
    return peak if lower > others else None


def _slowest_text(solver: str, points: Mapping[int, Summary], peak: int | None) -> str:
    if peak is None and len(points) > 1:
        return (
            f"{solver} has no clear peak: where its median is greatest, a quarter of the boards take no longer than "
            f"boards with other numbers of clues."
        )
    if peak is None:
        return f"{solver}: all boards have {min(points)} clues, so there is no peak to find."
    at = points[peak]
    few = f" Only {len(at.answers)} such: too few to rely on." if len(at.answers) < MIN_BOARDS else ""
    return (
        f"{solver} is slowest on boards with {peak} clues: {seconds(at.typical_seconds)} s "
        f"({'median' if at.timed == 'alone' else 'mean'}), where the boards have {min(points)} to {max(points)} "
        f"clues.{few}"
    )
