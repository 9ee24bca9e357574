"""Writes the tables of docs/networks.md: the inputs and outputs of networks, with their types and shapes.

`python tools/network_table.py` writes them into the page; tests/tools/test_docs.py holds the page to them.
"""

from __future__ import annotations

from pathlib import Path

import surface
from puzzlelab.core import registry
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets.form import Head, InputName, input_arrays, some_state

PAGE = Path(__file__).resolve().parents[1] / "docs" / "networks.md"
BEGIN, END = "<!-- begin: tools/network_table.py -->\n", "<!-- end: tools/network_table.py -->\n"
INPUT_MEANINGS: dict[InputName, str] = {
    "planes": "the puzzle's planes: cell by cell, a 1 at its tile, colour or digit",
    "scaled_planes": "for each cell the number of its plane, from 1 (0: none), over their number, less 1/2",
    "symbol_planes": "planes of each symbol that may be exchanged for another, such as a colour",
    "symbol_features": "planes of each such symbol, and what the rules say about it: see `puzzles/dust/planes.py`",
    "output_index": "which output of the symbols, one after the other, is the score of each move",
    "candidates": "cell by cell, whether a digit is possible: all in blank cells, one in any other",
    "states": "the states themselves: the number in each cell, 0 for a blank one",
}
OUTPUT_MEANINGS: dict[Head, str] = {
    "policy": "logits of moves; those of illegal moves are not used",
    "cost_to_go": "the number of moves to the goal; `[B, 1]` is read too",
    "q": "values of moves: the negative number of moves to the goal by way of each; -inf is a move never to be made",
}
PUZZLES = ("tiles-3x3", "tiles-4x4", "dust-8x6x5", "sudoku-9x9")


def table() -> str:
    """Both tables in Markdown."""
    puzzles = [registry.load(name) for name in PUZZLES]
    inputs = [
        (f"`{name}`", *(_input(puzzle, name) for puzzle in puzzles), meaning)
        for name, meaning in INPUT_MEANINGS.items()
    ]
    outputs = [
        (f"`{name}`", *(_output(puzzle, name) for puzzle in puzzles), meaning)
        for name, meaning in OUTPUT_MEANINGS.items()
    ]
    return _markdown("input", inputs) + "\n" + _markdown("output", outputs)


def _markdown(kind: str, rows: list[tuple[str, ...]]) -> str:
    titles = (kind, *PUZZLES, "meaning")
    lines = (titles, ("---",) * len(titles), *rows)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _input(puzzle: Puzzle, name: InputName) -> str:
    try:
        (array,) = input_arrays(puzzle, (name,), some_state(puzzle)[None])
    except Unsupported:
        return "-"
    return f"`{array.dtype}[{', '.join(['B', *map(str, array.shape[1:])])}]`"


def _output(puzzle: Puzzle, name: str) -> str:
    return "`float32[B]`" if name == "cost_to_go" else f"`float32[B, {puzzle.move_count}]`"


if __name__ == "__main__":
    surface.write(PAGE, BEGIN, END, table())
