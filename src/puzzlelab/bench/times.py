"""Plots of how long solvers take: against the jobs that they work with, and against the clues that a board has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.bench import tables
from puzzlelab.bench.charts import LEAST_SECONDS, Chart, panels, show_seconds, whole_numbers
from puzzlelab.bench.runs import BenchAnswer, BenchRun, label
from puzzlelab.bench.statistics import Proportion
from puzzlelab.core.errors import BadInput
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import LIMITS
from puzzlelab.core.views import Samples

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENOUGH = 5
"""Boards with equally many clues of which the median is taken for a peak."""

Times = Mapping[str, float]
"""Board -> seconds."""


# --- jobs ---


@dataclass(frozen=True)
class JobsTiming:
    """How fast one solver was with so many jobs."""

    jobs: int
    boards: int
    seconds: float
    """The median over the boards that it finished with every number of jobs."""
    speedup: float
    """How many times as fast as with the fewest jobs: the median over the same boards."""
    ideal: float
    """What the speed-up is if no work is lost."""


def jobs(run: BenchRun) -> Chart:
    """Seconds of each solver that has an option `jobs`, against its number, beside what no loss would give."""
    found: dict[str, dict[int, Times]] = defaultdict(dict)
    for answers in run.by_solver.values():
        row = answers[0].row
        number = row.options.get("jobs")
        if type(number) is int:
            found[label(row.solver, {**row.options, "jobs": None})][number] = _finished(answers)
    several = {solver: times for solver, times in found.items() if len(times) > 1}
    if not several:
        told = "--with permutation:jobs=1,permutation:jobs=2"
        raise BadInput(f"no solver of this benchmark was run with several numbers of jobs; run one, as in {told}")
    series = {solver: points for solver, times in several.items() if (points := _by_jobs(times))}
    if not series:
        raise BadInput(f"no board of '{run.suite.name}' was finished with every number of jobs")

    def draw(figure: Figure, mark: float) -> None:
        left, right = panels(figure, 2)
        for number, (solver, points) in enumerate(series.items()):
            at, color = [point.jobs for point in points], f"C{number}"
            left.plot(
                at, [max(point.seconds, LEAST_SECONDS) for point in points], marker="o", color=color, label=solver
            )
            ideal = [max(points[0].seconds, LEAST_SECONDS) / point.ideal for point in points]
            left.plot(at, ideal, linestyle=":", color=color, label="ideal")
            right.plot(at, [point.speedup for point in points], marker="o", color=color)
            right.plot(at, [point.ideal for point in points], linestyle=":", color=color)
        show_seconds(left, "y", [point.seconds for points in series.values() for point in points], mark)
        right.set_ylabel(f"times as fast as with {min(points[0].jobs for points in series.values())} (dotted: ideal)")
        for axes in (left, right):
            axes.set_xlabel("jobs")
            whole_numbers(axes.xaxis)
        left.legend()

    body = [
        (solver, str(at.jobs), str(at.boards), tables.seconds(at.seconds), f"{at.speedup:.2f}", f"{at.ideal:.2f}")
        for solver, points in series.items()
        for at in points
    ]
    header = ("solver", "jobs", "boards", "seconds", "times as fast", "ideal")
    remarks = [_best(solver, points) for solver, points in series.items()]
    return Chart("jobs", f"{run.suite.name}: seconds by jobs", header, tuple(body), draw, tuple(remarks))


def _finished(answers: Sequence[BenchAnswer]) -> Times:
    """The seconds of the boards that no limit ended; the median of one that was asked several times."""
    times: dict[str, list[float]] = defaultdict(list)
    for answer in answers:
        if answer.holds and answer.row.stop not in LIMITS:
            times[answer.entry.board].append(max(answer.row.seconds, LEAST_SECONDS))
    return {board: float(np.median(each)) for board, each in times.items()}


def _by_jobs(times: Mapping[int, Times]) -> list[JobsTiming]:
    """Nothing where no board was finished with every number of jobs."""
    boards = [board for board in times[min(times)] if all(board in each for each in times.values())]
    first = np.array([times[min(times)][board] for board in boards])
    points = []
    for number in sorted(times) if boards else ():
        seconds = np.array([times[number][board] for board in boards])
        speedup = float(np.median(first / seconds))
        points.append(JobsTiming(number, len(boards), float(np.median(seconds)), speedup, number / min(times)))
    return points


def _best(solver: str, points: Sequence[JobsTiming]) -> str:
    best = max(points, key=lambda point: point.speedup)
    if best.jobs == points[0].jobs:
        return f"{solver} is fastest with {best.jobs} job{'s' * (best.jobs != 1)}: more do not help it here."
    return (
        f"{solver} is fastest with {best.jobs} jobs, {best.speedup:.2f} times as fast as with {points[0].jobs} "
        f"(ideal: {best.ideal:.2f})."
    )


# --- clues ---


@dataclass(frozen=True)
class CluesTiming:
    """How long one solver took for boards with so many clues."""

    clues: int
    solved: Proportion
    low: float
    """Seconds: a quarter of the boards took less."""
    median: float
    high: float
    """Seconds: a quarter of the boards took more."""


def clues_of(puzzle: Puzzle, board: str) -> int | None:
    """How many clues a board has; None where the puzzle's `difficulty` does not say."""
    samples = puzzle.view(Samples)
    return samples.difficulty(puzzle.read(board).state).get("clues") if samples else None


def clues(run: BenchRun) -> Chart:
    """Seconds of each solver against the clues of the board: the median, and the middle half of the boards."""
    numbers = {entry.board: clues_of(run.suite.puzzle, entry.board) for entry in run.suite.entries}
    if None in numbers.values():
        raise BadInput(f"{run.suite.puzzle.name} does not say how many clues a board has; draw bars instead")
    series: dict[str, list[CluesTiming]] = {}
    for solver, answers in run.by_solver.items():
        found: dict[int, list[BenchAnswer]] = defaultdict(list)
        for answer in answers:
            found[numbers[answer.entry.board] or 0].append(answer)
        series[solver] = [_at_clues(number, found[number]) for number in sorted(found)]
    peaks = {solver: _peak(points) for solver, points in series.items()}

    def draw(figure: Figure, mark: float) -> None:
        (axes,) = panels(figure, 1)
        for number, (solver, points) in enumerate(series.items()):
            _one_line(axes, solver, points, peaks[solver], f"C{number}")
        show_seconds(axes, "y", [point.median for points in series.values() for point in points], mark)
        axes.set_xlabel(f"clues (shade: middle half of the boards; circle: fewer than {ENOUGH}; star: slowest)")
        whole_numbers(axes.xaxis)
        axes.legend()

    body = [
        (
            solver,
            str(at.clues),
            tables.share(at.solved),
            *map(tables.seconds, (at.low, at.median, at.high)),
            "peak" if at is peaks[solver] else "",
        )
        for solver, points in series.items()
        for at in points
    ]
    header = ("solver", "clues", "solved", "25th percentile", "median", "75th percentile", "")
    remarks = [_slowest(solver, points, peaks[solver]) for solver, points in series.items()]
    return Chart("clues", f"{run.suite.name}: seconds by clues", header, tuple(body), draw, tuple(remarks))


def _one_line(axes: Axes, solver: str, points: Sequence[CluesTiming], peak: CluesTiming | None, color: str) -> None:
    """The medians of one solver: a line through those of enough boards, and circles for the others."""
    firm = _firm(points)
    at = [point.clues for point in firm]
    low, middle, high = (
        np.maximum([getattr(point, name) for point in firm], LEAST_SECONDS) for name in ("low", "median", "high")
    )
    axes.plot(at, middle, marker=".", color=color, label=solver)
    axes.fill_between(at, low, high, color=color, alpha=0.15)
    for point in points:
        if point not in firm:
            axes.plot(point.clues, max(point.median, LEAST_SECONDS), "o", color=color, fillstyle="none")
    if peak:
        axes.plot(peak.clues, max(peak.median, LEAST_SECONDS), marker="*", markersize=14, color=color)


def _firm(points: Sequence[CluesTiming]) -> Sequence[CluesTiming]:
    """Those that stand for `ENOUGH` boards; all, if fewer than two do."""
    firm = [point for point in points if point.solved.total >= ENOUGH]
    return firm if len(firm) > 1 else points


def _at_clues(number: int, answers: Sequence[BenchAnswer]) -> CluesTiming:
    solved = Proportion(sum(answer.length is not None for answer in answers), len(answers))
    low, median, high = np.percentile([answer.row.seconds for answer in answers], (25, 50, 75)).tolist()
    return CluesTiming(number, solved, low, median, high)


def _peak(points: Sequence[CluesTiming]) -> CluesTiming | None:
    """The number of clues with the greatest median."""
    among = _firm(points)
    return max(among, key=lambda point: point.median) if len(among) > 1 else None


def _slowest(solver: str, points: Sequence[CluesTiming], peak: CluesTiming | None) -> str:
    if peak is None:
        return f"{solver}: all boards have {points[0].clues} clues, so there is no peak to find."
    few = f" Only {peak.solved.total} such: too few to rely on." if peak.solved.total < ENOUGH else ""
    return (
        f"{solver} is slowest on boards with {peak.clues} clues: {tables.seconds(peak.median)} s (median), "
        f"where the boards have {points[0].clues} to {points[-1].clues} clues.{few}"
    )
