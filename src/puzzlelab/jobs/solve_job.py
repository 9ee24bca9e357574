"""The work of a command that solves: boards in, verified answers out, many at a time; `job_rows` has their rows.

It reads no command line and prints nothing: the command line, the server and Python use it.

Shapes: B = boards.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Attempt, Solver
from puzzlelab.engine.parallel import ordered_flat_map
from puzzlelab.engine.solving import Portions, solve, solve_boards
from puzzlelab.jobs.board_parts import Part, SolvedBoards, StoredRows, between, cut, is_open, open_boards

if TYPE_CHECKING:
    from puzzlelab.engine.executor import Executor
    from puzzlelab.jobs.job_rows import JobRows

TIMED_ALONE = 100
"""The most boards of a call that each have a time of their own, unless the solver `shares_work`."""


@dataclass
class SolveJob:
    """One call: boards of a puzzle for a solver, under a limit for each."""

    puzzle: Puzzle
    solver: Solver
    limit: Limit
    jobs: int = 1
    over: threading.Event = field(default_factory=threading.Event)
    watch: Callable[[str, Attempt], None] | None = None
    """Called with the place of a board and every attempt at it, in the threads of the jobs, for each board alone."""
    executor: Executor | None = None
    """The executor that solves the boards; None: `jobs` threads of this process. It knows nothing of `watch`."""

    def solve(self, boards: Boards) -> Iterator[SolvedBoards]:
        """Yield the answers to a few boards, which are solved together in this process."""
        answers = self._answers(boards[boards.is_readable], Portions(self.solver))
        return self._placed(boards, {}, answers, None)

    def solved(self, blocks: Iterable[Boards], rows: JobRows | None = None) -> Iterator[SolvedBoards]:
        """Yield the answers to all boards, in order; `rows` give those that a file holds, and get the others."""
        rest = iter(blocks)
        begin = list(islice(rest, 2))
        if not begin:
            return
        is_small = len(begin) == 1 and len(begin[0]) <= TIMED_ALONE and not self.solver.shares_work
        is_alone = self.watch is not None or is_small
        if self.executor is None:
            parts = self._solved_here(chain(begin, rest), rows, is_alone)
        else:
            parts = self._solved_elsewhere(self.executor, chain(begin, rest), rows, is_alone)
        for solved in parts:
            if rows is not None:
                rows.append(solved)
            yield solved

    def _solved_here(self, blocks: Iterable[Boards], rows: JobRows | None, is_alone: bool) -> Iterator[SolvedBoards]:
        """Yield the answers, on threads of this process."""
        portions = Portions(self.solver, most=1 if is_alone else None)

        def solved(part: Part) -> Iterator[SolvedBoards]:
            return self._placed(*part, self._answers(open_boards(*part), portions), rows)

        def most(block: Boards) -> int:
            return min(-(-len(block) // self.jobs), portions.size)

        yield from ordered_flat_map(solved, _parts(blocks, rows, most), self.jobs, on_interrupt=self.over.set)

    def _solved_elsewhere(
        self, executor: Executor, blocks: Iterable[Boards], rows: JobRows | None, is_alone: bool
    ) -> Iterator[SolvedBoards]:
        """Yield the answers, by an executor."""
        from puzzlelab.engine.board_pieces import solver_setup
        from puzzlelab.jobs.solve_parts import PartSolver

        solver = PartSolver(executor, solver_setup(executor, self.solver, self.puzzle), self.limit, is_alone)
        for boards, stored, answers in solver.solved(_parts(blocks, rows, solver.most)):
            yield from self._placed(boards, stored, iter(() if answers is None else [answers]), rows)

    def _placed(
        self, boards: Boards, stored: StoredRows, answers: Iterator[Answers], rows: JobRows | None
    ) -> Iterator[SolvedBoards]:
        """Yield the boards with these answers to those that are to be solved, of some of them at a time."""
        places = np.flatnonzero(is_open(boards, stored))

        def merged(begin: int, end: int, new: Answers, new_places: NDArray[np.int64]) -> SolvedBoards:
            some, some_rows = boards[begin:end], between(stored, begin, end)
            if rows is not None and some_rows:
                return rows.merged(some, new, new_places - begin, some_rows)
            if len(new) == len(some):
                return SolvedBoards(replace(new, boards=some), {})
            return SolvedBoards(new.among(some, new_places - begin, seconds=np.nan), {})

        begin = solved = 0
        for some in answers:
            open_places = places[solved : solved + len(some)]
            solved += len(some)
            end = int(places[solved]) if solved < len(places) else len(boards)
            yield merged(begin, end, some, open_places)
            if some.is_stopped_by("interrupted").any():
                return
            begin = end
        if begin < len(boards):
            yield merged(begin, len(boards), Answers.blank(boards[:0]), np.zeros(0, np.int64))

    def _answers(self, boards: Boards, portions: Portions) -> Iterator[Answers]:
        """Yield the answers to boards, of some of them at a time; their time adapts the portions."""
        if not len(boards):
            return
        if self.watch is None:
            answers = solve_boards(self.solver, boards, self.limit, self.over.is_set)
            yield from portions.timed(len(boards), answers)
        else:
            yield from self._watched(boards, self.watch)

    def _watched(self, boards: Boards, watch: Callable[[str, Attempt], None]) -> Iterator[Answers]:
        """Yield the answers, of which `watch` sees every attempt."""
        for place, instance in enumerate(boards):
            where = boards.where(place)

            def see(attempt: Attempt, where: str = where) -> bool:
                watch(where, attempt)
                return self.over.is_set()

            result = solve(self.solver, instance, self.limit, see)
            yield Answers.of(boards[place : place + 1], [result])


def _parts(blocks: Iterable[Boards], rows: JobRows | None, most: Callable[[Boards], int]) -> Iterator[Part]:
    """Cut the blocks into parts with `most(block)` boards to solve, with the rows of the others."""
    for block in blocks:
        yield from cut(block, {} if rows is None else rows.of_file(block), partial(most, block))
