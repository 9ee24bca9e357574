"""Reads the cells out of a pasted text: of lines, tables, spreadsheets, drawings with bars, and lists of JSON.

A text is first made plain: signs that look alike become one, and what stands around a board is taken away. Then it is
read in several ways, because a text does not say whether a space is a blank cell or stands between two cells.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.text.documents import BOARD_NAMES, cell_values, json_value
from puzzlelab.text.rows import CERTAIN_RULER, NESTED, is_ruler

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
TRAILING = re.compile(r"(?<=\S)[^\S\n]+(?:#|//|%)[^\S\n]*[^\W\d_].*$", re.MULTILINE)
"""A comment behind the cells of a row."""
INDEX = re.compile(r"^[^\S\n]*(?:(?:\[,\d+\][^\S\n]*)+$|\[\d+,?\](?=[^\S\n]))", re.MULTILINE)
"""The numbers of columns and rows as R prints them."""
NAME = re.compile(r"\A\s*[A-Za-z]\w*\s*=\s*(?=[\[\n])")
LISTS_BEGIN, LISTS_END = re.compile(r"[\[({]\s*[\[({]"), re.compile(r"[\])}]\s*,?\s*[\])}]")
EMPTY = frozenset(("none", "null", "nan", "na", "<na>", "nil", "undefined", "missing", "--", "-1"))
"""The words of languages for nothing."""
DECIMAL = re.compile(r"(\d+)\.0*")
LABEL = re.compile(r"\A\s*[A-Za-z][A-Za-z0-9 '-]{2,40}[:=]\s*(?=\S)")
ROW_ENDS = re.compile(r"[\])}]\s*(?:[,;]\s*)?[\[({]|(?<!\s)\s*/\s*|\\n")
OUTER = re.compile(r"^[\s\[({\"']++(?:[\s\])}\"',;]++$)?|(?<![\s\])}\"',;])[\s\])}\"',;]+$")
BLANKS = frozenset(".0_-*?xX")
"""Signs of blank cells, in tables that leave no cell empty."""
SEPARATORS = ("\t", ";", ",", "|")
LIST_BEGINS = ("[", "(", "{")
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NUMBERED = re.compile(r"[A-Za-z]+[0-9]+")
MAX_SIDE = 64
MOST_WRONG = 0.1
"""The share of cells that may mean nothing in what still looks like a board."""
MOST_ROWS = 16
"""The most words of equal length on one line that are taken as rows."""


@dataclass(frozen=True)
class TextGrid:
    """Cells in rows; a cell that the text leaves empty is ''."""

    rows: tuple[tuple[str, ...], ...]
    of_lists: bool = False
    """Whether the rows are lists in a list, which may be meant as columns."""
    has_gaps: bool = False
    """Whether spaces that stand where other rows have signs, or rulers, may be cells."""

    @property
    def height(self) -> int:
        """The number of rows; 1 where all cells stand on one line, so that nothing says how long the rows are."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """The number of cells in each row, or 0 where rows differ."""
        lengths = {len(row) for row in self.rows}
        return lengths.pop() if len(lengths) == 1 else 0

    @property
    def cells(self) -> tuple[str, ...]:
        """All cells, row by row."""
        return tuple(cell for row in self.rows for cell in row)

    def blame(self, values: Sequence[int | None], width: int, why: str) -> None:
        """Raise `BadBoard` with the place of the first cell that means nothing, if only few do and others are filled.

        Args:
            values: for each cell what it means to a puzzle: 0 for blank, None for nothing.
            width: the cells in each row.
            why: what is wrong with a cell, such as 'is no digit'.
        """
        wrong = [place for place, value in enumerate(values) if value is None]
        if wrong and len(wrong) <= MOST_WRONG * len(values) and any(values):
            row, column = divmod(wrong[0], width)
            raise BadBoard(f"'{shorten(self.cells[wrong[0]])}' {why}", f"row {row + 1}, column {column + 1}")


def plain_signs(text: str) -> str:
    """Return the text with one sign for all that look alike."""
    return unicodedata.normalize("NFKC", text.translate(SIGNS)).replace("\r\n", "\n").replace("\r", "\n")


def plain(text: str) -> str:
    """Return the text with usual signs, without quotation marks of mails, code fences, comments and labels."""
    text = plain_signs(text)
    text = FENCE.sub("", text)
    lines = [line for line in text.split("\n") if line.strip()]
    if lines and all(QUOTE.match(line) for line in lines):
        text = QUOTE.sub("", text)
    if section := SECTION.search(text):
        text = section[1]
    bare = TRAILING.sub("", COMMENT.sub("", text))
    text = ARRAY.sub("(", bare if bare.strip() else text)
    text = NAME.sub("", INDEX.sub("", text))
    if (begin := LISTS_BEGIN.search(text)) and any(sign.isalpha() for sign in text[: begin.start()]):
        ends = [end.end() for end in LISTS_END.finditer(text)]
        text = text[begin.start() : max(ends, default=len(text))]
    return LABEL.sub("", text).strip("\n")


def grids(text: str) -> Iterator[list[TextGrid]]:
    """Yield the grids of cells that a plain text may mean, the likeliest first.

    Those in one list are equally likely.
    """
    is_nested = text.lstrip()[:1] in LIST_BEGINS and bool(NESTED.search(text))
    value = json_value(text) if text.lstrip()[:1] in "[{" else None
    if isinstance(value, list) and any(
        isinstance(row, list) and any(isinstance(cell, list) for cell in row) for row in value
    ):
        return
    if value is not None and (of_json := _grid_of_json(value)):
        yield [of_json]
        if of_json.height > 1 or of_json.of_lists:
            return
    lines = [line for line in text.split("\n") if line.strip() or "\t" in line]
    if is_nested or len(lines) == 1:
        lines = _rows_on_one_line(text.replace("\n", " ").strip())
    for chosen, may_miss_rows in _without_rulers(lines):
        if chosen and len(chosen) <= MAX_SIDE:
            for group in _grids_of_lines(chosen):
                yield [replace(grid, of_lists=is_nested, has_gaps=grid.has_gaps or may_miss_rows) for grid in group]


def _rows_on_one_line(text: str) -> list[str]:
    """Return the parts between brackets and slashes, and between semicolons if several cells stand between them."""
    parts = ROW_ENDS.sub("\n", text)
    if any(len(re.findall(r"[^\s,]+", part)) > 1 for part in parts.split(";")):
        parts = parts.replace(";", "\n")
    return [bare for part in parts.split("\n") if (bare := OUTER.sub("", part))]


def _without_rulers(lines: list[str]) -> Iterator[tuple[list[str], bool]]:
    """Yield the lines that may be rows, and whether some that are left out may be rows of blanks too."""
    full = [line for line in lines if line.strip()]
    bare = [line for line in full if not is_ruler(line)]
    unsure = [line for line in full if is_ruler(line) and not CERTAIN_RULER.search(line)]
    if any(set(line) & set("-=_") & set("".join(bare)) for line in unsure):  # signs of blanks in other rows too
        yield [line for line in lines if line in unsure or not is_ruler(line)], False
    elif unsure or full != lines:
        yield lines, False
        yield bare, True
    else:
        yield bare, False
        if bare != lines:
            yield lines, False


def _grids_of_lines(lines: list[str]) -> Iterator[list[TextGrid]]:
    tables = {sign: _rows_of_table(lines, sign) for sign in SEPARATORS if any(sign in line for line in lines)}
    is_framed = all(line.startswith("|") and line.endswith("|") for line in lines)
    if boxes := _boxes(lines, is_framed):
        yield [_grid(boxes)]
    for sign, rows in tables.items():
        yield from _tables(rows, sign == "|", is_framed)
    words = [re.split(r"[\s,;]+", OUTER.sub("", re.sub(r"[|+]", " ", line))) for line in lines]
    signs = [_characters("".join(line)) for line in words]
    if not any("" in row for rows in tables.values() for row in rows) and (len(lines) > 1 or len(words[0]) == 1):
        shapes = [re.sub(r"\S", "x", re.sub(r"[\[\](){}]", " ", line).rstrip()) for line in lines]
        is_long = any(len(word) > 1 for line in words for word in line)
        yield from _with_headings(words, () if "|" in tables else ["x"] * len(lines) if is_long else shapes)
        yield from _with_headings(signs, () if "|" in tables else shapes)
    if all(re.fullmatch(r"\s*\w+(?:-\w+)+\s*", line) for line in lines):
        yield [_grid([line.strip().split("-") for line in lines])]
    if len(lines) > 1 and any(" " in line.strip() for line in lines):
        width = max(len(line.rstrip()) for line in lines)
        yield [_grid([list(line.rstrip().ljust(width)) for line in lines], has_gaps=True)]
    if len(lines) == 1 or all(len(line) == 1 for line in words):
        yield from _without_rows([word for line in words for word in line], len(lines) == 1)


def _boxes(lines: list[str], is_framed: bool) -> list[list[str]]:
    """Return the cells of lines with several signs between two bars, each with a space around it or a space itself."""
    rows = [(line.strip("|") if is_framed else line).split("|") for line in lines]
    width = max(len(part) for row in rows for part in row)
    parts = [[part.ljust(width) for part in row] for row in rows]
    is_spaced = all(not part[::2].strip() for row in parts for part in row)
    if width < 5 or width % 2 == 0 or len(parts[0]) < 2 or not is_spaced:
        return []
    return [[cell for part in row for cell in part[1::2]] for row in parts]


def _without_rows(words: list[str], is_line: bool) -> Iterator[list[TextGrid]]:
    """Yield the cells of one line, or of lines with a cell each; words of equal length are rows if they are few."""
    yield [_grid([words])]
    if len(set(map(len, words))) == 1 and (is_line or len(words[0]) == 1):
        is_rows = 1 < len(words) <= MOST_ROWS and len(words[0]) > 1
        yield [_grid(list(map(_characters, words)) if is_rows else [_characters("".join(words))])]


def _rows_of_table(lines: list[str], separator: str) -> list[list[str]]:
    """Return the cells between signs; empty ones at the end of a row may be missing after TABs."""
    if separator == "|":
        return [[cell.strip() for cell in line.split("|")] for line in lines]
    rows = [[OUTER.sub("", cell) for cell in row] for row in csv.reader(lines, delimiter=separator)]
    has_blanks = any(cell in BLANKS for row in rows for cell in row)
    width = max(map(len, rows)) if separator == "\t" and not has_blanks else 0
    return [row + [""] * (width - len(row)) for row in rows]


def _tables(rows: list[list[str]], has_bars: bool, is_framed: bool) -> Iterator[list[TextGrid]]:
    """Yield grids of a table: without a frame, a sign at the edge of each row may stand beside a blank cell."""
    left, right = (all(len(row) > 1 and row[edge] == "" for row in rows) for edge in (0, -1))
    left = left and has_bars
    inside = [row[left : len(row) - right] for row in rows]
    if (left or right) and not is_framed:
        cuts = dict.fromkeys(((False, False), (left, False), (False, right), (left, right)))
        yield [_grid([row[begin : len(row) - end] for row in rows]) for begin, end in cuts]
    yield from _with_headings(inside)
    parts = [[re.split(r"\s+", cell) if " " in cell else _characters(cell) for cell in row] for row in inside]
    if len({len(part) for row in parts for part in row}) == 1:  # as those of boxes between bars
        yield from _with_headings([[cell for part in row for cell in part] for row in parts])


def _with_headings(rows: Sequence[Sequence[str]], shapes: Sequence[str] = ()) -> Iterator[list[TextGrid]]:
    """Yield the rows, and the same without names of rows and of columns, or a first line with the number of both.

    `shapes` are the lines with one sign in the place of all: where they differ, spaces may be cells.
    """
    widths, whole = {len(row) for row in rows[1:]}, _grid(rows, len(set(shapes)) > 1)
    if len(rows) < 3 or len(widths) > 1 or widths <= {0, 1}:
        yield [whole]
        return
    width, has_gaps = widths.pop(), len(set(shapes[1:])) > 1
    below = _grid(rows[1:], has_gaps)
    indents = [len(shape) - len(shape.lstrip()) for shape in shapes[:2]] or [0]
    yield [whole, below] if indents[0] <= indents[-1] and _is_size(rows[0], len(rows) - 1, width) else [whole]
    names, labels = [cell for cell in rows[0] if cell], [row[0] for row in rows[1:]]
    if len(names) == width and _are_letters(names):
        yield [below]
    is_named = len(names) == width - 1 and (_are_letters(names) or _are_numbers(names))
    if is_named and (_are_letters(labels) or _are_numbers(labels)):
        yield [_grid([row[1:] for row in rows[1:]], has_gaps)]
    if rows[0] and _are_letters([rows[0][0], *labels]):
        yield [_grid([row[1:] for row in rows], has_gaps)]


def _is_size(line: Sequence[str], rows: int, columns: int) -> bool:
    return [*line] in ([str(rows)], [str(rows), str(columns)], [str(columns), str(rows)])


def _are_letters(names: Sequence[str]) -> bool:
    """Tell whether these are A, B, C and so on, or names with a number, such as c1."""
    is_alphabet = "".join(names).upper() == ALPHABET[: len(names)]
    return is_alphabet or (len(set(names)) == len(names) and all(NUMBERED.fullmatch(name) for name in names))


def _are_numbers(names: Sequence[str]) -> bool:
    """Tell whether these are consecutive numbers from 0 or 1, up or down."""
    counts = [[str(place + first) for place in range(len(names))] for first in (0, 1)]
    return [*names] in counts or [*reversed(names)] in counts


def _characters(text: str) -> list[str]:
    return [sign for sign in text if not sign.isspace()]


def _grid(rows: Sequence[Sequence[str]], has_gaps: bool = False) -> TextGrid:
    """Return the grid of cells; what means nothing becomes an empty cell, and decimal numbers become whole ones."""
    cells = [["" if cell.strip().lower() in EMPTY else cell for cell in row] for row in rows]
    filled = [cell.strip() for row in cells for cell in row if cell.strip()]
    if filled and all(DECIMAL.fullmatch(cell) for cell in filled):
        cells = [[DECIMAL.sub(r"\1", cell.strip()) for cell in row] for row in cells]
    return TextGrid(tuple(map(tuple, cells)), has_gaps=has_gaps)


def _grid_of_json(value: Any) -> TextGrid | None:
    """Return the grid of a list of numbers or texts, or of a list of such lists."""
    if isinstance(value, dict):
        value = next((value[key] for key in BOARD_NAMES if key in value), None)
    if not isinstance(value, list) or not value:
        return None
    is_nested = all(isinstance(row, list) for row in value)
    rows = value if is_nested else [value]
    if any(isinstance(cell, list) for row in rows for cell in row):
        return None
    shown = [["" if cell is None or cell is False else str(cell) for cell in row] for row in cell_values(rows)]
    return replace(_grid(shown), of_lists=is_nested)
