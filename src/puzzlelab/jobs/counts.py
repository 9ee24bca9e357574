"""Counts the solutions of many boards: by an executor, or together where each has one at most.

Shapes: B = boards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance, runs
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Count
from puzzlelab.core.solver import Solver
from puzzlelab.engine.enumeration import BATCH, count_parts, require_enumerator
from puzzlelab.engine.executor import Executor, PieceLost
from puzzlelab.engine.solving import none_wrong
from puzzlelab.jobs.pieces import Pieces
from puzzlelab.jobs.solve_parts import PREPARE_LIMIT, name_of, setups

Group = TypeVar("Group")


def counts(
    executor: Executor,
    solver: Solver,
    limit: Limit,
    most: int | None,
    groups: Iterable[tuple[Boards, Group]],
) -> Iterator[tuple[Group, Boards, Sequence[Count] | str]]:
    """Yield the counts of the boards of each group, in order: the group, some boards, and their counts.

    In the place of the counts of a board that was left out stands the reason. A group without boards is returned in
    its turn. Raises what `count_parts` raises.
    """
    pieces = Pieces(
        executor,
        lambda boards: partial(_count, solver, boards, limit, most),
        name_of,
        setups(executor, solver, "count", partial(_prepare, solver, most)),
    )
    for group, boards, value in pieces.done(pieces.cut(groups)):
        if value is None or isinstance(value, PieceLost):
            yield group, boards, () if value is None else f"left out: {value}"
        else:
            begin, some = value
            yield group, boards[begin : begin + len(some)], some


def _count(solver: Solver, boards: Boards, limit: Limit, most: int | None) -> Iterator[tuple[int, Sequence[Count]]]:
    """Yield the place of the first of some boards, and their counts."""
    begin = 0
    for some in count_parts(solver, boards, limit, most):
        yield begin, some
        begin += len(some)


def _prepare(solver: Solver, most: int | None, first: Boards) -> None:
    """Begin to count the solutions of a board."""
    list(count_parts(solver, first, PREPARE_LIMIT, most))


def unique_parts(solver: Solver, boards: Boards, limit: Limit) -> Iterator[Answers | Instance]:
    """Yield, in the order of the boards, the verified answers to boards with at most one solution, or another board.

    A batch of answers is of consecutive boards; without moves are those that have no solution. A board is yielded by
    itself if it has several solutions, or if the solver does not count it together with others. Raises
    `PuzzlelabError` for a wrong answer.
    """
    enumerator = require_enumerator(solver, boards.puzzle)
    for start in range(0, len(boards), BATCH):
        part = boards[start : start + BATCH]
        numbers = enumerator.count_batch(part, 2, limit)
        is_unique = numbers.is_stopped_by("done") & (numbers.solutions <= 1)
        for begin, end in runs(is_unique):
            if is_unique[begin] and numbers.firsts is not None:
                yield none_wrong(solver, numbers.firsts[begin:end])
            else:
                yield from part[begin:end]
