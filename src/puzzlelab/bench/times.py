"""Charts of the seconds of solvers: for each board, by the number of jobs, and by the number of clues."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.bench.charts import Chart, Line, Panel, fit_height, ink, lines_of, rows_of, share_axis
from puzzlelab.bench.runs import BenchRun
from puzzlelab.bench.suites import clue_count
from puzzlelab.bench.summaries import (
    ADVICE,
    MIN_SECONDS,
    Summary,
    by_clues,
    by_option,
    grouped,
    points_of,
    summaries,
    time_notes,
)
from puzzlelab.bench.tables import seconds, share, wrapped_label
from puzzlelab.core.errors import BadInput
from puzzlelab.core.result import LIMITS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_PANELS = 4
"""The most boards that have a panel each; more share one panel."""
MAX_BOARDS_AS_BARS = 30
"""The most boards that are drawn as bars; of more, only the median and the 95th percentile are drawn."""
UNSOLVED_ALPHA = 0.35
"""The opacity of the bar of an unsolved board."""
MIN_BOARDS = 5
"""The fewest boards with one number of clues whose median can be the peak."""
IDEAL: dict[str, Any] = {"marker": "", "linestyle": ":"}
"""The style of the ideal speed-up."""


# --- bars ---


def bars(run: BenchRun) -> Chart:
    """Plot the seconds of each solver: for each board if they are few, else the median and the 95th percentile."""
    boards = {entry.board: number for number, entry in enumerate(run.suite.entries, start=1)}
    if len(boards) > MAX_BOARDS_AS_BARS:
        return _bars_of_solvers(run)
    every = grouped(run, lambda answer: (answer.solver, boards[answer.entry.board]))
    series = {
        solver: alone
        for solver, points in every.items()
        if (alone := {number: at for number, at in points.items() if at.timed == "alone"})
    }
    if not series:
        raise BadInput(f"no board of '{run.suite.name}' was timed alone; {ADVICE}")
    are_few = len(boards) <= MAX_PANELS
    names = [wrapped_label(solver) for solver in series]

    def draw(figure: Figure) -> None:
        panels = dict(zip(boards.values(), figure.axes * (1 if are_few else len(boards)), strict=True))
        for place, points in enumerate(series.values()):
            for number, at in points.items():
                time, opacity = max(at.typical_seconds, MIN_SECONDS), 1.0 if at.solved.number else UNSOLVED_ALPHA
                style: Any = {"color": f"C{place}", "alpha": opacity}
                if are_few:
                    panels[number].barh(place, time, 0.7, **style)
                else:
                    width = 0.8 / len(series)
                    position = number - 0.4 + (place + 0.5) * width
                    panels[number].bar(position, time, width, label=names[place], **style)
        if are_few:
            fit_height(figure, names)
            for axes, (board, number) in zip(figure.axes, boards.items(), strict=True):
                given = clue_count(run.suite.puzzle, board)
                axes.set_title(f"board {number}" + ("" if given is None else f": {given} clues"), fontsize="medium")
                axes.set_yticks(range(len(names)), names if axes is figure.axes[0] else [""] * len(names))
                axes.set_ylim(len(names) - 0.5, -0.5)
            if not all(at.solved.number for at in points_of(series)):
                figure.supxlabel("pale: not solved", fontsize="medium")

    rows = [(str(number), *(_cell(points.get(number)) for points in series.values())) for number in boards.values()]
    one_panel = Panel([], {"xlabel": "board (pale: not solved)"}, seconds="y", whole="x")
    panels = [Panel(seconds="x")] * len(boards) if are_few else [one_panel]
    return Chart("seconds for each board", ("board", *series), rows, time_notes(points_of(every)), panels, draw)


def _cell(at: Summary | None) -> str:
    if at is None:
        return "-"
    return seconds(at.typical_seconds) + ("" if at.solved.number else " unsolved")


def _bars_of_solvers(run: BenchRun) -> Chart:
    lines = summaries(run)

    def draw(figure: Figure) -> None:
        names = [wrapped_label(each.solver) for each in lines]
        fit_height(figure, names)
        (axes,) = figure.axes
        positions = np.arange(len(lines))
        for offset, name, place in ((-0.2, "median", 1), (0.2, "95th percentile", 3)):
            values = np.maximum([each.percentiles[place] for each in lines], MIN_SECONDS)
            axes.barh(positions + offset, values, 0.4, label=name)
        middle = np.maximum([each.seconds.value for each in lines], MIN_SECONDS)
        half = np.nan_to_num([each.seconds.half_width for each in lines])
        ends = np.minimum(half, middle - MIN_SECONDS), half
        style: Any = {"fmt": "o", "color": ink(), "markersize": 4, "capsize": 3}
        axes.errorbar(middle, positions, xerr=ends, label="mean (95 %)", **style)
        axes.set_yticks(positions, names)
        axes.invert_yaxis()

    rows = []
    for each in lines:
        total = each.seconds.value * each.timed_boards if each.timed_boards else math.nan
        times = each.percentiles[1], each.percentiles[3], total
        rows.append((each.solver, share(each.solved), *map(seconds, times)))
    header = "solver", "solved", "median", "95th percentile", "total"
    return Chart("seconds for a board", header, rows, time_notes(lines), [Panel(seconds="x")], draw)


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
    header = "solver", "jobs", "boards", "seconds", "times as fast", "ideal"
    return Chart("seconds by jobs", header, rows, remarks, panels)


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
    """The seconds by which points are compared, between the 25th and the 75th percentile."""

    low: float
    value: float
    high: float

    @property
    def interval(self) -> tuple[float, float]:
        """The middle half of the boards."""
        return self.low, self.high


def clues(run: BenchRun) -> Chart:
    """Plot the seconds of each solver by the number of clues: the median, and the middle half of the boards.

    Beside them the share of solved boards, unless all are solved.
    """
    every = by_clues(run)
    if not every:
        raise BadInput(f"{run.suite.puzzle.name} does not say how many clues a board has; draw bars instead")
    series = {
        solver: points
        for solver, points in every.items()
        if not any(math.isnan(at.typical_seconds) for at in points.values())
    }
    if not series:
        raise BadInput(f"the batches of '{run.suite.name}' hold boards of several numbers of clues; {ADVICE}")
    peaks = {solver: _peak(points) for solver, points in series.items()}

    rows = [
        (*row, "peak" if row[1] == str(peaks[row[0]]) else "")
        for row in rows_of(series, lambda at: (share(at.solved), *map(seconds, _quartiles(at))))
    ]
    header = "solver", "clues", "solved", "25th percentile", "median", "75th percentile", ""
    label = f"clues\n(shade: middle half of the boards;\ncircle: fewer than {MIN_BOARDS}; star: slowest)"
    lines = [
        line
        for place, (solver, points) in enumerate(series.items())
        for line in _lines_of_clues(solver, points, peaks[solver], f"C{place}")
    ]
    panels = [Panel(lines, {"xlabel": label}, seconds="y", whole="x")]
    if not all(at.solved.number == at.solved.total for at in points_of(series)):
        solved = lines_of(series, attrgetter("solved"))
        panels.insert(0, Panel(solved, {"xlabel": "clues", **share_axis("solved")}, whole="x"))
    remarks = [_slowest_text(solver, points, peaks[solver]) for solver, points in series.items()]
    return Chart("seconds by clues", header, rows, remarks + time_notes(points_of(every)), panels)


def _quartiles(at: Summary) -> Quartiles:
    return Quartiles(at.percentiles[0], at.typical_seconds, at.percentiles[2])


def _lines_of_clues(solver: str, points: Mapping[int, Summary], peak: int | None, colour: str) -> Iterator[Line]:
    """Yield a line through the medians of enough boards, circles for the others, and a star for the peak."""
    drawn = {number: Quartiles(*np.maximum(_quartiles(at), MIN_SECONDS).tolist()) for number, at in points.items()}
    enough = _with_enough_boards(points)
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
