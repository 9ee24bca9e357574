"""The work of a command that solves: boards as texts in, answers out, a batch at a time.

It reads no command line and prints nothing: the command line and the server both use it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from puzzlelab.core.board_batch import BoardBatch
from puzzlelab.core.board_files import MultilineNotation, text_of
from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle
from puzzlelab.core.row import Row, RowFile, row_of, unanswered
from puzzlelab.core.solver import Attempt, Solver, answer
from puzzlelab.core.verify import Answer
from puzzlelab.engine.batch_answers import Portions, answers_of
from puzzlelab.engine.parallel import ordered_map

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
    """The row of a file from which the answer was taken."""


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

    def solve(self, boards: Sequence[BoardInput]) -> list[BoardOutcome]:
        """The outcomes of a few boards, which are solved together."""
        instances = [self._read(board) for board in boards]
        readable = [(board, each) for board, each in zip(boards, instances, strict=True) if isinstance(each, Instance)]
        answers = iter(self._answers(readable))
        return [
            BoardOutcome(board, next(answers))
            if isinstance(instance, Instance)
            else BoardOutcome(board, error=instance)
            for board, instance in zip(boards, instances, strict=True)
        ]

    def _answers(self, boards: Sequence[tuple[BoardInput, Instance]]) -> list[Answer]:
        """The answer to each of these boards."""
        watch = self.watch
        if watch is None:
            if not boards:
                return []
            batch = BoardBatch.of([instance for _, instance in boards])
            return list(answers_of(self.solver, batch, self.limit, self.over.is_set))

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
        return row_of(outcome.answer, self.solver, self.limit, text)

    def question(self, board: BoardInput) -> Row:
        """A row without an answer."""
        text = board.text if len(board.text) <= LONGEST_BOARD else shorten(board.text)
        return unanswered(self.puzzle, text, self.solver, self.limit)

    def outcomes(self, boards: list[BoardInput], file: RowFile | None) -> Iterator[BoardOutcome]:
        """The outcome of every board, in order; answers that the file holds are taken from there, others are added."""
        if file is None:
            yield from self._solved(boards)
            return
        rows = [self._row_in(file, board) for board in boards]
        solved = self._solved([board for board, row in zip(boards, rows, strict=True) if row is None])
        for board, row in zip(boards, rows, strict=True):
            if row is not None:
                yield self._outcome_of(board, row)
                continue
            outcome = next(solved)
            if outcome.answer is None or outcome.answer.result.stop != "interrupted":
                file.append([self.row(outcome)])
            yield outcome

    def _row_in(self, file: RowFile, board: BoardInput) -> Row | None:
        """The row of this board that the file holds."""
        question = self.question(board)
        if self.puzzle.view(MultilineNotation) is not None:
            with suppress(BadBoard):
                question = question.model_copy(update={"board": text_of(self.puzzle.read(board.text), board.text)})
        return file.take(question, self.limit)

    def _outcome_of(self, board: BoardInput, row: Row) -> BoardOutcome:
        """What a row of a file says, verified again."""
        if row.error is not None:
            return BoardOutcome(board, error=row.error, row=row)
        try:
            answer = row.answer(self.puzzle)
        except BadBoard as error:
            return BoardOutcome(board, error=f"this row does not hold: {error}", row=row)
        if not answer.verdict.holds:
            return BoardOutcome(board, error=f"this row does not hold: {answer.verdict.reason}", row=row)
        return BoardOutcome(board, answer, row=row.model_copy(update={"verified": answer.confirmed}))

    def _solved(self, boards: Sequence[BoardInput]) -> Iterator[BoardOutcome]:
        """The outcomes of boards: many at a time from a `BatchSolver`."""
        portions = Portions(self.solver, most=-(-len(boards) // self.jobs) if self.watch is None else 1)

        def solved(batch: Sequence[BoardInput]) -> list[BoardOutcome]:
            began = time.perf_counter()
            outcomes = self.solve(batch)
            portions.took(len(batch), time.perf_counter() - began)
            return outcomes

        for outcomes in ordered_map(solved, portions.cut(boards), self.jobs, on_interrupt=self.over.set):
            yield from outcomes
