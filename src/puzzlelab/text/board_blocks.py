"""Reads the boards of a file or a command line in blocks: as one array where their notation is plain, else one by one.

Shapes: B = boards of a block, R = those that can be read, S = length of a state, W = characters of a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import BatchNotation, Boards, runs
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.text.notation import BoardNotation
from puzzlelab.text.reader import read_board, splitter_of
from puzzlelab.text.splitting import BoardText, Splitter

FEWEST_LINES = 8
"""Lines of equal length in one text that are read as an array; fewer are read one by one."""


def read_texts(puzzle: Puzzle, texts: Sequence[str], source: str) -> Boards:
    """Return the boards of these texts, which are numbered from 1; `source` is that of `Boards`."""
    reader, (states, is_plain) = _Reader(puzzle, source), _plain_states(puzzle, texts, _lengths(texts))
    for begin, end in runs(is_plain):
        if is_plain[begin]:
            reader.add_lines(_Alike(begin + 1, list(texts[begin:end]), states[begin:end]))
        else:
            for number, text in enumerate(texts[begin:end], start=begin + 1):
                reader.add_board(number, BoardText(number, text))
    return reader.boards()


def row_texts(boards: Boards) -> Sequence[str]:
    """Return [B]: the text of each board in a row: in the puzzle's own notation, if it has a `BoardNotation`."""
    if boards.puzzle.view(BoardNotation) is None:
        return boards.texts
    if not boards.errors:
        return boards.written()
    texts = np.array(boards.texts, object)
    texts[boards.is_readable] = boards[boards.is_readable].written()
    return cast(list[str], texts.tolist())


def translated(values: NDArray[np.uint8], table: bytes) -> NDArray[np.uint8]:
    """Return `table[value]` for each of the values, as an array of the same shape; `table` has 256 bytes.

    This is several times as fast as indexing an array.
    """
    return np.frombuffer(values.tobytes().translate(table), np.uint8).reshape(values.shape)


def read_blocks(puzzle: Puzzle, texts: Iterable[str], name: str, splitter: Splitter | None = None) -> Iterator[Boards]:
    """Yield the boards in texts of whole lines, as `storage.files.text_blocks` gives them: a block for each
    that has any.

    The lines are split into boards by a `Splitter`, by default a new one of the puzzle.
    """
    reader, lines, texts_before = _Reader(puzzle, f"{name}, line"), _Lines(puzzle, texts), 1
    for board in (splitter or splitter_of(puzzle)).split(lines):
        alike = lines.alike(board)
        if alike is None:
            reader.add_board(lines.number_of(board.line), board)
        else:
            reader.add_lines(alike)
        if lines.at_end or lines.texts_read > texts_before:
            texts_before = lines.texts_read + lines.at_end
            yield reader.boards()
    if len(reader):
        yield reader.boards()


# --- reading ---


@dataclass(frozen=True)
class _Alike:
    """Consecutive lines that are boards in a plain notation."""

    number: int
    """The number of the first line."""
    texts: list[str]
    states: State
    """[B, S]."""


class _Lines(Iterator[str]):
    """The lines of a file for what splits it into boards.

    A splitter need not see plain lines like the one that it has just said to be a board: `alike` takes them away. So
    its own numbers of lines are too low afterwards.
    """

    def __init__(self, puzzle: Puzzle, texts: Iterable[str]) -> None:
        self._puzzle, self._texts = puzzle, iter(texts)
        self.texts_read = 0
        self._lines: list[str] = []
        self._next = 0
        self._lines_before = 0
        """Lines of the texts before this one."""
        self._taken = 0
        """Lines that the splitter has not seen."""
        self._states: State = np.zeros((0, 0), np.uint8)
        self._ends = np.zeros(0, np.int64)
        """For each line, the end of the plain lines of equal length from there on: its own place if it is none."""

    def __next__(self) -> str:
        while self.at_end:
            self._read(next(self._texts))
        self._next += 1
        return self._lines[self._next - 1] + "\n"

    @property
    def at_end(self) -> bool:
        """Whether all lines of this text were given."""
        return self._next == len(self._lines)

    def number_of(self, line: int) -> int:
        """Return the number in the file of a line by the number that the splitter counts."""
        return line + self._taken

    def alike(self, board: BoardText) -> _Alike | None:
        """Return the line that was given last and all plain lines like it after it, if it is this board alone."""
        place = self._next - 1
        end = int(self._ends[place])
        is_last = self.number_of(board.line) == self._lines_before + place + 1
        if end == place or not is_last or board.columns or board.text != self._lines[place]:
            return None
        self._next = end
        self._taken += end - place - 1
        return _Alike(self._lines_before + place + 1, self._lines[place:end], self._states[place:end])

    def _read(self, text: str) -> None:
        self.texts_read += 1
        self._lines_before += len(self._lines)
        self._lines, self._next = text.removesuffix("\n").split("\n"), 0
        lengths, count = _lengths(self._lines), len(self._lines)
        self._states, is_plain = _plain_states(self._puzzle, self._lines, lengths)
        is_break = ~is_plain[:-1] | ~is_plain[1:] | (lengths[:-1] != lengths[1:])
        ends_of_runs = np.append(np.flatnonzero(is_break) + 1, count)
        end_of_run = np.repeat(ends_of_runs, np.diff(ends_of_runs, prepend=0))
        self._ends = np.where(is_plain, end_of_run, np.arange(count))


def _lengths(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return the lengths: `int64[B]`."""
    return np.fromiter(map(len, texts), np.int64, len(texts))


def _plain_states(puzzle: Puzzle, texts: Sequence[str], lengths: NDArray[np.int64]) -> tuple[State, NDArray[np.bool_]]:
    """Return the states `[B, S]` of texts in a plain notation, and `bool[B]`: which are.

    Texts must have a usual length.
    """
    states, is_plain = np.zeros((len(texts), 0), np.uint8), np.zeros(len(texts), bool)
    notation = puzzle.view(BatchNotation)
    if notation is None or len(texts) < FEWEST_LINES:
        return states, is_plain
    for length, count in zip(*np.unique(lengths, return_counts=True), strict=True):
        if length == 0 or count < FEWEST_LINES:
            continue
        places = np.flatnonzero(lengths == length)
        alike = texts if count == len(texts) else [texts[place] for place in places.tolist()]
        together = "".join(alike)
        characters = np.frombuffer(together.encode("ascii", "replace"), np.uint8)  # one byte a character
        found, is_plain[places] = notation.read_lines(characters.reshape(-1, length))
        if not together.isascii() or "\n" in together:
            is_plain[places] &= np.fromiter((text.isascii() and "\n" not in text for text in alike), bool, count)
        if not states.shape[1]:
            states = np.zeros((len(texts), found.shape[1]), found.dtype)
        states[places] = found
    return states, is_plain


class _Reader:
    """The collector of boards for a block."""

    def __init__(self, puzzle: Puzzle, source: str) -> None:
        self._puzzle, self._source = puzzle, source
        self._clear()

    def _clear(self) -> None:
        self._texts: list[str] = []
        self._numbers: list[NDArray[np.int64]] = []
        self._states: list[State] = []
        self._errors: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._texts)

    def add_lines(self, lines: _Alike) -> None:
        """Add lines that are read already."""
        self._texts += lines.texts
        self._numbers.append(np.arange(lines.number, lines.number + len(lines.texts)))
        self._states.append(lines.states)

    def add_board(self, number: int, board: BoardText) -> None:
        """Read the text of a board, and add it."""
        try:
            self._states.append(read_board(self._puzzle, board).state[None])
        except BadBoard as error:
            self._errors[len(self._texts)] = str(error)
        self._texts.append(board.text)
        self._numbers.append(np.array([number]))

    def boards(self) -> Boards:
        """Return the boards that were added since the last block."""
        found = np.concatenate(self._states) if self._states else np.zeros((0, 0), np.uint8)
        numbers = np.concatenate([np.zeros(0, np.int64), *self._numbers])
        boards = Boards(self._puzzle, found, numbers, self._texts, self._errors, self._source)
        if self._errors:
            is_readable = np.ones(len(self), bool)
            is_readable[list(self._errors)] = False
            boards.states = np.zeros((len(self), found.shape[1]), found.dtype)
            boards.states[is_readable] = found
        self._clear()
        return boards
