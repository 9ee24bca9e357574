"""Solves boards of any puzzles, as Python code has them: as instances one by one, or as an array."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby
from typing import TYPE_CHECKING

from puzzlelab.core import errors
from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance, naming_bad_boards
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.solver import Solver
from puzzlelab.engine.parallel import ordered_flat_map
from puzzlelab.engine.solving import Portions, batched, sliced, solve_boards

if TYPE_CHECKING:
    from puzzlelab.engine.executor import Executor


@dataclass(frozen=True)
class ManyBoards:
    """Solves boards by one solver, on `jobs` threads of this process or by an executor."""

    solver: Solver
    limit: Limit
    jobs: int | None
    executor: Executor | None

    def answers(self, boards: Boards | None, instances: Iterable[Instance]) -> Iterator[Answers]:
        """Yield the verified answers to these boards or, if there is no array of boards, to these instances, in order.

        The first board is solved alone, so that kernels are compiled and tables are built once.
        """
        if self.executor is not None:
            return self._answers_elsewhere(self.executor, boards, instances)
        over, portions = threading.Event(), Portions(self.solver)

        def parts(some: Boards) -> Iterator[Answers]:
            with naming_bad_boards(some):
                answers = solve_boards(self.solver, some, self.limit, over.is_set)
                yield from portions.timed(len(some), answers)

        batches = _batches(boards, instances, lambda: portions.size)
        return chain(parts(next(batches)), ordered_flat_map(parts, batches, self.jobs, on_interrupt=over.set))

    def _answers_elsewhere(
        self, executor: Executor, boards: Boards | None, instances: Iterable[Instance]
    ) -> Iterator[Answers]:
        """Yield the answers by an executor; raises `PuzzlelabError` for boards that are put aside."""
        from puzzlelab.engine.board_pieces import solver_setup
        from puzzlelab.engine.executor import Executor
        from puzzlelab.jobs.solve_parts import PartSolver

        errors.require_kind(executor, Executor, "the executor", "what open_executor returns, or its name")
        groups = [(boards.puzzle, iter(()))] if boards is not None else groupby(instances, lambda board: board.puzzle)
        for puzzle, group in groups:
            solver = PartSolver(executor, solver_setup(executor, self.solver, puzzle), self.limit)
            batches = _batches(boards, group, solver.size.next)
            for part, _, answers in solver.solved((batch, {}) for batch in batches):
                for problem in part.errors.values():
                    raise PuzzlelabError(f"board {int(part.numbers[0]) + 1:,} cannot be solved: {problem}")
                assert answers is not None
                yield answers


def _batches(boards: Boards | None, instances: Iterable[Instance], size: Callable[[], int]) -> Iterator[Boards]:
    """Yield `size()` of these boards at a time or, if there is no array of boards, of these instances."""
    return batched(instances, size) if boards is None else sliced(boards, size)
