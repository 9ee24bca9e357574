"""Plots of the times of solvers: by their number of jobs, and by the number of clues of a board."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.bench import tables, timing
from puzzlelab.bench.charts import (
    MIN_SECONDS,
    Chart,
    add_panels,
    legend_below,
    named_artists,
    set_seconds_axis,
    whole_numbers,
)
from puzzlelab.bench.runs import BenchAnswer, BenchRun, label_of
from puzzlelab.bench.statistics import Proportion
from puzzlelab.bench.suites import clue_count
from puzzlelab.bench.timing import ADVICE, Timing, timing_of
from puzzlelab.core.errors import BadInput
from puzzlelab.core.result import LIMITS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MIN_BOARDS = 5
"""The fewest boards with one number of clues whose median can be the peak."""

Times = Mapping[str, float]
"""Board -> seconds."""


# --- jobs ---


@dataclass(frozen=True)
class JobsTiming:
    """The times of one solver with one number of jobs."""

    jobs: int
    boards: int
    seconds: float
    """The median over the boards that it finished with every number of jobs."""
    speedup: float
    """The median over the same boards of the time with the fewest jobs divided by this time."""
    ideal: float
    """The speed-up of perfect parallelism."""


def jobs(run: BenchRun) -> Chart:
    """Plot the seconds of each solver with an option `jobs`, by the number of jobs, beside the ideal speed-up."""
    times_by_solver: dict[str, dict[int, Times]] = defaultdict(dict)
    for answers in run.by_solver.values():
        row = answers[0].row
        number = row.options.get("jobs")
        if type(number) is int:
            times_by_solver[label_of(row.solver, {**row.options, "jobs": None})][number] = _finished(answers)
    several = {solver: times for solver, times in times_by_solver.items() if len(times) > 1}
    if not several:
        example = "--with permutation:jobs=1,permutation:jobs=2"
        raise BadInput(f"no solver of this benchmark was run with several numbers of jobs; run one, as in {example}")
    series = {solver: points for solver, times in several.items() if (points := _by_jobs(times))}
    if not series:
        raise BadInput(f"no board of '{run.suite.name}' was finished with every number of jobs")

    def draw(figure: Figure, mark_seconds: float) -> None:
        left, right = add_panels(figure, 2)
        for number, (solver, points) in enumerate(series.items()):
            job_counts, color = [point.jobs for point in points], f"C{number}"
            left.plot(
                job_counts, [max(point.seconds, MIN_SECONDS) for point in points], marker="o", color=color, label=solver
            )
            ideal = [max(points[0].seconds, MIN_SECONDS) / point.ideal for point in points]
            left.plot(job_counts, ideal, linestyle=":", color=color, label="ideal")
            right.plot(job_counts, [point.speedup for point in points], marker="o", color=color)
            right.plot(job_counts, [point.ideal for point in points], linestyle=":", color=color)
        set_seconds_axis(left, "y", [point.seconds for points in series.values() for point in points], mark_seconds)
        right.set_ylabel(f"times as fast as with {min(points[0].jobs for points in series.values())} (dotted: ideal)")
        for axes in (left, right):
            axes.set_xlabel("jobs")
            whole_numbers(axes.xaxis)
        left.legend()

    body = [
        (
            solver,
            str(point.jobs),
            str(point.boards),
            tables.seconds(point.seconds),
            f"{point.speedup:.2f}",
            f"{point.ideal:.2f}",
        )
        for solver, points in series.items()
        for point in points
    ]
    header = ("solver", "jobs", "boards", "seconds", "times as fast", "ideal")
    remarks = [_best_jobs_text(solver, points) for solver, points in series.items()]
    return Chart("jobs", f"{run.suite.name}: seconds by jobs", header, tuple(body), draw, tuple(remarks))


def _finished(answers: Sequence[BenchAnswer]) -> Times:
    """Return the seconds of the boards that were finished within the limit; the median if a board occurs several times.

    Boards without seconds of their own are left out.
    """
    times: dict[str, list[float]] = defaultdict(list)
    for answer in answers:
        if answer.holds and answer.row.stop not in LIMITS and answer.row.seconds is not None:
            times[answer.entry.board].append(max(answer.row.seconds, MIN_SECONDS))
    return {board: float(np.median(seconds)) for board, seconds in times.items()}


def _by_jobs(times: Mapping[int, Times]) -> list[JobsTiming]:
    """Return a point for each number of jobs; none if no board was finished with all of them."""
    boards = [board for board in times[min(times)] if all(board in each for each in times.values())]
    first = np.array([times[min(times)][board] for board in boards])
    points = []
    for number in sorted(times) if boards else ():
        seconds = np.array([times[number][board] for board in boards])
        speedup = float(np.median(first / seconds))
        points.append(JobsTiming(number, len(boards), float(np.median(seconds)), speedup, number / min(times)))
    return points


def _best_jobs_text(solver: str, points: Sequence[JobsTiming]) -> str:
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
    """The times of one solver for the boards with one number of clues."""

    clues: int
    solved: Proportion
    timing: Timing

    @property
    def seconds(self) -> float:
        """The median; the mean of boards that were timed in batches of this number of clues; nan if not measured."""
        return self.timing.typical


def clues(run: BenchRun) -> Chart:
    """Plot the seconds of each solver by the number of clues: the median, and the middle half of the boards."""
    numbers = {entry.board: clue_count(run.suite.puzzle, entry.board) for entry in run.suite.entries}
    if None in numbers.values():
        raise BadInput(f"{run.suite.puzzle.name} does not say how many clues a board has; draw bars instead")
    all_series = {}
    for solver, answers in run.by_solver.items():
        by_clues: dict[int, list[BenchAnswer]] = defaultdict(list)
        for answer in answers:
            by_clues[numbers[answer.entry.board] or 0].append(answer)
        all_series[solver] = [
            CluesTiming(number, _solved(group), timing_of(group)) for number, group in sorted(by_clues.items())
        ]
    series = {solver: points for solver, points in all_series.items() if not any(np.isnan(at.seconds) for at in points)}
    if not series:
        raise BadInput(f"the batches of '{run.suite.name}' hold boards of several numbers of clues; {ADVICE}")
    peaks = {solver: _peak(points) for solver, points in series.items()}

    def draw(figure: Figure, mark_seconds: float) -> None:
        (axes,) = add_panels(figure, 1)
        for number, (solver, points) in enumerate(series.items()):
            _draw_medians(axes, solver, points, peaks[solver], f"C{number}")
        set_seconds_axis(axes, "y", [point.seconds for points in series.values() for point in points], mark_seconds)
        axes.set_xlabel(f"clues (shade: middle half of the boards; circle: fewer than {MIN_BOARDS}; star: slowest)")
        whole_numbers(axes.xaxis)
        legend_below(figure, named_artists(axes))

    body = [
        (
            solver,
            str(point.clues),
            tables.share(point.solved),
            *map(tables.seconds, (point.timing.percentiles[0], point.seconds, point.timing.percentiles[2])),
            "peak" if point is peaks[solver] else "",
        )
        for solver, points in series.items()
        for point in points
    ]
    header = ("solver", "clues", "solved", "25th percentile", "median", "75th percentile", "")
    remarks = [_slowest_text(solver, points, peaks[solver]) for solver, points in series.items()]
    remarks += timing.note([solver for solver, points in series.items() if _in_batches(points)], "whole batches")
    remarks += timing.note([solver for solver in all_series if solver not in series], "parts of batches")
    return Chart("clues", f"{run.suite.name}: seconds by clues", header, tuple(body), draw, tuple(remarks))


def _draw_medians(axes: Axes, solver: str, points: Sequence[CluesTiming], peak: CluesTiming | None, color: str) -> None:
    """Draw the medians of one solver: a line through those of enough boards, and circles for the others."""
    enough = _with_enough_boards(points)
    positions = [point.clues for point in enough]
    spreads = [(point.timing.percentiles[0], point.seconds, point.timing.percentiles[2]) for point in enough]
    low, middle, high = np.maximum(np.array(spreads).T, MIN_SECONDS)
    axes.plot(positions, middle, marker=".", color=color, label=solver)
    axes.fill_between(positions, low, high, color=color, alpha=0.15)
    for point in points:
        if point not in enough:
            axes.plot(point.clues, max(point.seconds, MIN_SECONDS), "o", color=color, fillstyle="none")
    if peak:
        axes.plot(peak.clues, max(peak.seconds, MIN_SECONDS), marker="*", markersize=14, color=color)


def _with_enough_boards(points: Sequence[CluesTiming]) -> Sequence[CluesTiming]:
    """Return the points of at least `MIN_BOARDS` boards; all points if fewer than two have as many."""
    enough = [point for point in points if point.solved.total >= MIN_BOARDS]
    return enough if len(enough) > 1 else points


def _solved(answers: Sequence[BenchAnswer]) -> Proportion:
    return Proportion(sum(answer.length is not None for answer in answers), len(answers))


def _in_batches(points: Sequence[CluesTiming]) -> bool:
    return any(point.timing.kind != "alone" for point in points)


def _peak(points: Sequence[CluesTiming]) -> CluesTiming | None:
    """Return the number of clues with the greatest time; None unless three quarters of its boards take longer than
    others.

    The others are represented by the median of their times.
    """
    candidates = _with_enough_boards(points)
    if len(candidates) < 2:
        return None
    peak = max(candidates, key=lambda point: point.seconds)
    others = float(np.median([point.seconds for point in candidates if point is not peak]))
    lower = peak.timing.percentiles[0] if peak.timing.kind == "alone" else peak.seconds
    return peak if lower > others else None


def _slowest_text(solver: str, points: Sequence[CluesTiming], peak: CluesTiming | None) -> str:
    if peak is None and len(points) > 1:
        return (
            f"{solver} has no clear peak: where its median is greatest, a quarter of the boards take no longer than "
            f"boards with other numbers of clues."
        )
    if peak is None:
        return f"{solver}: all boards have {points[0].clues} clues, so there is no peak to find."
    average = "mean" if _in_batches([peak]) else "median"
    few = f" Only {peak.solved.total} such: too few to rely on." if peak.solved.total < MIN_BOARDS else ""
    return (
        f"{solver} is slowest on boards with {peak.clues} clues: {tables.seconds(peak.seconds)} s ({average}), "
        f"where the boards have {points[0].clues} to {points[-1].clues} clues.{few}"
    )
