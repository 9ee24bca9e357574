"""Finds boards in JSON, XML, CSV and HTML, with the readers of Python's library, and in links.

A board stands in a link, of this program or of others, as a text, or as JSON that is compressed by lz-string, in base64
after a word of its program.
"""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from puzzlelab.core.errors import BadBoard, shorten

BOARD_NAMES = ("board", "puzzle", "puzzles", "question", "mission", "grid", "cells")
"""Names of the column of a board in the tables of any puzzle; each family has more."""
SEPARATORS = ("\t", ";", ",")
MARKUP = re.compile(r"\s*<(?:\?xml|!doctype|!--|[A-Za-z])", re.IGNORECASE)
HTML = re.compile(r"\s*<(?!\?xml)(?:!doctype html|html|svg|body|div|p|pre|table|thead|tbody|tr)\b", re.IGNORECASE)
ENTITIES = re.compile(r"<!(?:DOCTYPE|ENTITY)[^>]*(?:\[|ENTITY)", re.IGNORECASE)

Row = Mapping[str, Any]
"""The names of columns in small letters -> values."""
Groups = Sequence[Collection[str]]
"""`Family.columns`: the names of the column of the board, and of those that are read after it."""


def boards_in(text: str, groups: Groups, reads: Callable[[str], bool]) -> list[tuple[str, str | None]]:
    """Return the boards in rows or lists of a document, each with the name of its puzzle if that is there.

    Args:
        text: the document; nothing is returned for a text that is none.
        groups: the names of columns.
        reads: whether a text is a board in its own notation.

    Raises:
        BadBoard: for XML that is wrong, or has entities of its own.
    """
    if HTML.match(text):
        return [(table, None) for table in texts_of_html(text)]
    value = rows_of_xml(text) if MARKUP.match(text) else json_value(text)
    rows = value if isinstance(value, list) else [value]
    if rows and all(isinstance(row, dict) for row in rows):
        lower = [{name.lower(): cell for name, cell in row.items()} for row in rows]
        found = [board_in(row, names_of_board(row, groups)) for row in lower]
        return [each for each in found if each is not None and each[0].strip()]
    is_lists = all(isinstance(each, list) and each and all(isinstance(row, list) for row in each) for each in rows)
    is_texts = all(isinstance(each, str) and reads(each) for each in rows)
    return [(str(each), None) for each in rows] if isinstance(value, list) and (is_lists or is_texts) else []


def json_value(text: str) -> Any:
    """Return the value of a text of JSON, or None."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def rows_of_xml(text: str) -> list[Row]:
    """Return the attributes of each element of XML, and the texts of its children.

    Raises:
        BadBoard: for XML with entities of its own, which may be made to cost much.
    """
    if ENTITIES.search(text):
        raise BadBoard("XML with entities of its own is not read; copy the board itself")
    try:
        root = ET.fromstring(text.strip())
    except ET.ParseError as error:
        line, column = error.position
        raise BadBoard(f"this is no XML: {shorten(str(error), 80)}", f"line {line}, column {column + 1}") from None
    return [
        {_name(key): value for key, value in (*each.items(), *((child.tag, child.text or "") for child in each))}
        for each in root.iter()
    ]


def _name(tag: str) -> str:
    """Return the name of a tag without its namespace, in small letters."""
    return tag.rpartition("}")[2].lower()


class _Tables(HTMLParser):
    """Collects the cells of tables, row by row, the boards that pictures are of, and the text outside of them."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.pictures: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        if tag == "svg" and named.get("role") == "img":
            self.pictures.append(named.get("aria-label") or "")
        if tag == "table" or (tag == "tr" and not self.tables):
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables and self.tables[-1]:
            self.tables[-1][-1].append("")
        elif tag in ("br", "p", "div", "pre"):
            self.text += "\n"

    def handle_data(self, data: str) -> None:
        row = self.tables[-1][-1] if self.tables and self.tables[-1] else None
        if row:
            row[-1] += data.strip()
        elif not row:
            self.text += data


def texts_of_html(text: str) -> list[str]:
    """Return the tables of HTML, their cells between bars; else the labels of its pictures, which this program draws;
    else its text.
    """
    parser = _Tables()
    parser.feed(text)
    parser.close()
    tables = [[row for row in table if row] for table in parser.tables]
    return ["\n".join(f"|{'|'.join(row)}|" for row in table) for table in tables if table] or (
        list(filter(None, parser.pictures)) or [parser.text]
    )


def header_in(line: str, groups: Groups) -> tuple[str, list[str], list[str]] | None:
    """Return the separator of a table whose first line this is, the names of its columns, and of those of the board.

    None for another line.
    """
    separator = next((sign for sign in SEPARATORS if sign in line), ",")
    names = [name.strip().strip('"').lower() for name in line.split(separator)]
    of_board = names_of_board(names, groups)
    return (separator, names, of_board) if of_board else None


def row_in(line: str, separator: str, names: Sequence[str]) -> Row:
    """Return the row of a line; columns that are missing are empty."""
    fields = next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    return dict(zip(names, fields + [""] * (len(names) - len(fields)), strict=False))


def board_in(row: Row, names: Sequence[str]) -> tuple[str, str | None] | None:
    """Return the text of the board in the columns of these names, and the name of its puzzle if it is there.

    None for a row without a board.
    """
    values = [row[name] for name in names if row[name] not in (None, "")]
    if not values or row[names[0]] in (None, ""):
        return None
    texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
    is_line = all(isinstance(value, str) and "\n" not in value and not value.startswith("[") for value in values)
    owner = row.get("puzzle") if "board" in row else None
    lines = texts if is_line else list(map(_line_of_cells, values)) if len(values) > 1 else []
    return ",".join(lines) if all(lines) and lines else texts[0], str(owner) if owner else None


def _line_of_cells(value: Any) -> str:
    """Return the cells of a list, or of a list of rows, as one word of digits; nothing if they are something else."""
    rows = value if isinstance(value, list) and all(isinstance(row, list) for row in value) else [value]
    cells = [cell for row in rows for cell in (row if isinstance(row, list) else [row])]
    is_digit = all(type(cell) is int and 0 <= cell <= 9 for cell in cells)
    return "".join(map(str, cells)) if is_digit else ""


def names_of_board(names: Collection[str], groups: Groups) -> list[str]:
    """Return the name of the column of the board and those that are read after it; nothing without the former."""
    of_board = [*BOARD_NAMES, *(groups[0] if groups else ())]
    if "board" in names:
        of_board.remove("puzzle")  # has the name of the puzzle
    found = [next((name for name in group if name in names), "") for group in (of_board, *groups[1:])]
    return [name for name in found if name] if found[0] else []


def cell_values(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return what the cells of JSON say: plain values, or objects with a `value` (or `v`).

    Where objects say which cells are `given`, the others are blank: a player has filled them in.
    """
    says_given = any("given" in cell for row in rows for cell in row if isinstance(cell, dict))

    def value_of(cell: Any) -> Any:
        if not isinstance(cell, dict):
            return cell
        return cell.get("value", cell.get("v")) if cell.get("given", not says_given) else None

    return [[value_of(cell) for cell in row] for row in rows]


# --- links ---

LINK = re.compile(r"\A\s*<?(https?://\S+?|www\.\S+?|#puzzle=\S+?)>?\s*\Z")
PACKED_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_ %-"
SHORTEST = 9
"""Characters of the shortest part of a link that may be a board."""
LONGEST, LONGEST_PACKED, LONGEST_UNPACKED = 65_536, 16_384, 2**20
"""Characters that are read of a link, of a compressed part of one, and of what that becomes."""
BASE64 = re.compile(rf"\A[A-Za-z0-9+/=_ -]{{40,{LONGEST_PACKED}}}\Z")


def link_in(text: str) -> str | None:
    """Return the link, if a text is nothing else."""
    found = LINK.match(text)
    return found[1] if found else None


def texts_in(link: str, packed: Sequence[str] = ()) -> Iterator[tuple[str | None, str]]:
    """Yield the parts of a link that may be boards, as texts, each with the name of its puzzle if the link has it.

    Args:
        link: the link.
        packed: patterns of what stands before a compressed part.

    Raises:
        BadBoard: if it is no link or too long, or a part is compressed and cannot be read.
    """
    if len(link) > LONGEST:
        raise BadBoard(f"a link of {len(link):,} characters is too long; at most {LONGEST:,} are read")
    try:
        parts = urlsplit(link)
    except ValueError:
        raise BadBoard(f"'{shorten(link)}' is no link that can be read") from None
    fields = [*parse_qsl(parts.fragment), *parse_qsl(parts.query)]
    named = dict(fields)
    if "puzzle" in named and "board" in named:
        yield named["puzzle"], named["board"]
    path = unquote(parts.path)
    values = [value for _, value in fields] + [path, *path.split("/"), parts.fragment, unquote(parts.query)]
    begins = re.compile(rf"(?:\A|/)(?:{'|'.join(packed) or '(?!)'})([A-Za-z0-9+/=_ %-]+)\Z")
    for value in values:
        compressed = begins.search(value, len(value.rstrip(PACKED_SIGNS)))
        if compressed or BASE64.match(value):
            texts = _unpacked(compressed[1] if compressed else value)
            yield from ((None, text) for text in texts)
            if compressed and not texts:
                raise BadBoard("the puzzle in this link is compressed in a way that cannot be read here")
        if len(value) >= SHORTEST:
            yield None, value


def compressed(value: Any) -> str:
    """Return a value as JSON that is compressed by lz-string, in base64; raises `BadBoard` without that library."""
    text: str = _lz_string().compressToBase64(json.dumps(value, separators=(",", ":")))
    return text


def _lz_string() -> Any:
    try:
        from lzstring import LZString
    except ModuleNotFoundError:
        raise BadBoard("links with compressed puzzles need lzstring: pip install 'puzzlelab[web]'") from None
    return LZString


def _unpacked(packed: str) -> list[str]:
    """Return a compressed puzzle as JSON, and the grid in it as rows; nothing if it is none."""
    lz_string = _lz_string()
    if len(packed) > LONGEST_PACKED:
        raise BadBoard(f"a compressed puzzle may have {LONGEST_PACKED:,} characters, not {len(packed):,}")
    base64 = unquote(packed).replace(" ", "+").replace("-", "+").replace("_", "/")
    try:
        text = lz_string.decompressFromBase64(base64)
        value = json.loads(text) if text and len(text) <= LONGEST_UNPACKED else None
        grid = _grid_in(value)
    except Exception:  # the decoder has many ways to fail on a text that is not compressed
        return []
    return [json.dumps(each, separators=(",", ":")) for each in (value, grid)] if grid else []


def _grid_in(value: Any) -> list[list[Any]] | None:
    """Return the values of the first square of cells in a puzzle."""
    if isinstance(value, dict):
        keys = [key for key in ("grid", "cells", "ce") if key in value] or list(value)
        return next((grid for key in keys if (grid := _grid_in(value[key]))), None)
    if not isinstance(value, list) or not value:
        return None
    is_square = all(isinstance(row, list) and len(row) == len(value) for row in value)
    return cell_values(value) if is_square else None
