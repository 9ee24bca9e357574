"""Splits a text into the texts of its boards: a line each, several rows each, or the rows of a table, JSON or XML.

Lines of words, comments and rulers stand between boards. Whatever has the signs of a board is given as one, so that its
reading says what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from puzzlelab.core.errors import BadBoard
from puzzlelab.core.puzzle import Family, Notation
from puzzlelab.text.documents import MARKUP, board_in, boards_in, header_in, link_in, row_in
from puzzlelab.text.grids import EMPTY, plain_signs
from puzzlelab.text.rows import is_certain_ruler, is_ruler

LONGEST_BOARD = 8192
"""Characters that no board needs, whatever its form."""
LONGEST_DOCUMENT = 2_000_000
"""Characters of a document that is read as a whole: XML, HTML, or a list that goes on for several lines."""
MOST_COLUMNS = 3
"""Columns after the board. Further TABs are part of the last column."""
COMMENT = re.compile(r"\s*(?:#|//|%|;\s*[A-Za-z])")
SENTENCE = re.compile(r"(?:#|//|%)\s+(?:[^\W\d_]{3,}\W+){2}")
"""A comment that looks like no board: two words or more, whose letters may be as many as there are cells."""
WORD = re.compile(r"[^\W\d_]{2,}")
PARTS = re.compile(r"[\s|,;&/\\\[\](){}\"'+:=]+")
TRAILING_COMMENT = re.compile(r"\s+(?:#|//|%|;)\s*\D.*$")
BESIDE = re.compile(r"(?<=\w)\([^()]*\)")
"""The pattern of what stands in brackets beside a cell, such as what a network thinks of it."""
OPENING = re.compile(r"[\[({]\s*(?:[\[({\"'\d.-]|None|null|$)")
MORE_ROWS = 2
"""Lines of a board beside its rows, such as the names of its columns."""


@dataclass(frozen=True, slots=True)
class BoardText:
    """The text of a board that is not read yet, and its place."""

    line: int
    """The number of its first line, from 1."""
    text: str
    columns: tuple[str, ...] = ()
    """The columns after the board on its line."""
    puzzle: str | None = None
    """The name of its puzzle, where the text has it beside the board."""


def fields(line: str) -> list[str]:
    """Return the board on a line and the columns after it, which are separated by TABs."""
    return [field.strip() for field in line.rstrip("\r\n").split("\t", MOST_COLUMNS)]


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    is_row: bool
    is_ruler: bool = False


class Splitter:
    """Splits the lines of a text into boards of one puzzle, each as soon as its lines are there.

    Args:
        notation: that of the puzzle; None for a puzzle whose boards are no grids: each line then is a board.
        family: the family of the puzzle.
        looks: whether a text is a board of the puzzle in another form than its own notation.
    """

    def __init__(self, notation: Notation | None, family: Family, looks: Callable[[str], bool]) -> None:
        self._notation, self._family, self._looks = notation, family, looks
        self._rows, self._columns = notation.shape if notation is not None else (0, 0)
        self.words = 0
        """Lines of words that were passed over."""
        self.comments = 0
        """Comments that were passed over."""
        self._table: tuple[str, list[str], list[str]] | None = None
        """The separator, the names of the columns, and of those of the board, where the first line names them."""
        self._is_sure_of_columns = False
        self._began = False
        self._open: list[tuple[int, str]] = []
        """The lines so far of a list or a document that goes on."""
        self._depth = 0
        self._paragraphs: list[list[_Line]] = [[]]
        """Rows that are no board yet, parted by empty lines."""
        self._is_lost = False
        """Whether paragraphs were no board: whatever follows is joined no more until words, or a board on a line."""

    def split(self, lines: Iterable[str]) -> Iterator[BoardText]:
        """Yield the texts of the boards; a short text is tried as a single board first."""
        numbered = enumerate((line.rstrip("\r\n") for line in lines), start=1)
        head, is_all = self._head(numbered)
        whole = "\n".join(line for _, line in head)
        if is_all and self._notation is not None and not link_in(whole) and self._is_text_of_board(whole):
            yield BoardText(self._first_line(head), whole.strip("\n"))
            return
        for number, line in chain(head, numbered):
            yield from self._line(number, line)
        yield from self._end()

    def _head(self, numbered: Iterator[tuple[int, str]]) -> tuple[list[tuple[int, str]], bool]:
        """Return the first lines, up to a board on one line or too many characters, and whether they are all."""
        head, length = list[tuple[int, str]](), 0
        for number, line in numbered:
            head.append((number, line))
            length += len(line) + 1
            if self._notation is None or length > LONGEST_BOARD or self._on_line(number, line) is not None:
                return head, False
        return head, True

    @staticmethod
    def _first_line(head: Sequence[tuple[int, str]]) -> int:
        starts = (number for number, line in head if line.strip() and not COMMENT.match(line))
        return next(starts, 1)

    # --- lines ---

    def _line(self, number: int, line: str) -> Iterator[BoardText]:
        bare = line.strip()
        if self._open:
            yield from self._go_on(number, line)
        elif not bare and line.count("\t") == self._columns - 1 > 0:
            yield from self._add_row(number, line)  # a row of empty cells
        elif not bare:
            yield from self._part(hard=False)
        elif not link_in(bare) and self._is_comment(line, bare):
            self.comments += 1
        elif self._table is not None:
            yield from self._row_of_table(number, line)
        elif not self._began and MARKUP.match(bare):
            self._open, self._depth = [(number, line)], LONGEST_DOCUMENT  # to the end of the text
        elif not self._began and (header := header_in(line, self._family.columns)) is not None:
            self._table = header
        else:
            yield from self._board_or_row(number, line, bare)

    def _is_comment(self, line: str, bare: str) -> bool:
        """Tell whether a line is passed over: not if its first sign may be a cell that is wrong."""
        if self._notation is None:
            return line.startswith("#")
        if SENTENCE.match(bare):
            return True
        if not COMMENT.match(bare):
            return False
        cells = "".join(PARTS.sub(" ", bare).split()).lower()
        return len(cells) != self._rows * self._columns or bool(set(cells[1:]) - self._notation.signs)

    def _board_or_row(self, number: int, line: str, bare: str) -> Iterator[BoardText]:
        if bare[0] in "{[" and bare[-1] in "}]" and (boards := self._boards_in(number, bare)):
            yield from self._part(hard=True)
            yield from boards
        elif (board := self._on_line(number, line)) is not None:
            yield from self._part(hard=True)
            self._began = True
            yield board
        elif self._notation is None:
            self._began = True
            text, *columns = fields(line)
            yield BoardText(number, text, tuple(columns))
        elif bare.count("[") + bare.count("{") > bare.count("]") + bare.count("}") and OPENING.search(bare):
            yield from self._part(hard=True)
            self._open, self._depth = [(number, line)], _depth(bare)
        else:
            yield from self._words_or_row(number, line, self._notation.signs)

    def _words_or_row(self, number: int, line: str, signs: frozenset[str]) -> Iterator[BoardText]:
        shown = plain_signs(line)
        if is_ruler(shown):
            if not is_certain_ruler(shown):
                yield from self._part(hard=False)
            self._paragraphs[-1].append(_Line(number, line, False, not is_certain_ruler(shown)))
            return
        count = self._cell_count(shown)
        if self._is_words(shown, count, signs):
            self.words += 1
            yield from self._part(hard=True)
        elif 2 * count > 3 * self._columns and self._rows > 1:  # more than a row: a board that is none
            yield from self._part(hard=True)
            self._began = True
            text, *columns = fields(line)
            yield BoardText(number, text if 2 * len(text) > len(line) else line.strip(), tuple(columns))
        else:
            yield from self._add_row(number, line)

    def _add_row(self, number: int, line: str) -> Iterator[BoardText]:
        self._began = True
        self._paragraphs[-1].append(_Line(number, line, True))
        if _row_count(self._paragraphs[-1]) > self._rows + MORE_ROWS:
            yield from self._part(hard=False, is_break=False)

    def _cell_count(self, line: str) -> int:
        """Count the cells of a line: its words or its characters, whichever are nearer to a row or a board."""
        words = PARTS.sub(" ", BESIDE.sub("", line)).split()
        counts, wanted = (len(words), len("".join(words))), (self._columns, self._rows * self._columns)
        return min(counts, key=lambda count: min(abs(count - each) for each in wanted))

    def _is_words(self, line: str, count: int, signs: frozenset[str]) -> bool:
        """Tell whether a line has words in it, and no cells or few."""
        if line.rstrip().endswith(("=", ":")):
            return True
        if count in (self._columns, self._rows * self._columns):
            return False
        line = line.partition("\t")[0].strip() or line  # columns stand behind a board
        words = (word for word in WORD.findall(line) if word.lower() not in EMPTY)
        letters = sum(len(word) for word in words if set(word.lower()) - signs)
        return 3 * letters >= len("".join(line.split()))

    def _on_line(self, number: int, line: str) -> BoardText | None:
        """Return the board that a line has, beside other columns or alone; None if it has none."""
        bare, cells = line.strip(), self._rows * self._columns
        if link_in(bare):
            return BoardText(number, bare)
        if self._notation is None:
            return None
        text, *columns = fields(line)
        if not (len(bare) >= cells or bare.isalpha() or text.isalpha()):
            return None
        if self._reads(text):
            return BoardText(number, text, tuple(columns))
        if self._reads(bare) or self._is_of_other_program(bare):
            return BoardText(number, bare)
        words = sorted(re.split(r"[,;\s]+", bare), key=len)
        word, is_alone = words[-1], len(words) > 1 and len(words[-1]) > len(words[-2])
        if len(word) >= cells > 4 and is_alone and self._reads(word):
            return BoardText(number, word)
        cut = TRAILING_COMMENT.sub("", bare)
        return BoardText(number, cut) if cut != bare and self._reads(cut) else None

    def _is_text_of_board(self, text: str) -> bool:
        return self._reads(text) or self._looks(text)

    def _reads(self, text: str) -> bool:
        if self._notation is None or not text:
            return False
        try:
            self._notation.read(text)
        except BadBoard:
            return False
        return True

    def _is_of_other_program(self, text: str) -> bool:
        try:
            return any(True for _ in self._family.from_text(text, None))
        except BadBoard:
            return True

    # --- tables with names, lists and documents ---

    def _row_of_table(self, number: int, line: str) -> Iterator[BoardText]:
        if line.count('"') % 2:  # a quoted field goes on
            self._open, self._depth = [(number, line)], 0
            return
        assert self._table is not None
        separator, names, of_board = self._table
        text, owner = board_in(row_in(line, separator, names), of_board) or ("", None)
        if not self._is_sure_of_columns and 2 * len(text) < self._rows * self._columns:
            self._table = None  # the line had a title, and no names
            self.words += 1
            yield from self._line(number, line)
            return
        self._is_sure_of_columns = self._began = True
        yield BoardText(number, text, (), owner)

    def _go_on(self, number: int, line: str) -> Iterator[BoardText]:
        """Take another line of a list, of a document or of a quoted field."""
        first = self._open[0][0]
        if self._table is not None:
            self._open.append((number, line))
            whole = "\n".join(text for _, text in self._open)
            if whole.count('"') % 2 == 0:
                self._open = []
                yield from self._row_of_table(first, whole)
            return
        if self._depth < LONGEST_DOCUMENT and (board := self._on_line(number, line)) is not None:
            yield BoardText(first, self._closed())
            yield board
            return
        self._open.append((number, line))
        self._depth += _depth(line)
        if self._depth <= 0:
            yield from self._document(first, self._closed())

    def _closed(self) -> str:
        text = "\n".join(line for _, line in self._open)
        self._open, self._began = [], True
        return text

    def _document(self, number: int, text: str) -> Iterator[BoardText]:
        """Yield the boards of a text that is read as a whole."""
        is_too_long = len(text) > LONGEST_DOCUMENT
        boards = [] if is_too_long else self._boards_in(number, text)
        yield from boards
        if is_too_long or not (boards or MARKUP.match(text)):
            yield BoardText(number, text)

    def _boards_in(self, number: int, text: str) -> list[BoardText]:
        if text.startswith("{") and self._is_of_other_program(text):
            return [BoardText(number, text)]
        found = boards_in(text, self._family.columns, self._reads)
        return [BoardText(number, board, (), owner) for board, owner in found]

    # --- boards of several lines ---

    def _part(self, hard: bool, is_break: bool = True) -> Iterator[BoardText]:
        """Yield the boards of the rows so far: those before an empty line or, if `hard`, before something else."""
        if self._notation is None:
            return
        rows = self._rows
        while any(self._paragraphs):
            last, joined = self._paragraphs[-1], [line for lines in self._paragraphs for line in lines]
            certain, joined_rightly = _row_count(joined), not self._is_lost or len(self._paragraphs) == 1
            if certain == 0 and (hard or not is_break):
                self._paragraphs = [[]]
            elif self._is_board(joined) and (is_break or certain == _row_count(last)) and joined_rightly:
                yield self._board(joined)
            elif len(self._paragraphs) > 1 and _row_count(last) >= rows:
                yield self._board([line for lines in self._paragraphs[:-1] for line in lines], [last])
            elif len(self._paragraphs) == 1 and certain > rows:
                yield self._cut(last)
            elif hard or certain > rows + MORE_ROWS:
                self._is_lost = self._is_lost or not hard
                yield self._board(joined)
            else:
                break
        if hard:
            self._is_lost = False
        if self._paragraphs[-1] and is_break:
            self._paragraphs.append([])

    def _is_board(self, lines: Sequence[_Line]) -> bool:
        least, most = _row_count(lines), sum(line.is_row or line.is_ruler for line in lines)
        may_be = least <= self._rows + MORE_ROWS and most >= self._rows
        return may_be and self._is_text_of_board("\n".join(line.text for line in lines))

    def _cut(self, lines: list[_Line]) -> BoardText:
        """Return the first board of consecutive rows, or what stands in its place."""
        places = [place for place, line in enumerate(lines, start=1) if line.is_row]
        usual = places[self._rows - 1]
        for end in places[self._rows - 1 : self._rows + MORE_ROWS]:
            if (end == usual or not _has_heading_of_next(lines[:end])) and self._is_board(lines[:end]):
                return self._board(lines[:end], [lines[end:]])
        return self._board(lines[:usual], [lines[usual:]])

    def _board(self, lines: Sequence[_Line], after: Sequence[list[_Line]] = ()) -> BoardText:
        """Return the text of a board of these lines; those after it stay."""
        self._paragraphs = [list(each) for each in after] or [[]]
        number = next((line.number for line in lines if line.is_row), lines[0].number)
        begin = next((place for place, line in enumerate(lines) if line.is_row or line.is_ruler), 0)
        return BoardText(number, "\n".join(line.text for line in lines[begin:]))

    def _end(self) -> Iterator[BoardText]:
        if self._open:
            yield from self._document(self._open[0][0], self._closed())
        yield from self._part(hard=True)


def _has_heading_of_next(lines: Sequence[_Line]) -> bool:
    """Tell whether the last line is the heading of the rows after it: it stands further in, and below no ruler."""
    return lines[-2].is_row and lines[-1].text[:1].isspace() and not lines[0].text[:1].isspace()


def _row_count(lines: Iterable[_Line]) -> int:
    return sum(line.is_row for line in lines)


def _depth(line: str) -> int:
    """Count the brackets that a line opens and does not close."""
    return sum(line.count(sign) for sign in "[{(") - sum(line.count(sign) for sign in "]})")
