"""Cells in rows, as a text has them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from puzzlelab.core.errors import BadBoard, shorten

MOST_WRONG = 0.1
"""The share of cells that may mean nothing in what still looks like a board."""
NESTED = re.compile(r"[\])}][\s,;]*[\[({]")
"""The end of a list inside a list, and the beginning of the next one."""
ROW_SIGNS = re.compile(r"[\r\n;\[(]")
OUTSIDE = " \t\r\n,;[]()"
LONGEST_ROW = 16
"""Longer lines of equal length are wrapped, unless they are the rows of the board."""


def rows_of(text: str) -> list[str]:
    """Return the parts of a text in brackets of their own or, without such, its lines or, on one line, between
    semicolons.

    Nothing for a text without any of these.
    """
    if not ROW_SIGNS.search(text):
        return []
    parts = re.split(r"[\[\]()]" if NESTED.search(text) else r"[\r\n]", text)
    rows = [part for part in parts if part.strip(OUTSIDE)]
    return rows if len(rows) > 1 else [part for part in text.split(";") if part.strip(OUTSIDE)]


def check_rows(lengths: Sequence[int], rows: int, columns: int, name: str) -> None:
    """Raise `BadBoard` if rows with this number of cells each are rows of another board.

    A single row, cells that stand one below the other, and long lines that are wrapped state no rows.
    """
    is_wrapped = len(set(lengths[:-1])) == 1 and lengths[0] > max(LONGEST_ROW, lengths[-1] - 1)
    if len(lengths) < 2 or max(lengths) < 2 or is_wrapped or list(lengths) == [columns] * rows:
        return
    uneven = next((place for place, length in enumerate(lengths) if length != lengths[0]), None)
    if uneven is None:
        raise BadBoard(f"{len(lengths)} rows of {lengths[0]}; {name} has {rows} rows of {columns}")
    place = next((place for place, length in enumerate(lengths) if length != columns), uneven)
    raise BadBoard(
        f"{lengths[place]} cell{'s' * (lengths[place] != 1)}; a row of {name} has {columns}", f"row {place + 1}"
    )


@dataclass(frozen=True)
class TextGrid:
    """Cells in rows; a cell that the text leaves empty is ''."""

    rows: tuple[tuple[str, ...], ...]
    of_lists: bool = False
    """Whether the rows are lists in a list, which may be meant as columns."""
    has_gaps: bool = False
    """Whether spaces that stand where other rows have signs, or rulers, may be cells."""

    @property
    def height(self) -> int:
        """The number of rows; 1 where all cells stand on one line, so that nothing says how long the rows are."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """The number of cells in each row, or 0 where rows differ."""
        lengths = {len(row) for row in self.rows}
        return lengths.pop() if len(lengths) == 1 else 0

    @property
    def cells(self) -> tuple[str, ...]:
        """All cells, row by row."""
        return tuple(cell for row in self.rows for cell in row)

    def blame(self, values: Sequence[int | None], width: int, why: str) -> None:
        """Raise `BadBoard` with the place of the first cell that means nothing, if only few do and others are filled.

        Args:
            values: for each cell what it means to a puzzle: 0 for blank, None for nothing.
            width: the cells in each row.
            why: what is wrong with a cell, such as 'is no digit'.
        """
        wrong = [place for place, value in enumerate(values) if value is None]
        if wrong and len(wrong) <= MOST_WRONG * len(values) and any(values):
            row, column = divmod(wrong[0], width)
            raise BadBoard(f"'{shorten(self.cells[wrong[0]])}' {why}", f"row {row + 1}, column {column + 1}")
