"""The solutions of many boards, counted by an executor."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from puzzlelab.core.answers import Counts
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import Count
from puzzlelab.core.solver import Solver
from puzzlelab.engine.board_pieces import PREPARE_LIMIT, SolverSetup, solver_setup, using_networks
from puzzlelab.engine.enumeration import count_parts
from puzzlelab.engine.executor import Done, Executor, Piece, Preparation, ordered
from puzzlelab.engine.piece_size import PieceSize

Group = TypeVar("Group")


@dataclass(frozen=True, eq=False)
class BoardsToCount:
    """The argument of a piece; see `count_parts`."""

    setup: SolverSetup
    boards: Boards
    limit: Limit
    most: int | None


@dataclass(frozen=True, eq=False)
class CountedBoards:
    """The value of a piece."""

    parts: list[Counts]
    seconds: float


def count_boards(argument: BoardsToCount) -> CountedBoards:
    """Return the function of a piece."""
    began = time.perf_counter()
    with using_networks(argument.setup):
        parts = list(count_parts(argument.setup.solver, argument.boards, argument.limit, argument.most))
    return CountedBoards(parts, time.perf_counter() - began)


def counts_elsewhere(
    executor: Executor,
    solver: Solver,
    puzzle: Puzzle,
    limit: Limit,
    most: int | None,
    groups: Iterable[tuple[Group, Boards]],
) -> Iterator[tuple[Group, int, Sequence[Count] | str]]:
    """Yield the counts of the boards of each group, in order: the group, the place of the first board, and the counts.

    In the place of the counts of a board that was put aside stands the reason. A group without boards is returned in
    its turn. Raises what `count_parts` raises.
    """
    size, setup = PieceSize(executor), solver_setup(executor, solver, puzzle)

    def piece(group: Group, begin: int, boards: Boards, ready: Preparation | None = None) -> Piece:
        work = BoardsToCount(setup, boards, limit, most)
        return Piece(f"board {begin + 1:,} of a block", count_boards, work, ready, context=(group, begin))

    def pieces() -> Iterator[Piece | Done]:
        ready = None
        for group, boards in groups:
            if ready is None and len(boards):
                ready = _preparation(BoardsToCount(setup, boards[:1], limit, most))
            begin = 0
            while begin < len(boards):
                end = begin + size.of(len(boards))
                yield piece(group, begin, boards[begin:end], ready)
                begin = end
            if not len(boards):
                yield Done(piece(group, 0, boards))

    def split(whole: Piece) -> Sequence[Piece]:
        group, begin = whole.context
        boards = whole.argument.boards
        if len(boards) == 1:
            return ()
        return [
            piece(group, begin + place, boards[place : place + 1], whole.preparation) for place in range(len(boards))
        ]

    for done in ordered(executor, pieces(), split=split):
        group, begin = done.piece.context
        if done.problem:
            yield group, begin, f"put aside: {done.problem}"
        elif done.value is None:
            yield group, begin, ()
        else:
            size.took(len(done.piece.argument.boards), done.value.seconds)
            for counts in done.value.parts:
                yield group, begin, counts
                begin += len(counts)


def _preparation(first: BoardsToCount) -> Preparation:
    """Return a search on a board that ends at once."""
    key = f"count {first.boards.puzzle.name} {first.setup.solver.name} {first.setup.solver.options()!r}"
    return Preparation(key, count_boards, replace(first, limit=PREPARE_LIMIT))
