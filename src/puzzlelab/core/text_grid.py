"""Cells in rows, as a text has them, before their puzzle is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from puzzlelab.core.errors import BadBoard, shorten

MOST_WRONG = 0.1
"""The share of cells that may mean nothing in what still looks like a board."""


@dataclass(frozen=True)
class TextGrid:
    """Cells in rows; a cell that the text leaves empty is ''."""

    rows: tuple[tuple[str, ...], ...]

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
