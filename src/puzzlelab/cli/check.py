"""`puzzlelab check`: whether boards are well-formed and solvable, and how hard they are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import SOLVED, UNSOLVED, ErrorTally, puzzle_and_boards, read_runs, say
from puzzlelab.cli.options import BoardFile, BoardTexts, JsonObjects, PuzzleName, Settle, limit_of

if TYPE_CHECKING:
    from puzzlelab.analysis.needless_clues import NeedlessClues
    from puzzlelab.core.boards import Boards, Instance
    from puzzlelab.core.logic import Rating
    from puzzlelab.jobs.checks import Check

    Findings = tuple[Check, Rating | None, NeedlessClues | None]

RATED = 100
"""Boards that are rated where a puzzle has ratings."""


def check(
    puzzle: PuzzleName,
    board: BoardTexts = None,
    file: BoardFile = None,
    time: Annotated[float, typer.Option(help="Seconds to look for a second solution of a board.")] = 10.0,
    settle: Settle = False,
    rating: Annotated[bool, typer.Option("--rating", help=f"Rate all boards, not only the first {RATED}.")] = False,
    minimal: Annotated[
        bool, typer.Option("--minimal", help="Name the given digits that a board with one solution does not need.")
    ] = False,
    json: JsonObjects = False,
) -> None:
    """Say whether boards are well-formed and solvable, and how hard they are.

    If boards of the puzzle should have a unique solution, a solver looks for a second one. Boards with one are rated,
    as by `puzzlelab rate`.

    A solution beside a board, as in a column `solution`, is compared with the only one.

    Exit code: 0 no objection, 1 a board has no solution or several, or another one beside it, 2 something unreadable.
    """
    from puzzlelab.analysis.needless_clues import of_unique
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
                is_unique = [each.solutions == 1 for each in checks]
                ratings = ratings_of(part, is_unique, unrated)
                unrated = max(0, unrated - len(part))
                needless = of_unique(part, is_unique, solver, limit) if minimal else [None] * len(part)
                code = max(code, _print_all(part, list(zip(checks, ratings, needless, strict=True)), json))
    raise typer.Exit(errors.end(code))


def _print_all(boards: Boards, found: list[Findings], json: bool) -> int:
    """Print the checks of some boards; return the exit code for them."""
    from puzzlelab.analysis.needless_clues import needless_facts
    from puzzlelab.jobs.checks import check_facts
    from puzzlelab.jobs.serialise import json_lines, rating_facts

    def facts(value: Findings) -> dict[str, Any]:
        check, rating, needless = value
        rated = {} if rating is None else {"rating": rating_facts(rating)}
        return check_facts(check) | rated | ({} if needless is None else needless_facts(boards.puzzle, needless))

    if json:
        say("\n".join(json_lines(boards, found, facts)))
    else:
        for place, each in enumerate(found):
            _show(boards[place], boards.where(place), *each)
    return SOLVED if all(check.ok for check, _, _ in found) else UNSOLVED


def _show(board: Instance, where: str, result: Check, rating: Rating | None, needless: NeedlessClues | None) -> None:
    """Print the board with its place, the objections to it, and its difficulty."""
    from puzzlelab.analysis.needless_clues import needless_in_words
    from puzzlelab.cli.rate import rating_in_words
    from puzzlelab.core.views import Samples

    puzzle = board.puzzle
    boards = [f"{puzzle.write(state)}\n{puzzle.draw(state)}" for state in (board.state, *result.witnesses)]
    place = f"{where}: " if where else ""
    for text in [place + boards[0], *_sentences(result), *boards[1:]]:
        say(text)
    if result.patterns:
        say(f"pattern of the filled cells: {', '.join(result.patterns)}")
    if needless is not None:
        say(needless_in_words(puzzle, needless))
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
