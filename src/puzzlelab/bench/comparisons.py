"""Compares every two solvers of a run, board by board."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from puzzlelab.bench.charts import MIN_SECONDS
from puzzlelab.bench.runs import BenchAnswer, BenchRun, by_occurrence
from puzzlelab.bench.statistics import mean
from puzzlelab.bench.summaries import has_filled_answers, summaries
from puzzlelab.bench.tables import TextTable, wrapped_label
from puzzlelab.core.objective import objective_of


def table(run: BenchRun) -> TextTable | None:
    """Return every solver against every other one; None if there is one alone."""
    lines = summaries(run)
    if len(lines) < 2:
        return None
    rows = [
        (
            wrapped_label(one.solver),
            *(
                "" if one is other else comparison(one.answers, other.answers, one.timed == other.timed == "alone")
                for other in lines
            ),
        )
        for one in lines
    ]
    kinds = {"moves": "the shorter solution", "cost": "the cheaper solution", "score": "the higher score"}
    filled, kind = has_filled_answers(run.suite.puzzle), objective_of(run.suite.puzzle).kind
    better = "a solution where the other has none" if filled else kinds[kind]
    remark = f"Each cell has the boards on which the solver of the line has {better}, is equal, or is worse."
    if any("×" in cell for row in rows for cell in row):
        remark += (
            " Below: its seconds divided by those of the solver of the column, on the boards that both solved "
            "(geometric mean, 95 % interval)."
        )
    header = ("", *(each.solver for each in lines))
    return TextTable(title="Every solver against every other", header=header, rows=rows, remarks=[remark])


def comparison(one: Sequence[BenchAnswer], other: Sequence[BenchAnswer], timed: bool) -> str:
    """Return the boards on which the first is better, equal or worse, of those that both answered.

    Better are fewer moves, a lower cost or a higher score, or the only solution. If both were `timed` board by board, a
    line has the quotient of their seconds on the boards that both solved, and another one its interval.
    """
    mine, theirs = by_occurrence(one), by_occurrence(other)
    pairs = [(answer, theirs[key]) for key, answer in mine.items() if key in theirs]
    signs = Counter(_sign(answer, against) for answer, against in pairs)
    text = f"{signs[-1]} / {signs[0]} / {signs[1]}"
    quotients = [
        math.log(max(answer.seconds, MIN_SECONDS) / max(against.seconds, MIN_SECONDS))
        for answer, against in pairs
        if timed and answer.length is not None and against.length is not None
    ]
    if quotients:
        value, half_width = mean(quotients)
        text += f"\n× {_factor(value)}"
        text += "" if math.isnan(half_width) else f"\n{_factor(value - half_width)} to {_factor(value + half_width)}"
    return text


def _sign(answer: BenchAnswer, against: BenchAnswer) -> int:
    """Return -1 if the answer is better than the other one, 0 if it is as good, 1 if it is worse."""
    if answer.value is None or against.value is None:
        return int(answer.value is None) - int(against.value is None)
    return int(np.sign(answer.excess_over(against.value) or 0))


def _factor(logarithm: float) -> str:
    """Return a factor with two digits that count, from its logarithm."""
    value = math.exp(logarithm)
    return f"{value:.2g}" if value < 100 else f"{value:,.0f}"
