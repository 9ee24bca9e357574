"""`puzzlelab check`: whether boards are well-formed and solvable, and how hard they are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import SOLVED, UNSOLVED, ErrorTally, puzzle_and_boards, read_runs, say
from puzzlelab.cli.options import BoardFile, BoardTexts, JsonObjects, PuzzleName, Settle, limit_of

if TYPE_CHECKING:
    from puzzlelab.core.boards import Boards, Instance
    from puzzlelab.core.logic import Rating
    from puzzlelab.jobs.checks import Check

RATED = 100
"""Boards that are rated where a puzzle has ratings."""


def check(
    puzzle: PuzzleName,
    board: BoardTexts = None,
    file: BoardFile = None,
    time: Annotated[float, typer.Option(help="Seconds to look for a second solution of a board.")] = 10.0,
    settle: Settle = False,
    rating: Annotated[bool, typer.Option("--rating", help=f"Rate all boards, not only the first {RATED}.")] = False,
    json: JsonObjects = False,
) -> None:
    """Say whether boards are well-formed and solvable, and how hard they are.

    If boards of the puzzle should have a unique solution, a solver looks for a second one. Boards with one are rated,
    as by `puzzlelab rate`.

    Exit code: 0 no objection, 1 a board has no solution or several, 2 something unreadable.
    """
    from puzzlelab.core import registry
    from puzzlelab.jobs.checks import check_parts
    from puzzlelab.jobs.ratings import ratings_of

    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle, file)
    code, limit, errors, unrated = SOLVED, limit_of(time, None), ErrorTally(), sys.maxsize if rating else RATED
    solver = registry.solver(None, loaded_puzzle)
    for some in read_runs(loaded_puzzle, board, file, settle):
        errors.tell_boards(some, json)
        if not some.errors:
            for part, checks in check_parts(some, solver, limit):
                ratings = ratings_of(part, [each.solutions == 1 for each in checks], unrated)
                unrated = max(0, unrated - len(part))
                code = max(code, _print_all(part, checks, ratings, json))
    raise typer.Exit(errors.end(code))


def _print_all(boards: Boards, checks: list[Check], ratings: list[Rating | None], json: bool) -> int:
    """Print the checks and the ratings of some boards; return the exit code for them."""
    from puzzlelab.jobs.checks import check_facts
    from puzzlelab.jobs.serialise import json_lines, rating_facts

    def facts(value: tuple[Check, Rating | None]) -> dict[str, Any]:
        check, rating = value
        return check_facts(check) | ({} if rating is None else {"rating": rating_facts(rating)})

    if json:
        say("\n".join(json_lines(boards, list(zip(checks, ratings, strict=True)), facts)))
    else:
        for board, each, rating in zip(boards, checks, ratings, strict=True):
            _show(board, each, rating)
    return SOLVED if all(each.ok for each in checks) else UNSOLVED


def _show(board: Instance, result: Check, rating: Rating | None) -> None:
    """Print the board, the objections to it, and its difficulty."""
    from puzzlelab.cli.rate import rating_in_words
    from puzzlelab.core.views import Samples

    puzzle = board.puzzle
    boards = [f"{puzzle.write(state)}\n{puzzle.draw(state)}" for state in (board.state, *result.witnesses)]
    for text in [boards[0], *_sentences(result), *boards[1:]]:
        say(text)
    samples = puzzle.view(Samples)
    scales = samples.scales if samples else {}
    for scale, value in result.difficulty.items():
        about = scales[scale].about if scale in scales else ""
        say(f"{scale}: {value}{f' ({about})' if about else ''}")
    if rating is not None:
        say(rating_in_words(rating))


def _sentences(result: Check) -> list[str]:
    if result.ok:
        return ["it has exactly one solution" if result.solutions == 1 else "no objection was found"]
    more = "; --time allows more" if result.stop == "time" else ""
    return [*result.objections[:-1], result.objections[-1] + more]
