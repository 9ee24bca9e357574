"""Solves the boards of a command by an executor, part by part, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.engine.board_pieces import (
    BoardsToSolve,
    SolverSetup,
    preparation,
    size_of,
    solve_piece,
    together_of,
)
from puzzlelab.engine.executor import Done, Executor, Piece, Preparation, ordered
from puzzlelab.jobs.board_parts import Part, StoredRows, cut, is_open, open_boards


@dataclass
class PartSolver:
    """The solving of parts by an executor."""

    executor: Executor
    setup: SolverSetup
    limit: Limit
    is_alone: bool = False
    """Whether each board has a time of its own."""

    def __post_init__(self) -> None:
        self._together = together_of(self.setup.solver, has_own_time=self.is_alone)
        self.size = size_of(self.executor, self._together)
        self._preparation: Preparation | None = None

    def most(self, block: Boards) -> int:
        """Return the most boards that a part of this block should have."""
        return self.size.of(len(block))

    def solved(self, parts: Iterable[Part]) -> Iterator[tuple[Boards, StoredRows, Answers | None]]:
        """Yield each part with the answers to its open boards, in order; boards without one have an error instead."""
        for done in ordered(self.executor, map(self._piece, parts), split=self._split):
            boards, rows = done.piece.context
            solved: Boards = done.piece.argument.boards
            if done.problem:
                places = np.flatnonzero(is_open(boards, rows)).tolist()
                yield boards.with_errors(dict.fromkeys(places, f"put aside: {done.problem}")), rows, None
            elif done.value is None:
                yield boards, rows, None
            else:
                self.size.took(len(solved), done.value.seconds)
                yield boards, rows, replace(done.value.answers, boards=solved)

    def _piece(self, part: Part) -> Piece | Done:
        piece = self._piece_of(part)
        return piece if len(piece.argument.boards) else Done(piece)

    def _piece_of(self, part: Part) -> Piece:
        boards, rows = part
        to_solve = open_boards(boards, rows)
        argument = BoardsToSolve(self.setup, to_solve, self.limit, self._together)
        if self._preparation is None and len(to_solve):
            self._preparation = preparation(self.setup, to_solve)
        where = boards.where(0)
        return Piece(where or "the board", solve_piece, argument, self._preparation, context=part)

    def _split(self, piece: Piece) -> Sequence[Piece]:
        """Return the boards of a piece one by one."""
        boards, rows = piece.context
        if len(piece.argument.boards) < 2:
            return ()
        return [self._piece_of(single) for single in cut(boards, rows, lambda: 1)]
