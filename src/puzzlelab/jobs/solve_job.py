"""The work of a command that solves: boards in, verified answers and rows out, many at a time.

It reads no command line and prints nothing: the command line, the server and Python use it.

Shapes: B = boards.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Attempt, Solver
from puzzlelab.core.verify import Verdict
from puzzlelab.engine.batch_verify import verified
from puzzlelab.engine.parallel import ordered_flat_map
from puzzlelab.engine.solving import Portions, solve, solve_boards
from puzzlelab.jobs.board_parts import Part, StoredRows, between, cut, is_open, open_boards
from puzzlelab.jobs.row_batch import row_columns
from puzzlelab.storage.row import Row, unanswered
from puzzlelab.storage.row_columns import RowColumns
from puzzlelab.storage.row_files import RowFile
from puzzlelab.text.board_blocks import read_texts, row_texts

if TYPE_CHECKING:
    from puzzlelab.engine.executor import Executor

TIMED_ALONE = 100
"""The most boards of a call that each have a time of their own, unless the solver `shares_work`."""
LARGEST_COUNT = 2**62
"""The largest count that a stored row may have: counts are columns of int64."""
LONGEST_BOARD = 4096
"""Characters that a board may need; of what is longer, a row keeps the beginning."""
HOLDS = Verdict(True)


@dataclass(frozen=True, eq=False)
class SolvedBoards:
    """The answers to consecutive boards; `answers.boards.errors` says why others have none."""

    answers: Answers
    stored: StoredRows
    """The rows of boards that were not solved now."""


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

    def solve(self, texts: Sequence[str]) -> list[Row]:
        """Return the rows of a few boards, which are solved together in this process."""
        boards = read_texts(self.puzzle, texts, "")
        parts = self._placed(boards, {}, self._answers(boards[boards.is_readable], Portions(self.solver)))
        return [row for solved in parts for row in self._rows(solved).rows()]

    def solved(self, blocks: Iterable[Boards], file: RowFile | None) -> Iterator[SolvedBoards]:
        """Yield the answers to all boards, in order; the file gives those that it holds, and gets the others."""
        rest = iter(blocks)
        begin = list(islice(rest, 2))
        if not begin:
            return
        is_small = len(begin) == 1 and len(begin[0]) <= TIMED_ALONE and not self.solver.shares_work
        is_alone = self.watch is not None or is_small
        if self.executor is None:
            parts = self._solved_here(chain(begin, rest), file, is_alone)
        else:
            parts = self._solved_elsewhere(self.executor, chain(begin, rest), file, is_alone)
        for solved in parts:
            if file is not None:
                file.append_columns(self._new_rows(solved))
            yield solved

    def _solved_here(self, blocks: Iterable[Boards], file: RowFile | None, is_alone: bool) -> Iterator[SolvedBoards]:
        """Yield the answers, on threads of this process."""
        portions = Portions(self.solver, most=1 if is_alone else None)

        def solved(part: Part) -> Iterator[SolvedBoards]:
            return self._placed(*part, self._answers(open_boards(*part), portions))

        def most(block: Boards) -> int:
            return min(-(-len(block) // self.jobs), portions.size)

        yield from ordered_flat_map(solved, self._parts(blocks, file, most), self.jobs, on_interrupt=self.over.set)

    def _solved_elsewhere(
        self, executor: Executor, blocks: Iterable[Boards], file: RowFile | None, is_alone: bool
    ) -> Iterator[SolvedBoards]:
        """Yield the answers, by an executor."""
        from puzzlelab.engine.board_pieces import solver_setup
        from puzzlelab.jobs.solve_parts import PartSolver

        solver = PartSolver(executor, solver_setup(executor, self.solver, self.puzzle), self.limit, is_alone)
        for boards, stored, answers in solver.solved(self._parts(blocks, file, solver.most)):
            yield from self._placed(boards, stored, iter(() if answers is None else [answers]))

    def _parts(self, blocks: Iterable[Boards], file: RowFile | None, most: Callable[[Boards], int]) -> Iterator[Part]:
        """Cut the blocks into parts with `most(block)` boards to solve, with the rows of the others from the file."""
        for block in blocks:
            rows = {} if file is None else self._taken(block, file)
            yield from cut(block, rows, partial(most, block))

    def _taken(self, boards: Boards, file: RowFile) -> StoredRows:
        """Return the rows that the file has for these boards."""
        if file.is_empty:
            return {}
        taken = file.take_many(self._empty_row, self._row_texts(boards), self.limit)
        return {place: row for place, row in enumerate(taken) if row is not None}

    def _placed(self, boards: Boards, stored: StoredRows, answers: Iterator[Answers]) -> Iterator[SolvedBoards]:
        """Yield the boards with these answers to those that are to be solved, of some of them at a time."""
        places = np.flatnonzero(is_open(boards, stored))
        begin = solved = 0
        for some in answers:
            open_places = places[solved : solved + len(some)]
            solved += len(some)
            end = int(places[solved]) if solved < len(places) else len(boards)
            yield self._merged(boards[begin:end], some, open_places - begin, between(stored, begin, end))
            if some.is_stopped_by("interrupted").any():
                return
            begin = end
        if begin < len(boards):
            rest = boards[begin:]
            none = np.zeros(0, np.int64)
            yield self._merged(rest, Answers.blank(rest[:0]), none, between(stored, begin, len(boards)))

    def _merged(self, boards: Boards, new: Answers, places: NDArray[np.int64], rows: StoredRows) -> SolvedBoards:
        """Return the answers to all these boards: new ones at these places, and those in rows of a file."""
        if len(new) == len(boards):
            return SolvedBoards(replace(new, boards=boards), {})
        if not rows:
            return SolvedBoards(new.among(boards, places, seconds=np.nan), {})
        stored, errors, checked_rows = self._stored(boards, rows)
        results = dict(zip(places.tolist(), new, strict=True)) | stored
        without = Result(None, seconds=None)
        answers = Answers.of(boards.with_errors(errors), [results.get(i, without) for i in range(len(boards))])
        return SolvedBoards(replace(answers, batch=new.batch), checked_rows)

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

    # --- rows ---

    def question(self, text: str) -> Row:
        """Return a row without an answer, for the text of a board."""
        return self._empty_row.model_copy(update={"board": _shortened(text)})

    def json_lines(self, solved: SolvedBoards) -> list[str]:
        """Return the rows of these boards in JSON, a line each."""
        lines = self._rows(solved).json_lines()
        for place, row in solved.stored.items():
            lines[place] = row.to_json()
        return lines

    def _rows(self, solved: SolvedBoards) -> RowColumns:
        """Return the rows of all these boards, as if all were solved now."""
        return row_columns(self._empty_row, self._row_texts(solved.answers.boards), solved.answers)

    def _new_rows(self, solved: SolvedBoards) -> RowColumns:
        """Return the rows of the boards that were solved now, but for interrupted ones, or that cannot be read."""
        is_new = ~solved.answers.is_stopped_by("interrupted")
        is_new[list(solved.stored)] = False
        rows = self._rows(solved)
        if is_new.all():
            return rows
        kept = [row for row, is_kept in zip(rows.rows(), is_new.tolist(), strict=True) if is_kept]
        return RowColumns.of(kept, solved.answers.batch)

    @cached_property
    def _empty_row(self) -> Row:
        """Return the columns that the rows of all boards share."""
        return unanswered(self.puzzle, "", self.solver, self.limit)

    def _row_texts(self, boards: Boards) -> Sequence[str]:
        """Return the text of each board in its row."""
        texts = row_texts(boards)
        return list(map(_shortened, texts)) if boards.errors else texts

    # --- stored rows ---

    def _stored(self, boards: Boards, rows: StoredRows) -> tuple[dict[int, Result], dict[int, str], StoredRows]:
        """Return what rows of a file say, verified again: the results, why others have none, and the rows."""
        read = {place: self._result_in(row) for place, row in rows.items()}
        errors = {place: result for place, result in read.items() if isinstance(result, str)}
        results = {place: result for place, result in read.items() if isinstance(result, Result)}
        checked_rows = dict(rows)
        if not results:
            return results, errors, rows
        states = np.array([result.board.state for result in results.values()])
        numbers = boards.numbers[np.fromiter(results, np.int64, len(results))]
        answers, wrong = verified(Answers.of(Boards(self.puzzle, states, numbers), results.values()))
        for number, (place, result) in enumerate(zip(list(results), answers, strict=True)):
            verdict = rows[place].checked(result, wrong.get(number, HOLDS))
            if verdict.holds:
                results[place] = result
                columns = {"verified": result.verified_by is not None, "verified_by": result.verified_by}
                checked_rows[place] = rows[place].model_copy(update=columns)
            else:
                del results[place]
                errors[place] = f"this row does not hold: {verdict.reason}"
        return results, errors, checked_rows

    def _result_in(self, row: Row) -> Result | str:
        """Return the result in a row, with its board, or why there is none."""
        if row.error is not None:
            return row.error
        counts = (row.lower_bound, row.expanded, row.generated, row.evaluations)
        if max(map(abs, counts)) > LARGEST_COUNT:
            return f"this row does not hold: a count in it is above {LARGEST_COUNT}"
        try:
            return replace(row.result(self.puzzle), instance=self.puzzle.read(row.board))
        except BadBoard as error:
            return f"this row does not hold: {error}"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_BOARD else shorten(text)
