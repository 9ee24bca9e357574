"""Reads boards in the notation of their puzzle: one text, or a file in blocks, as one array where lines are alike.

Texts in any other form are read by `reader`, which is imported for them.

Shapes: B = boards of a block, K = boards of a part of it, S = length of a state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Boards, Instance, runs
from puzzlelab.core.errors import BadBoard, board_text
from puzzlelab.core.puzzle import Notation, Puzzle, State

if TYPE_CHECKING:
    from puzzlelab.text.splitting import BoardText, Splitter

Part = tuple[int, list[str], State | str]
"""The number of the first of consecutive texts, the texts, and their states `[K, S]`, or why the one is no board."""
FEWEST_LINES = 8
"""Lines of equal length in one text that are read as an array; fewer are read one by one."""


def read_state(puzzle: Puzzle, text: str) -> State:
    """Return the state of the one board in a text of any form, for the `read` of puzzles with a `Notation`.

    Raises:
        BadBoard: with the place of what is wrong, or with all boards that the text may be.
    """
    notation, text = puzzle.view(Notation), board_text(text, puzzle.name)
    assert notation is not None
    try:
        return notation.read(text)
    except BadBoard as error:
        from puzzlelab.text.reader import other_form

        found = other_form(puzzle, text, error)
        if found is None:
            raise
        return found


def read_texts(puzzle: Puzzle, texts: Sequence[str], source: str) -> Boards:
    """Return the boards of these texts, which are numbered from 1; `source` is that of `Boards`."""
    parts, (states, is_plain) = list[Part](), _plain_states(puzzle, texts, _lengths(texts))
    for begin, end in runs(is_plain):
        if is_plain[begin]:
            parts.append((begin + 1, list(texts[begin:end]), states[begin:end]))
        else:
            parts += [_part(place + 1, texts[place], puzzle.read) for place in range(begin, end)]
    return _joined(puzzle, parts, source)


def row_texts(boards: Boards) -> Sequence[str]:
    """Return [B]: the text of each board in a row: in the puzzle's own notation, if it has a `Notation`."""
    if boards.puzzle.view(Notation) is None:
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
    """Yield the boards in texts of whole lines, as `storage.lines.text_blocks` gives them: a block for each
    that has any.

    The lines are split into boards by a `Splitter`, by default a new one of the puzzle.
    """
    from puzzlelab.text.reader import read_board, splitter_of

    parts, lines, texts_before, source = list[Part](), _Lines(puzzle, texts), 1, f"{name}, line"

    def read(text: str) -> Instance:
        return read_board(puzzle, board)

    for board in (splitter or splitter_of(puzzle)).split(lines):
        parts.append(lines.alike(board) or _part(lines.number_of(board.line), board.text, read))
        if lines.at_end or lines.texts_read > texts_before:
            texts_before = lines.texts_read + lines.at_end
            yield _joined(puzzle, parts, source)
            parts = []
    if parts:
        yield _joined(puzzle, parts, source)


# --- reading ---


def _part(number: int, text: str, read: Callable[[str], Instance]) -> Part:
    """Return the board of a text, or why it is none."""
    try:
        return number, [text], read(text).state[None]
    except BadBoard as error:
        return number, [text], str(error)


def _joined(puzzle: Puzzle, parts: Sequence[Part], source: str) -> Boards:
    """Return the boards of consecutive parts."""
    texts, numbers, errors, states = list[str](), [np.zeros(0, np.int64)], dict[int, str](), list[State]()
    for number, some, found in parts:
        if isinstance(found, str):
            errors[len(texts)] = found
        else:
            states.append(found)
        texts += some
        numbers.append(np.arange(number, number + len(some)))
    readable = np.concatenate(states) if states else np.zeros((0, 0), np.uint8)
    boards = Boards(puzzle, readable, np.concatenate(numbers), texts, errors, source)
    if errors:
        is_readable = np.ones(len(texts), bool)
        is_readable[list(errors)] = False
        boards.states = np.zeros((len(texts), readable.shape[1]), readable.dtype)
        boards.states[is_readable] = readable
    return boards


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

    def alike(self, board: BoardText) -> Part | None:
        """Return the line that was given last and all plain lines like it after it, if it is this board alone."""
        place = self._next - 1
        end = int(self._ends[place])
        is_last = self.number_of(board.line) == self._lines_before + place + 1
        if end == place or not is_last or board.columns or board.text != self._lines[place]:
            return None
        self._next = end
        self._taken += end - place - 1
        return self._lines_before + place + 1, self._lines[place:end], self._states[place:end]

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
    notation = puzzle.view(Notation) if len(texts) >= FEWEST_LINES else None
    if notation is None or notation.read_lines is None:
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
