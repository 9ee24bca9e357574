"""Solves the boards of a command by an executor, part by part, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.engine.board_pieces import (
    BoardsToSolve,
    SolverSetup,
    preparation,
    size_of,
    solve_boards,
    together_of,
)
from puzzlelab.engine.executor import Done, Executor, Piece, Preparation, ordered
from puzzlelab.engine.solving import AnswerBatch
from puzzlelab.jobs.board_parts import BoardPart


@dataclass
class PartSolver:
    """The solving of parts by an executor."""

    executor: Executor
    setup: SolverSetup
    limit: Limit
    name: str
    """The name of the batch in results that share its time; empty if each board has a time of its own."""

    def __post_init__(self) -> None:
        self._together = together_of(self.setup.solver, has_own_time=not self.name)
        self.size = size_of(self.executor, self._together)
        self._preparation: Preparation | None = None

    def most(self, block: Boards) -> int:
        """Return the most boards that a part of this block should have."""
        return self.size.of(len(block))

    def solved(self, parts: Iterable[BoardPart]) -> Iterator[tuple[BoardPart, Sequence[AnswerBatch]]]:
        """Yield each part with the answers to its open boards, in order.

        See `BoardPart.put_aside` for those without.
        """
        for done in ordered(self.executor, map(self._piece, parts), split=self._split):
            part: BoardPart = done.piece.context
            if done.problem:
                yield part.put_aside(done.problem), ()
            elif done.value is None:
                yield part, ()
            else:
                self.size.took(len(part.open_boards), done.value.seconds)
                yield part, done.value.with_boards(part.open_boards)

    def _piece(self, part: BoardPart) -> Piece | Done:
        piece = self._piece_of(part)
        return piece if len(part.open_boards) else Done(piece)

    def _piece_of(self, part: BoardPart) -> Piece:
        boards = part.open_boards
        argument = BoardsToSolve(self.setup, boards, self.limit, self._together, self.name)
        if self._preparation is None and len(boards):
            self._preparation = preparation(self.setup, boards)
        where = part.block.where(0)
        return Piece(where or "the board", solve_boards, argument, self._preparation, context=part)

    def _split(self, piece: Piece) -> Sequence[Piece]:
        """Return the boards of a piece one by one."""
        part: BoardPart = piece.context
        if len(part.open_boards) < 2:
            return ()
        return [self._piece_of(single) for single in part.cut(lambda: 1)]
