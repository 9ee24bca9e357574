"""The reading and writing of Sudokus: in their own notation, one or many, alone or beside their solutions.

A cell is one character: `.`, `0`, `_` or `*` for blank, 1 to 9, and A to P for 10 to 25. A board is read from one
line of cells, from several, from a grid with bars, or from `puzzle solution`.
In grids of more than 9 rows, 0 is a digit beside another sign for blank.

Shapes: B = boards, N = digits, W = characters of a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.core.puzzle import Notation
from puzzlelab.puzzles.sudoku import examples
from puzzlelab.text.board_blocks import translated
from puzzlelab.text.rows import check_rows, is_ruler, rows_of, text_of_example

if TYPE_CHECKING:
    from puzzlelab.puzzles.sudoku.rules import Sudoku

SYMBOLS = "123456789ABCDEFGHIJKLMNOP"
BLANKS = frozenset(".0_*")
MORE_BLANKS = BLANKS | frozenset("-?xX~") | {"", " "}
"""The signs of blanks in other notations."""
MOST_DIGITS = 9
"""The rows of the largest grid in which 0 is always blank."""
LONGEST = 8192
"""Characters that no board needs."""
LIBRARY = re.compile(r":[^:\n]*:[^:\n]*:([^:\n]*)(?::([^:\n]*).*)?")
"""A line of a library of HoDoKu: its cells, where a plus stands before digits that a player has written, and the
candidates that are removed."""
WITH_POINTS, WITH_ZEROS = ((blank + SYMBOLS).encode().ljust(256) for blank in ".0")
"""The character of each value, with two characters for blank."""
OTHER_BLANKS = [ord(sign) for sign in BLANKS - {"0"}]
BETWEEN = np.isin(np.arange(256), np.frombuffer(b" ,;\t", np.uint8))
"""The characters between a board and its solution."""
MOST_BETWEEN = 2

COLUMN_OF_CELL = np.tile(np.arange(1, 10, dtype=np.uint8), 9)
FIRST_COLUMNS = COLUMN_OF_CELL[:16].view(np.uint64)

Board = NDArray[np.uint8]
Text = NDArray[np.uint8]
"""Characters in ASCII."""

_VALUES = {symbol: value for value, symbol in enumerate(SYMBOLS, start=1)} | dict.fromkeys(BLANKS, 0)
_VALUES |= {symbol.lower(): value for symbol, value in _VALUES.items()}
_NONE = 255
VALUE_OF_BYTE = np.full(256, _NONE, np.uint8)
"""The value of each character in ASCII, 0 for blank; `_NONE` is above every value."""
for _symbol, _value in _VALUES.items():
    VALUE_OF_BYTE[ord(_symbol)] = _value
VALUES = VALUE_OF_BYTE.tobytes()


def notation(puzzle: Sudoku) -> Notation:
    """Return the view `Notation`."""
    return Notation(
        shape=(puzzle.size, puzzle.size),
        signs=frozenset((SYMBOLS[: puzzle.size] + "".join(MORE_BLANKS)).lower()),
        read=partial(read, size=puzzle.size, name=puzzle.name),
        read_lines=partial(read_lines, puzzle.size),
        write_lines=write_lines,
        references=partial(references, puzzle.size, puzzle.name),
        wider=f"{puzzle.name}:candidates" if puzzle.name == "sudoku-9x9" else "",
    )


# --- one board ---


def read(text: str, size: int, name: str) -> Board:
    """Read `uint8[N * N]` from any of the notations, or the name of an example; raises `BadBoard` with the place."""
    puzzle, solution = read_pair(text_of_example(text, examples.of(name)), size, name)
    if solution is not None and (wrong := np.flatnonzero((puzzle != 0) & (puzzle != solution))).size:
        raise BadBoard("the solution beside the puzzle has another digit than the clue", _place(int(wrong[0]), size))
    is_in_place = size == MOST_DIGITS and all(digit in (0, cell % 9 + 1) for cell, digit in enumerate(puzzle.tobytes()))
    if is_in_place and _may_be_candidates(puzzle[None])[0]:
        raise BadBoard("each digit stands in its own column, as in the candidates of nine cells: give all nine lines")
    return puzzle


def write(board: Board, blank: str = ".") -> str:
    """Return the canonical notation: one character a cell, row by row, on one line."""
    return np.frombuffer((blank + SYMBOLS).encode(), np.uint8)[board].tobytes().decode()


def read_pair(text: str, size: int, name: str) -> tuple[Board, Board | None]:
    """Return the board and, where the text gives one, what it says is the solution; raises `BadBoard`."""
    if len(text) > LONGEST:
        raise BadBoard(f"{len(text):,} characters are no board; {name} has {size**2} cells")
    if not text.strip():
        raise BadBoard(f"the board is empty; {name} has {size**2} cells, one character each and . for blank")
    if "|" in text:
        text = "\n".join(line.replace("|", " ") for line in text.splitlines() if not is_ruler(line))
    words = _words(text)
    if len(words) == size**2 and any(len(word) > 1 for word in words):
        board, lengths = _numbers(words, size), [len(_words(row)) for row in rows_of(text)]
    elif len(words) > 1 and max(map(len, words)) >= size**2 and "\n" not in text.strip():
        return _beside_solution(words[0], words[1], size, name)
    else:
        board, lengths = _values("".join(words), size, name), [len("".join(_words(row))) for row in rows_of(text)]
        if len(lengths) < 2 and len(set(map(len, words))) > 1:
            lengths = list(map(len, words))
    check_rows(lengths, size, size, name)
    return board, None


def _words(text: str) -> list[str]:
    return re.split(r"[\s,;\t\[\]()]+", text.strip(" \t\r\n,;[]()"))


def _beside_solution(puzzle: str, solution: str, size: int, name: str) -> tuple[Board, Board | None]:
    """Return the board of the first word, and the second one if it is a full grid in the same digits."""
    if len(solution) == size**2 and not BLANKS & set(solution):
        return _digits(puzzle, size, name), _digits(solution, size, name)
    board = _values(puzzle, size, name)
    is_from_zero = 0 < np.count_nonzero(board == 0) < sum(sign in BLANKS for sign in puzzle)
    if not is_from_zero or len(solution) != size**2 or (BLANKS - {"0"}) & set(solution):
        return board, None
    digits = _digits(solution, size, name)
    if digits.max() == size:
        raise BadBoard(f"0 stands in the puzzle as a digit, and {SYMBOLS[size - 1]} in the solution beside it")
    return board, digits + np.uint8(1)


def _values(cells: str, size: int, name: str) -> Board:
    digits = _digits(cells, size, name)
    may_be_digit = size > MOST_DIGITS and "0" in cells
    return from_zero(digits, np.frombuffer(cells.encode(), np.uint8) == ord("0"), size) if may_be_digit else digits


def _digits(cells: str, size: int, name: str) -> Board:
    """Return the values of N * N characters, 0 for each sign of a blank."""
    if len(cells) == size**2 and cells.isascii():
        values = VALUE_OF_BYTE[np.frombuffer(cells.encode(), np.uint8)]
        if values.max() <= size:
            return values
    for place, symbol in enumerate(cells):
        if _VALUES.get(symbol, LONGEST) > size:
            top = SYMBOLS[size - 1]
            known = f"1 to {top}" if size < 10 else f"1 to 9 and A to {top}"
            raise BadBoard(f"'{shorten(symbol)}' is no digit; {name} has {known}, and . for blank", _place(place, size))
    raise BadBoard(f"{len(cells)} cell{'s' * (len(cells) != 1)} given; {name} has {size**2}")


def _numbers(words: list[str], size: int) -> Board:
    for place, word in enumerate(words):
        blank = word in BLANKS
        if not blank and not (re.fullmatch(r"[0-9]{1,3}", word) and int(word) <= size):
            raise BadBoard(f"'{shorten(word)}' is no number from 0 to {size}", _place(place, size))
    digits = np.array([0 if word in BLANKS else int(word) for word in words], np.uint8)
    return from_zero(digits, np.array([word.strip("0") == "" for word in words]), size)


def from_zero(digits: Board, is_zero: NDArray[np.bool_], size: int) -> Board:
    """Return the board of these `digits[N * N]`, 0 for each sign of a blank, some of which are written as 0.

    Above 9 rows 0 is a digit where another sign stands for blank, so that 0 to F become 1 to G. Raises `BadBoard` where
    it may be a digit or a blank.
    """
    is_blank = (digits == 0) & ~is_zero
    if size <= MOST_DIGITS or not is_zero.any():
        return digits
    if not is_blank.any():
        marks = is_zero.reshape(size, size)
        is_full = digits.max() < size and (marks.sum(axis=0) == 1).all() and (marks.sum(axis=1) == 1).all()
        if is_full:
            raise BadBoard(f"0 stands once in each row and column, as a digit does; {_meanings(size)}")
        return digits
    if digits.max() == size:
        raise BadBoard(f"0, {SYMBOLS[size - 1]} and another sign for blank stand in one board; {_meanings(size)}")
    return np.where(is_blank, 0, digits + 1).astype(np.uint8)


def _meanings(size: int) -> str:
    low, high = SYMBOLS[size - 2], SYMBOLS[size - 1]
    return f"0 is a digit if they are 0 to {low}, and blank if they are 1 to {high}: write 1 to {high}, and . for blank"


def _place(cell: int, size: int) -> str:
    row, column = divmod(cell, size)
    return f"character {cell + 1} (row {row + 1}, column {column + 1})"


# --- many boards ---


def read_lines(size: int, lines: Text) -> tuple[Board, NDArray[np.bool_]]:
    """Read `lines: uint8[B, W]` of one character a cell, alone or with their solution after a comma, a TAB or spaces:
    `uint8[B, N * N]`, and `bool[B]`, which are boards.
    """
    cells, between = size**2, lines.shape[1] - 2 * size**2
    states = translated(lines[:, :cells], VALUES)
    if lines.shape[1] == cells:
        may_be_others = _zero_may_be_digit(lines, size) | _may_be_candidates(states)
        return states, (states.max(axis=1) <= size) & ~may_be_others
    if not 1 <= between <= MOST_BETWEEN:
        return np.zeros((len(lines), cells), np.uint8), np.zeros(len(lines), bool)
    solutions = translated(lines[:, -cells:], VALUES)
    fits = (solutions.min(axis=1) == 0) | ((states == 0) | (states == solutions)).all(axis=1)
    is_parted = BETWEEN[lines[:, cells:-cells]].all(axis=1)
    is_written = (states.max(axis=1) <= size) & (solutions.max(axis=1) <= size)
    may_be_others = _zero_may_be_digit(lines[:, :cells], size) | _may_be_candidates(states)
    return states, is_written & is_parted & fits & ~may_be_others


def references(size: int, name: str, texts: Sequence[str]) -> tuple[Board, NDArray[np.bool_], dict[int, str]]:
    """Read the solutions beside the boards of these texts: `uint8[B, N * N]`, `bool[B]`, which are read, and place ->
    why another is not whole.
    """
    cells, errors = size**2, dict[int, str]()
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    solutions, is_read = np.zeros((len(texts), cells), np.uint8), np.zeros(len(texts), bool)
    for length in range(2 * cells + 1, 2 * cells + MOST_BETWEEN + 1):
        places = np.flatnonzero(lengths == length)
        if len(places) and size <= MOST_DIGITS:
            lines = "".join(map(texts.__getitem__, places.tolist())).encode("ascii", "replace")
            solutions[places], is_read[places] = _solutions_in(np.frombuffer(lines, np.uint8).reshape(-1, length), size)
    for place in np.flatnonzero((lengths > cells) & ~is_read).tolist():
        try:
            if (solution := _reference(texts[place], size, name)) is not None:
                solutions[place], is_read[place] = solution, True
        except BadBoard as error:
            errors[place] = str(error)
    return solutions, is_read, errors


def _solutions_in(lines: Text, size: int) -> tuple[Board, NDArray[np.bool_]]:
    """Return the full grids at the ends of `lines: uint8[B, W]`, and `bool[B]`, which are full and after a board."""
    cells = size**2
    solutions = translated(lines[:, -cells:], VALUES)
    is_full = (solutions.min(axis=1) > 0) & (solutions.max(axis=1) <= size)
    return solutions, is_full & BETWEEN[lines[:, cells:-cells]].all(axis=1)


def _reference(text: str, size: int, name: str) -> Board | None:
    """Return the solution beside the board of a text; None without one.

    Raises `BadBoard` for what stands there and is mostly digits, but no full grid.
    """
    words = _words(text)
    if len(words) < 2 or len(words[0]) != size**2 or "\n" in text.strip():
        return None
    _, solution = read_pair(text, size, name)
    beside, cells = words[1], size**2
    if solution is not None or 2 * sum(0 < _VALUES.get(sign, 0) <= size for sign in beside) <= cells:
        return solution
    if len(beside) != cells:
        raise BadBoard(f"the solution beside the board has {len(beside)} cells, and not {cells}")
    blank = int(np.flatnonzero(_digits(beside, size, name) == 0)[0])
    raise BadBoard("the solution beside the board has a blank", _place(blank, size))


def write_lines(states: Board) -> Text:
    """Write `states: uint8[B, N * N]` as `write` does: `uint8[B, N * N]`."""
    return translated(states, WITH_POINTS)


def _zero_may_be_digit(lines: Text, size: int) -> NDArray[np.bool_]:
    """Tell which boards `from_zero` may read otherwise: `bool[B]`."""
    if size <= MOST_DIGITS or b"0" not in lines.tobytes():
        return np.zeros(len(lines), bool)
    zeros = np.count_nonzero(lines == ord("0"), axis=1)
    may_be_digit: NDArray[np.bool_] = (zeros == size) | ((zeros > 0) & np.isin(lines, OTHER_BLANKS).any(axis=1))
    return may_be_digit


def _may_be_candidates(states: Board) -> NDArray[np.bool_]:
    """Tell which boards have more than nine clues in 9x9, each in the column of its digit: `bool[B]`.

    Two equal ones then stand in a column. Such a line has the candidates of nine cells, nine signs each.
    """
    if states.shape[1] != MOST_DIGITS**2:
        return np.zeros(len(states), bool)
    others = states[:, : FIRST_COLUMNS.nbytes].view(np.uint64) & ~FIRST_COLUMNS  # eight cells at once: time matters
    may_be: NDArray[np.bool_] = others[:, 0] | others[:, 1] == 0
    some = states[may_be]
    is_in_place = ((some == 0) | (some == COLUMN_OF_CELL)).all(axis=1)
    may_be[may_be] = is_in_place & (np.count_nonzero(some, axis=1) > MOST_DIGITS)
    return may_be
