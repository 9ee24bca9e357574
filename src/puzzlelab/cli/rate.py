"""`puzzlelab rate`: how hard boards are for a person, on a scale of ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNSOLVED, ErrorTally, puzzle_and_boards, read_runs, say
from puzzlelab.cli.options import BoardFile, BoardTexts, JsonObjects, PuzzleName, Settle, limit_of

if TYPE_CHECKING:
    from puzzlelab.core.boards import Boards
    from puzzlelab.core.logic import Rating


def rate(
    puzzle: PuzzleName,
    board: BoardTexts = None,
    file: BoardFile = None,
    scale: Annotated[
        str | None, typer.Option(help="The scale of ratings, such as 121 or 118; by default the puzzle's main one.")
    ] = None,
    time: Annotated[float, typer.Option(help="Seconds to look for a second solution of a board.")] = 10.0,
    settle: Settle = False,
    json: JsonObjects = False,
) -> None:
    """Rate boards by the hardest step of logic that they need.

    A board without a solution, or with several, has no rating.

    Exit code: 0 all rated, 1 a board without a rating, 2 something unreadable.
    """
    from puzzlelab.core import registry
    from puzzlelab.jobs.ratings import rated_parts, rating_scale

    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle, file)
    rating_scale(loaded_puzzle, scale)  # a wrong scale is an error before the boards
    code, limit, errors = SOLVED, limit_of(time, None), ErrorTally()
    solver = registry.solver(None, loaded_puzzle)
    for some in read_runs(loaded_puzzle, board, file, settle):
        errors.tell_boards(some, json)
        if not some.errors:
            for part, ratings in rated_parts(some, scale, solver, limit):
                code = max(code, _print_all(part, ratings, json))
    raise typer.Exit(errors.end(code))


def _print_all(boards: Boards, ratings: list[Rating], json: bool) -> int:
    """Print the ratings of some boards; return the exit code for them."""
    from puzzlelab.jobs.serialise import json_lines, rating_facts

    if json:
        say("\n".join(json_lines(boards, ratings, rating_facts)))
    else:
        for board, each in zip(boards, ratings, strict=True):
            say(f"{board.puzzle.write(board.state)}\n{rating_in_words(each)}")
    return SOLVED if not any(each.reason for each in ratings) else UNSOLVED


def rating_in_words(rating: Rating) -> str:
    """Return a rating on one line, with its scale."""
    from puzzlelab.jobs.serialise import rating_facts

    if rating.reason:
        return f"no rating on scale {rating.scale}: {rating.reason}"
    facts = rating_facts(rating)
    main, more = (
        [f"{name} {facts[name]}" for name in names if name in facts]
        for names in (("rating", "level", "score"), ("pearl", "diamond", "hardest"))
    )
    techniques = ", ".join(f"{name} {count}" for name, count in rating.techniques.items())
    numbers = ", ".join([f"{', '.join(main)} on scale {rating.scale}", *more])
    return f"{numbers}; steps: {techniques}"
