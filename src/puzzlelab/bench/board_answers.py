"""The answers to boards of a suite, in this process or as pieces of work for an executor.

A board with an error takes nothing from the others: each board of its batch is then searched alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from puzzlelab.bench.suites import Suite
from puzzlelab.core.answers import Answers, joined
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.engine.board_pieces import (
    BoardsToSolve,
    SolverSetup,
    preparation,
    using_networks,
)
from puzzlelab.engine.executor import Executor, Piece, unordered
from puzzlelab.engine.piece_size import PieceSize
from puzzlelab.engine.solving import never, solve_boards


def answers_or_reasons(work: BoardsToSolve, over: Callable[[], bool] = never) -> Iterator[Answers | str]:
    """Yield the verified answers to boards, in order; in the place of those to a board with an error, its reason."""
    for part in work.batches():
        try:
            yield joined(part.boards, solve_boards(part.setup.solver, part.boards, part.limit, over))
        except BadInput:
            raise
        except PuzzlelabError as error:
            if len(part.boards) == 1:
                yield str(error)
            else:
                yield from answers_or_reasons(replace(part, together=1), over)


@dataclass(frozen=True, eq=False)
class AnsweredBoards:
    """The value of a piece: what `answers_or_reasons` yields, without the boards."""

    parts: list[Answers | str]
    seconds: float


def answer_boards(work: BoardsToSolve) -> AnsweredBoards:
    """Return the value of a piece."""
    began = time.perf_counter()
    with using_networks(work.setup):
        parts = [
            part if isinstance(part, str) else replace(part, boards=work.boards[:0])
            for part in answers_or_reasons(work)
        ]
    return AnsweredBoards(parts, time.perf_counter() - began)


@dataclass(frozen=True)
class SuiteWork:
    """Boards of a suite for one solver under one limit."""

    suite: Suite
    setup: SolverSetup
    limit: Limit

    def of(self, indices: Sequence[int], together: int) -> BoardsToSolve:
        """Return the boards at these places of the suite, of which the solver gets `together` at once."""
        boards = self.suite.boards([self.suite.entries[index] for index in indices])
        numbered = Boards(boards.puzzle, boards.states, np.asarray(indices, np.int64))
        return BoardsToSolve(self.setup, numbered, self.limit, together)


class SuitePieces:
    """The pieces of a suite for an executor; a node begins with a search of `first`, a board if there is one."""

    def __init__(self, executor: Executor, work: SuiteWork, first: Boards | None) -> None:
        self._executor, self._work, self._size = executor, work, PieceSize(executor)
        self._preparation = None if first is None else preparation(work.setup, first)

    def first_search(self, label: str) -> Iterator[Piece]:
        """Yield a piece that begins a search, if there is a board: it raises `BadInput` for a solver that cannot
        run.
        """
        if (first := self._preparation) is not None:
            yield Piece(f"the first search of {label}", first.function, first.argument, first)

    def answers(self, batches: Iterable[Sequence[int]], alone: bool) -> Iterator[tuple[list[int], Answers | str]]:
        """Yield places in the suite with their answers, or with the reason why there is none, as soon as they exist.

        The boards of a batch are solved together, or with `alone` each by itself.
        """
        for done in unordered(self._executor, self._pieces(batches, alone), split=self._split):
            work: BoardsToSolve = done.piece.context
            if done.problem:
                yield work.boards.numbers.tolist(), f"put aside: {done.problem}"
                continue
            self._size.took(len(work.boards), done.value.seconds)
            begin = 0
            for part in done.value.parts:
                end = begin + (1 if isinstance(part, str) else len(part))
                answers = part if isinstance(part, str) else replace(part, boards=work.boards[begin:end])
                yield work.boards.numbers[begin:end].tolist(), answers
                begin = end

    def _pieces(self, batches: Iterable[Sequence[int]], alone: bool) -> Iterator[Piece]:
        groups = [list(chain.from_iterable(batches))] if alone else batches
        for group in groups:
            work = self._work.of(group, 1 if alone else max(1, len(group)))
            begin = 0
            while begin < len(group):
                # the boards of a batch are divided only if each has a time of its own
                end = begin + (self._size.of(len(group)) if alone else len(group))
                yield self._piece(work.part(begin, end))
                begin = end

    def _piece(self, work: BoardsToSolve) -> Piece:
        board, others = self._work.suite.entries[int(work.boards.numbers[0])].board, len(work.boards) - 1
        name = f"the board {board}" + (f" and {others} others" if others else "")
        return Piece(name, answer_boards, work, self._preparation, context=work)

    def _split(self, piece: Piece) -> Sequence[Piece]:
        """Return the boards of a piece one by one."""
        work: BoardsToSolve = piece.context
        if len(work.boards) == 1:
            return ()
        return [self._piece(work.part(place, place + 1)) for place in range(len(work.boards))]
