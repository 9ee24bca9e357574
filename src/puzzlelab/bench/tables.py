"""The summary of each solver on a suite, with 95 % intervals. Only answers that are verified by replay count."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.statistics import Mean, Proportion, mean
from puzzlelab.bench.timing import Timing, timing_of
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, presentation_of

if TYPE_CHECKING:
    from rich.table import Table


# --- reference lengths ---


def has_filled_answers(puzzle: Puzzle) -> bool:
    """Tell whether a solution is a board that is filled in; then all solutions have the same length."""
    return presentation_of(puzzle).answer_is_board


@dataclass(frozen=True)
class Reference:
    """The number of moves, cost or score to compare solutions with."""

    value: int
    optimal: bool
    """Whether it is proven optimal."""


def references(run: BenchRun) -> dict[str, Reference]:
    """Map each board to the optimum of the suite, else one that a solver proved, else the upper bound of the suite."""
    by_board: dict[str, Reference] = {}
    for answer in run.answers:
        if answer.proven and answer.value is not None:
            known = by_board.get(answer.entry.board)
            if known is None or (answer.excess_over(known.value) or 0) < 0:
                by_board[answer.entry.board] = Reference(answer.value, True)
    for entry in run.suite.entries:
        if entry.known is not None and (entry.known_is_optimal or entry.board not in by_board):
            by_board[entry.board] = Reference(entry.known, entry.known_is_optimal)
    return by_board


def excesses(
    answers: Iterable[BenchAnswer], reference_lengths: dict[str, Reference], optimal: bool = False
) -> list[int]:
    """Return the moves or cost above the reference, or points below it, for each solved board with a reference.

    With `optimal`, only those with an optimal reference.
    """
    pairs = [(answer, reference_lengths.get(answer.entry.board)) for answer in answers]
    found = [
        answer.excess_over(reference.value)
        for answer, reference in pairs
        if reference is not None and (reference.optimal or not optimal)
    ]
    return [excess for excess in found if excess is not None]


# --- one solver ---


@dataclass(frozen=True)
class Summary:
    """The results of one solver."""

    solver: str
    solved: Proportion
    """The share of all boards that is solved."""
    proven: Proportion
    """Solved, and proven optimal or unique by the solver itself; of all boards."""
    optimal: Proportion
    """Solved in the optimal length; of the boards with a known optimum."""
    length: Mean
    """Moves, cost or score, over the solved boards."""
    excess: Mean
    """Moves or cost more than the reference, or points less, over the solved boards that have one."""
    expanded: float
    """States expanded, on average over all boards."""
    generated: float
    """States generated, on average over all boards."""
    median: float
    """Seconds, over all boards; nan if boards were answered in batches."""
    p95: float
    """Seconds: the 95th percentile, interpolated; nan if boards were answered in batches."""
    seconds: Mean
    """Over all boards; without an interval if boards were answered in batches."""
    refuted: Proportion
    """Proven to have no solution; of all boards."""
    evaluations: float
    """States scored by a network or another function outside the search, on average over all boards."""


def summaries(run: BenchRun) -> list[Summary]:
    """Return a summary of each solver that has answered anything."""
    reference_lengths = references(run)
    return [
        summary(solver, answers, reference_lengths, timing_of(answers)) for solver, answers in run.by_solver.items()
    ]


def summary(
    solver: str, answers: Sequence[BenchAnswer], reference_lengths: dict[str, Reference], timing: Timing
) -> Summary:
    """Return the summary of one solver's answers, of which there is at least one."""
    values = [answer.value for answer in answers if answer.value is not None]
    refuted = sum(answer.holds and answer.row.proof == "unsolvable" for answer in answers)
    return Summary(
        solver=solver,
        solved=Proportion(len(values), len(answers)),
        proven=Proportion(sum(answer.proven for answer in answers), len(answers)),
        optimal=optimal_share(answers, reference_lengths),
        length=mean(values),
        excess=mean(excesses(answers, reference_lengths)),
        expanded=float(np.mean([answer.row.expanded for answer in answers])),
        generated=float(np.mean([answer.row.generated for answer in answers])),
        median=timing.percentiles[1],
        p95=timing.percentiles[3],
        seconds=_mean_seconds(answers, timing),
        refuted=Proportion(refuted, len(answers)),
        evaluations=float(np.mean([answer.row.evaluations for answer in answers])),
    )


def _mean_seconds(answers: Sequence[BenchAnswer], timing: Timing) -> Mean:
    if timing.kind == "alone":
        return mean([answer.seconds for answer in answers if answer.row.error is None])
    return Mean(timing.mean, math.nan)


def optimal_share(answers: Iterable[BenchAnswer], reference_lengths: dict[str, Reference]) -> Proportion:
    """Return the share of the boards with a known optimum that were solved in the optimal length."""
    comparable = [answer for answer in answers if has_optimum(answer, reference_lengths)]
    return Proportion(sum(excess <= 0 for excess in excesses(comparable, reference_lengths)), len(comparable))


def has_optimum(answer: BenchAnswer, reference_lengths: dict[str, Reference]) -> bool:
    """Tell whether the optimum of the board of this answer is known."""
    reference = reference_lengths.get(answer.entry.board)
    return reference is not None and reference.optimal


# --- as a table ---


def table(run: BenchRun) -> Table:
    """Return a line for each solver of a run."""
    from rich.table import Table
    from rich.text import Text

    title = f"{run.suite.name}: {len(run.suite.entries)} boards of {run.suite.puzzle.name}"
    result = Table(title=Text(title), box=None)
    result.add_column("solver", overflow="fold")
    all_summaries = summaries(run)
    columns = FILLED_COLUMNS if has_filled_answers(run.suite.puzzle) else quality_columns(run.suite.puzzle)
    if any(row.evaluations for row in all_summaries):
        columns = {(EVALUATIONS_HEADING if head == NODES_HEADING else head): cell for head, cell in columns.items()}
    for head in columns:
        result.add_column(head, justify="right", no_wrap=True)
    for row in all_summaries:
        result.add_row(Text(wrapped_label(row.solver)), *(Text.from_markup(cell(row)) for cell in columns.values()))
    return result


def _solved(each: Summary) -> str:
    return f"{share(each.solved)}\n{percent(each.solved)}\n[dim]{interval(each.solved)}[/dim]"


def _unique(each: Summary) -> str:
    return f"{share(each.proven)}\n[dim]{interval(each.proven)}[/dim]"


def _length(each: Summary) -> str:
    without_interval = math.isnan(each.length.half_width)
    return decimal(each.length.value) + ("" if without_interval else f"\n[dim]± {each.length.half_width:.2f}[/dim]")


def _optimal(each: Summary) -> str:
    return "\n".join((share(each.proven), share(each.optimal), percent(each.optimal))).rstrip()


def _nodes(each: Summary) -> str:
    text = f"{number(each.expanded)}\n{number(each.generated)}"
    return f"{text}\n{number(each.evaluations)}" if each.evaluations else text


def _seconds(each: Summary) -> str:
    return "\n".join(map(seconds, (each.seconds.value, each.median, each.p95)))


Columns = Mapping[str, Callable[[Summary], str]]
"""Heading -> the text of a cell below it."""
NODES_HEADING = "nodes:\nexpanded\ngenerated"
EVALUATIONS_HEADING = f"{NODES_HEADING}\nscored"
"""The heading if a network, or another function outside the search, scored states."""
COST_COLUMNS: Columns = {NODES_HEADING: _nodes, "seconds:\nmean\nmedian\np95": _seconds}
VALUES = {"moves": ("length", "excess"), "cost": ("cost", "excess"), "score": ("score", "below\nthe best")}
"""The headings of a table: what is compared -> those of its mean, and of its distance from the best."""
FILLED_COLUMNS: Columns = {
    "solved:\nboards\nshare\n95 %": _solved,
    "proven\nunique\n95 %": _unique,
    "proven\nunsolvable": lambda each: share(each.refuted),
    **COST_COLUMNS,
}


def quality_columns(puzzle: Puzzle) -> Columns:
    """Return the columns for a puzzle whose solutions differ in their moves, cost or score."""
    value, distance = VALUES[objective_of(puzzle).kind]
    return {
        "solved:\nboards\nshare\n95 %": _solved,
        "optimal:\nproven\nreached\nshare": _optimal,
        f"{value}:\nmean\n95 %": _length,
        distance: lambda each: decimal(each.excess.value),
        **COST_COLUMNS,
    }


def share(value: Proportion) -> str:
    """Write '7/10', or '-' where there is nothing to share."""
    return f"{value.count}/{value.total}" if value.total else "-"


def percent(value: Proportion) -> str:
    """Write '70 %', with more digits where there are boards enough for them; nothing where there is nothing to
    share.
    """
    return f"{100 * value.value:.{_digits(value)}f} %" if value.total else ""


def interval(value: Proportion) -> str:
    """Write '40-89 %', with as many digits as `percent`."""
    low, high = value.interval
    return f"{100 * low:.{_digits(value)}f}-{100 * high:.{_digits(value)}f} %"


def _digits(value: Proportion) -> int:
    """Return the digits behind the point: 0 below 500 boards, 1 below 50,000, then 2."""
    return sum(value.total >= least for least in (500, 50_000))


def decimal(value: float) -> str:
    """Write '53.05', or '-' for nan."""
    return "-" if math.isnan(value) else f"{value:.2f}"


def number(value: float) -> str:
    """Write a count in few signs: '950', '12.3k', '1.23M'."""
    for unit, size, least in (("G", 1e9, 1e9), ("M", 1e6, 1e6), ("k", 1e3, 1e4)):
        if value >= least:
            return f"{value / size:.3g}{unit}"
    return f"{value:.0f}"


def seconds(value: float) -> str:
    """Write seconds with three digits that count, to the microsecond; '-' for nan."""
    if math.isnan(value):
        return "-"
    if value < 1e-6:
        return "0"
    return f"{value:.{min(6, max(0, 2 - math.floor(math.log10(value))))}f}"


def wrapped_label(solver: str) -> str:
    """Return a solver's label with a line for each option."""
    return re.sub(r":(?=[A-Za-z_]\w*=)", ":\n", solver)
