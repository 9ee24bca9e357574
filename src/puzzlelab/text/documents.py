"""Finds rows with named columns in JSON, XML and CSV, and the tables of HTML, with the readers of Python's library."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Collection, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

from puzzlelab.core.errors import BadBoard, shorten

BOARD_NAMES = ("board", "puzzle", "puzzles", "question", "mission", "grid", "cells")
"""Names of the column of a board in the tables of any puzzle; each family has more."""
SEPARATORS = ("\t", ";", ",")
MARKUP = re.compile(r"\s*<(?:\?xml|!doctype|!--|[A-Za-z])", re.IGNORECASE)
HTML = re.compile(r"\s*<(?!\?xml)(?:!doctype html|html|body|div|p|pre|table|thead|tbody|tr)\b", re.IGNORECASE)
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
    """Collects the cells of tables, row by row, and the text outside of them."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
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
    """Return the tables of HTML, their cells between bars, or the text of HTML without tables."""
    parser = _Tables()
    parser.feed(text)
    parser.close()
    tables = [[row for row in table if row] for table in parser.tables]
    return ["\n".join(f"|{'|'.join(row)}|" for row in table) for table in tables if table] or [parser.text]


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
    is_line = all("\n" not in text and isinstance(value, str) for text, value in zip(texts, values, strict=True))
    owner = row.get("puzzle") if "board" in row else None
    return ",".join(texts) if is_line else texts[0], str(owner) if owner else None


def names_of_board(names: Collection[str], groups: Groups) -> list[str]:
    """Return the name of the column of the board and those that are read after it; nothing without the former."""
    of_board = [*BOARD_NAMES, *(groups[0] if groups else ())]
    if "board" in names:
        of_board.remove("puzzle")  # has the name of the puzzle
    found = [next((name for name in group if name in names), "") for group in (of_board, *groups[1:])]
    return [name for name in found if name] if found[0] else []
