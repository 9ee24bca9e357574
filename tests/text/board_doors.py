"""What each door of the package reads in a text, as puzzles and boards; nothing where it refuses the text."""

from __future__ import annotations

from collections.abc import Callable

from board_texts import BoardText

from puzzlelab.core import registry
from puzzlelab.core.errors import BadInput
from puzzlelab.text.board_blocks import read_blocks
from puzzlelab.text.reader import read_any

Found = list[tuple[str, str]]


def pasted(text: str, hint: str | None) -> Found:
    """The boards that the page reads, while this puzzle is open."""
    try:
        return [(each.puzzle.name, each.puzzle.write(each.state)) for each in read_any(text, hint or None)]
    except BadInput:
        return []


def argument(text: str, name: str) -> Found:
    """The board that `puzzle.read` reads, and a command in its arguments."""
    puzzle = registry.load(name)
    try:
        return [(name, puzzle.write(puzzle.read(text).state))]
    except BadInput:
        return []


def file(text: str, name: str) -> Found:
    """The boards that a command reads in a file, if it names no line that is none."""
    puzzle = registry.load(name)
    try:
        blocks = list(read_blocks(puzzle, [text + "\n"], "file"))
    except BadInput:
        return []
    if any(block.errors for block in blocks):
        return []
    return [(name, puzzle.write(each.state)) for block in blocks for each in block]


def _size(name: str) -> str:
    """The name without the number of colours of dust, which a text does not say."""
    return name.rpartition("x")[0] if name.startswith("dust") else name


def verdict(each: BoardText, hint: str, found: Found) -> str:
    """Whether what was found is right, refused or wrong: of several meanings the one of the open puzzle is right."""
    if not found:
        return "refused"
    meanings = {(_size(name), board) for name, board in each.meanings}
    opened = {meaning for meaning in meanings if hint and meaning[0] == _size(hint)}
    usual = set() if each.states_shape else {meaning for meaning in meanings if _is_usual(meaning[0])}
    family = {meaning for meaning in meanings if hint and meaning[0].split("-")[0] == hint.split("-", maxsplit=1)[0]}
    right = opened or usual or family or meanings
    return "read" if len(right) == 1 and {(_size(name), board) for name, board in found} == right else "wrong"


def _is_usual(size: str) -> bool:
    """Whether a text without rows is taken for a board of this size: squares, and the words of some sizes of dust."""
    family, _, sides = size.partition("-")
    return sides in ("8x6", "6x5", "7x6", "8x8", "10x8") if family == "dust" else len(set(sides.split("x"))) == 1


def outcomes(each: BoardText, most: int | None = None) -> dict[str, tuple[str, Found]]:
    """By door and puzzle: the verdict, and what was found; through the first `most` doors alone."""
    family = each.puzzle.partition("-")[0]
    doors: list[tuple[str, Callable[[str, str], Found], str]] = [
        ("page, named", pasted, each.puzzle),
        ("page", pasted, ""),
        ("argument", argument, each.puzzle),
        *([("file", file, each.puzzle)] if "the side" not in each.form else []),  # a file of dust takes it for a row
        *(("page, another open", pasted, other) for other in each.others),
        *(("argument, another", argument, other) for other in each.others if other.startswith(family)),
    ]
    found = {}
    for door, read, name in doors[:most]:
        boards = read(each.text, name)
        found[f"{door} {name}"] = verdict(each, name, boards), boards
    return found
