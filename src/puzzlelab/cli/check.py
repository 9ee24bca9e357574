"""`puzzlelab check`: is this a board, can it be solved, how hard is it?"""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNREADABLE, UNSOLVED, ErrorTally, Settle, given_boards, output, settling

if TYPE_CHECKING:
    from puzzlelab.analysis.checks import Check
    from puzzlelab.cli.console import Console


def check(
    puzzle: Annotated[str, typer.Argument(help="The puzzle, such as tiles-4x4.")],
    board: Annotated[list[str] | None, typer.Argument(help="Boards; none means --file or standard input.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="A file of one board a line; - is standard input.")
    ] = None,
    time: Annotated[float, typer.Option(help="Seconds to look for a second solution of a board.")] = 10.0,
    settle: Settle = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a board.")] = False,
) -> None:
    """Say whether boards are well-formed and could be solved, and how hard they are.

    Where a puzzle should have one solution only, it is searched for a second one.

    Exit code: 0 nothing to object, 1 a board cannot be solved, or not in one way only; 2 something is no board.
    """
    from puzzlelab import api
    from puzzlelab.analysis.checks import check_facts
    from puzzlelab.analysis.serialise import error_facts
    from puzzlelab.core.errors import BadBoard
    from puzzlelab.core.limit import Limit

    chosen, console = settling(api.load(puzzle), settle), output()
    worst, limit, faults = SOLVED, Limit(seconds=time), ErrorTally()
    for given in given_boards(chosen, board or [], file):
        try:
            instance = chosen.read(given.text)
        except BadBoard as error:
            faults.tell(given.where, error)
            if json:
                print(dumps(error_facts(chosen, given.text, error)), flush=True)
            worst = UNREADABLE
            continue
        told = api.check(instance, limit=limit)
        worst = max(worst, SOLVED if told.ok else UNSOLVED)
        if json:
            print(dumps(check_facts(told)), flush=True)
        else:
            _show(told, console)
    faults.end()
    raise typer.Exit(worst)


def _show(told: Check, console: Console) -> None:
    """The board, what speaks against it, and how hard it is."""
    from puzzlelab.core.views import Samples

    puzzle = told.instance.puzzle
    boards = [f"{puzzle.write(state)}\n{puzzle.draw(state)}" for state in (told.instance.state, *told.witnesses)]
    for text in [boards[0], *_sentences(told), *boards[1:]]:
        console.print(text, markup=False)
    samples = puzzle.view(Samples)
    scales = samples.scales if samples else {}
    for scale, value in told.difficulty.items():
        about = scales[scale].about if scale in scales else ""
        console.print(f"{scale}: {value}{f' ({about})' if about else ''}")


def _sentences(told: Check) -> list[str]:
    if told.ok:
        return ["it has exactly one solution" if told.solutions == 1 else "nothing speaks against a solution"]
    more = "; --time allows more" if told.stop == "time" else ""
    return [*told.objections[:-1], told.objections[-1] + more]
