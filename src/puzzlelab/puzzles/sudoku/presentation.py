"""How Sudoku is shown to people: the usual solver, and drawings, which are pure functions of the board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Drawings, Presentation
from puzzlelab.puzzles.sudoku import examples
from puzzlelab.puzzles.sudoku.clue_patterns import patterns_of
from puzzlelab.puzzles.sudoku.notation import SYMBOLS, Board, write

if TYPE_CHECKING:
    from puzzlelab.puzzles.sudoku.rules import Board, Sudoku

LEAST_CLUES = 17
"""No 9x9 puzzle with fewer clues has one solution only (McGuire, Tugemann, Civario, 2012)."""

LARGE, FIRST_NODES = 16, 50_000
"""The rows from which a board may take dancing links long, and their steps in about the time of a SAT solver."""


def presentation(puzzle: Sudoku) -> Presentation:
    """Return the presentation: solutions are shown as boards, and a board is expected to have one."""

    def warnings(states: Board) -> Mapping[int, Sequence[str]]:
        if puzzle.size != 9 or not puzzle.is_plain:
            return {}
        clues = np.count_nonzero(states, axis=1)
        return {
            place: [f"{clues[place]} clues: with fewer than {LEAST_CLUES} clues the solution cannot be unique"]
            for place in np.flatnonzero(clues < LEAST_CLUES).tolist()
        }

    usual = usual_solver(puzzle)
    return Presentation(
        usual_solver=usual,
        provers=tuple((name, {}) for name in dict.fromkeys([usual[0], "dancing-links", "backtracking"])),
        move_note="written like r3c5=7: a 7 in row 3, column 5",
        answer_is_board=True,
        unique_expected=True,
        examples=examples.of(puzzle.name),
        warnings=warnings,
        patterns=lambda states: patterns_of(states != 0, puzzle.size),
    )


def usual_solver(puzzle: Sudoku) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the options of the fastest solver: on large grids one by SAT, where PySAT is installed."""
    if puzzle.size == 9 and puzzle.is_plain:
        return "bands", {}
    if puzzle.size >= LARGE and find_spec("pysat"):
        return "sat", {"first_nodes": FIRST_NODES}
    return "dancing-links", {}


def drawing(puzzle: Sudoku) -> Drawings:
    """Return the drawing of the puzzle."""
    return Drawings(lambda state: svg(puzzle, state), grid=lambda texts: grid(puzzle, texts))


def grid(puzzle: Sudoku, texts: Sequence[str]) -> str:
    """Return a grid with these texts in its cells, each column as wide as its longest, and bars between the boxes."""
    if puzzle.regions:
        return _with_borders(puzzle, texts)
    size, box_columns = puzzle.size, puzzle.box_columns
    widths = [max(map(len, texts[column::size])) for column in range(size)]
    starts = range(0, size, box_columns)
    ruler = "+".join("-" * (sum(widths[start : start + box_columns]) + box_columns + 1) for start in starts)
    lines = []
    for row in range(size):
        cells = [text.ljust(width) for text, width in zip(texts[row * size : (row + 1) * size], widths, strict=True)]
        lines += [ruler] * (row % puzzle.box_rows == 0 and row > 0)
        lines.append("|".join(f" {' '.join(cells[start : start + box_columns])} " for start in starts).rstrip())
    return "\n".join(lines)


def draw(puzzle: Sudoku, board: Board) -> str:
    """Return the grid with bars between boxes or regions; a blank is a space."""
    if puzzle.regions:
        return _with_borders(puzzle, write(board, " "))
    size, box_columns = puzzle.size, puzzle.box_columns
    ruler = f"* {' + '.join(['-' * (2 * box_columns - 1)] * puzzle.box_rows)} *"
    cells = write(board, " ")
    lines = []
    for row in range(size):
        if row % puzzle.box_rows == 0:
            lines.append(ruler)
        line = cells[row * size : (row + 1) * size]
        parts = [" ".join(line[start : start + box_columns]) for start in range(0, size, box_columns)]
        lines.append(f"| {' | '.join(parts)} |")
    return "\n".join([*lines, ruler])


def _with_borders(puzzle: Sudoku, texts: Sequence[str]) -> str:
    """Return a grid with these texts in its cells, and bars between neighbours of different regions."""
    size = puzzle.size
    widths = [max(map(len, texts[column::size])) for column in range(size)]
    upright, level = borders(puzzle)
    corners = np.zeros((size + 1, size + 1), bool)
    corners[:-1] |= upright
    corners[1:] |= upright
    corners[:, :-1] |= level
    corners[:, 1:] |= level
    lines = list[str]()
    for row in range(size + 1):
        bars = [(" -"[int(bar)]) * (width + 2) for bar, width in zip(level[row], widths, strict=True)]
        lines.append(_between(" +", corners[row], bars))
        if row < size:
            line = zip(texts[row * size : (row + 1) * size], widths, strict=True)
            lines.append(_between(" |", upright[row], [f" {text.ljust(width)} " for text, width in line]))
    return "\n".join(lines)


def _between(signs: str, flags: NDArray[np.bool_], texts: Sequence[str]) -> str:
    """Return texts with one of two signs before each and after the last, the second where its flag is set."""
    marks = [signs[int(flag)] for flag in flags]
    return "".join(mark + text for mark, text in zip(marks, [*texts, ""], strict=True))


def borders(puzzle: Sudoku) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the borders of boxes or regions: `bool[N, N + 1]`, left of each cell and at the right edge, and
    `bool[N + 1, N]`, above each cell and at the lower edge.
    """
    owners = np.zeros(puzzle.cells, np.int64)
    for number, unit in enumerate(list(puzzle.units.kinds.values())[2]):
        owners[unit] = number
    grid = np.pad(owners.reshape(puzzle.size, puzzle.size), 1, constant_values=-1)
    return grid[1:-1, 1:] != grid[1:-1, :-1], grid[1:, 1:-1] != grid[:-1, 1:-1]


def svg(
    puzzle: Sudoku, board: Board, cell: int = 40, candidates: NDArray[np.bool_] | None = None, label: str = ""
) -> str:
    """Return the grid as SVG, with small digits for `candidates: bool[N * N, N]` of blank cells.

    Windows are grey, and diagonals are lines. The label says the board, by default its digits.
    """
    size, side = puzzle.size, puzzle.size * cell
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 {side + 4} {side + 4}" width="{side + 4}" '
        f'height="{side + 4}" role="img" aria-label="{label or write(board)}">',
        f'<rect width="{side}" height="{side}" fill="#fff"/>',
        *(
            _square(place, size, cell)
            for place in puzzle.units.kinds.get("window", np.empty(0, np.int32)).reshape(-1).tolist()
        ),
        _path(f"M0 0L{side} {side}M{side} 0L0 {side}", "#b8c0cc", 1) if puzzle.diagonal else "",
        *_lines(puzzle, cell),
    ]
    for place, value in enumerate(board.tolist()):
        row, column = divmod(place, size)
        if value:
            parts.append(_sign(SYMBOLS[value - 1], (column + 0.5) * cell, (row + 0.5) * cell, cell * 0.6))
        elif candidates is not None:
            for digit in np.flatnonzero(candidates[place]).tolist():
                up, along = divmod(digit, puzzle.box_columns)
                x, y = column + (along + 0.5) / puzzle.box_columns, row + (up + 0.5) / puzzle.box_rows
                parts.append(_sign(SYMBOLS[digit], x * cell, y * cell, cell * 0.25))
    return "\n".join([*filter(None, parts), "</svg>"]) + "\n"


def _lines(puzzle: Sudoku, cell: int) -> Iterator[str]:
    """Yield thin lines between all cells, and thick ones between boxes or regions."""
    side = puzzle.size * cell
    yield _path("".join(f"M0 {at}H{side}M{at} 0V{side}" for at in range(0, side + 1, cell)), "#b8c0cc", 1)
    upright, level = (np.argwhere(which).tolist() for which in borders(puzzle))
    yield _path(
        "".join(f"M{column * cell} {row * cell}v{cell}" for row, column in upright)
        + "".join(f"M{column * cell} {row * cell}h{cell}" for row, column in level),
        "#2e3440",
        3,
    )


def _path(steps: str, colour: str, width: int) -> str:
    """Return lines as SVG."""
    return f'<path d="{steps}" stroke="{colour}" stroke-width="{width}" stroke-linecap="square"/>'


def _square(place: int, size: int, cell: int) -> str:
    """Return the grey ground of a cell as SVG."""
    row, column = divmod(place, size)
    return f'<rect x="{column * cell}" y="{row * cell}" width="{cell}" height="{cell}" fill="#e5e9f0"/>'


def _sign(sign: str, x: float, y: float, height: float) -> str:
    """Return a sign as SVG around a point."""
    return (
        f'<text x="{x:g}" y="{y:g}" dy=".35em" text-anchor="middle" '
        f'fill="#2e3440" font-family="sans-serif" font-size="{height:g}">{sign}</text>'
    )
