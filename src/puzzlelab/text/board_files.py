"""Splits the lines of a text into boards, for every command that reads a file of boards.

Each line is one board, unless the puzzle has the view `MultilineNotation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from puzzlelab.core.puzzle import Instance, Puzzle

MOST_COLUMNS = 3
"""Columns after the board. Further TABs are part of the last column."""


class MultilineNotation(Protocol):
    """The notation of files in which a board may take several lines, or a part of a line."""

    def boards(self, lines: Iterable[str]) -> Iterator[tuple[int, str, *tuple[str, ...]]]:
        """Yield for each board the number of its first line (from 1), its text for `read`, and the columns after it."""


@dataclass(frozen=True, slots=True)
class BoardText:
    """The unparsed text of a board in a file."""

    line: int
    """The number of its first line, from 1."""
    text: str
    columns: tuple[str, ...] = ()
    """The columns after the board on its line."""


def text_of(instance: Instance, text: str) -> str:
    """Return the text of a board in a row: the input text or, for puzzles with `MultilineNotation`, the canonical one.

    The canonical notation leaves out a solution beside the board.
    """
    multiline = instance.puzzle.view(MultilineNotation)
    return text if multiline is None else instance.puzzle.write(instance.state)


def boards(puzzle: Puzzle, lines: Iterable[str]) -> Iterator[BoardText]:
    """Yield the boards in lines of text, each as soon as its lines have been read.

    For a puzzle without `MultilineNotation`, each line is a board up to its first TAB, and columns after that. A line
    that begins with # is skipped; an empty line is a board without cells.
    """
    if (multiline := puzzle.view(MultilineNotation)) is not None:
        for number, text, *columns in multiline.boards(lines):
            yield BoardText(number, text, tuple(columns))
        return
    for number, line in enumerate(lines, start=1):
        if not line.startswith("#"):
            text, *columns = fields(line)
            yield BoardText(number, text, tuple(columns))


def fields(line: str) -> list[str]:
    """Return the board on a line and the columns after it, which are separated by TABs."""
    return [field.strip() for field in line.rstrip("\r\n").split("\t", MOST_COLUMNS)]
