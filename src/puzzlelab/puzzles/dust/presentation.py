"""How dust is shown to people: the usual solver, and drawings, which are pure functions of the board.

Shapes: W = columns, H = rows, N = W * H cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Drawings, Presentation
from puzzlelab.core.registry import PATIENCE
from puzzlelab.puzzles.dust.notation import EXAMPLES, LETTERS, Board, write

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Dust


def presentation(puzzle: Dust) -> Presentation:
    """Return the presentation: the usual solver proves its answers up to 64 cells, and finds good ones soon beyond."""
    return Presentation(
        usual_solver=("halves", {}) if puzzle.cells <= 64 else ("beam", {"patience": PATIENCE}),
        provers=_provers(puzzle.cells),
        move_note="6,1: click column 6, row 1, counted from 0 at the lower left",
        examples=EXAMPLES.get(puzzle.name, {}),
    )


def _provers(cells: int) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return the methods of proof: a bound by colours, which shares nothing with `halves`, is enough for small boards
    only.
    """
    bounds = ("colours",) if cells <= 30 or cells > 64 else ("halves", "colours")
    return (("halves", {}), *(("astar", {"estimate": bound}) for bound in bounds))


def drawing(puzzle: Dust) -> Drawings:
    """Return the drawings of dust."""

    def with_scores(state: Board, scores: NDArray[np.float64]) -> str:
        """Draw the board with the percentage of each cluster in its cells."""
        first = puzzle.clusters(state)
        return draw_scores(state, puzzle, np.where(first < 0, 0.0, scores[first]))

    return Drawings(lambda state: svg(state, puzzle), with_scores)


FILLS = ("#c8323c", "#4f9a4f", "#3b6ea8", "#e0b93a", "#de7c2b", "#8a5aa8", "#3fa7b5", "#c2529b", "#e5e9f0")
"""The colours of the cells in drawings."""


def draw(state: Board, puzzle: Dust, taken: NDArray[np.bool_]) -> str:
    """Return the board as a table of letters; the cells that are `taken` (`bool[N]`) stand in brackets.

    A wider gap, and a + in the rule, are where the centre line is.
    """
    cells = [f"[{_symbol(value)}]" if out else f" {_symbol(value)} " for value, out in zip(state, taken, strict=True)]
    return _table(cells, [f"{x:>2} " for x in range(puzzle.width)], puzzle)


def draw_scores(state: Board, puzzle: Dust, scores: NDArray[np.float64]) -> str:
    """Return the board as a table of letters, each with its score in per cent; `scores: float[N]`, from 0 to 1.

    Empty cells are left blank. `read` understands it: what stands in round brackets is passed over.
    """
    texts = [
        f"{_symbol(value)}({100 * score:2.0f})" if value else "" for value, score in zip(state, scores, strict=True)
    ]
    return _table([f"{text:<6}" for text in texts], [f"{x:<6}" for x in range(puzzle.width)], puzzle)


def _table(cells: list[str], names: list[str], puzzle: Dust) -> str:
    """Return a text for each cell, in column order, below the names of the columns; all are equally wide."""
    high, line = puzzle.height, puzzle.width // 2
    rows = [_halves(cells[y::high], line) for y in range(high)]
    rule = _halves(["-" * len(names[0])] * puzzle.width, line, "+")
    margin = len(str(high - 1))
    lines = [f"{'':{margin}} | {_halves(names, line)}", f"{'-' * margin}-+-{rule}"]
    lines += [f"{y:{margin}} | {rows[y]}" for y in reversed(range(high))]
    return "\n".join(text.rstrip() for text in lines)


def _symbol(value: int) -> str:
    return LETTERS[value - 1] if value else "."


def _halves(cells: list[str], line: int, between: str = " ") -> str:
    return "".join(cells[:line]) + (between if line else "") + "".join(cells[line:])


def svg(state: Board, puzzle: Dust, cell: int = 44) -> str:
    """Return the board as SVG, with a letter in every cell and the centre line dashed."""
    width, height, gap = puzzle.width * cell, puzzle.height * cell, 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{write(state)}">',
        f'<rect width="{width}" height="{height}" rx="6" fill="#2e3440"/>',
        f'<path d="M{puzzle.width // 2 * cell} 0V{height}" stroke="#d8dee9" stroke-dasharray="4 4"/>',
    ]
    for place, value in enumerate(state.tolist()):
        if value:
            column, row = divmod(place, puzzle.height)
            x, y, side = column * cell + gap, height - (row + 1) * cell + gap, cell - 2 * gap
            parts.append(
                f'<rect x="{x}" y="{y}" width="{side}" height="{side}" rx="6" fill="{FILLS[value - 1]}"/>'
                f'<text x="{x + side / 2:g}" y="{y + side / 2:g}" dy=".35em" text-anchor="middle" fill="#2e3440" '
                f'font-family="sans-serif" font-size="{cell * 0.4:g}">{LETTERS[value - 1]}</text>'
            )
    return "\n".join([*parts, "</svg>"]) + "\n"
