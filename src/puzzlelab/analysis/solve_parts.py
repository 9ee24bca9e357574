"""Parts of the boards of a command: what of each is to be solved, and solved by an executor, in order.

Shapes: P = boards of a part, A = those that are to be solved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.board_batch import BoardBatch
from puzzlelab.core.board_blocks import BoardBlock
from puzzlelab.core.limit import Limit
from puzzlelab.core.row import Row
from puzzlelab.engine.batch_answers import AnswerBatch
from puzzlelab.engine.board_pieces import (
    BoardsToSolve,
    SolverSetup,
    preparation,
    size_of,
    solve_boards,
    together_of,
)
from puzzlelab.engine.executor import Done, Executor, Piece, Preparation, ordered


@dataclass(frozen=True, eq=False)
class BoardPart:
    """Consecutive boards that are solved together, except for those of which a file has the row."""

    block: BoardBlock
    rows: Mapping[int, Row]
    """Place -> stored row."""

    @cached_property
    def open_places(self) -> NDArray[np.int64]:
        """[A]: the places of the boards that can be read and have no row."""
        return self.block.places[self._is_open]

    @cached_property
    def open_boards(self) -> BoardBatch:
        """[A]: these boards."""
        return BoardBatch(self.block.boards.puzzle, self.block.boards.states[self._is_open])

    @cached_property
    def _is_open(self) -> NDArray[np.bool_]:
        """`bool[R]`: which of the boards that can be read are to be solved."""
        is_open = np.ones(len(self.block), bool)
        is_open[list(self.rows)] = False
        return is_open[self.block.places]

    def cut(self, size: Callable[[], int]) -> Iterator[BoardPart]:
        """Smaller parts, each with `size()` boards without a row."""
        stored = np.sort(np.fromiter(self.rows, np.int64, len(self.rows)))
        without_row = np.delete(np.arange(len(self.block)), stored)
        begin = 0
        while begin < len(self.block):
            later = int(np.searchsorted(without_row, begin)) + size()
            end = int(without_row[later]) if later < len(without_row) else len(self.block)
            here = stored[slice(*np.searchsorted(stored, (begin, end)))].tolist()
            yield BoardPart(self.block[begin:end], {place - begin: self.rows[place] for place in here})
            begin = end

    def put_aside(self, problem: str) -> BoardPart:
        """The same part, in which the boards that were to be solved have this problem."""
        errors = {int(place): f"put aside: {problem}" for place in self.open_places}
        return BoardPart(self.block.with_errors(errors), self.rows)


@dataclass
class PartSolver:
    """Solves parts by an executor."""

    executor: Executor
    setup: SolverSetup
    limit: Limit
    name: str
    """That of the batch in results that share its time; empty if each board has a time of its own."""

    def __post_init__(self) -> None:
        self._together = together_of(self.setup.solver, has_own_time=not self.name)
        self.size = size_of(self.executor, self._together)
        self._preparation: Preparation | None = None

    def most(self, block: BoardBlock) -> int:
        """The most boards that a part of this block should have."""
        return self.size.of(len(block))

    def solved(self, parts: Iterable[BoardPart]) -> Iterator[tuple[BoardPart, Sequence[AnswerBatch]]]:
        """Each part with the answers to its open boards, in order; see `BoardPart.put_aside` for those without."""
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
        boards, numbers = part.open_boards, part.block.first + part.open_places
        argument = BoardsToSolve(self.setup, boards, self.limit, numbers, self._together, self.name)
        if self._preparation is None and len(boards):
            self._preparation = preparation(self.setup, boards)
        where = part.block[0].where
        return Piece(where or "the board", solve_boards, argument, self._preparation, context=part)

    def _split(self, piece: Piece) -> Sequence[Piece]:
        """The boards of a piece one by one."""
        part: BoardPart = piece.context
        if len(part.open_boards) < 2:
            return ()
        return [self._piece_of(single) for single in part.cut(lambda: 1)]
