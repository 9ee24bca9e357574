"""Solves boards of any puzzles, as Python code has them: as instances one by one, or as an array."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from puzzlelab.core import errors
from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.solver import Solver
from puzzlelab.engine.executor import Executor
from puzzlelab.engine.solving import batched
from puzzlelab.jobs.solve_parts import Part, PartSolver, cut


def answers_of(
    solver: Solver, limit: Limit, executor: Executor, boards: Boards | None, instances: Iterable[Instance]
) -> Iterator[Answers]:
    """Yield the verified answers to these boards or, if there is no array of boards, to these instances, in order.

    Raises `PuzzlelabError` for a board that ends its workers.
    """
    errors.require_kind(executor, Executor, "the executor", "what open_executor returns, or its name")
    part_solver = PartSolver(executor, solver, limit)
    size = part_solver.size
    parts: Iterator[Part] = ((batch, {}) for batch in batched(instances, lambda: size.items))
    if boards is not None:
        parts = cut(boards, {}, partial(size.of, len(boards)))
    for (part, _), answers in part_solver.solved(parts):
        for problem in part.errors.values():
            raise PuzzlelabError(f"board {int(part.numbers[0]) + 1:,} cannot be solved: {problem}")
        yield from answers
