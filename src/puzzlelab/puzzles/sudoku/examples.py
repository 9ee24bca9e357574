"""Boards that come with the package, by the name of their puzzle."""

from collections.abc import Mapping

from puzzlelab.core.puzzle import Example

BOARDS: Mapping[str, Mapping[str, Example]] = {
    "sudoku-9x9": {
        "wikipedia": Example(
            "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9",
            "17 clues, made to be slow for a search that counts upwards",
        ),
        "inkala": Example(
            "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
            "by Arto Inkala (2012), called the hardest by newspapers",
        ),
    },
}


def of(name: str) -> Mapping[str, Example]:
    """The examples of the puzzle with this name."""
    return BOARDS.get(name, {})
