"""Parts of the boards of a command, with the rows that a file has for some of them.

Shapes: P = boards of a part, A = those that are to be solved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Boards
from puzzlelab.storage.row import Row


@dataclass(frozen=True, eq=False)
class BoardPart:
    """Consecutive boards that are solved together, except for those of which a file has the row."""

    block: Boards
    rows: Mapping[int, Row]
    """Place -> stored row."""

    @cached_property
    def open_places(self) -> NDArray[np.int64]:
        """[A]: the places of the boards that can be read and have no row."""
        return np.flatnonzero(self._is_open)

    @cached_property
    def open_boards(self) -> Boards:
        """[A]: these boards."""
        return self.block[self._is_open]

    @cached_property
    def _is_open(self) -> NDArray[np.bool_]:
        """`bool[P]`: which boards can be read and are to be solved."""
        is_open = self.block.is_readable.copy()
        is_open[list(self.rows)] = False
        return is_open

    def cut(self, size: Callable[[], int]) -> Iterator[BoardPart]:
        """Yield smaller parts, each with `size()` boards without a row."""
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
        """Return the part in which the boards that were to be solved have this problem."""
        errors = {int(place): f"put aside: {problem}" for place in self.open_places}
        return BoardPart(self.block.with_errors(errors), self.rows)
