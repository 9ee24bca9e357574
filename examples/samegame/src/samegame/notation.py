"""How a SameGame board is read and written: pure functions of the board.

A board is written row by row from the top, with a stroke between two rows. A cell is one character: `.` for empty, and
1 to 9 for the colours, which may be read as the letters a to i too.

Shapes: W = columns, H = rows, N = W * H cells. Places are written as moves: columns and rows from 0 at the lower left.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from puzzlelab import BadBoard, Example
from puzzlelab.core.errors import nearest, shorten

Board = NDArray[np.uint8]

LONGEST = 4096
"""Characters that no board needs."""
VALUES = {".": 0} | {str(colour): colour for colour in range(1, 10)}
VALUES |= {letter: colour for colour, letter in enumerate("abcdefghi", start=1)}
VALUES |= {letter: colour for colour, letter in enumerate("ABCDEFGHI", start=1)}


class Shape(Protocol):
    """What reading needs to know of a puzzle."""

    @property
    def name(self) -> str: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def colours(self) -> int: ...


EXAMPLES: Mapping[tuple[int, int, int], Mapping[str, Example]] = {
    (5, 5, 3): {
        "trap": Example(
            "32331/32123/22212/13321/11132", "the best score is 1,043, and the shortest games make at most 5"
        ),
    },
}
"""Boards with a name, by columns, rows and colours."""


def examples_of(puzzle: Shape) -> Mapping[str, Example]:
    """The boards with a name of this size."""
    return EXAMPLES.get((puzzle.width, puzzle.height, puzzle.colours), {})


def write(state: Board, puzzle: Shape) -> str:
    """The canonical notation."""
    rows = state.reshape(puzzle.width, puzzle.height).T[::-1].tolist()
    return "/".join("".join(str(value) if value else "." for value in row) for row in rows)


def read(text: str, puzzle: Shape) -> Board:
    """`uint8[N]` of a board that rests; raises `BadBoard` with the place of what is wrong."""
    if len(text) > LONGEST:
        raise BadBoard(f"{len(text):,} characters are no board; {_expected(puzzle)}")
    rows = re.split(r"[\s/]+", text.strip().strip("/"))
    if rows == [""]:
        raise BadBoard(f"nothing is given; {_expected(puzzle)} (an empty cell is a dot)")
    if len(rows) != puzzle.height:
        known = examples_of(puzzle)
        hint = nearest(text.strip().lower(), known) if known and text.strip().isalpha() else ""
        raise BadBoard(f"'{shorten(text.strip())}' has {_count(len(rows), 'row')}; {_expected(puzzle)}{hint}")
    grid = np.array([_row(row, puzzle.height - 1 - line, puzzle) for line, row in enumerate(rows)], np.uint8)
    state = np.ascontiguousarray(grid[::-1].T).reshape(-1)
    _must_rest(state, puzzle)
    return state


def _expected(puzzle: Shape) -> str:
    return f"{puzzle.name} is {_count(puzzle.height, 'row')} of {puzzle.width} from the top, parted by / or line ends"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _at(x: int, y: int) -> str:
    return f"column {x}, row {y} (from 0 at the lower left)"


def _row(row: str, y: int, puzzle: Shape) -> list[int]:
    """The colours of a row."""
    for x, symbol in enumerate(row):
        if symbol == "0":
            raise BadBoard("'0' is no colour; colours begin with 1, and an empty cell is a dot", _at(x, y))
        if VALUES.get(symbol, LONGEST) > puzzle.colours:
            raise BadBoard(
                f"'{shorten(symbol)}' is no colour; {puzzle.name} has 1 to {puzzle.colours}, and . for empty", _at(x, y)
            )
    if len(row) != puzzle.width:
        has = f"'{shorten(row)}' has {_count(len(row), 'character')}"
        raise BadBoard(f"{has}; a row of {puzzle.name} has {puzzle.width}", f"row {y} (from 0 at the bottom)")
    return [VALUES[symbol] for symbol in row]


def _must_rest(state: Board, puzzle: Shape) -> None:
    """Raise `BadBoard` with the place where a cell would fall, or a column move left."""
    full = state.reshape(puzzle.width, puzzle.height) != 0
    floating = full[:, 1:] & ~full[:, :-1]
    if floating.any():
        x, y = np.argwhere(floating)[0].tolist()
        raise BadBoard("nothing lies below this cell, so that it would fall", _at(x, y + 1))
    loose = full[1:, 0] & ~full[:-1, 0]
    if loose.any():
        x = int(np.flatnonzero(loose)[0])
        raise BadBoard("this column is empty and the next one is not, which would move left", f"column {x} (from 0)")
