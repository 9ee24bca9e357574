"""The work of a command that solves: boards in, verified answers out, many at a time; `job_rows` has their rows.

It reads no command line and prints nothing: the command line, the server and Python use it.

Shapes: B = boards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Solver
from puzzlelab.engine.executor import Executor
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.engine.solving import solve_boards
from puzzlelab.jobs.solve_parts import SolvedPart, StoredRows, Watch, answered, solving

if TYPE_CHECKING:
    from puzzlelab.jobs.job_rows import JobRows

TIMED_ALONE = 100
"""The most boards of a call that each have a time of their own, unless the solver `shares_work`."""


@dataclass
class SolveJob:
    """One call: boards of a puzzle for a solver, under a limit for each."""

    puzzle: Puzzle
    solver: Solver
    limit: Limit
    executor: Executor = field(default_factory=ThisProcess)
    """The executor that solves the boards."""
    watch: Watch | None = None
    """Sees every attempt, in this process."""

    def solve(self, boards: Boards) -> Iterator[SolvedPart]:
        """Yield the answers to a few boards, which are solved together in this process."""
        readable = boards[boards.is_readable]
        answers = solve_boards(self.solver, readable, self.limit) if len(readable) else iter(())
        return self._placed(boards, {}, answers, None)

    def solved(self, blocks: Iterable[Boards], rows: JobRows | None = None) -> Iterator[SolvedPart]:
        """Yield the answers to all boards, in order; `rows` give those that a file holds, and get the others."""
        rest = iter(blocks)
        begin = list(islice(rest, 2))
        if not begin:
            return
        is_small = len(begin) == 1 and len(begin[0]) <= TIMED_ALONE and not self.solver.shares_work
        pieces = solving(self.executor, self.solver, self.limit, self.watch is not None or is_small, self.watch)
        parts = pieces.cut(self._open(block, rows) for block in chain(begin, rest))
        for (boards, stored), group in groupby(answered(pieces, parts), itemgetter(0)):
            for solved in self._placed(boards, stored, (answers for _, answers in group), rows):
                if rows is not None:
                    rows.append(solved)
                yield solved

    def _open(self, boards: Boards, rows: JobRows | None) -> tuple[Boards, tuple[Boards, StoredRows]]:
        """Return those of these boards that are to be solved; and all, with the rows that a file has for some."""
        stored = {} if rows is None else rows.of_file(boards)
        return boards[_is_open(boards, stored)] if boards.errors or stored else boards, (boards, stored)

    def _placed(
        self, boards: Boards, stored: StoredRows, answers: Iterator[Answers], rows: JobRows | None
    ) -> Iterator[SolvedPart]:
        """Yield boards with the answers to those of them that are to be solved, some at a time."""
        places = np.flatnonzero(_is_open(boards, stored))

        def merged(begin: int, end: int, new: Answers, new_places: NDArray[np.int64]) -> SolvedPart:
            lost = {int(new_places[number]) - begin: reason for number, reason in new.boards.errors.items()}
            some = boards[begin:end].with_errors(lost)
            some_rows = {place - begin: row for place, row in stored.items() if begin <= place < end}
            if rows is not None and some_rows:
                return rows.merged(some, new, new_places - begin, some_rows)
            if len(new) == len(some):
                return replace(new, boards=some), {}
            return new.among(some, new_places - begin, seconds=np.nan), {}

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


def _is_open(boards: Boards, stored: StoredRows) -> NDArray[np.bool_]:
    """Return `bool[B]`: which of these boards are to be solved."""
    without_row = boards.is_readable.copy()
    without_row[list(stored)] = False
    return without_row
