"""The hardest boards of a run: those that the fewest solvers solved, and those that took them the most states."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.statistics import Proportion
from puzzlelab.bench.suites import SuiteEntry
from puzzlelab.bench.tables import Reference, references


@dataclass(frozen=True)
class HardBoard:
    """A board, and how the solvers fared with it."""

    number: int
    """Its place in the suite, from 1."""
    entry: SuiteEntry
    solved: Proportion
    """The number of solvers that solved it, of those that answered it."""
    expanded: float
    """The geometric mean of the states that they expanded, so that each solver has the same weight."""
    best: Reference | None
    """The best known solution."""


def hardest(run: BenchRun, count: int) -> list[HardBoard]:
    """Return up to this number of boards, the hardest first. A board that occurs several times counts once."""
    answers_by_board: dict[str, list[BenchAnswer]] = defaultdict(list)
    for answer in run.answers:
        answers_by_board[answer.entry.board].append(answer)
    numbers: dict[str, int] = {}
    for number, entry in enumerate(run.suite.entries, start=1):
        numbers.setdefault(entry.board, number)
    known = references(run)
    boards = [_hard_board(numbers[board], answers, known.get(board)) for board, answers in answers_by_board.items()]
    return sorted(boards, key=lambda board: (board.solved.value, -board.expanded, board.number))[:count]


def _hard_board(number: int, answers: list[BenchAnswer], known: Reference | None) -> HardBoard:
    solved = Proportion(sum(answer.length is not None for answer in answers), len(answers))
    expanded = math.exp(np.mean([math.log(max(answer.row.expanded, 1)) for answer in answers]))
    return HardBoard(number, answers[0].entry, solved, expanded, known or _best_found(answers))


def _best_found(answers: list[BenchAnswer]) -> Reference | None:
    """Return the best solution of these answers, of which no optimum is known."""
    solved = [answer for answer in answers if answer.value is not None]
    best = min(solved, key=lambda answer: answer.excess_over(0) or 0, default=None)
    return None if best is None or best.value is None else Reference(best.value, False)
