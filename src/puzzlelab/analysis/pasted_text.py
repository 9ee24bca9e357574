"""Reads the cells out of a pasted text: of lines, tables, spreadsheets, drawings with bars, and lists of JSON.

A text is first made plain: signs that look alike become one, and what stands around a board is taken away. Then it is
read in several ways, because a text does not say whether a space is a blank cell or stands between two cells.
"""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from puzzlelab.core.text_grid import TextGrid

BARS = dict.fromkeys(map(ord, "│┃║¦❘┆┇┊┋╎╏｜"), "|")
DASHES = dict.fromkeys(map(ord, "─━═┄┅┈┉╌╍–—−"), "-")
CROSSES = dict.fromkeys(map(ord, "┼╋╬┿╂╪╫├┤┣┫╠╣┬┴┳┻╦╩┌┐└┘┏┓┗┛╔╗╚╝╭╮╰╯┠┨┝┥┯┷╟╢╤╧┰┸"), "+")
NOTHING = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u2060\ufe0e\ufe0f\u20e3"), None)
SIGNS = BARS | DASHES | CROSSES | NOTHING | {ord("·"): ".", ord("•"): ".", ord("□"): ".", ord("☐"): "."}
# Each of these patterns takes time in proportion to the text, also where it has many blank lines or long blanks.
FENCE = re.compile(r"^[^\S\n]*(```|~~~).*$", re.MULTILINE)
QUOTE = re.compile(r"^[^\S\n]*>+ ?", re.MULTILINE)
COMMENT = re.compile(r"^[^\S\n]*(#(?!\s*[\d.#]).*|//.*|%.*)$", re.MULTILINE)
SECTION = re.compile(
    r"^[^\S\n]*\[puzzle\]\s*$(.*?)(?=^[^\S\n]*\[[A-Za-z]+\]\s*$|\Z)", re.MULTILINE | re.DOTALL | re.IGNORECASE
)
ARRAY = re.compile(r"\b(?:np\.|numpy\.)?(?:array|matrix|list|tuple)\(")
LABEL = re.compile(r"\A\s*[A-Za-z][A-Za-z0-9 '-]{2,40}[:=]\s*(?=\S)")
ROW_ENDS = re.compile(r"[\])}]\s*(?:[,;]\s*)?[\[({]|(?<!\s)\s*/\s*|\\n")
OUTER = re.compile(r"^[\s\[({\"']++(?:[\s\])}\"',;]++$)?|(?<![\s\])}\"',;])[\s\])}\"',;]+$")
SEPARATORS = ("\t", ";", ",", "|")
MAX_SIDE = 64


def plain(text: str) -> str:
    """The text with usual signs, without quotation marks of mails, code fences, comments and labels."""
    text = unicodedata.normalize("NFKC", text.translate(SIGNS)).replace("\r\n", "\n").replace("\r", "\n")
    text = FENCE.sub("", text)
    lines = [line for line in text.split("\n") if line.strip()]
    if lines and all(QUOTE.match(line) for line in lines):
        text = QUOTE.sub("", text)
    if section := SECTION.search(text):
        text = section[1]
    bare = COMMENT.sub("", text)
    text = ARRAY.sub("(", bare if bare.strip() else text)
    return LABEL.sub("", text).strip("\n")


def grids(text: str) -> Iterator[TextGrid]:
    """The grids of cells that a plain text may mean, the likeliest first."""
    if text.lstrip()[:1] in "[{":
        yield from _grids_of_json(text)
        text = text.replace("},{", "}\n{")
    if "\n" not in text.strip():
        text = ROW_ENDS.sub("\n", text)
    lines = [line for line in text.split("\n") if line.strip()]
    for chosen in ([line for line in lines if not is_ruler(line)], lines):
        if chosen and len(chosen) <= MAX_SIDE:
            yield from _grids_of_lines(chosen)


def is_ruler(line: str) -> bool:
    """Whether a line only parts those above it from those below."""
    return not set(line) - set("-+=|_*: \t") and bool(re.search(r"[-=+_]{3}|[-=] [-=]|(?:\|[-:=]+){2}", line))


def _grids_of_lines(lines: list[str]) -> Iterator[TextGrid]:
    for separator in SEPARATORS:
        if any(separator in line for line in lines):
            yield from _tables(lines, separator)
    bare = [OUTER.sub("", line.replace("|", " ").replace("+", " ")) for line in lines]
    words = [re.split(r"[\s,;]+", line) for line in bare]
    yield from _with_headings(words)
    yield from _with_headings([_characters("".join(line)) for line in words])
    if any(" " in line.strip() for line in lines):
        width = max(len(line.rstrip()) for line in lines)
        yield _grid([list(line.rstrip().ljust(width)) for line in lines])
    yield _grid([[word for line in words for word in line]])
    yield _grid([[sign for line in words for word in line for sign in _characters(word)]])


def _tables(lines: list[str], separator: str) -> Iterator[TextGrid]:
    """Grids of a table with a sign between the cells; cells at the end of a row may be missing."""
    if separator == "|":
        rows = [
            [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")] for line in lines
        ]
        parts = [[re.split(r"\s+", cell) if " " in cell else _characters(cell) for cell in row] for row in rows]
        yield _grid([[cell for part in row for cell in part] for row in parts])
    else:
        rows = [[OUTER.sub("", cell) for cell in row] for row in csv.reader(lines, delimiter=separator)]
    if all(row[-1] == "" for row in rows) and len(rows) > 1 and len(rows[0]) == len(rows) + 1:
        rows = [row[:-1] for row in rows]  # a separator at the end of every row
    width = max(map(len, rows))
    yield from _with_headings([row + [""] * (width - len(row)) for row in rows])


def _with_headings(rows: Sequence[Sequence[str]]) -> Iterator[TextGrid]:
    """The rows, and the same without names of rows and of columns."""
    yield _grid(rows)
    if len(rows) > 2 and len({len(row) for row in rows[1:]}) == 1:
        yield _grid([row[1:] for row in rows[1:]])
        yield _grid(rows[1:])
        yield _grid([row[1:] for row in rows])


def _characters(text: str) -> list[str]:
    return [sign for sign in text if not sign.isspace()]


def _grid(rows: Sequence[Sequence[str]]) -> TextGrid:
    return TextGrid(tuple(tuple(row) for row in rows))


def _grids_of_json(text: str) -> Iterator[TextGrid]:
    """The grid of a list of numbers or texts, or of a list of such lists."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict):
        value = next((value[key] for key in ("grid", "board", "cells", "puzzle", "clues") if key in value), None)
    if not isinstance(value, list) or not value:
        return
    rows = value if all(isinstance(row, list) for row in value) else [value]
    if all(not isinstance(cell, list) for row in rows for cell in row):
        yield _grid([["" if cell is None or cell is False else str(cell) for cell in row] for row in cell_values(rows)])


def cell_values(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """What the cells of JSON say: plain values, or objects with a `value` (or `v`).

    Where objects say which cells are `given`, the others are blank: a player has filled them in.
    """
    says_given = any("given" in cell for row in rows for cell in row if isinstance(cell, dict))

    def value_of(cell: Any) -> Any:
        if not isinstance(cell, dict):
            return cell
        return cell.get("value", cell.get("v")) if cell.get("given", not says_given) else None

    return [[value_of(cell) for cell in row] for row in rows]
