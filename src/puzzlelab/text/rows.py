"""What the notations of puzzles share: rows in lines, brackets or semicolons, rulers, and names of examples."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from puzzlelab.core.errors import BadBoard, nearest, shorten
from puzzlelab.core.puzzle import Example

NESTED = re.compile(r"[\])}][\s,;]*[\[({]")
"""The end of a list inside a list, and the beginning of the next one."""
ROW_SIGNS = re.compile(r"[\r\n;\[(]")
OUTSIDE = " \t\r\n,;[]()"
CERTAIN_RULER = re.compile(r"\+|\| ?[-:=]{3}|[-:=]{3} ?\|")
"""The characters of rulers that cannot be rows of blanks."""
LONGEST_NAME = 40
"""Characters that no name of an example exceeds."""
LONGEST_ROW = 16
"""Longer lines of equal length are wrapped, unless they are the rows of the board."""


def rows_of(text: str) -> list[str]:
    """Return the parts of a text in brackets of their own or, without such, its lines or, on one line, between
    semicolons.

    Nothing for a text without any of these.
    """
    if not ROW_SIGNS.search(text):
        return []
    parts = re.split(r"[\[\]()]" if NESTED.search(text) else r"[\r\n]", text)
    rows = [part for part in parts if part.strip(OUTSIDE)]
    return rows if len(rows) > 1 else [part for part in text.split(";") if part.strip(OUTSIDE)]


def check_rows(lengths: Sequence[int], rows: int, columns: int, name: str) -> None:
    """Raise `BadBoard` if rows with this number of cells each are rows of another board.

    A single row, cells that stand one below the other, and long lines that are wrapped state no rows.
    """
    is_wrapped = len(set(lengths[:-1])) == 1 and lengths[0] > max(LONGEST_ROW, lengths[-1] - 1)
    if len(lengths) < 2 or max(lengths) < 2 or is_wrapped or list(lengths) == [columns] * rows:
        return
    uneven = next((place for place, length in enumerate(lengths) if length != lengths[0]), None)
    if uneven is None:
        raise BadBoard(f"{len(lengths)} rows of {lengths[0]}; {name} has {rows} rows of {columns}")
    place = next((place for place, length in enumerate(lengths) if length != columns), uneven)
    raise BadBoard(
        f"{lengths[place]} cell{'s' * (lengths[place] != 1)}; a row of {name} has {columns}", f"row {place + 1}"
    )


def is_ruler(line: str) -> bool:
    """Tell whether a line only parts those above it from those below."""
    return not set(line) - set("-+=|_*: \t") and bool(re.search(r"[-=+_]{3}|[-=] [-=]|(?:\|[-:=]+){2}", line))


def is_certain_ruler(line: str) -> bool:
    """Tell whether a ruler cannot be a row of blanks."""
    return bool(CERTAIN_RULER.search(line))


def text_of_example(text: str, examples: Mapping[str, Example]) -> str:
    """Return the board of the example with this name, or the text itself, which is no name.

    Raises `BadBoard` for the name of no example.
    """
    name = text.strip().lower() if len(text) <= LONGEST_NAME else ""
    if name in examples:
        return examples[name].board
    if name.isalpha() and examples:
        raise BadBoard(f"there is no example '{shorten(name)}'{nearest(name, examples)}")
    return text
