"""Boards as people type them, of which tests of the command line and of the page know the answers."""

import json
from typing import Any

ONE, TWO, FAR, ODD = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8", "8 6 7 2 5 4 3 0 1", "1 2 3 4 5 6 8 7 0"
"""Of the 8-puzzle: one move, two moves, 31 moves, and none that solve it."""
EASY = ".54.8213..6...37943.16..2..2...7....693.1.547....4...9..9..78.24368...7..2856.41."
EASY_DONE = "954782136862153794371694258245976381693218547187345629519437862436821975728569413"
MANY = ".2....984..5..4..7...7.9...............97..138..4..5..5.3.427.12....7.45...1...9."
"""A Sudoku with 254 solutions."""
TWICE = "11" + EASY[2:]
NEVER = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4........."
"""Nothing in its rows, columns and boxes speaks against a solution, and there is none."""
BLANK = "." * 81


def rows_of(text: str) -> list[Any]:
    """The objects that were printed, a line each."""
    return [json.loads(line) for line in text.splitlines()]
