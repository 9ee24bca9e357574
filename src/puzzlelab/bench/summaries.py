"""The results of each solver on a suite, or on the boards of one level, width or number of clues.

Only answers that are verified by replay count. Boards that were solved alone have a measured time each. Those that fill
whole batches have a measured mean, but no percentiles; those that are a part of a batch have no measured time at all.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from puzzlelab.bench.runs import BenchAnswer, BenchRun, label_of
from puzzlelab.bench.statistics import Mean, Proportion, mean, proportion
from puzzlelab.bench.suites import clue_count
from puzzlelab.core.puzzle import Puzzle, presentation_of

ADVICE = "bench --batch level, clues or board measures them again, into another --out"
PERCENTILES = 25, 50, 75, 95


def has_filled_answers(puzzle: Puzzle) -> bool:
    """Tell whether a solution is a board that is filled in; then all solutions have the same length."""
    return presentation_of(puzzle).answer_is_board


@dataclass(frozen=True)
class Reference:
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


@dataclass(frozen=True)
class Summary:
    """The results of one solver on some boards, of which there is at least one."""

    solver: str
    answers: Sequence[BenchAnswer] = field(repr=False)
    references: References = field(repr=False)

    @cached_property
    def solved(self) -> Proportion:
        """The share of all boards that is solved."""
        return proportion(answer.length is not None for answer in self.answers)

    @cached_property
    def proven(self) -> Proportion:
        """Solved, and proven optimal or unique by the solver itself; of all boards."""
        return proportion(answer.proven for answer in self.answers)

    @cached_property
    def refuted(self) -> Proportion:
        """Proven to have no solution; of all boards."""
        return proportion(answer.holds and answer.row.proof == "unsolvable" for answer in self.answers)

    @cached_property
    def optimal(self) -> Proportion:
        """Solved in the optimal length; of the boards with a known optimum."""
        return proportion(excess is not None and excess <= 0 for excess in self._excesses(True))

    @cached_property
    def length(self) -> Mean:
        """Moves, cost or score, over the solved boards."""
        return mean([answer.value for answer in self.answers if answer.value is not None])

    @cached_property
    def excess(self) -> Mean:
        """Moves or cost more than the reference, or points less, over the solved boards that have one."""
        return mean([excess for excess in self._excesses(False) if excess is not None])

    @cached_property
    def excess_over_optimum(self) -> Mean:
        """The excess over the solved boards with a known optimum."""
        return mean([excess for excess in self._excesses(True) if excess is not None])

    def _excesses(self, over_optimum: bool) -> list[int | None]:
        """Return the excess for each board with a reference, or with a known optimum; None for one not solved."""
        pairs = [(answer, self.references.get(answer.entry.board)) for answer in self.answers]
        return [
            answer.excess_over(reference.value)
            for answer, reference in pairs
            if reference is not None and (reference.optimal or not over_optimum)
        ]

    @property
    def expanded(self) -> float:
        """States expanded, on average over all boards."""
        return float(np.mean([answer.row.expanded for answer in self.answers]))

    @property
    def generated(self) -> float:
        """States generated, on average over all boards."""
        return float(np.mean([answer.row.generated for answer in self.answers]))

    @cached_property
    def evaluations(self) -> float:
        """States scored by a network or another function outside the search, on average over all boards."""
        return float(np.mean([answer.row.evaluations for answer in self.answers]))

    @cached_property
    def timed(self) -> Literal["alone", "whole batches", "parts of batches"]:
        """The seconds that were measured: those of each board, those of whole batches, or none."""
        sizes = Counter(id(answer.batch) for answer in self._in_batches)  # two batches may be equal
        if any(answer.batch is None or answer.batch.boards != sizes[id(answer.batch)] for answer in self._in_batches):
            return "parts of batches"
        return "whole batches" if self._in_batches else "alone"

    @cached_property
    def _in_batches(self) -> list[BenchAnswer]:
        return [answer for answer in self.answers if answer.row.seconds is None and answer.row.error is None]

    @cached_property
    def _alone(self) -> list[float]:
        return [answer.row.seconds for answer in self.answers if answer.row.seconds is not None]

    @property
    def timed_boards(self) -> int:
        """The number of boards that have a time: those without an error."""
        return len(self._alone) + len(self._in_batches)

    @cached_property
    def seconds(self) -> Mean:
        """Over all boards; without an interval for whole batches, nan for parts of them."""
        if self.timed == "alone":
            return mean(self._alone)
        if self.timed == "parts of batches":
            return Mean(math.nan, math.nan)
        batches = {id(answer.batch): answer.batch for answer in self._in_batches}.values()
        total = sum(self._alone) + sum(batch.seconds for batch in batches if batch is not None)
        return Mean(total / self.timed_boards, math.nan)

    @cached_property
    def percentiles(self) -> tuple[float, ...]:
        """The 25th, 50th, 75th and 95th of the seconds, interpolated; nan if boards were answered in batches."""
        measured = self._alone if self.timed == "alone" else []
        return tuple(np.percentile(measured or [math.nan], PERCENTILES).tolist())

    @property
    def typical_seconds(self) -> float:
        """The median; the mean of boards that were answered in whole batches."""
        return self.percentiles[1] if self.timed == "alone" else self.seconds.value


def summaries(run: BenchRun) -> list[Summary]:
    """Return a summary of each solver that has answered anything."""
    known = references(run)
    return [Summary(solver, answers, known) for solver, answers in run.by_solver.items()]


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


def by_level(run: BenchRun, at_optimum: bool = False) -> Series:
    """Return the results by level; with `at_optimum` a board without a level counts at the length of its optimum."""
    known = references(run) if at_optimum else {}

    def level(answer: BenchAnswer) -> tuple[str, int] | None:
        reference, own = known.get(answer.entry.board), answer.entry.level
        if own is None and reference is not None and reference.optimal:
            own = reference.value
        return None if own is None else (answer.solver, own)

    return grouped(run, level)


def by_clues(run: BenchRun) -> Series:
    """Return the results by the number of clues; empty if the number of a board is not known."""
    clues = {entry.board: clue_count(run.suite.puzzle, entry.board) for entry in run.suite.entries}
    if None in clues.values():
        return {}
    return grouped(run, lambda answer: (answer.solver, clues[answer.entry.board] or 0))


def by_option(run: BenchRun, option: str) -> Series:
    """Return the results by the value of an option; solvers that differ only in it have one name."""
    keys: dict[str, tuple[str, int]] = {}
    for solver, answers in run.by_solver.items():
        row = answers[0].row
        if type(value := row.options.get(option)) is int:
            keys[solver] = label_of(row.solver, {**row.options, option: None}), value
    return grouped(run, lambda answer: keys.get(answer.solver))


def time_notes(parts: Sequence[Summary]) -> list[str]:
    """Return sentences for below a plot or a table about the solvers whose times of boards are not measured."""
    names = {
        kind: dict.fromkeys(part.solver for part in parts if part.timed == kind)
        for kind in ("whole batches", "parts of batches")
    }
    texts = {
        "whole batches": "boards were answered in batches; seconds are the mean of whole batches, without a spread.",
        "parts of batches": f"no seconds where its batches hold other boards too; {ADVICE}.",
    }
    return [f"{', '.join(solvers)}: {texts[kind]}" for kind, solvers in names.items() if solvers]
