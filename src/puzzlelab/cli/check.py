"""`puzzlelab check`: whether boards are well-formed and solvable, and how hard they are."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNREADABLE, UNSOLVED, ErrorTally, load_puzzle, output, read_boards
from puzzlelab.cli.options import BoardTexts, JsonObjects, LineFile, Settle, TilesName

if TYPE_CHECKING:
    from puzzlelab.cli.console import Console
    from puzzlelab.jobs.checks import Check, CheckBatch


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
    from puzzlelab import api
    from puzzlelab.core.boards import runs
    from puzzlelab.core.limit import Limit
    from puzzlelab.jobs.checks import check_parts
    from puzzlelab.jobs.serialise import error_facts

    loaded_puzzle, console = load_puzzle(puzzle, settle), output()
    worst, limit, errors = SOLVED, Limit(seconds=time), ErrorTally()
    solver = api.solver(None, loaded_puzzle)
    for block in read_boards(loaded_puzzle, board, file, settle):
        for begin, end in runs(block.is_readable):
            some = block[begin:end]
            for place, error in some.errors.items():
                errors.tell(some.where(place), error)
                if json:
                    print(dumps(error_facts(loaded_puzzle, some.texts[place], error)), flush=True)
                worst = UNREADABLE
            if not some.errors:
                for checks in check_parts(some, solver, limit):
                    worst = max(worst, _print_all(checks, console, json))
    errors.end()
    raise typer.Exit(worst)


def _print_all(checks: CheckBatch | Sequence[Check], console: Console, json: bool) -> int:
    """Print the checks of some boards; return the exit code for them."""
    from puzzlelab.jobs.checks import CheckBatch, check_facts

    if not json:
        for each in checks:
            _show(each, console)
    elif isinstance(checks, CheckBatch):
        print("\n".join(checks.json_lines()), flush=True)
    else:
        print("\n".join(dumps(check_facts(each)) for each in checks), flush=True)
    is_ok = checks.ok if isinstance(checks, CheckBatch) else all(each.ok for each in checks)
    return SOLVED if is_ok else UNSOLVED


def _show(result: Check, console: Console) -> None:
    """Print the board, the objections to it, and its difficulty."""
    from puzzlelab.core.views import Samples

    puzzle = result.instance.puzzle
    boards = [f"{puzzle.write(state)}\n{puzzle.draw(state)}" for state in (result.instance.state, *result.witnesses)]
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
