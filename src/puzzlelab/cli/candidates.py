"""`puzzlelab candidates`: what each cell of boards is in some solution, and where two solutions differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNSOLVED, ErrorTally, puzzle_and_boards, read_runs, say
from puzzlelab.cli.options import BoardFile, BoardTexts, JsonObjects, Nodes, PuzzleName, limit_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlelab.analysis.true_candidates import TrueCandidates
    from puzzlelab.analysis.unavoidable_sets import UnavoidableSet
    from puzzlelab.core.boards import Instance


def candidates(
    puzzle: PuzzleName,
    board: BoardTexts = None,
    file: BoardFile = None,
    time: Annotated[float, typer.Option(help="Seconds for all searches of a board.")] = 10.0,
    nodes: Nodes = None,
    compared: Annotated[
        int, typer.Option(min=0, help="Solutions that are compared to find two that differ in the fewest cells.")
    ] = 1000,
    json: JsonObjects = False,
) -> None:
    """Show the true candidates of boards: what each cell is in some solution.

    Of a board with several solutions, also the smallest set of cells in which two of them differ. Where the limit ends
    the searches of a board, candidates that are not known to be true or false are named.

    Exit code: 0 each board has one solution, 1 a board has none or several, or a limit came first, 2 something
    unreadable.
    """
    from puzzlelab.analysis.true_candidates import true_candidates
    from puzzlelab.analysis.unavoidable_sets import unavoidable_set
    from puzzlelab.core import registry

    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle=False, file=file)
    code, limit, errors = SOLVED, limit_of(time, nodes), ErrorTally()
    solver = registry.solver(None, loaded_puzzle)

    def difference(board: Instance) -> UnavoidableSet | None:
        return unavoidable_set(solver, board, limit, compared) if compared else None

    for some in read_runs(loaded_puzzle, board, file):
        errors.tell_boards(some, json)
        if not some.errors:
            for each, found in zip(some, true_candidates(some, solver, limit), strict=True):
                code = max(code, _print(each, found, difference, json))
    raise typer.Exit(errors.end(code))


def _print(
    board: Instance, found: TrueCandidates, difference: Callable[[Instance], UnavoidableSet | None], json: bool
) -> int:
    """Print the true candidates of a board, and where two solutions differ; return the exit code for it."""
    from json import dumps

    from puzzlelab.jobs.serialise import candidates_facts

    apart = difference(board) if found.solutions == 2 else None
    if json:
        say(dumps(candidates_facts(board, found, apart)))
    else:
        _show(board, found, apart)
    return SOLVED if found.solutions == 1 and found.stop == "done" else UNSOLVED


def _show(board: Instance, found: TrueCandidates, apart: UnavoidableSet | None) -> None:
    from puzzlelab.analysis.true_candidates import candidate_texts, candidates_in_words

    puzzle = board.puzzle
    say(puzzle.write(board.state))
    if found.solutions != 0:
        say(grid_of(board, candidate_texts(puzzle, found.possible)))
    say(candidates_in_words(puzzle, found))
    if apart is not None:
        show_difference(board, apart)


def show_difference(board: Instance, apart: UnavoidableSet) -> None:
    """Print the smallest set of cells in which two solutions differ, with both digits of each cell."""
    from puzzlelab.analysis.unavoidable_sets import difference_texts, unavoidable_in_words

    say(unavoidable_in_words(board.puzzle, apart))
    say(grid_of(board, difference_texts(board.puzzle, apart)))


def grid_of(board: Instance, texts: list[str]) -> str:
    """Return the drawing of a board with these texts in its cells; a list if the puzzle has no such drawing."""
    from puzzlelab.core.puzzle import Drawings

    drawings = board.puzzle.view(Drawings)
    return " ".join(texts) if drawings is None or drawings.grid is None else drawings.grid(texts)
