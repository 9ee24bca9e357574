"""New boards as pieces of work for an executor: a board depends on the settings, the seed and its number alone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.engine.executor import Executor, Piece, Preparation, ordered
from puzzlelab.engine.piece_size import PieceSize


class NumberedBoards(Protocol):
    """A stream of boards by number."""

    def make(self, first: int, end: int) -> list[Any]:
        """Return the boards number `first` to `end` - 1, on one thread."""


@dataclass(frozen=True)
class BoardsToMake:
    """The argument of a piece."""

    boards: NumberedBoards
    first: int
    end: int


@dataclass(frozen=True, eq=False)
class MadeBoards:
    """The value of a piece."""

    values: list[Any]
    seconds: float


def make_boards(argument: BoardsToMake) -> MadeBoards:
    """Return the function of a piece."""
    began = time.perf_counter()
    values = argument.boards.make(argument.first, argument.end)
    return MadeBoards(values, time.perf_counter() - began)


def made_elsewhere(executor: Executor, boards: NumberedBoards, first: int, end: int) -> Iterator[Any]:
    """Yield what `boards.make(first, end)` has, by an executor, in order.

    Raises `PuzzlelabError` for boards that are put aside, and what `make` raises.
    """
    size = PieceSize(executor)
    # a node prepares itself by a board of its own
    preparation = Preparation(f"generate {boards!r}", make_boards, BoardsToMake(boards, first, first + 1))

    def pieces() -> Iterator[Piece]:
        begin = first
        while begin < end:
            work = BoardsToMake(boards, begin, min(end, begin + size.of(end - first)))
            yield Piece(f"boards {begin + 1:,} to {work.end:,}", make_boards, work, preparation, context=work)
            begin = work.end

    for done in ordered(executor, pieces()):
        if done.problem:
            raise PuzzlelabError(f"{done.piece.name} cannot be made: {done.problem}")
        size.took(done.piece.context.end - done.piece.context.first, done.value.seconds)
        yield from done.value.values
