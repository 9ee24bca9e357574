"""`puzzlelab canonical`: the canonical form of boards, and which boards are the same up to a symmetry."""

from __future__ import annotations

import sys
from json import dumps
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import ErrorTally, puzzle_and_boards, read_runs, say
from puzzlelab.cli.options import BoardFile, BoardTexts, JsonObjects, PuzzleName

if TYPE_CHECKING:
    from puzzlelab.core.boards import Boards


def canonical(
    puzzle: PuzzleName,
    board: BoardTexts = None,
    file: BoardFile = None,
    once: Annotated[
        bool,
        typer.Option("--unique-up-to-symmetry", help="Print the first board of each class instead, as it is."),
    ] = False,
    json: JsonObjects = False,
) -> None:
    """Print the canonical form of boards: the same for all boards that a symmetry makes of each other.

    With --unique-up-to-symmetry boards that are the same as an earlier one up to a symmetry are left out, and standard
    error has their number.

    Exit code: 0 printed, 2 something unreadable.
    """
    from puzzlelab.analysis.classes import FirstOfClass, canonical_boards, symmetries_of

    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle=False, file=file)
    symmetries_of(loaded_puzzle)  # a puzzle without them is an error before the boards
    errors, classes, boards = ErrorTally(), FirstOfClass(), 0
    for some in read_runs(loaded_puzzle, board, file):
        errors.tell_boards(some, json)
        if not some.errors:
            forms = canonical_boards(some)
            _print(some, forms, classes.places(some, forms), once, json)
            boards += len(some)
    if once:
        print(f"{len(classes.first):,} of {boards:,} boards are unique up to symmetry", file=sys.stderr)
    raise typer.Exit(errors.end())


def _print(boards: Boards, forms: Boards, same_as: list[str | None], once: bool, json: bool) -> None:
    """Print some boards: their canonical forms, or with `once` those that are not the same as an earlier one."""
    name, lines = boards.puzzle.name, list[str]()
    for board, form, earlier in zip(boards.written(), forms.written(), same_as, strict=True):
        if json:
            line = dumps({"puzzle": name, "board": board, "canonical": form, "same_as": earlier})
        else:
            line = board if once else form
        lines += [line] * (not once or earlier is None)
    if lines:
        say("\n".join(lines))
