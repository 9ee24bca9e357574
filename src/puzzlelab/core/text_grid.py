"""Cells in rows, as a text has them, before anybody knows to which puzzle they belong."""

from __future__ import annotations

from dataclasses import dataclass


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
