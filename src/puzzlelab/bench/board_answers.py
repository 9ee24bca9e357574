"""The answers to boards of a suite, as pieces of work for an executor.

A board with an error takes nothing from the others: each board of its batch is then searched alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

import numpy as np

from puzzlelab.bench.suites import Suite
from puzzlelab.core.answers import Answers, joined
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.solver import Solver
from puzzlelab.engine.executor import Executor, Piece, PieceLost, Setup, unordered
from puzzlelab.engine.parallel import cancellation
from puzzlelab.engine.piece_size import PieceSize
from puzzlelab.engine.solving import solve_boards
from puzzlelab.jobs.solve_parts import solver_setup


def answers_or_reasons(solver: Solver, boards: Boards, limit: Limit, together: int) -> Iterator[Answers | str]:
    """Yield the verified answers to boards, in order and without the boards, of which the solver gets some at once.

    In the place of the answers to a board with an error stands its reason. After those in which Ctrl-C ended a search
    there are no others.
    """
    over = cancellation()
    for begin in range(0, len(boards), together):
        batch = boards[begin : begin + together]
        try:
            answers = joined(batch, solve_boards(solver, batch, limit, over))
        except BadInput:
            raise
        except PuzzlelabError as error:
            if len(batch) == 1:
                yield str(error)
            else:
                yield from answers_or_reasons(solver, batch, limit, 1)
            continue
        yield replace(answers, boards=boards[:0])
        if answers.is_stopped_by("interrupted").any():
            return


@dataclass
class SuitePieces:
    """The boards of a suite for one solver under one limit; a worker begins with a search of `first`, if there is one.

    Raises `BadInput` for a network that cannot be read.
    """

    executor: Executor
    suite: Suite
    solver: Solver
    limit: Limit
    first: Boards | None
    setup: Setup | None = field(init=False)

    def __post_init__(self) -> None:
        self._size = PieceSize(self.executor)
        self.setup = None if self.first is None else solver_setup(self.executor, self.solver, self.first)

    def first_search(self, label: str) -> Iterator[Piece]:
        """Yield a piece that prepares a worker, if there is a board.

        It raises `BadInput` for a solver that cannot run.
        """
        if self.setup is not None:
            yield Piece(f"the first search of {label}", dict, self.setup)

    def answers(
        self, batches: Iterable[Sequence[int]], alone: bool, watch: Callable[[], None]
    ) -> Iterator[tuple[list[int], Answers | str]]:
        """Yield places in the suite with their answers, or with the reason why there is none, as soon as they exist.

        The boards of a batch are solved together, or with `alone` each by itself. `watch` is called again and again,
        and may raise.
        """
        begins: dict[Piece, int] = {}
        for piece, value in unordered(self.executor, self._pieces(batches, alone), self._split, watch):
            boards: Boards = piece.context
            if isinstance(value, PieceLost):
                yield boards.numbers.tolist(), f"left out: {value}"
                continue
            begin = begins.get(piece, 0)
            end = begins[piece] = begin + (1 if isinstance(value, str) else len(value))
            answers = value if isinstance(value, str) else replace(value, boards=boards[begin:end])
            yield boards.numbers[begin:end].tolist(), answers

    def _pieces(self, batches: Iterable[Sequence[int]], alone: bool) -> Iterator[Piece]:
        groups = [list(chain.from_iterable(batches))] if alone else batches
        for group in groups:
            begin = 0
            while begin < len(group):
                # the boards of a batch are divided only if each has a time of its own
                end = begin + (self._size.of(len(group)) if alone else len(group))
                yield self._piece(self._boards(group[begin:end]), 1 if alone else len(group))
                begin = end

    def _boards(self, indices: Sequence[int]) -> Boards:
        """Return the boards at these places of the suite, whose numbers are the places."""
        boards = self.suite.boards([self.suite.entries[index] for index in indices])
        return Boards(boards.puzzle, boards.states, np.asarray(indices, np.int64))

    def _piece(self, boards: Boards, together: int) -> Piece:
        board, others = self.suite.entries[int(boards.numbers[0])].board, len(boards) - 1
        name = f"the board {board}" + (f" and {others} others" if others else "")
        work = partial(answers_or_reasons, self.solver, boards, self.limit, together)
        return Piece(name, work, self.setup, boards, partial(self._size.took, len(boards)))

    def _split(self, piece: Piece) -> Sequence[Piece]:
        """Return the boards of a piece one by one."""
        boards: Boards = piece.context
        if len(boards) == 1:
            return ()
        return [self._piece(boards[place : place + 1], 1) for place in range(len(boards))]
