"""`puzzlelab check`: whether boards are well-formed and solvable, and how hard they are."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNREADABLE, UNSOLVED, ErrorTally, output, puzzle_and_boards, read_boards
from puzzlelab.cli.options import BoardTexts, JsonObjects, LineFile, Settle, TilesName

if TYPE_CHECKING:
    from puzzlelab.cli.console import Console
    from puzzlelab.core.boards import Boards, Instance
    from puzzlelab.jobs.checks import Check


def check(
    puzzle: TilesName,
    board: BoardTexts = None,
    file: LineFile = None,
    time: Annotated[float, typer.Option(help="Seconds to look for a second solution of a board.")] = 10.0,
    settle: Settle = False,
    json: JsonObjects = False,
) -> None:
    """Say whether boards are well-formed and solvable, and how hard they are.

    If boards of the puzzle should have a unique solution, a solver looks for a second one.

    Exit code: 0 no objection, 1 a board has no solution or several, 2 something unreadable.
    """
    from puzzlelab.core import registry
    from puzzlelab.core.boards import runs
    from puzzlelab.core.limit import Limit
    from puzzlelab.jobs.checks import check_parts
    from puzzlelab.jobs.serialise import error_facts

    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle)
    console = output()
    worst, limit, errors = SOLVED, Limit(seconds=time), ErrorTally()
    solver = registry.solver(None, loaded_puzzle)
    for block in read_boards(loaded_puzzle, board, file, settle):
        for begin, end in runs(block.is_readable):
            some = block[begin:end]
            for place, error in some.errors.items():
                errors.tell(some.where(place), error)
                if json:
                    print(dumps(error_facts(loaded_puzzle, some.texts[place], error)), flush=True)
                worst = UNREADABLE
            if not some.errors:
                for part, checks in check_parts(some, solver, limit):
                    worst = max(worst, _print_all(part, checks, console, json))
    errors.end()
    raise typer.Exit(worst)


def _print_all(boards: Boards, checks: list[Check], console: Console, json: bool) -> int:
    """Print the checks of some boards; return the exit code for them."""
    from puzzlelab.jobs.checks import json_lines

    if json:
        print("\n".join(json_lines(boards, checks)), flush=True)
    else:
        for board, each in zip(boards, checks, strict=True):
            _show(board, each, console)
    return SOLVED if all(each.ok for each in checks) else UNSOLVED


def _show(board: Instance, result: Check, console: Console) -> None:
    """Print the board, the objections to it, and its difficulty."""
    from puzzlelab.core.views import Samples

    puzzle = board.puzzle
    boards = [f"{puzzle.write(state)}\n{puzzle.draw(state)}" for state in (board.state, *result.witnesses)]
    for text in [boards[0], *_sentences(result), *boards[1:]]:
        console.print(text)
    samples = puzzle.view(Samples)
    scales = samples.scales if samples else {}
    for scale, value in result.difficulty.items():
        about = scales[scale].about if scale in scales else ""
        console.print(f"{scale}: {value}{f' ({about})' if about else ''}")


def _sentences(result: Check) -> list[str]:
    if result.ok:
        return ["it has exactly one solution" if result.solutions == 1 else "no objection was found"]
    more = "; --time allows more" if result.stop == "time" else ""
    return [*result.objections[:-1], result.objections[-1] + more]
