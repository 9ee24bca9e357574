"""The work of a command that solves: boards as texts in, rows out, a portion at a time.

It reads no command line and prints nothing, so that whoever answers about boards answers alike.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from puzzlelab.core.board_files import MultilineNotation, text_of
from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.row import Row, RowFile, row_of, unanswered
from puzzlelab.core.solver import BATCH, BatchSolver, Solver, ability, solve_all
from puzzlelab.engine.parallel import ordered_map

LONGEST_BOARD = 4096
"""Characters that a board may need; of what is longer, a row keeps the beginning."""


@dataclass(frozen=True)
class BoardInput:
    """A board as it was given, and where: in words, empty for an argument on its own."""

    text: str
    where: str


@dataclass
class SolveJob:
    """One call: what is asked, and of whom."""

    puzzle: Puzzle
    solver: Solver
    limit: Limit
    jobs: int = 1
    over: threading.Event = field(default_factory=threading.Event)

    def portion(self, boards: Sequence[BoardInput]) -> list[Row]:
        """The rows of a few boards, answered together; a board that cannot be read has the error in its row."""
        read = [self._read(given) for given in boards]
        instances = [instance for instance in read if not isinstance(instance, str)]
        results = iter(solve_all(self.solver, instances, self.limit, self.over.is_set))
        return [
            self.question(given).model_copy(update={"error": instance})
            if isinstance(instance, str)
            else self._row(given, instance, next(results))
            for given, instance in zip(boards, read, strict=True)
        ]

    def _read(self, given: BoardInput) -> Instance | str:
        """The board, or why it is none."""
        try:
            return self.puzzle.read(given.text)
        except BadBoard as error:
            return str(error)

    def _row(self, given: BoardInput, instance: Instance, result: Result) -> Row:
        return row_of(instance, self.solver, self.limit, result, board=text_of(instance, given.text))

    def question(self, given: BoardInput) -> Row:
        """A row without an answer."""
        text = given.text if len(given.text) <= LONGEST_BOARD else shorten(given.text)
        return unanswered(self.puzzle, text, self.solver, self.limit)

    def held(self, given: BoardInput, file: RowFile) -> Row | None:
        """The row of this board that a file holds already."""
        question = self.question(given)
        if self.puzzle.view(MultilineNotation) is not None:
            with suppress(BadBoard):
                question = question.model_copy(update={"board": text_of(self.puzzle.read(given.text), given.text)})
        return file.take(question, self.limit)

    def answers(self, boards: list[BoardInput], file: RowFile | None) -> Iterator[tuple[BoardInput, Row]]:
        """Every board with its row, in order; those that the file holds already are taken from there."""
        held = [self.held(given, file) if file else None for given in boards]
        fresh = self._fresh([given for given, row in zip(boards, held, strict=True) if row is None])
        for given, row in zip(boards, held, strict=True):
            if row is None:
                row = next(fresh)
                if row.stop != "interrupted" and file is not None:
                    file.append([row])
            yield given, row

    def _fresh(self, asked: Sequence[BoardInput]) -> Iterator[Row]:
        """The rows of boards that nobody has answered: many at a time from a solver that is sooner done with many."""
        share = -(-len(asked) // self.jobs)
        size = max(1, min(BATCH, share)) if ability(self.solver, BatchSolver) else 1
        portions = (asked[first : first + size] for first in range(0, len(asked), size))
        for rows in ordered_map(self.portion, portions, self.jobs, on_interrupt=self.over.set):
            yield from rows
