"""New boards as pieces of work for an executor: a board depends on the settings, the seed and its number alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Protocol

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.engine.executor import Executor, Piece, PieceLost, Setup, ordered
from puzzlelab.engine.piece_size import PieceSize


class NumberedBoards(Protocol):
    """A stream of boards by number."""

    def make(self, first: int, end: int) -> Iterable[Any]:
        """Return the boards number `first` to `end` - 1, on one thread."""


def made(executor: Executor, boards: NumberedBoards, first: int, end: int) -> Iterator[Any]:
    """Yield what `boards.make(first, end)` has, by an executor, in order.

    Raises `PuzzlelabError` for boards that are left out, and what `make` raises.
    """
    size = PieceSize(executor)
    # a worker prepares itself by a board of its own
    setup = Setup(f"generate {boards!r}", partial(_make, boards, first, first + 1))

    def pieces() -> Iterator[Piece]:
        begin = first
        while begin < end:
            last = min(end, begin + size.of(end - first))
            work = partial(boards.make, begin, last)
            yield Piece(f"boards {begin + 1:,} to {last:,}", work, setup, took=partial(size.took, last - begin))
            begin = last

    for piece, value in ordered(executor, pieces()):
        if isinstance(value, PieceLost):
            raise PuzzlelabError(f"{piece.name} cannot be made: {value}")
        yield value


def _make(boards: NumberedBoards, first: int, end: int) -> None:
    for _ in boards.make(first, end):
        pass
