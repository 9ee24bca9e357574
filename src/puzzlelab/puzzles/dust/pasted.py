"""Recognises a dust board in a text that does not name its puzzle."""

from __future__ import annotations

from collections.abc import Iterator

from puzzlelab.core.text_grid import TextGrid
from puzzlelab.puzzles.dust.notation import LETTERS

COLOURS = ("red", "green", "blue", "yellow", "orange", "purple", "cyan", "magenta", "white")
"""The names of the colours 1 to 9; their first letters are those of the notation."""
SIGNS = {
    **dict.fromkeys("🟥🔴❤", 1),
    **dict.fromkeys("🟩🟢💚", 2),
    **dict.fromkeys("🟦🔵💙", 3),
    **dict.fromkeys("🟨🟡💛", 4),
    **dict.fromkeys("🟧🟠🧡", 5),
    **dict.fromkeys("🟪🟣💜", 6),
    **dict.fromkeys("🟫🟤🤎", 8),
    **dict.fromkeys("⬛⚫🖤⬜⚪🤍", 0),
}
"""Squares, circles and hearts in colours; black and white ones are empty cells."""
BLANKS = frozenset(("", ".", "0", "-", "_", "empty"))
LEAST, MOST = 2, 16
"""The sides of boards that are taken for dust."""
USUAL_COLOURS = 5


def boards_of(grid: TextGrid) -> Iterator[tuple[str, str]]:
    """Yield the puzzle and the board that these cells may be, the first row at the top.

    Raises `BadBoard` if few of them are wrong. Many different digits are not taken for colours.
    """
    width, height = grid.width, grid.height
    if not (LEAST <= width <= MOST and LEAST <= height <= MOST):
        return
    values = [_value(cell.strip()) for cell in grid.cells]
    colours = {value for value in values if value}
    grid.blame(values, width, "is no colour of dust")
    if None in values or not colours or len(colours) == sum(1 for value in values if value):
        return  # where every colour is there once, these are tiles
    if max(colours) > USUAL_COLOURS and any(
        cell.strip().isdigit() and value for cell, value in zip(grid.cells, values, strict=True)
    ):
        return
    if grid.has_gaps:
        return
    rows = ["".join(map(str, values[start : start + width])) for start in range(0, len(values), width)]
    most = max(USUAL_COLOURS, *colours)
    yield f"dust-{width}x{height}x{most}", "\n".join(rows)
    if grid.of_lists:  # of the columns, each from the bottom up
        turned = ["".join(column[y] for column in rows) for y in reversed(range(width))]
        yield f"dust-{height}x{width}x{most}", "\n".join(turned)


def _value(cell: str) -> int | None:
    """Return the colour of a cell, 0 for empty; None for what is no colour."""
    if cell.lower() in BLANKS:
        return 0
    if cell in SIGNS:
        return SIGNS[cell]
    if cell.lower() in COLOURS:
        return COLOURS.index(cell.lower()) + 1
    if len(cell) == 1 and cell in "123456789":
        return int(cell)
    place = LETTERS.find(cell.upper()) if len(cell) == 1 else -1
    return place + 1 if place >= 0 else None
