"""Consecutive boards of a command, with the rows that a file has for some of them.

Shapes: B = boards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards

if TYPE_CHECKING:
    from puzzlelab.storage.row import Row

StoredRows: TypeAlias = "Mapping[int, Row]"
"""Place -> the row that a file has for that board."""
Part: TypeAlias = "tuple[Boards, StoredRows]"


@dataclass(frozen=True, eq=False)
class SolvedBoards:
    """The answers to consecutive boards; `answers.boards.errors` says why others have none."""

    answers: Answers
    stored: StoredRows
    """The rows of boards that were not solved now."""


def is_open(boards: Boards, stored: StoredRows) -> NDArray[np.bool_]:
    """Return `bool[B]`: which of these boards are to be solved."""
    without_row = boards.is_readable.copy()
    without_row[list(stored)] = False
    return without_row


def open_boards(boards: Boards, stored: StoredRows) -> Boards:
    """Return the boards that are to be solved."""
    return boards[is_open(boards, stored)] if boards.errors or stored else boards


def between(rows: StoredRows, begin: int, end: int) -> StoredRows:
    """Return the rows of the boards `begin` to `end` - 1 by their places among these."""
    return {place - begin: row for place, row in rows.items() if begin <= place < end}


def cut(boards: Boards, stored: StoredRows, size: Callable[[], int]) -> Iterator[Part]:
    """Yield parts of these boards, each with `size()` boards without a row."""
    without_row = np.delete(np.arange(len(boards)), list(stored))
    begin = 0
    while begin < len(boards):
        later = int(np.searchsorted(without_row, begin)) + size()
        end = int(without_row[later]) if later < len(without_row) else len(boards)
        yield boards[begin:end], between(stored, begin, end)
        begin = end
