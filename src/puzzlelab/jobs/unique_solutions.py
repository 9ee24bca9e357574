"""The solutions of many boards that have at most one each, for solvers that count together.

Shapes: B = boards.
"""

from __future__ import annotations

from collections.abc import Iterator

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance, runs
from puzzlelab.core.limit import Limit
from puzzlelab.core.solver import Solver
from puzzlelab.engine.enumeration import BATCH, require_enumerator
from puzzlelab.engine.solving import none_wrong


def unique_parts(solver: Solver, boards: Boards, limit: Limit) -> Iterator[Answers | Instance]:
    """Yield, in the order of the boards, the verified answers to boards with at most one solution, or another board.

    A batch of answers is of consecutive boards; without moves are those that have no solution. A board is yielded by
    itself if it has several solutions, or if the solver does not count it together with others. Raises
    `PuzzlelabError` for a wrong answer.
    """
    enumerator = require_enumerator(solver, boards.puzzle)
    for start in range(0, len(boards), BATCH):
        part = boards[start : start + BATCH]
        counts = enumerator.count_batch(part, 2, limit)
        is_unique = counts.is_stopped_by("done") & (counts.solutions <= 1)
        for begin, end in runs(is_unique):
            if is_unique[begin] and counts.firsts is not None:
                yield none_wrong(solver, counts.firsts[begin:end])
            else:
                yield from part[begin:end]
