"""Solves the boards of a command part by part, in order, wherever the executor does the work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from typing import TypeAlias

import numpy as np

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Attempt, Solver
from puzzlelab.engine.board_pieces import solve_piece, solver_setup, with_boards
from puzzlelab.engine.executor import Executor, Piece, PieceLost, Setup, ordered
from puzzlelab.engine.parallel import cancellation
from puzzlelab.engine.piece_size import PieceSize
from puzzlelab.engine.solving import BATCH, LARGEST_BATCH, solve
from puzzlelab.jobs.board_parts import Part, cut, is_open, open_boards

Watch: TypeAlias = "Callable[[str, Attempt], None]"
"""A function that is called with the place of a board and every attempt at it, in the thread that solves it."""


@dataclass
class PartSolver:
    """The solving of parts by an executor."""

    executor: Executor
    solver: Solver
    limit: Limit
    is_alone: bool = False
    """Whether each board has a time of its own."""
    watch: Watch | None = None
    """Boards that are watched are solved one by one."""
    _setups: dict[Puzzle, Setup] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shared = BATCH if self.solver.shares_work and not self.is_alone else None
        self._together = 1 if self.is_alone else shared or LARGEST_BATCH
        self.size = PieceSize(self.executor, shared)

    def solved(self, parts: Iterable[Part]) -> Iterator[tuple[Part, Iterator[Answers]]]:
        """Yield each part with the answers to its open boards, in order; a board that was lost has an error instead."""
        for piece, values in groupby(ordered(self.executor, map(self._piece, parts), self._split), itemgetter(0)):
            boards, rows = part = piece.context
            some = (value for _, value in values)
            first = next(some)
            if isinstance(first, PieceLost):
                places = np.flatnonzero(is_open(boards, rows)).tolist()
                yield (boards.with_errors(dict.fromkeys(places, f"left out: {first}")), rows), iter(())
            elif first is None:
                yield part, iter(())
            else:
                yield part, with_boards(open_boards(*part), chain([first], some))

    def _piece(self, part: Part) -> Piece:
        boards = open_boards(*part)
        name = part[0].where(0) or "the board"
        if not len(boards):
            return Piece(name, None, context=part)
        if boards.puzzle not in self._setups:
            self._setups[boards.puzzle] = solver_setup(self.executor, self.solver, boards)
        if self.watch is None:
            work = partial(solve_piece, self.solver, boards, self.limit, self._together)
        else:
            work = partial(_watched, self.solver, boards, self.limit, self.watch)
        return Piece(name, work, self._setups[boards.puzzle], part, partial(self.size.took, len(boards)))

    def _split(self, piece: Piece) -> Sequence[Piece]:
        """Return the boards of a piece one by one."""
        boards, rows = piece.context
        if len(open_boards(boards, rows)) < 2:
            return ()
        return [self._piece(single) for single in cut(boards, rows, lambda: 1)]


def _watched(solver: Solver, boards: Boards, limit: Limit, watch: Watch) -> Iterator[Answers]:
    """Yield the answers to boards, of which `watch` sees every attempt."""
    over = cancellation()
    for place, instance in enumerate(boards):
        where = boards.where(place)

        def see(attempt: Attempt, where: str = where) -> bool:
            watch(where, attempt)
            return over()

        yield Answers.of(boards[place : place + 1], [solve(solver, instance, limit, see)])
