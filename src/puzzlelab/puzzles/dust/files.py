"""Files of dust boards: where each board begins and ends, and of which size an unnamed board is.

A board is a line, a table, or the rows from the top as lines. Comments (`#`) and empty lines stand between boards.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from puzzlelab.core.errors import BadBoard
from puzzlelab.puzzles.dust import examples, notation
from puzzlelab.text.board_files import fields

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Dust

BoardLines = tuple[int, str, *tuple[str, ...]]
"""The number of a board's first line, its text, and the columns after it."""

USUAL = {(8, 6): 5, (6, 5): 4, (7, 6): 5, (8, 8): 5, (10, 8): 5}
"""The colours of the usual sizes (W, H); a word without a size is a board of one of these."""
USUAL_COLOURS = 5


def boards(lines: Iterable[str], puzzle: notation.Shape, names: Container[str] = ()) -> Iterator[BoardLines]:
    """Yield the boards of a file; malformed ones are yielded too, so that `read` reports them.

    `names` are words that are boards, whatever they look like.
    """
    block = _Block(puzzle.height)
    for number, line in enumerate(lines, start=1):
        text = line.rstrip("\r\n")
        kind = _kind(text, puzzle, names)
        if block.lines and not block.takes(kind):
            yield block.ended()
        if block.takes(kind):
            block.add(number, kind, text)
            if block.complete:
                yield block.ended()
        elif kind in ("board", "short"):
            board, *columns = fields(text)
            yield number, board, *columns
    if block.lines:
        yield block.ended()


def _kind(text: str, puzzle: notation.Shape, names: Container[str]) -> str:
    """Return the kind of a line: nothing, header, row or ruler of a table, a row of letters, or a whole board.

    'short' is a line with too few cells for a board and a wrong number for a row.
    """
    bare = text.strip()
    if not bare or text.startswith("#"):
        return "nothing"
    if "|" in text:
        return "row" if text.partition("|")[0].strip() else "header"
    if len(bare) > 1 and not set(bare) - set("-+=:"):
        return "ruler"
    cells = len("".join(bare.split()))
    whole = cells >= puzzle.width * puzzle.height or bare.startswith("[") or bool(set("\t/") & set(bare))
    if whole or bare.lower() in names:
        return "board"
    return "letters" if 2 * abs(cells - puzzle.width) <= puzzle.width else "short"


@dataclass
class _Block:
    """The lines so far of a board that takes several: a table, or `height` rows of letters."""

    height: int
    lines: list[str] = field(default_factory=list)
    began: int = 0
    table: bool = False
    headers: int = 0
    rows: int = 0
    ruled: bool = False
    """Whether the last line is a rule: numbers of columns below a table stand below one."""

    def takes(self, kind: str) -> bool:
        """Tell whether such a line belongs to this board, or begins one."""
        if not self.lines:
            return kind in ("header", "row", "letters")
        if not self.table:
            return kind in ("letters", "short")
        if kind == "header":
            return not self.headers and self.rows == self.height and self.ruled
        return kind == "ruler" or (kind == "row" and self.rows < self.height)

    def add(self, number: int, kind: str, text: str) -> None:
        if not self.lines:
            self.began, self.table = number, kind != "letters"
        self.lines.append(text)
        self.ruled = kind == "ruler"
        self.headers += kind == "header"
        self.rows += kind in ("row", "letters", "short")

    @property
    def complete(self) -> bool:
        return self.rows == self.height and (self.headers == 1 or not self.table)

    def ended(self) -> tuple[int, str]:
        """Return the board; the next line begins another one."""
        board = self.began, "\n".join(self.lines)
        self.lines, self.headers, self.rows = [], 0, 0
        return board


# --- boards without a name ---


class _Size(NamedTuple):
    """A size with the most colours, for reading."""

    width: int
    height: int
    colours: int = len(notation.LETTERS)
    name: str = "dust"


def guessed_size(text: str) -> tuple[int, int, int] | None:
    """Guess the columns, rows and colours of the puzzle of which this text is most likely a board; None for no board.

    A word is only taken for a board of a usual size. A nested list may hold rows or columns. All other notations say
    their size themselves.
    """
    from puzzlelab.puzzles.dust.pasted import LEAST, MOST

    bare = text.strip(" \r\n") if len(text) <= notation.LONGEST else ""
    sides = _sides(bare)
    if sides is None or not all(LEAST <= side <= MOST for side in sides):
        return None
    try:
        state = notation.read(bare, _Size(*sides))
        notation.must_rest(state, _Size(*sides), bare)
    except BadBoard:
        return None
    usual, most = USUAL.get(sides, USUAL_COLOURS), int(state.max())
    has_each_once = np.unique(state[state > 0]).size == np.count_nonzero(state)  # these are tiles, or nothing is left
    if has_each_once or (most > usual and len(bare) == state.size):
        return None
    return *sides, max(usual, most)


def _sides(text: str) -> tuple[int, int] | None:
    """Return (W, H) as the form of a text says it."""
    lines = re.split(r"\r?\n|[ \r\n]*/[ \r\n]*", text)
    if "|" in text:
        cut = [line.partition("|") for line in lines if "|" in line]
        headers = [rest.split() for label, _, rest in cut if not label.strip()]
        return (len(headers[0]), len(cut) - 1) if len(headers) == 1 else None
    if len(lines) > 1:
        has_gaps = len({re.sub(r"\S", "x", line.rstrip(" ")) for line in lines}) > 1  # a space may be an empty cell
        return None if has_gaps else (len("".join(lines[0].split())), len(lines))
    return next(((wide, high) for wide, high in USUAL if wide * high == len(text)), None)


@dataclass(frozen=True)
class DustFiles:
    """The view `MultilineNotation` of dust."""

    puzzle: Dust

    def boards(self, lines: Iterable[str]) -> Iterator[BoardLines]:
        return boards(lines, self.puzzle, examples.of(self.puzzle.name))
