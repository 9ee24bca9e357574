"""Rates boards on a scale of the logic of their puzzle: those that a solver proves to have one solution.

Shapes: B = boards.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from puzzlelab.analysis.logic_steps import logic_of
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.logic import Logic, Rating, scale_name
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import NO_SOLUTION
from puzzlelab.core.solver import Solver
from puzzlelab.engine.enumeration import count
from puzzlelab.jobs.checks import counted_parts

FIRST, LARGEST = 16, 2048
"""Boards that are rated together at first, and at most."""
SEVERAL = "it has more than one solution"
SECONDS = 0.5
"""The time for boards that are rated together, after which fewer are."""


def rating_scale(puzzle: Puzzle, name: str | None) -> tuple[Logic, str]:
    """Return the logic of a puzzle and the name of one of its scales of ratings, by default the first.

    Raises `UnknownName`, or `Unsupported` for a puzzle without ratings.
    """
    logic = logic_of(puzzle)
    if not logic.scales:
        raise Unsupported(f"{puzzle.name} has no scale of ratings")
    return logic, scale_name(logic, name, puzzle)


def rated_parts(
    boards: Boards, scale: str | None, solver: Solver, limit: Limit
) -> Iterator[tuple[Boards, list[Rating]]]:
    """Yield some boards at a time, in their order, and their ratings.

    `solver` looks for a second solution of each within `limit`. A board that has several, or none, has a reason in the
    place of its rating.
    """
    logic, name = rating_scale(boards.puzzle, scale)
    for each in counted_parts(solver, boards, limit):
        if isinstance(each, Boards):
            reason = _reason(each[0], solver, limit)
            yield each, [Rating(name, reason=reason)] if reason else logic.rate(each.states, name)
        else:
            yield from _rated(each.firsts.boards, each.solutions, logic, name)


def ratings_of(boards: Boards, is_unique: Sequence[bool], most: int) -> list[Rating | None]:
    """Return the ratings of the first `most` of these boards on the default scale.

    None for the others, for boards without one solution, and for puzzles without ratings.
    """
    logic = boards.puzzle.view(Logic)
    if logic is None or not logic.scales:
        return [None] * len(boards)
    chosen = np.array(is_unique) & (np.arange(len(boards)) < most)
    if not chosen.any():
        return [None] * len(boards)
    ratings = iter(logic.rate(boards.states[chosen], next(iter(logic.scales))))
    return [next(ratings) if each else None for each in chosen.tolist()]


def _reason(instance: Instance, solver: Solver, limit: Limit) -> str:
    """Return why a board has no rating; empty if it has one solution."""
    counted = count(solver, instance, limit, 2)
    if counted.solutions > 1:
        return SEVERAL
    if counted.stop != "done":
        return "whether it has one solution is not known in time"
    return "" if counted.solutions else _no_solution(instance)


def _no_solution(instance: Instance) -> str:
    return f"it cannot be solved: {instance.puzzle.objection(instance.state) or NO_SOLUTION}"


def _rated(
    boards: Boards, solutions: NDArray[np.int64], logic: Logic, scale: str
) -> Iterator[tuple[Boards, list[Rating]]]:
    """Yield boards and their ratings, so many at a time that each part takes about `SECONDS`.

    `solutions: int64[B]` are the numbers of their solutions.
    """
    begin, size = 0, FIRST
    while begin < len(boards):
        part, numbers, began = boards[begin : begin + size], solutions[begin : begin + size], time.perf_counter()
        ratings = iter(logic.rate(part.states[numbers == 1], scale))
        yield (
            part,
            [
                next(ratings) if number == 1 else Rating(scale, reason=SEVERAL if number else _no_solution(board))
                for board, number in zip(part, numbers.tolist(), strict=True)
            ],
        )
        begin += len(part)
        is_fast = time.perf_counter() - began < SECONDS
        size = min(2 * size, LARGEST) if is_fast else max(size // 2, 1)
