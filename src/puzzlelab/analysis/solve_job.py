"""The work of a command that solves: boards as texts in, answers out, a batch at a time.

It reads no command line and prints nothing: the command line and the server both use it.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, islice

from puzzlelab.core.board_batch import BoardBatch
from puzzlelab.core.board_files import MultilineNotation, text_of
from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.result_batch import ResultBatch
from puzzlelab.core.row import Row, answered, unanswered
from puzzlelab.core.row_files import RowFile
from puzzlelab.core.solver import Attempt, OneByOne, ProvesUnsolvable, Solver, ability, answer
from puzzlelab.core.verify import Answer
from puzzlelab.engine.batch_answers import BATCH, Portions, answers_of, checked
from puzzlelab.engine.parallel import ordered_map

LARGEST_COUNT = 2**62
"""The largest count that a stored row may have: counts are columns of int64."""
LONGEST_BOARD = 4096
"""Characters that a board may need; of what is longer, a row keeps the beginning."""


@dataclass(frozen=True)
class BoardInput:
    """The text of a board, and its place: in words, empty for a single argument."""

    text: str
    where: str


@dataclass(frozen=True, eq=False)
class BoardOutcome:
    """The answer to one board, or why its text is no board."""

    board: BoardInput
    answer: Answer | None = None
    error: str = ""
    row: Row | None = None
    """Its row, where that is in the file of rows."""


@dataclass
class SolveJob:
    """One call: boards of a puzzle for a solver, under a limit for each."""

    puzzle: Puzzle
    solver: Solver
    limit: Limit
    jobs: int = 1
    over: threading.Event = field(default_factory=threading.Event)
    watch: Callable[[BoardInput, Attempt], None] | None = None
    """Called with every attempt at a board, in the threads of the jobs; each board is then solved by itself."""

    def solve(self, boards: Sequence[BoardInput], first: int = 0, batch: str | None = None) -> list[BoardOutcome]:
        """The outcomes of a few boards, which are solved together; `first` boards of the same call come before them.

        `batch` names the boards that share the time of a solver that solves `OneByOne`, by default these.
        """
        instances = [self._read(board) for board in boards]
        readable = [(board, each) for board, each in zip(boards, instances, strict=True) if isinstance(each, Instance)]
        answers = iter(self._answers(readable, first, self._batch_name(boards) if batch is None else batch))
        return [
            BoardOutcome(board, next(answers))
            if isinstance(instance, Instance)
            else BoardOutcome(board, error=instance)
            for board, instance in zip(boards, instances, strict=True)
        ]

    @property
    def _is_alone(self) -> bool:
        """Whether the solver gets one board at a time."""
        return self.watch is not None or (ability(self.solver, OneByOne) is not None and not self._takes_parts)

    @property
    def _takes_parts(self) -> bool:
        """Whether the solver gets several boards at once, of which none takes long.

        A search such as `ida` may take hours for one board, and what was solved before it must be kept at once.
        """
        return ability(self.solver, OneByOne) is not None and ability(self.solver, ProvesUnsolvable) is not None

    def _batch_name(self, boards: Sequence[BoardInput]) -> str:
        """The name of the boards of a call in the rows of a solver that solves `OneByOne`, however they are cut."""
        if len(boards) < 2 or not self._takes_parts:
            return ""
        return hashlib.sha256(boards[0].text.encode()).hexdigest()[:12]

    def _answers(self, boards: Sequence[tuple[BoardInput, Instance]], first: int, name: str) -> Sequence[Answer]:
        """The answer to each of these boards."""
        watch = self.watch
        if watch is None:
            if not boards:
                return []
            batch = BoardBatch.of([instance for _, instance in boards])
            if self._is_alone:
                alone = (BoardBatch.of([instance]) for instance in batch)
                return [answers_of(self.solver, each, self.limit, self.over.is_set)[0] for each in alone]
            return answers_of(self.solver, batch, self.limit, self.over.is_set, first, name)

        def one(board: BoardInput, instance: Instance) -> Answer:
            def see(attempt: Attempt) -> bool:
                watch(board, attempt)
                return self.over.is_set()

            return answer(self.solver, instance, self.limit, see)

        return [one(board, instance) for board, instance in boards]

    def _read(self, board: BoardInput) -> Instance | str:
        """The board, or why the text is none."""
        try:
            return self.puzzle.read(board.text)
        except BadBoard as error:
            return str(error)

    def row(self, outcome: BoardOutcome) -> Row:
        """The row of an outcome, for a file or for JSON."""
        if outcome.row is not None:
            return outcome.row
        if outcome.answer is None:
            return self.question(outcome.board).model_copy(update={"error": outcome.error})
        text = text_of(outcome.answer.instance, outcome.board.text)
        return answered(self._empty_row.model_copy(update={"board": text}), outcome.answer)

    def question(self, board: BoardInput) -> Row:
        """A row without an answer."""
        text = board.text if len(board.text) <= LONGEST_BOARD else shorten(board.text)
        return self._empty_row.model_copy(update={"board": text})

    @cached_property
    def _empty_row(self) -> Row:
        """The columns that the rows of all boards share."""
        return unanswered(self.puzzle, "", self.solver, self.limit)

    def outcomes(self, boards: list[BoardInput], file: RowFile | None) -> Iterator[BoardOutcome]:
        """The outcome of every board, in order; answers that the file holds are taken from there, others are added."""
        name = self._batch_name(boards)
        if file is None:
            for outcomes in self._solved(boards, name):
                yield from outcomes
            return
        rows = [self._row_in(file, board) for board in boards]
        solved = self._solved([board for board, row in zip(boards, rows, strict=True) if row is None], name)
        kept = (outcome for outcomes in solved for outcome in self._kept(file, outcomes))
        number = 0
        for is_stored, group in groupby(zip(boards, rows, strict=True), key=lambda pair: pair[1] is not None):
            while pairs := list(islice(group, BATCH)):
                yield from self._outcomes_of(pairs, number) if is_stored else islice(kept, len(pairs))
                number += len(pairs)

    def _kept(self, file: RowFile, outcomes: list[BoardOutcome]) -> list[BoardOutcome]:
        """The outcomes, whose rows are in the file now, except for interrupted ones."""
        kept = [
            each
            if each.answer is not None and each.answer.result.stop == "interrupted"
            else replace(each, row=self.row(each))
            for each in outcomes
        ]
        file.append([each.row for each in kept if each.row is not None])
        return kept

    def _row_in(self, file: RowFile, board: BoardInput) -> Row | None:
        """The row of this board that the file holds."""
        question = self.question(board)
        if self.puzzle.view(MultilineNotation) is not None:
            with suppress(BadBoard):
                question = question.model_copy(update={"board": text_of(self.puzzle.read(board.text), board.text)})
        return file.take(question, self.limit)

    def _outcomes_of(self, pairs: Sequence[tuple[BoardInput, Row | None]], first: int) -> Iterator[BoardOutcome]:
        """What rows of a file say, verified again; `first` boards of the same call come before them."""
        read = [(board, row, self._result_in(row)) for board, row in pairs if row is not None]
        results = [result for _, _, result in read if isinstance(result, Result)]
        batch = BoardBatch.of([result.board for result in results]) if results else None
        answers = iter(() if batch is None else checked(ResultBatch.of(batch, results), first))
        for board, row, result in read:
            if not isinstance(result, Result):
                yield BoardOutcome(board, error=result, row=row)
                continue
            answer = row.with_columns_checked(next(answers))
            if answer.verdict.holds:
                columns = {"verified": answer.confirmed, "verified_by": answer.verified_by}
                yield BoardOutcome(board, answer, row=row.model_copy(update=columns))
            else:
                yield BoardOutcome(board, error=f"this row does not hold: {answer.verdict.reason}", row=row)

    def _result_in(self, row: Row) -> Result | str:
        """The result in a row, with its board, or why there is none."""
        if row.error is not None:
            return row.error
        counts = (row.lower_bound, row.expanded, row.generated, row.evaluations)
        if max(map(abs, counts)) > LARGEST_COUNT:
            return f"this row does not hold: a count in it is above {LARGEST_COUNT}"
        try:
            return replace(row.result(self.puzzle), instance=self.puzzle.read(row.board))
        except BadBoard as error:
            return f"this row does not hold: {error}"

    def _solved(self, boards: Sequence[BoardInput], name: str) -> Iterator[list[BoardOutcome]]:
        """The outcomes of boards in parts: many at a time from a `BatchSolver`."""
        portions = Portions(self.solver, most=1 if self._is_alone else -(-len(boards) // self.jobs))

        def solved(batch: Sequence[tuple[int, BoardInput]]) -> list[BoardOutcome]:
            began = time.perf_counter()
            outcomes = self.solve([board for _, board in batch], batch[0][0], name)
            portions.took(len(batch), time.perf_counter() - began)
            return outcomes

        return ordered_map(solved, portions.cut(enumerate(boards)), self.jobs, on_interrupt=self.over.set)
