"""How sliding tiles are shown to people: the usual solver, and drawings, which are pure functions of the board."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from puzzlelab.core.puzzle import Drawings, Presentation
from puzzlelab.core.registry import PATIENCE
from puzzlelab.core.views import Estimates
from puzzlelab.puzzles.tiles.notation import OPEN, Board, write

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles

Provers = tuple[tuple[str, Mapping[str, Any]], ...]


def presentation(puzzle: Tiles) -> Presentation:
    """Return the presentation: the usual solver proves its answers up to 4x4, and finds better and better ones beyond.
    From 50 cells on it begins with a long one, because some narrow beams wander; without a learned estimate all beams
    of distinct tiles wander on more than 64 cells.
    """
    usual: tuple[str, Mapping[str, Any]] = ("ida", {"upper": "beam"})
    estimates = puzzle.view(Estimates)
    if puzzle.cells > 64 and puzzle.is_permutation and (estimates is None or "pairs" not in estimates.estimates):
        usual = ("lines", {})
    elif puzzle.cells > 16:
        usual = ("beam", {"patience": PATIENCE} | ({"first": "lines"} if puzzle.cells > 49 else {}))
    return Presentation(
        usual_solver=usual,
        provers=_offered(puzzle, _multi_provers(puzzle) if puzzle.is_multi else _provers(puzzle.cells)),
    )


def _offered(puzzle: Tiles, provers: Provers) -> Provers:
    """Return the methods of proof whose bounds the puzzle offers; goals with equal tiles or with places that do not
    matter have few.
    """
    if puzzle.is_permutation:
        return provers
    view = puzzle.view(Estimates)
    known = {} if view is None else view.estimates
    weak = "shared" if puzzle.is_multi else "manhattan"
    kept = tuple(prover for prover in provers if prover[1].get("estimate", weak) in known)
    return (*kept, ("astar", {"estimate": weak}))


def _provers(cells: int) -> Provers:
    """Return the methods of proof: small boards have few states; on others, bounds from tables prove most within a
    minute.
    """
    if cells <= 10:
        return (("bfs", {"bidirectional": True}), ("astar", {"estimate": "manhattan"}))
    bounds = ("pdb", "walking") if cells <= 16 else ("pdb", "conflicts")
    return (*(("ida", {"estimate": bound}) for bound in bounds), ("astar", {"estimate": "conflicts"}))


def _multi_provers(puzzle: Tiles) -> Provers:
    """Return the same where several tiles slide in one move."""
    if puzzle.cells <= 10:
        return (("bfs", {"bidirectional": True}), ("astar", {"estimate": "shared"}))
    bounds = ["pdb"] if puzzle.cells <= 25 else []
    if (puzzle.rows, puzzle.columns) == (4, 4) and puzzle.whole_goal.index(0) in (0, 3, 12, 15):
        bounds.append("pdb-555")
    elif max(puzzle.rows, puzzle.columns) <= 4:
        bounds.append("walking")
    return (*(("ida", {"estimate": bound}) for bound in bounds), ("astar", {"estimate": "shared"}))


def drawing(puzzle: Tiles) -> Drawings:
    """Return the drawing of the puzzle."""
    return Drawings(lambda state: svg(state, puzzle.columns, puzzle.goal))


def draw(board: Board, columns: int) -> str:
    """Return the board as rows of right-aligned numbers, a dot for the blank."""
    width = len(str(board.size - 1))
    cells = [f"{tile or '.':>{width}}" for tile in board.tolist()]
    return "\n".join(" ".join(cells[start : start + columns]) for start in range(0, len(cells), columns))


def svg(board: Board, columns: int, goal: tuple[int, ...], cell: int = 60) -> str:
    """Return the board as SVG; tiles that lie where they belong are darker."""
    rows = board.size // columns
    width, height, gap = columns * cell, rows * cell, 3
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(write(board))}">',
        f'<rect width="{width}" height="{height}" rx="8" fill="#d8dee9"/>',
    ]
    for place, tile in enumerate(board.tolist()):
        if tile == 0:
            continue
        row, column = divmod(place, columns)
        fill = "#3b6ea8" if goal[place] in (tile, OPEN) else "#7fa7d4"
        x, y, side = column * cell + gap, row * cell + gap, cell - 2 * gap
        parts.append(f'<rect x="{x}" y="{y}" width="{side}" height="{side}" rx="6" fill="{fill}"/>')
        parts.append(
            f'<text x="{x + side / 2:g}" y="{y + side / 2:g}" dy=".35em" text-anchor="middle" fill="#fff" '
            f'font-family="sans-serif" font-size="{cell * 0.4:g}">{tile}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"
