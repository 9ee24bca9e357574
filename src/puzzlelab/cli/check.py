"""`puzzlelab check`: whether boards are well-formed and solvable, and how hard they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNSOLVED, ErrorTally, puzzle_and_boards, read_runs, say
from puzzlelab.cli.options import BoardFile, BoardTexts, JsonObjects, PuzzleName, Settle, limit_of

if TYPE_CHECKING:
    from puzzlelab.core.boards import Boards, Instance
    from puzzlelab.jobs.checks import Check


def check(
    puzzle: PuzzleName,
    board: BoardTexts = None,
    file: BoardFile = None,
    time: Annotated[float, typer.Option(help="Seconds to look for a second solution of a board.")] = 10.0,
    settle: Settle = False,
    json: JsonObjects = False,
) -> None:
    """Say whether boards are well-formed and solvable, and how hard they are.

    If boards of the puzzle should have a unique solution, a solver looks for a second one.

    Exit code: 0 no objection, 1 a board has no solution or several, 2 something unreadable.
    """
    from puzzlelab.core import registry
    from puzzlelab.jobs.checks import check_parts

    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle, file)
    code, limit, errors = SOLVED, limit_of(time, None), ErrorTally()
    solver = registry.solver(None, loaded_puzzle)
    for some in read_runs(loaded_puzzle, board, file, settle):
        errors.tell_boards(some, json)
        if not some.errors:
            for part, checks in check_parts(some, solver, limit):
                code = max(code, _print_all(part, checks, json))
    raise typer.Exit(errors.end(code))


def _print_all(boards: Boards, checks: list[Check], json: bool) -> int:
    """Print the checks of some boards; return the exit code for them."""
    from puzzlelab.jobs.checks import check_facts
    from puzzlelab.jobs.serialise import json_lines

    if json:
        say("\n".join(json_lines(boards, checks, check_facts)))
    else:
        for board, each in zip(boards, checks, strict=True):
            _show(board, each)
    return SOLVED if all(each.ok for each in checks) else UNSOLVED


def _show(board: Instance, result: Check) -> None:
    """Print the board, the objections to it, and its difficulty."""
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


def _sentences(result: Check) -> list[str]:
    if result.ok:
        return ["it has exactly one solution" if result.solutions == 1 else "no objection was found"]
    more = "; --time allows more" if result.stop == "time" else ""
    return [*result.objections[:-1], result.objections[-1] + more]
