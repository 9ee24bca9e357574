"""Finds the puzzle and the boards in any pasted text or link."""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from puzzlelab.analysis.pasted_links import link_in, texts_in
from puzzlelab.analysis.pasted_text import grids, is_ruler, plain
from puzzlelab.core import registry
from puzzlelab.core.errors import BadBoard, BadInput, shorten
from puzzlelab.core.text_grid import TextGrid
from puzzlelab.engine import installed

LONGEST = 2_000_000
"""Characters that are read."""
LONGEST_BOARD = 8192
MAX_BOARDS = 20_000
MAX_LINK_PARTS, MAX_MISSES = 200, 20
"""Parts of a link that are tried; parts of a text that may be no boards, beyond as many as there are boards."""
SHORTEST_WORD = 9
"""The fewest characters of a board that stands beside other columns; shorter words are its rows, or numbers."""
BOARD_COLUMNS = ("board", "puzzle", "puzzles", "quiz", "quizzes", "question", "sudoku", "clues", "mission")
KNOWN_SIGNS = re.compile(r"[\s\w.*?~|/\\+=,;:#\"'`<>\[\](){}-]", re.ASCII)


@dataclass(frozen=True)
class PastedBoard:
    """A board and its puzzle."""

    puzzle: str
    """The name of the puzzle."""
    board: str
    """In the canonical notation of the puzzle."""


def read_pasted(text: str, hint: str | None = None) -> list[PastedBoard]:
    """Return the boards in a text: one in any form, or one on each line, or one in each block of lines.

    Args:
        text: what was pasted: a board in some notation, a table, a link, a file of many boards.
        hint: the puzzle that is taken where a text may be a board of several.

    Raises:
        BadBoard: with the place of what is not understood.
    """
    if len(text) > LONGEST:
        raise BadBoard(f"{len(text):,} characters are too many; at most {LONGEST:,} are read")
    if not text.strip():
        raise BadBoard("there is nothing to read; paste a board, or a link to one")
    if link := link_in(text):
        return [_of_link(link, hint)]
    if rows := _of_rows(text, hint):
        return rows
    shown, errors = plain(text), list[BadBoard]()
    found = _whole(shown, hint, errors)
    if found is not None:
        return [found]
    if many := _many(shown, hint):
        return many
    found = _beginning(text, hint) or _beginning(shown, hint) or _one(_longest_word(shown), hint)
    if found is not None:
        return [found]
    raise _not_understood(text, shown, hint, errors)


# --- one board ---


def _one(text: str, hint: str | None) -> PastedBoard | None:
    """Return the board that a text is, or begins with, or None."""
    return _whole(text, hint, []) or _beginning(text, hint)


def _whole(text: str, hint: str | None, errors: list[BadBoard]) -> PastedBoard | None:
    """Return the board that all the cells of a text are, or None; `errors` gets what speaks against it."""
    if len(text) > LONGEST_BOARD:
        return None
    found: list[list[PastedBoard]] = []
    for group in grids(text):
        readings = [each for grid in group for each in _candidates(grid, hint, errors)]
        best = min((_rank(each, hint) for each in readings), default=None)
        found.append([each for each in readings if _rank(each, hint) == best])
    likeliest = min(filter(None, found), key=lambda group: _rank(group[0], hint), default=[])
    boards = {(each.puzzle.partition(":")[0], each.board): None for each in likeliest}
    if len(boards) > 1:
        shown = " or ".join(f"{name} ({shorten(board)})" for name, board in [*boards][:4])
        raise BadBoard(
            f"this may be {shown}: choose the puzzle first, or write each row as a line, the upper one first"
        )
    return likeliest[0] if likeliest else None


def _rank(board: PastedBoard, hint: str | None) -> tuple[bool, bool]:
    """Return a number that is lower for a board of the puzzle that is open, or of its family."""
    return board.puzzle != hint, _family(board.puzzle) != _family(hint or "")


def _family(name: str) -> str:
    return name.partition("-")[0]


def _candidates(grid: TextGrid, hint: str | None, errors: list[BadBoard]) -> Iterator[PastedBoard]:
    """Yield what the cells of a text may be, the likeliest first."""
    for _, family in installed.families():
        try:
            boards = list(family.from_grid(grid))
        except BadBoard as error:
            errors.append(error)
            continue
        for name, board in boards:
            if hint and _family(name) == _family(hint):
                with suppress(BadInput):
                    yield _read(hint, board)
            try:
                yield _read(name, board)
            except BadBoard as error:
                errors.append(BadBoard(f"this looks like {name}, but it is none: {error}"))


def _beginning(text: str, hint: str | None) -> PastedBoard | None:
    """Return the board in a notation of a puzzle itself, which may have more beside it, such as a solution; or None."""
    if len(text) > LONGEST_BOARD:
        return None
    if hint:
        with suppress(BadInput):
            return _read(hint, text)
    for _, family in installed.families():
        if (puzzle := family.guess(text.strip(" \n"))) is not None:
            with suppress(BadInput):
                return _read(puzzle.name, text.strip())
    return None


def _read(name: str, text: str) -> PastedBoard:
    """Return the board of a puzzle in a text; raises `BadInput`."""
    puzzle = registry.load(name)
    return PastedBoard(puzzle.name, puzzle.write(puzzle.read(text).state))


# --- links, and rows of this program ---


def _of_link(link: str, hint: str | None) -> PastedBoard:
    for name, text in islice(_link_parts(link), MAX_LINK_PARTS):
        found = _one(text, hint) if name is None else _read(name, text)
        if found is not None:
            return found
    raise BadBoard(f"the link '{shorten(link)}' has no board in it; copy the board itself")


def _link_parts(link: str) -> Iterator[tuple[str | None, str]]:
    """Yield the texts in a link, each followed by the parts of it that look like a board."""
    for name, text in texts_in(link):
        yield name, text
        yield from ((None, part) for part in re.findall(r"[0-9A-Pa-p.*_-]{16,}", text))


def _of_rows(text: str, hint: str | None) -> list[PastedBoard]:
    """Return the boards of rows of JSON or CSV that have a column for them; nothing for any other text."""
    lines = [line for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    rows = _json_rows(text, lines) or _csv_rows(lines)
    boards = []
    for number, row in enumerate(rows[:MAX_BOARDS], start=1):
        own = row.get("puzzle") if "board" in row else None
        column = next((name for name in BOARD_COLUMNS if name in row and not (own and name == "puzzle")), None)
        if column is None:
            return []
        try:
            board = _read(str(own), str(row[column])) if own else _one(str(row[column]), hint)
        except BadInput as error:
            raise BadBoard(str(error), f"row {number}") from None
        if board is None:
            raise BadBoard(f"'{shorten(str(row[column]))}' is no board that is known here", f"row {number}")
        boards.append(board)
    return boards


def _json_rows(text: str, lines: Sequence[str]) -> list[dict[str, object]]:
    if text.lstrip()[:1] not in "[{":
        return []
    for parts in ([text], lines):
        try:
            values = [json.loads(part) for part in parts]
        except (ValueError, RecursionError):
            continue
        rows = values[0] if len(values) == 1 and isinstance(values[0], list) else values
        return rows if all(isinstance(row, dict) for row in rows) else []
    return []


def _csv_rows(lines: Sequence[str]) -> list[dict[str, object]]:
    if len(lines) < 2:
        return []
    separator = next((sign for sign in "\t;," if sign in lines[0]), ",")
    names = [name.strip().strip('"').lower() for name in lines[0].split(separator)]
    if not set(names) & set(BOARD_COLUMNS):
        return []
    return [dict(row) for row in csv.DictReader(lines[1:], fieldnames=names, delimiter=separator)]


# --- many boards ---


def _many(text: str, hint: str | None) -> list[PastedBoard]:
    """Return the boards of a text with one on each line, or in each block of lines; nothing if it is no such text."""
    lines = [line for line in text.split("\n") if line.strip() and not is_ruler(line)]
    blocks = [block for block in re.split(r"\n[ \t]*\n", text) if block.strip()]
    for parts in (lines, blocks):
        if len(parts) < 2:
            continue
        boards, wrong = [], 0
        for number, part in enumerate(parts[:MAX_BOARDS]):
            found = _one_of_many(part, hint)
            if found is not None:
                boards.append(found)
                hint = hint or found.puzzle
            elif number > 0:  # the first line may say what follows
                wrong = wrong or number + 1
            if number > 2 * len(boards) + MAX_MISSES:
                break
        if len(boards) > 1 and len(boards) * 2 > len(parts):
            if wrong:
                raise BadBoard(f"'{shorten(parts[wrong - 1])}' is no board, as the others are", f"board {wrong}")
            return boards
    return []


def _one_of_many(part: str, hint: str | None) -> PastedBoard | None:
    """Return the board of a line or a block of a text.

    Short ones are rows, unless they are boards of the puzzle `hint`.
    """
    with suppress(BadInput):
        if len(part.strip()) < SHORTEST_WORD:
            return _read(hint, part) if hint else None
        return _one(part, hint) or _one(_longest_word(part), hint)
    return None


def _longest_word(text: str) -> str:
    """Return the longest part of a line between colons, commas and spaces: libraries have other columns too."""
    words = re.split(r"[:,;\s]+", text.replace("+", ""))
    longest = max(words, key=len)
    is_row = "\n" in text.strip() or sum(len(word) == len(longest) for word in words) > 2
    return "" if is_row or len(longest) < SHORTEST_WORD else longest


# --- what is not understood ---


def _not_understood(text: str, shown: str, hint: str | None, errors: Sequence[BadBoard]) -> BadBoard:
    """Return an error that says what is wrong, with the place."""
    strange = {sign for sign in set(text) if not _is_known(sign)}
    for number, line in enumerate(text.splitlines(), start=1):
        for column, sign in enumerate(line, start=1):
            if sign in strange:
                return BadBoard(f"'{sign}' is not understood", f"line {number}, column {column}")
    if errors:
        return errors[0]
    rows = ["".join(line.split()) for line in shown.split("\n") if line.strip() and not is_ruler(line)]
    usual, count = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
    if len(rows) > 2 and len(rows) > count > len(rows) // 2:
        place, row = next((place, row) for place, row in enumerate(rows, start=1) if len(row) != usual)
        return BadBoard(f"{len(row)} cells; most rows have {usual}", f"row {place}")
    if hint:
        try:
            registry.load(hint).read(shown)
        except BadBoard as error:
            return error
    first = next(line.strip() for line in text.splitlines() if line.strip())
    return BadBoard(
        f"no board is found in '{shorten(first)}' ({len(first)} signs); a Sudoku has a digit or a dot for each cell, "
        "sliding tiles have every number once and 0 for the blank, dust has rows of colours"
    )


def _is_known(sign: str) -> bool:
    """Tell whether boards have such a sign, or it is a picture, such as a coloured square."""
    is_usual = KNOWN_SIGNS.match(sign) or KNOWN_SIGNS.match(plain(sign) or " ")
    return bool(is_usual) or unicodedata.category(sign) == "So"
