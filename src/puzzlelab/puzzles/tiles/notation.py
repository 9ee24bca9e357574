"""The reading and writing of tiles boards: in their own notation, one or many, and from cells in any other form.

Shapes: B = boards, N = cells, W = characters of a line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.core.puzzle import BoardForm, Forms, Notation, State
from puzzlelab.text.rows import ROW_SIGNS, check_rows, rows_of

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles
    from puzzlelab.text.grids import TextGrid

SMALLEST, LARGEST = 2, 12
"""The fewest and the most rows and columns."""
OPEN, OPEN_SIGN = -1, "*"
"""In a goal: a place where anything may lie."""
LONGEST = 4096
"""Characters that no tiles board needs."""
HEX_CELLS = 16
"""The most cells that one digit a cell can name."""
BLANKS = frozenset(("", "0", "_", ".", "-", "*", "x", "X", "?", "#", "b", "B", "blank", "empty", "gap"))
MOST_MISSING = 0.2
"""The share of the numbers that may be missing in what still looks like sliding tiles."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
"""The tiles 1 to 26 in letters."""
GAME_ID = re.compile(r"(\d{1,2})x(\d{1,2}):(\d+(?:,\d+)+)")
"""A game of 'Fifteen' in Simon Tatham's collection: columns, rows, and the numbers row by row."""
SPACE, ZERO = ord(" "), ord("0")
DIGIT_OF_BYTE = np.full(256, 255, np.uint8)
for _value, _digit in enumerate("0123456789abcdef"):
    DIGIT_OF_BYTE[[ord(_digit), ord(_digit.upper())]] = _value

Board = NDArray[np.uint8]
Text = NDArray[np.uint8]
"""Characters in ASCII."""


def notation(puzzle: Tiles) -> Notation:
    """Return the view `Notation`."""
    digits = "0123456789abcdef" if puzzle.cells <= HEX_CELLS else "0123456789"
    letters = LETTERS[: puzzle.cells - 1]
    return Notation(
        shape=(puzzle.rows, puzzle.columns),
        signs=frozenset(digits + letters + "".join(sign for sign in BLANKS if len(sign) == 1).lower()),
        read=partial(read, puzzle),
        read_lines=partial(read_lines, puzzle.pieces),
        write_lines=write_lines,
    )


def forms(puzzle: Tiles) -> Forms:
    """Return the view `Forms`."""
    return Forms(
        {"rows": BoardForm("rows with a slash between, as players write them", partial(_rows, puzzle.columns))}
    )


# --- one board ---


def read(puzzle: Tiles, text: str) -> Board:
    """Read `uint8[N]` from numbers, in rows or not, or from one hexadecimal digit a cell; a slash ends a row.

    Raises `BadBoard` with the place.
    """
    tiles = _cells(text, puzzle.rows, puzzle.columns, puzzle.name)
    _check(tiles, puzzle.pieces)
    return np.array(tiles, np.uint8)


def read_goal(text: str, rows: int, columns: int) -> tuple[int, ...]:
    """Read the N numbers of a goal, with `OPEN` for a `*`; raises `BadBoard` with the place."""
    return tuple(_cells(text, rows, columns, "the goal", OPEN_SIGN))


def write_goal(goal: Sequence[int]) -> str:
    """Write a goal as it stands in the name of a puzzle."""
    return ",".join(OPEN_SIGN if number == OPEN else str(number) for number in goal)


def _cells(text: str, rows: int, columns: int, name: str, open_sign: str = "") -> list[int]:
    """Return the numbers of all cells, `OPEN` for a sign of that meaning."""
    cells = rows * columns
    if len(text) > LONGEST:
        raise BadBoard(f"{len(text):,} characters are no board; {name} has {cells} numbers")
    text = text.replace("/", "\n")
    words = _words(text)
    if not words:
        raise BadBoard(f"the board is empty; {name} has {cells} numbers, 0 for the blank")
    tiles = _digits(words[0], cells, name, open_sign) if len(words) == 1 else _numbers(words, open_sign)
    if len(tiles) != cells:
        raise BadBoard(f"{len(tiles)} number{'s' * (len(tiles) != 1)} given; {name} has {cells}, 0 for the blank")
    if ROW_SIGNS.search(text):
        check_rows([len(_words(row)) for row in rows_of(text)], rows, columns, name)
    return tiles


def write(board: Board) -> str:
    """Return the canonical notation: numbers row by row with spaces."""
    return " ".join(map(str, board.tolist()))


def _rows(columns: int, boards: State, solutions: State | None) -> str:
    rows = boards.reshape(len(boards), -1, columns).tolist()
    return "".join("/".join(" ".join(map(str, row)) for row in board) + "\n" for board in rows)


def _words(text: str) -> list[str]:
    return re.sub(r"[\s,;\[\]()]+", " ", text).split()


def _digits(word: str, cells: int, name: str, open_sign: str) -> list[int]:
    if cells > HEX_CELLS:
        raise BadBoard(f"'{shorten(word)}' is one word; {name} has {cells} numbers with spaces between them")
    if len(word) != cells:
        raise BadBoard(f"'{shorten(word)}' has {len(word)} digits; {name} has {cells}, 0 for the blank")
    for place, digit in enumerate(word, start=1):
        if digit not in "0123456789abcdefABCDEF" + open_sign:
            raise BadBoard(f"'{shorten(digit)}' is no digit", f"place {place}")
    return [OPEN if digit == open_sign else int(digit, 16) for digit in word]


def _numbers(words: Sequence[str], open_sign: str) -> list[int]:
    for place, word in enumerate(words, start=1):
        if word != open_sign and not re.fullmatch(r"[+-]?[0-9]+", word):
            raise BadBoard(f"'{shorten(word)}' is no number", f"place {place}")
    return [OPEN if word == open_sign else int(word) for word in words]


def _check(tiles: Sequence[int], pieces: Sequence[int]) -> None:
    """Raise `BadBoard` with the place of the first number that is none of a tile, or that stands there too often.

    `pieces` are the numbers of a board in order.
    """
    wanted, places = Counter(pieces), dict[int, list[int]]()
    for place, tile in enumerate(tiles, start=1):
        if tile not in wanted:
            distinct = len(wanted) == len(pieces)
            known = f"1 to {len(tiles) - 1}" if distinct else ", ".join(map(str, sorted(wanted)[1:]))
            raise BadBoard(
                f"there is no tile {shorten(str(tile))}; tiles are {known}, and 0 for the blank", f"place {place}"
            )
        before = places.setdefault(tile, [])
        if len(before) == wanted[tile]:
            missing = min(Counter(pieces) - Counter(tiles))
            where = f"at place{'s' * (len(before) > 1)} {', '.join(map(str, before))}"
            raise BadBoard(f"tile {tile} stands here and {where}; {missing} is missing", f"place {place}")
        before.append(place)


# --- many boards ---


def read_lines(pieces: Sequence[int], lines: Text) -> tuple[Board, NDArray[np.bool_]]:
    """Read `lines: uint8[B, W]` of numbers with one space between them, or of one hexadecimal digit a cell:
    `uint8[B, N]`, and `bool[B]`, which are boards of these numbers.
    """
    cells = len(pieces)
    states = np.zeros((len(lines), cells), np.uint8)
    if lines.shape[1] == cells <= HEX_CELLS:
        states[:] = DIGIT_OF_BYTE[lines]
        is_written = np.ones(len(lines), bool)
    else:
        values, is_end, is_written = _words_of(lines, cells)
        states[is_written] = values[is_written][is_end[is_written]].reshape(-1, cells)
    return states, is_written & (np.sort(states, axis=1) == pieces).all(axis=1)


def _words_of(lines: Text, cells: int) -> tuple[Board, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the numbers at each character `[B, W]` if a word ends there, at most 255, where words end, and `bool[B]`:
    N words of few digits.
    """
    most, width = max(2, len(str(cells - 1))), lines.shape[1]
    kind = np.uint8 if most == 2 else np.uint16
    is_digit = (lines >= ZERO) & (lines < ZERO + 10)
    digits = np.pad(np.where(is_digit, lines - ZERO, 0).astype(kind), ((0, 0), (most, 0)))
    padded = np.pad(is_digit, ((0, 0), (most, 1)))
    before, after = padded[:, most - 1 : -2], padded[:, most + 1 :]
    is_end, values, is_inside = is_digit & ~after, digits[:, most:].copy(), is_digit
    for place in range(1, most + 1):
        is_inside = is_inside & padded[:, most - place :][:, :width]
        if place < most:
            values += is_inside * kind(10**place) * digits[:, most - place :][:, :width]
    is_word = (is_digit | ((lines == SPACE) & before & after)) & ~is_inside
    numbers = np.minimum(values, 255).astype(np.uint8)
    return numbers, is_end, is_word.all(axis=1) & (np.count_nonzero(is_end, axis=1) == cells)


def write_lines(states: Board) -> Text:
    """Write `states: uint8[B, N]` as `write` does: `uint8[B, W]`."""
    ends = np.cumsum(2 + (states > 9) + (states > 99), axis=1)
    lines = np.full((len(states), int(ends[0, -1]) if len(states) else 0), SPACE, np.uint8)
    boards = np.arange(len(states))[:, None]
    lines[boards, ends - 2] = states % 10 + ZERO
    for place in (1, 2):
        cells = np.nonzero(states >= 10**place)
        lines[cells[0], ends[cells] - 2 - place] = states[cells] // 10**place % 10 + ZERO
    return lines[:, :-1]


# --- other forms ---


def from_text(text: str, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield the puzzle and the board of a game of 'Fifteen' in Simon Tatham's collection."""
    if game := GAME_ID.fullmatch(text):
        size = f"tiles-{int(game[2])}x{int(game[1])}"
        yield name if name and name.partition(":")[0] == size else size, game[3].replace(",", " ")


def from_grid(grid: TextGrid, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield puzzles and their boards that these cells may be: each number is there once, and one cell is blank.

    Raises `BadBoard` for numbers of which some are there twice.
    """
    count, width = len(grid.cells), grid.width
    if not width or (grid.has_gaps and " " not in grid.cells):
        return
    pieces = _pieces(name, count)
    tiles = _tiles([cell.strip() for cell in grid.cells], pieces)
    if tiles is None:
        _find_repeated(grid, pieces)
        return
    sides = [(grid.height, width)]
    if min(grid.height, width) == 1:  # these are no rows
        side, width = round(count**0.5), count
        is_square = side * side == count
        sides = [(side, side)] if is_square else [(n, count // n) for n in range(2, count // 2 + 1) if count % n == 0]
    lines = [" ".join(map(str, tiles[start : start + width])) for start in range(0, count, width)]
    for rows, columns in sides:
        if min(rows, columns) >= SMALLEST and max(rows, columns) <= LARGEST:
            yield f"tiles-{rows}x{columns}", "\n".join(lines)


def _pieces(name: str | None, cells: int) -> Sequence[int]:
    """Return the numbers of a board of the puzzle of this name, in order; 0, 1, 2 ... if it has none of this size."""
    from puzzlelab.puzzles.tiles.rules import from_name

    puzzle = from_name(name.removeprefix("tiles-")) if name and name.startswith("tiles-") else None
    return puzzle.pieces if puzzle is not None and puzzle.cells == cells else range(cells)


def _tiles(cells: list[str], pieces: Sequence[int]) -> list[int] | None:
    """Return the numbers of all cells, 0 for the blank; None if they are no board of these pieces."""
    wanted = list(pieces)
    is_blank = [cell in BLANKS and cell != "0" for cell in cells]
    if sum(is_blank) == 1 and len(cells) > 4:  # the others are counted from 0, or letters
        bare = [cell.lower() for cell in cells if cell not in BLANKS or cell == "0"]
        if sorted(bare) == sorted(str(number - 1) for number in wanted[1:]):
            return [0 if blank else int(cell) + 1 for cell, blank in zip(cells, is_blank, strict=True)]
    values = [0 if cell in "_.-*?#0" else LETTERS.find(cell.lower()) + 1 if len(cell) == 1 else -1 for cell in cells]
    if sorted(values) == wanted:
        return values
    for base in (10, 16):
        numbers = [_number(cell, base if len(cell) == 1 and len(cells) <= HEX_CELLS else 10) for cell in cells]
        tiles = [number for number in numbers if number is not None]
        if sorted(tiles) == wanted:
            return tiles
    return None


def _find_repeated(grid: TextGrid, pieces: Sequence[int]) -> None:
    """Raise `BadBoard` for cells that are nearly a board, with the number that stands there twice."""
    numbers = [_number(cell.strip(), 10) for cell in grid.cells]
    tiles = [number for number in numbers if number is not None]
    count = len(tiles)
    is_shape = (grid.height > 1 or round(count**0.5) ** 2 == count) and count >= SMALLEST**2
    if None not in numbers and is_shape and len(set(range(count)) - set(tiles)) <= MOST_MISSING * count:
        _check(tiles, pieces)


def _number(cell: str, base: int) -> int | None:
    if cell in BLANKS and not (base == 16 and cell in "bB"):
        return 0
    try:
        return int(cell, base) if cell.isalnum() and cell.isascii() else None
    except ValueError:
        return None
