"""Draw a solution as a strip of boards: `python examples/film.py docs/film.svg`, the picture of the README."""

import sys
from pathlib import Path

import puzzlelab
from puzzlelab.core.puzzle import Drawings

PUZZLE, BOARD = "tiles-3x3", "8 6 7 2 5 4 3 0 1"
FRAMES, SIDE, GAP = 6, 180, 30


def film(name: str, board: str) -> str:
    """The shortest solution of a board in `FRAMES` pictures, as SVG."""
    puzzle = puzzlelab.load(name)
    drawing = puzzle.view(Drawings)
    assert drawing is not None
    start = puzzle.read(board)
    result = puzzlelab.solve(start)
    assert result.moves is not None
    states = [start.state]
    for move in result.moves:
        states.append(puzzle.apply(states[-1], move))
    shown = [round(i * len(result.moves) / (FRAMES - 1)) for i in range(FRAMES)]
    width, height = FRAMES * SIDE + (FRAMES - 1) * GAP, SIDE + 40
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">']
    for place, count in enumerate(shown):
        x = place * (SIDE + GAP)
        text = "start" if count == 0 else f"{count} moves"
        parts.append(f'<svg x="{x}" y="0" width="{SIDE}" height="{SIDE}">{drawing.svg(states[count])}</svg>')
        parts.append(
            f'<text x="{x + SIDE / 2:g}" y="{height - 12}" text-anchor="middle" font-family="sans-serif" '
            f'font-size="18" fill="#556">{text}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(film(PUZZLE, BOARD), encoding="utf-8")
