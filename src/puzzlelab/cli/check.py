"""`puzzlelab check`: is this a board, can it be solved, how hard is it?"""

from pathlib import Path
from typing import Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNREADABLE, UNSOLVED, fail, given_boards, output


def check(
    puzzle: Annotated[str, typer.Argument(help="The puzzle, such as tiles-4x4.")],
    board: Annotated[list[str] | None, typer.Argument(help="Boards; none means --file or standard input.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="A file of one board a line; - is standard input.")
    ] = None,
) -> None:
    """Say whether boards are well-formed and could be solved, and how hard they are.

    Exit code: 0 nothing to object, 1 a board cannot be solved, 2 something is no board.
    """
    from puzzlelab import api
    from puzzlelab.core.errors import BadBoard
    from puzzlelab.core.puzzle import Samples

    chosen, console, worst = api.load(puzzle), output(), SOLVED
    for given in given_boards(chosen, board or [], file):
        try:
            state = chosen.read(given.text).state
        except BadBoard as error:
            fail(f"{given.where}: {error}" if given.where else str(error))
            worst = UNREADABLE
            continue
        console.print(f"{chosen.write(state)}\n{chosen.draw(state)}")
        objection = chosen.objection(state)
        console.print(f"cannot be solved: {objection}" if objection else "nothing speaks against a solution")
        worst = max(worst, UNSOLVED if objection else SOLVED)
        if isinstance(chosen, Samples):
            for scale, value in chosen.difficulty(state).items():
                console.print(f"{scale}: {value} ({chosen.scales[scale].about})")
    raise typer.Exit(worst)
