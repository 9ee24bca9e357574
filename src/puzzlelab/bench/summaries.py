"""The results of each solver on a suite, or on the boards of one level, width or number of clues.

Only answers that are verified by replay count. Boards that were solved alone have a measured time each. Those that fill
whole batches have a measured mean, but no percentiles; those that are a part of a batch have no measured time at all.

Shares and means have 95 % intervals. `scipy.stats` computes the same ones, which the tests compare; its import takes as
long as a small benchmark's tables altogether, so that it is not used here.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from puzzlelab.bench.runs import BenchAnswer, BenchRun, label_of
from puzzlelab.bench.suites import clue_count
from puzzlelab.core.puzzle import Puzzle, presentation_of

Z = 1.959963984540054
"""The normal distribution has 95 % within this many standard deviations."""
ADVICE = "bench --batch level, clues or board measures them again, into another --out"
KNOWN_SHARE = 0.5
"""The share of the solved boards that must have a reference before an excess is shown."""
PERCENTILES = 25, 50, 75, 95
MIN_SECONDS = 1e-6
"""Shorter times are shown as this one; rows have no finer resolution."""
Timed = Literal["alone", "whole batches", "parts of batches"]
TIME_NOTES: Mapping[Timed, str] = {
    "whole batches": "boards were answered in batches; seconds are the mean of whole batches, without a spread.",
    "parts of batches": f"no seconds where its batches hold other boards too; {ADVICE}.",
}
"""How boards were timed -> the sentence for below a plot or a table."""


def has_filled_answers(puzzle: Puzzle) -> bool:
    """Tell whether a solution is a board that is filled in; then all solutions have the same length."""
    return presentation_of(puzzle).answer_is_board


# --- shares and means ---


class Proportion(NamedTuple):
    """The share of `number` in `total`."""

    number: int
    total: int

    @property
    def value(self) -> float:
        """Between 0 and 1; nan if `total` is 0."""
        return self.number / self.total if self.total else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of E. B. Wilson, Journal of the American Statistical Association 22 (1927)."""
        if not self.total:
            return 0.0, 1.0
        middle = (self.value + Z * Z / (2 * self.total)) / (1 + Z * Z / self.total)
        spread = math.sqrt(self.value * (1 - self.value) / self.total + (Z / (2 * self.total)) ** 2)
        half_width = Z * spread / (1 + Z * Z / self.total)
        return max(0.0, middle - half_width), min(1.0, middle + half_width)


class Mean(NamedTuple):
    """A mean and the half width of its 95 % interval (Student's t); nan for fewer than two values."""

    value: float
    half_width: float

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of a mean of numbers from 0 on, cut off there; the value itself where there is none."""
        half_width = 0.0 if math.isnan(self.half_width) else self.half_width
        return max(self.value - half_width, min(0.0, self.value)), self.value + half_width


def proportion(holds: Iterable[bool]) -> Proportion:
    """Return the share of the true ones."""
    truths = list(holds)
    return Proportion(sum(truths), len(truths))


def mean(values: Iterable[float | None]) -> Mean:
    """Return the mean of the values that are not None, with its interval."""
    present = [value for value in values if value is not None]
    if len(present) < 2:
        return Mean(float(present[0]) if present else math.nan, math.nan)
    from scipy.special import stdtrit

    deviation = float(np.std(present, ddof=1))
    half_width = float(stdtrit(len(present) - 1, 0.975)) * deviation / math.sqrt(len(present))
    return Mean(float(np.mean(present)), half_width)


def _excess(excesses: Iterable[int | None], solved: int) -> Mean:
    """Return the mean excess of the solved boards; nan if it is known of fewer than half of them.

    The optima that are known then are mostly those of boards that are easy to prove, and say little about the others.
    """
    present = [excess for excess in excesses if excess is not None]
    return mean(present if len(present) >= KNOWN_SHARE * solved else ())


# --- one solver ---


class Reference(NamedTuple):
    """The number of moves, cost or score to compare solutions with."""

    value: int
    optimal: bool
    """Whether it is proven optimal."""


References = Mapping[str, Reference]
"""Board -> what its solutions are compared with."""


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


class Summary:
    """The results of one solver on some boards, of which there is at least one."""

    def __init__(self, solver: str, answers: Sequence[BenchAnswer], best: References) -> None:
        self.solver, self.answers, self.references = solver, answers, best
        known = [(answer, best[board]) for answer in answers if (board := answer.entry.board) in best]
        excesses = [(answer.excess_over(reference.value), reference.optimal) for answer, reference in known]
        over_optimum = [excess for excess, optimal in excesses if optimal]
        solved = sum(answer.length is not None for answer in answers)
        self.solved = proportion(answer.length is not None for answer in answers)
        """The share of all boards that is solved."""
        self.proven = proportion(answer.proven for answer in answers)
        """Solved, and proven optimal or unique by the solver itself; of all boards."""
        self.refuted = proportion(answer.holds and answer.row.proof == "unsolvable" for answer in answers)
        """Proven to have no solution; of all boards."""
        self.optimal = proportion(excess is not None and excess <= 0 for excess in over_optimum)
        """Solved in the optimal length; of the boards with a known optimum."""
        self.length = mean(answer.value for answer in answers)
        """Moves, cost or score, over the solved boards."""
        self.compared = Proportion(sum(excess is not None for excess, _ in excesses), solved)
        """Solved boards that have a reference; of the solved boards."""
        self.excess = _excess((excess for excess, _ in excesses), solved)
        """Moves or cost more than the reference, or points less, over the solved boards that have one; nan if they are
        fewer than half.
        """
        self.excess_over_optimum = _excess(over_optimum, solved)
        """The same for the solved boards whose optimum is known."""
        self.expanded = float(np.mean([answer.row.expanded for answer in answers]))
        """States expanded, on average over all boards."""
        self.generated = float(np.mean([answer.row.generated for answer in answers]))
        """States generated, on average over all boards."""
        self.evaluations = float(np.mean([answer.row.evaluations for answer in answers]))
        """States scored by a network or another function outside the search, on average over all boards."""
        self._time(answers)

    def _time(self, answers: Sequence[BenchAnswer]) -> None:
        """Summarise the seconds."""
        alone = [answer.row.seconds for answer in answers if answer.row.seconds is not None]
        shared = [answer.batch for answer in answers if answer.row.seconds is None and answer.row.error is None]
        sizes = Counter(map(id, shared))  # two batches may be equal
        self.timed: Timed = "whole batches" if shared else "alone"
        """The seconds that were measured: those of each board, those of whole batches, or none."""
        if any(batch is None or batch.boards != sizes[id(batch)] for batch in shared):
            self.timed = "parts of batches"
        self.timed_boards = len(alone) + len(shared)
        """The number of boards that have a time: those without an error."""
        self.seconds = mean(alone)
        """Over all boards; without an interval for whole batches, nan for parts of them."""
        if shared:
            batches = {id(batch): batch.seconds for batch in shared if batch is not None}
            total = sum(alone) + sum(batches.values())
            self.seconds = Mean(total / self.timed_boards if self.timed == "whole batches" else math.nan, math.nan)
        self.percentiles = np.percentile([math.nan] if shared or not alone else alone, PERCENTILES).tolist()
        """The 25th, 50th, 75th and 95th of the seconds, interpolated; nan if boards were answered in batches."""
        self.typical_seconds = self.seconds.value if shared else self.percentiles[1]
        """The median; the mean of boards that were answered in whole batches."""


def summaries(run: BenchRun) -> list[Summary]:
    """Return a summary of each solver that has answered anything."""
    known = references(run)
    return [Summary(solver, answers, known) for solver, answers in run.by_solver.items()]


def time_notes(parts: Iterable[Summary]) -> list[str]:
    """Return sentences about the solvers whose times of boards are not measured."""
    solvers: dict[Timed, dict[str, None]] = defaultdict(dict)
    for part in parts:
        solvers[part.timed][part.solver] = None
    every = {solver for of_kind in solvers.values() for solver in of_kind}
    return [
        f"{'every solver' if len(of_kind) == len(every) > 1 else ', '.join(of_kind)}: {text}"
        for kind, text in TIME_NOTES.items()
        if (of_kind := solvers.get(kind))
    ]


# --- one solver at several levels ---


Series = Mapping[str, Mapping[int, Summary]]
"""Name of a line -> number, such as a level -> the results on the boards with this number, the least number first."""


def grouped(run: BenchRun, key: Callable[[BenchAnswer], tuple[str, int] | None]) -> Series:
    """Return the summaries of the answers with equal keys, a name and a number; those without a key are left out."""
    groups: dict[str, dict[int, list[BenchAnswer]]] = defaultdict(lambda: defaultdict(list))
    for answer in run.answers:
        if (place := key(answer)) is not None:
            groups[place[0]][place[1]].append(answer)
    known = references(run)
    return {name: {at: Summary(name, each[at], known) for at in sorted(each)} for name, each in groups.items()}


def points_of(series: Series) -> list[Summary]:
    """Return the results of all points."""
    return [at for points in series.values() for at in points.values()]


def by_level(run: BenchRun, at_optimum: bool = False) -> Series:
    """Return the results by level; with `at_optimum` a board without a level counts at the length of its optimum."""
    level_of = level_or_optimum(run) if at_optimum else (lambda answer: answer.entry.level)
    return grouped(run, lambda answer: None if (level := level_of(answer)) is None else (answer.solver, level))


def level_or_optimum(run: BenchRun) -> Callable[[BenchAnswer], int | None]:
    """Return the function that gives the level of a board, else the length of its optimum, None if neither is known."""
    known = references(run)

    def level_of(answer: BenchAnswer) -> int | None:
        reference, own = known.get(answer.entry.board), answer.entry.level
        return reference.value if own is None and reference is not None and reference.optimal else own

    return level_of


def by_clues(run: BenchRun) -> Series:
    """Return the results by the number of clues; empty if the number of a board is not known."""
    clues = {entry.board: clue_count(run.suite.puzzle, entry.board) for entry in run.suite.entries}
    if None in clues.values():
        return {}
    return grouped(run, lambda answer: (answer.solver, clues[answer.entry.board] or 0))


def by_option(run: BenchRun, *options: str, others: bool = False) -> Series:
    """Return the results by the value of the first of these options that a solver has.

    Solvers that differ only in it have one name. With `others` there are those without such an option too, at 0.
    """
    keys: dict[str, tuple[str, int]] = {}
    for solver, answers in run.by_solver.items():
        row = answers[0].row
        option = next((name for name in options if type(row.options.get(name)) is int), None)
        if option is not None:
            keys[solver] = label_of(row.solver, {**row.options, option: None}), row.options[option]
        elif others:
            keys[solver] = solver, 0
    return grouped(run, lambda answer: keys.get(answer.solver))
