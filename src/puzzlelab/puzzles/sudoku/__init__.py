"""Sudoku of every box size from 2x2 to 5x5."""

from puzzlelab.puzzles.sudoku.rules import Sudoku, named

ABOUT = "Sudoku: fill the grid so that every row, column and box holds each digit once."
EXAMPLES = ("sudoku-9x9", "sudoku-4x4", "sudoku-6x6", "sudoku-16x16", "sudoku-25x25", "sudoku-6x6:boxes=3x2")
FAMILY = named


def guess(text: str) -> Sudoku | None:
    """The grid that a text of one character a cell most likely is."""
    words = text.replace(",", " ").split()
    sizes = {16: "4x4", 36: "6x6", 81: "9x9", 144: "12x12", 256: "16x16", 625: "25x25"}
    size = sizes.get(len(words[0])) if words else None
    return named(size) if size else None


__all__ = ["ABOUT", "EXAMPLES", "FAMILY", "Sudoku", "guess"]
