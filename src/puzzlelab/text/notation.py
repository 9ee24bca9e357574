"""The view of a puzzle whose boards are grids of cells: its own notation, and how many rows a board has in a text.

Every other form of a board is read by `reader`, which turns it into cells and asks the family of the puzzle what these
are (`Family.from_grid`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from puzzlelab.core.puzzle import State


@dataclass(frozen=True)
class BoardNotation:
    """How a board of cells in rows is written."""

    rows: int
    columns: int
    """The cells of a row in a text of several lines."""
    signs: frozenset[str]
    """The characters of cells in small letters, those of blanks too."""
    read: Callable[[str], State]
    """Reads one board in the puzzle's own notation; raises `BadBoard` with the place of what is wrong."""

    @property
    def cells(self) -> int:
        """The cells of a board."""
        return self.rows * self.columns
