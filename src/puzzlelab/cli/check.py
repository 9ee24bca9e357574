"""`puzzlelab check`: whether boards are well-formed and solvable, and how hard they are."""

from __future__ import annotations

from itertools import chain
from json import dumps
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNREADABLE, UNSOLVED, ErrorTally, load_puzzle, output, read_boards
from puzzlelab.cli.options import Boards, JsonObjects, LineFile, Settle, TilesName

if TYPE_CHECKING:
    from puzzlelab.analysis.checks import Check
    from puzzlelab.cli.console import Console


def check(
    puzzle: TilesName,
    board: Boards = None,
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
    from puzzlelab.analysis.checks import check_facts
    from puzzlelab.analysis.serialise import error_facts
    from puzzlelab.core.errors import BadBoard
    from puzzlelab.core.limit import Limit

    loaded_puzzle, console = load_puzzle(puzzle, settle), output()
    worst, limit, errors = SOLVED, Limit(seconds=time), ErrorTally()
    for board_input in chain.from_iterable(read_boards(loaded_puzzle, board, file)):
        try:
            instance = loaded_puzzle.read(board_input.text)
        except BadBoard as error:
            errors.tell(board_input.where, error)
            if json:
                print(dumps(error_facts(loaded_puzzle, board_input.text, error)), flush=True)
            worst = UNREADABLE
            continue
        outcome = api.check(instance, limit=limit)
        worst = max(worst, SOLVED if outcome.ok else UNSOLVED)
        if json:
            print(dumps(check_facts(outcome)), flush=True)
        else:
            _show(outcome, console)
    errors.end()
    raise typer.Exit(worst)


def _show(check: Check, console: Console) -> None:
    """Print the board, the objections to it, and its difficulty."""
    from puzzlelab.core.views import Samples

    puzzle = check.instance.puzzle
    boards = [f"{puzzle.write(state)}\n{puzzle.draw(state)}" for state in (check.instance.state, *check.witnesses)]
    for text in [boards[0], *_sentences(check), *boards[1:]]:
        console.print(text, markup=False)
    samples = puzzle.view(Samples)
    scales = samples.scales if samples else {}
    for scale, value in check.difficulty.items():
        about = scales[scale].about if scale in scales else ""
        console.print(f"{scale}: {value}{f' ({about})' if about else ''}")


def _sentences(check: Check) -> list[str]:
    if check.ok:
        return ["it has exactly one solution" if check.solutions == 1 else "no objection was found"]
    more = "; --time allows more" if check.stop == "time" else ""
    return [*check.objections[:-1], check.objections[-1] + more]
