"""The boards of a text, for every verb that takes a file: which lines are boards, and where each begins.

A puzzle whose boards take several lines has the view `MultilineNotation`; the lines of all others are a board each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Protocol

from puzzlelab.core.puzzle import Instance, Puzzle

BYTE_ORDER_MARK = "\ufeff"
"""What some programs write at the beginning of a text file."""
MOST_COLUMNS = 3
"""Columns beside the board; what follows is part of the last one."""


class MultilineNotation(Protocol):
    """The view of puzzles whose boards may take several lines of a file, or a part of one."""

    def boards(self, lines: Iterable[str]) -> Iterator[tuple[int, str, *tuple[str, ...]]]:
        """The number (from 1) of each board's first line, its text as `read` takes it, and the columns after it."""


@dataclass(frozen=True, slots=True)
class BoardText:
    """A text that stands where a board should be; nobody has read it yet."""

    line: int
    """The number, from 1, of its first line."""
    text: str
    columns: tuple[str, ...] = ()
    """What follows the board on its line, where the puzzle leaves that to us or says it."""


def text_of(instance: Instance, text: str) -> str:
    """The text by which a board is kept: as it was given or, where files may say it in many ways, in the usual one.

    That also leaves out a solution beside it.
    """
    multiline = instance.puzzle.view(MultilineNotation)
    return text if multiline is None else instance.puzzle.write(instance.state)


def boards(puzzle: Puzzle, lines: Iterable[str]) -> Iterator[BoardText]:
    """The boards in lines of text, one by one as the lines come.

    Where the puzzle is no `MultilineNotation`, each line is a board up to its first TAB, and columns after that; a line
    that begins with # is passed over, and an empty line is a board without cells.
    """
    marked = iter(lines)
    plain = chain((line.removeprefix(BYTE_ORDER_MARK) for line in islice(marked, 1)), marked)
    if (multiline := puzzle.view(MultilineNotation)) is not None:
        for number, text, *columns in multiline.boards(plain):
            yield BoardText(number, text, tuple(columns))
        return
    for number, line in enumerate(plain, start=1):
        if not line.startswith("#"):
            text, *columns = fields(line)
            yield BoardText(number, text, tuple(columns))


def fields(line: str) -> list[str]:
    """The board on a line and the columns after it, with a TAB between them."""
    return [field.strip() for field in line.rstrip("\r\n").split("\t", MOST_COLUMNS)]
