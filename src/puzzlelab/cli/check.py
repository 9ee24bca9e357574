"""`puzzlelab check`: is this a board, can it be solved, how hard is it?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNREADABLE, UNSOLVED, Faults, Settle, given_boards, output, settling

if TYPE_CHECKING:
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.puzzle import Puzzle, State

SHOWN = 20
"""Cells that differ and are named."""


def check(
    puzzle: Annotated[str, typer.Argument(help="The puzzle, such as tiles-4x4.")],
    board: Annotated[list[str] | None, typer.Argument(help="Boards; none means --file or standard input.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="A file of one board a line; - is standard input.")
    ] = None,
    time: Annotated[float, typer.Option(help="Seconds to look for a second solution of a board.")] = 10.0,
    settle: Settle = False,
) -> None:
    """Say whether boards are well-formed and could be solved, and how hard they are.

    Where a puzzle should have one solution only, it is searched for a second one.

    Exit code: 0 nothing to object, 1 a board cannot be solved, or not in one way only; 2 something is no board.
    """
    from puzzlelab import api
    from puzzlelab.core.errors import BadBoard
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.puzzle import Samples

    chosen, console = settling(api.load(puzzle), settle), output()
    worst, limit, faults = SOLVED, Limit(seconds=time), Faults()
    for given in given_boards(chosen, board or [], file):
        try:
            state = chosen.read(given.text).state
        except BadBoard as error:
            faults.tell(given.where, error)
            worst = UNREADABLE
            continue
        console.print(f"{chosen.write(state)}\n{chosen.draw(state)}", markup=False)
        objections = list(_objections(chosen, state, limit))
        for sentence in objections:
            console.print(sentence, markup=False)
        if not objections:
            console.print("it has exactly one solution" if _one_way(chosen) else "nothing speaks against a solution")
        worst = max(worst, UNSOLVED if objections else SOLVED)
        if isinstance(chosen, Samples):
            for scale, value in chosen.difficulty(state).items():
                about = chosen.scales[scale].about if scale in chosen.scales else ""
                console.print(f"{scale}: {value}{f' ({about})' if about else ''}")
    faults.end()
    raise typer.Exit(worst)


def _one_way(puzzle: Puzzle) -> bool:
    """Whether a good board of this puzzle has one solution only."""
    from puzzlelab.core.puzzle import Cover

    return isinstance(puzzle, Cover)


def _objections(puzzle: Puzzle, state: State, limit: Limit) -> Iterator[str]:
    """What speaks against the board, in sentences."""
    objection = puzzle.objection(state)
    if objection:
        yield f"cannot be solved: {objection}"
        return
    remarks = getattr(puzzle, "remarks", None)
    yield from remarks(state) if remarks else ()
    if _one_way(puzzle):
        yield from _not_unique(puzzle, state, limit)


def _not_unique(puzzle: Puzzle, state: State, limit: Limit) -> Iterator[str]:
    """That there is no solution, or a second one, and where it differs."""
    from puzzlelab import api
    from puzzlelab.core.puzzle import Instance
    from puzzlelab.core.solver import board_after

    found = api.solutions(Instance(puzzle, state), limit=limit, most=2)
    boards = [board_after(puzzle, state, moves) for moves in found]
    if len(boards) == 2:
        first, second = boards
        differ = [place for place in range(len(first)) if first[place] != second[place]]
        cell = getattr(puzzle, "write_cell", str)
        names = [cell(place) for place in differ[:SHOWN]] + (["..."] if len(differ) > SHOWN else [])
        yield f"more than one solution; two of them differ in {len(differ)} places: {', '.join(names)}"
        for each in boards:
            yield f"{puzzle.write(each)}\n{puzzle.draw(each)}"
    elif found.stop != "done":
        known = "one solution is known, a second one was not found" if boards else "no solution was found"
        yield f"{known} within {limit.seconds:g} s; --time allows more"
    elif not boards:
        yield "cannot be solved: every possibility was tried, and none is a solution"
