"""The reading and writing of dust boards in their own notation, one or many.

A cell is one character: `.` or 0 for empty, and for the colours 1 to 9 these digits or the letters of `LETTERS`. A
board is read from one word (column by column, each from the bottom up), from rows of characters (from the top), or from
a table with numbered rows and columns. A nested list may have columns or rows.

Shapes: B = boards, W = columns, H = rows, N = W * H cells, C = colours. Places are written as moves: columns and rows
from 0 at the lower left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.core.puzzle import Example, Notation
from puzzlelab.text.board_blocks import translated
from puzzlelab.text.rows import text_of_example

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Dust

LETTERS = "RGBYOPCMW"
"""Red, green, blue, yellow, orange, purple, cyan, magenta and white: the colours 1 to 9."""
LONGEST = 8192
"""Characters that no board needs."""

PICTURES = {
    **dict.fromkeys("🟥🔴❤", 1),
    **dict.fromkeys("🟩🟢💚", 2),
    **dict.fromkeys("🟦🔵💙", 3),
    **dict.fromkeys("🟨🟡💛", 4),
    **dict.fromkeys("🟧🟠🧡", 5),
    **dict.fromkeys("🟪🟣💜", 6),
    **dict.fromkeys("🟫🟤🤎", 8),
    **dict.fromkeys("⬛⚫🖤⬜⚪🤍", 0),
}
"""Squares, circles and hearts in colours; black and white ones are empty cells."""

Board = NDArray[np.uint8]

_VALUES = {".": 0, "0": 0}
for _value, _letter in enumerate(LETTERS, start=1):
    _VALUES |= dict.fromkeys((str(_value), _letter, _letter.lower()), _value)
VALUE_OF_BYTE = np.full(256, 255, np.uint8)
"""The value of each character in ASCII, 0 for empty; 255 for a character that is no colour."""
for _symbol, _value in _VALUES.items():
    VALUE_OF_BYTE[ord(_symbol)] = _value


VALUES = VALUE_OF_BYTE.tobytes()


def notation(puzzle: Dust) -> Notation:
    """Return the view `Notation`."""
    signs = "0123456789" + LETTERS.lower() + "._-" + "".join(PICTURES)
    return Notation(
        shape=(puzzle.height, puzzle.width),
        signs=frozenset(signs),
        read=lambda text: read(text, puzzle),
        read_lines=partial(read_lines, puzzle),
        write_lines=lambda states: (states + ord("0")).astype(np.uint8),
        settling=(puzzle.with_gravity(), puzzle.settling),
    )


# --- one board ---


def read(text: str, puzzle: Dust) -> Board:
    """Read `uint8[N]` from any of the notations, whether it rests or not; raises `BadBoard` with the place."""
    if len(text) > LONGEST:
        raise BadBoard(f"{len(text):,} characters are no board; {_expected(puzzle)}")
    known = EXAMPLES.get(puzzle.name, {})
    bare = text_of_example(text, known).strip() if set(text.strip().upper()) - set(LETTERS) else text.strip()
    if not bare:
        raise BadBoard(f"nothing is given; {_expected(puzzle)} (an empty board has 0 or . in every cell)")
    if bare.startswith("["):  # lists are read as cells in rows
        wanted = f"{_count(puzzle.width, 'column')} of {puzzle.height} numbers from the bottom up"
        rows = f"{_count(puzzle.height, 'row')} of {puzzle.width} from the top"
        raise BadBoard(f"'{shorten(bare)}' is no list; {puzzle.name} is a list of {wanted}, or of {rows}")
    return _values(_of_table(bare.splitlines(), puzzle) if "|" in bare else _of_words(bare, puzzle), puzzle)


def write(state: Board) -> str:
    """Return the canonical notation: a digit a cell, column by column from the bottom, 0 for empty."""
    return "".join(map(str, state.tolist()))


def _expected(puzzle: Dust) -> str:
    wide, high = puzzle.width, puzzle.height
    return (
        f"{puzzle.name} is a word of {wide * high} characters (columns from the left, each from the bottom up), "
        f"{_count(high, 'row')} of {wide} from the top, a table, or a nested list"
    )


def _at(x: int, y: int) -> str:
    return f"column {x}, row {y} (from 0 at the lower left)"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _values(cells: str, puzzle: Dust) -> Board:
    """Return the colours of N characters in column order."""
    for place, symbol in enumerate(cells):
        if _VALUES.get(symbol, LONGEST) > puzzle.colours:
            top = puzzle.colours
            known = f"{puzzle.name} has 1 to {top} ({' '.join(LETTERS[:top])}), and 0 or . for empty"
            raise BadBoard(f"'{shorten(symbol)}' is no colour; {known}", _at(*divmod(place, puzzle.height)))
    return np.array([_VALUES[symbol] for symbol in cells], np.uint8)


def _of_words(text: str, puzzle: Dust) -> str:
    """Return the cells of one word, or of rows that line ends, spaces or strokes part."""
    lines = [line for line in re.split(r"[\n/]", text) if line.strip()]
    rows = lines[0].split() if len(lines) == 1 and puzzle.height > 1 else ["".join(line.split()) for line in lines]
    word = "".join(rows)
    if len(rows) == 1 and len(word) != puzzle.width * puzzle.height:
        raise BadBoard(f"'{shorten(word)}' has {_count(len(word), 'character')}; {_expected(puzzle)}")
    return word if len(rows) == 1 else _of_rows(rows, puzzle)


def _of_rows(rows: list[str], puzzle: Dust) -> str:
    if len(rows) != puzzle.height:
        raise BadBoard(f"'{shorten(' '.join(rows))}' has {_count(len(rows), 'row')}; {_expected(puzzle)}")
    for y, row in zip(reversed(range(puzzle.height)), rows, strict=True):
        if len(row) != puzzle.width:
            has = f"'{shorten(row)}' has {_count(len(row), 'character')}"
            raise BadBoard(f"{has}; a row of {puzzle.name} has {puzzle.width}", f"row {y} (from 0 at the bottom)")
    return "".join(row[x] for x in range(puzzle.width) for row in reversed(rows))


def _of_table(lines: list[str], puzzle: Dust) -> str:
    """Return the cells of a table: a line with the numbers of the columns, and a line for each row, its number first.

    A cell stands under (or over) the number of its column. What is in round brackets is passed over.
    """
    header, rows = "", dict[int, str]()
    for line in lines:
        label, bar, rest = line.partition("|")
        if not bar:
            if set(line) - set("-+=: \t\r"):
                raise BadBoard(f"'{shorten(line.strip())}' is no line of a table")
        elif not label.strip():
            if header and rest.strip():
                raise BadBoard("the table has two lines with the numbers of the columns")
            header = header or rest
        else:
            rows[_row_number(label.strip(), rows, puzzle)] = rest
    slots = _slots(header, puzzle)
    for y in range(puzzle.height):
        if y not in rows:
            raise BadBoard(f"the table has no row {y}; the rows of {puzzle.name} are 0 to {puzzle.height - 1}")
    placed = [_placed(rows[y], y, slots, puzzle.width) for y in range(puzzle.height)]
    return "".join(row[x] for x in range(puzzle.width) for row in placed)


def _row_number(label: str, seen: Iterable[int], puzzle: Dust) -> int:
    if not re.fullmatch(r"[0-9]{1,2}", label) or int(label) >= puzzle.height:
        raise BadBoard(f"'{shorten(label)}' is no row of {puzzle.name}, whose rows are 0 to {puzzle.height - 1}")
    if int(label) in seen:
        raise BadBoard(f"the table has two rows {int(label)}")
    return int(label)


def _slots(header: str, puzzle: Dust) -> dict[int, int]:
    """Return the columns by the places after the bar where their numbers stand."""
    numbers = list(re.finditer(r"\S+", header))
    if [match[0] for match in numbers] != [str(x) for x in range(puzzle.width)]:
        said = f"says '{shorten(' '.join(header.split()))}'" if header.strip() else "is missing"
        raise BadBoard(f"the line with the numbers of the columns {said}; they are 0 to {puzzle.width - 1}")
    return {place: x for x, match in enumerate(numbers) for place in range(*match.span())}


def _placed(line: str, y: int, slots: Mapping[int, int], width: int) -> list[str]:
    """Return one character for each column of a row."""
    row = ["."] * width
    where, seen = f"row {y} (from 0 at the bottom)", set()
    plain = re.sub(r"\([^()]*\)|[\[\]]", lambda match: " " * len(match[0]), line)
    for match in re.finditer(r"\S", plain):
        x = slots.get(match.start())
        if x is None:
            raise BadBoard(f"'{shorten(match[0])}' stands below no number of a column", where)
        if x in seen:
            raise BadBoard(f"two cells stand below the number {x}", where)
        seen.add(x)
        row[x] = match[0]
    return row


def must_rest(state: Board, puzzle: Dust, text: str = "") -> None:
    """Raise `BadBoard` with the place where a cell would fall, or slide towards the centre line.

    `text` is that of the board: colours that are counted from 0 look like this.
    """
    floating, loose = misplaced(state.reshape(puzzle.width, puzzle.height))
    for wrong, why in (
        (floating, "nothing lies below this cell, so that it would fall"),
        (loose, "the cell beside this one towards the centre line is empty, so that it would slide there"),
    ):
        if wrong.any():
            x, y = np.argwhere(wrong)[0].tolist()
            zero = "0 is an empty cell: if it is a colour, add 1 to all numbers; else " * ("0" in text)
            raise BadBoard(f"{why}; {zero}--settle lets boards come to rest (with_gravity() in Python)", _at(x, y))


def misplaced(grids: NDArray[np.uint8]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the cells of boards `[..., W, H]` that would fall, and those that would slide towards the centre line."""
    full = grids != 0
    line = grids.shape[-2] // 2
    floating, loose = np.zeros_like(full), np.zeros_like(full)
    floating[..., 1:] = full[..., 1:] & ~full[..., :-1]
    before, after = slice(max(line - 1, 0)), slice(1, max(line, 1))
    loose[..., before, :] = full[..., before, :] & ~full[..., after, :]
    loose[..., line + 1 :, :] = full[..., line + 1 :, :] & ~full[..., line:-1, :]
    return floating, loose


# --- many boards ---


def read_lines(puzzle: Dust, lines: NDArray[np.uint8]) -> tuple[Board, NDArray[np.bool_]]:
    """Read the ASCII lines `uint8[B, N]` of boards that rest, in column order: `uint8[B, N]`, and `bool[B]`, which are
    boards.
    """
    states = np.zeros((len(lines), puzzle.cells), np.uint8)
    if lines.shape[1] != puzzle.cells:
        return states, np.zeros(len(lines), bool)
    states[:] = translated(lines, VALUES)
    moves = [wrong.any(axis=(1, 2)) for wrong in misplaced(states.reshape(-1, puzzle.width, puzzle.height))]
    return states, (states.max(axis=1) <= puzzle.colours) & ~np.any(moves, axis=0)


EXAMPLES: Mapping[str, Mapping[str, Example]] = {
    "dust-8x6x5": {
        "document": Example(
            "OBBGRBRY/GGYYYRGR/GOOYOYOG/OYGGORRO/GOYRYYYY/YRRGOGRY",
            "printed in 2021 beside a network that clears it in 17 clicks, and a search of 15 seconds that needs 18",
        ),
    },
}
