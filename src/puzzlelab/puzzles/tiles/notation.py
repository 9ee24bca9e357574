"""The reading, writing and drawing of tiles boards: pure functions of the board."""

import re

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.text.text_grid import check_rows, rows_of

LONGEST = 4096
"""Characters that no tiles board needs."""
HEX_CELLS = 16
"""The most cells that one digit a cell can name."""

Board = NDArray[np.uint8]


def read(text: str, rows: int, columns: int, name: str) -> Board:
    """Read `uint8[rows * columns]` from any of the notations; raises `BadBoard` with the place."""
    cells = rows * columns
    if len(text) > LONGEST:
        raise BadBoard(f"{len(text):,} characters are no board; {name} has {cells} numbers")
    words = _words(text)
    if not words:
        raise BadBoard(f"the board is empty; {name} has {cells} numbers, 0 for the blank")
    if len(words) == 1 and cells > 1:
        words = _digits(words[0], cells, name)
    tiles = [_tile(word, place, cells) for place, word in enumerate(words, start=1)]
    if len(tiles) != cells:
        raise BadBoard(f"{_count(len(tiles), 'number')} given; {name} has {cells}, 0 for the blank")
    _once(tiles)
    check_rows([len(_words(row)) for row in rows_of(text)], rows, columns, name)
    return np.array(tiles, np.uint8)


def _words(text: str) -> list[str]:
    return re.sub(r"[\s,;\[\]()]+", " ", text).split()


def _digits(word: str, cells: int, name: str) -> list[str]:
    if cells > HEX_CELLS:
        raise BadBoard(f"'{shorten(word)}' is one word; {name} has {cells} numbers with spaces between them")
    if len(word) != cells:
        raise BadBoard(f"'{shorten(word)}' has {len(word)} digits; {name} has {cells}, 0 for the blank")
    for place, digit in enumerate(word, start=1):
        if digit not in "0123456789abcdefABCDEF":
            raise BadBoard(f"'{shorten(digit)}' is no digit", f"place {place}")
    return [str(int(digit, 16)) for digit in word]


def _tile(word: str, place: int, cells: int) -> int:
    where = f"place {place}"
    if not re.fullmatch(r"[+-]?[0-9]+", word):
        raise BadBoard(f"'{shorten(word)}' is no number", where)
    if len(word) > 4 or not 0 <= int(word) < cells:
        raise BadBoard(f"there is no tile {shorten(word)}; tiles are 1 to {cells - 1}, and 0 for the blank", where)
    return int(word)


def _once(tiles: list[int]) -> None:
    missing = sorted(set(range(len(tiles))) - set(tiles))
    for place, tile in enumerate(tiles):
        if tile in tiles[:place]:
            first = tiles.index(tile) + 1
            raise BadBoard(
                f"tile {tile} stands here and at place {first}; {missing[0]} is missing", f"place {place + 1}"
            )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def write(board: Board) -> str:
    """Return the canonical notation: numbers row by row with spaces."""
    return " ".join(map(str, board.tolist()))
