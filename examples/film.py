"""Draw a solution as a strip of boards: `python examples/film.py docs/film.svg`, the picture of the README."""

import sys
from pathlib import Path

import puzzlelab
from puzzlelab.jobs.pictures import strip

PUZZLE, BOARD = "tiles-3x3", "8 6 7 2 5 4 3 0 1"
FRAMES = 6


def film(name: str, board: str) -> str:
    """The shortest solution of a board in `FRAMES` pictures, as SVG."""
    puzzle = puzzlelab.load(name)
    states = list(puzzlelab.solve(puzzle.read(board)).states())
    shown = [round(i * (len(states) - 1) / (FRAMES - 1)) for i in range(FRAMES)]
    titles = ["start" if count == 0 else f"{count} moves" for count in shown]
    return strip(puzzle, [states[count] for count in shown], titles)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(film(PUZZLE, BOARD), encoding="utf-8")
