"""`puzzlelab count` and `puzzlelab enumerate`: the number of solutions of boards, or all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNREADABLE, UNSOLVED, ErrorTally, fail, output, read_boards
from puzzlelab.cli.options import BoardFile, Boards, JsonObjects, Nodes, Seconds, SolverName
from puzzlelab.core.signals import INTERRUPTED

if TYPE_CHECKING:
    from puzzlelab.core.board_blocks import BoardInput
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.puzzle import Instance, Puzzle
    from puzzlelab.core.result import Stop
    from puzzlelab.core.solver import Solver

PuzzleName = Annotated[str, typer.Argument(help="The puzzle, such as sudoku-9x9.")]
SolverOptions = Annotated[list[str] | None, typer.Option("--set", help="An option of the solver: NAME=VALUE.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Jobs of a parallel solver, such as permutation.")]


class EnumerationCall:
    """One call of a command: its boards, its solver, and the exit code so far."""

    def __init__(
        self, puzzle: str, solver: str | None, options: list[str] | None, jobs: int | None, limit: Limit
    ) -> None:
        from puzzlelab import api
        from puzzlelab.core.settings import read_options
        from puzzlelab.core.solutions import require_lister

        self.limit = limit
        self.puzzle: Puzzle = api.load(puzzle)
        values = read_options(options or ()) | ({} if jobs is None else {"jobs": jobs})
        self.solver: Solver = api.solver(solver, self.puzzle, **values)
        require_lister(self.solver, self.puzzle)
        self.code = SOLVED

    def boards(
        self, arguments: list[str] | None, file: Path | None, json: bool = False
    ) -> Iterator[tuple[BoardInput, Instance]]:
        """Yield the readable boards; print an error for each of the others, with `json` also an object."""
        from puzzlelab.analysis.serialise import error_facts
        from puzzlelab.core.errors import BadBoard

        errors = ErrorTally()
        for board_input in chain.from_iterable(read_boards(self.puzzle, arguments, file)):
            try:
                yield board_input, self.puzzle.read(board_input.text)
            except BadBoard as error:
                errors.tell(board_input.where, error)
                if json:
                    typer.echo(dumps(error_facts(self.puzzle, board_input.text, error)))
                self.code = UNREADABLE
        errors.end()

    def report_end(self, board: BoardInput, total: int, stop: Stop) -> None:
        """Print why a search ended early, and update the exit code."""
        where = f"{board.where}: " if board.where else ""
        if stop == "interrupted":
            fail(f"{where}interrupted after {_solutions(total)}")
            raise typer.Exit(INTERRUPTED)
        if stop not in ("done", "solutions"):
            fail(f"{where}the limit of {stop} ended the search after {_solutions(total)}; there may be more")
        if self.code != UNREADABLE and (total == 0 or stop not in ("done", "solutions")):
            self.code = UNSOLVED


def _solutions(total: int) -> str:
    return f"{total:,} solution{'' if total == 1 else 's'}"


def count(
    puzzle: PuzzleName,
    board: Boards = None,
    file: BoardFile = None,
    most: Annotated[
        int | None, typer.Option(min=1, help="Stop at so many; 2 shows whether a solution is unique.")
    ] = None,
    solver: SolverName = None,
    option: SolverOptions = None,
    jobs: Jobs = None,
    time: Seconds = None,
    nodes: Nodes = None,
    json: JsonObjects = False,
) -> None:
    """Count the solutions of boards: one number a board; `+` after it says that there may be more.

    Exit code: 0 counted, 1 a board has none or a limit came first, 2 something unreadable.
    """
    from puzzlelab.analysis.serialise import count_facts
    from puzzlelab.core import solutions
    from puzzlelab.core.limit import Limit

    call, console = EnumerationCall(puzzle, solver, option, jobs, Limit(time, nodes)), output()
    for board_input, instance in call.boards(board, file, json):
        result = solutions.count(call.solver, instance, call.limit, most)
        if json:
            typer.echo(dumps(count_facts(call.puzzle, call.puzzle.write(instance.state), result)))
        else:
            console.print(f"{result.solutions}{'' if result.complete else '+'}")
        call.report_end(board_input, result.solutions, result.stop)
    raise typer.Exit(call.code)


def enumerate_all(
    puzzle: PuzzleName,
    board: Boards = None,
    file: BoardFile = None,
    most: Annotated[int | None, typer.Option(min=1, help="Stop at so many for each board.")] = None,
    solver: SolverName = None,
    option: SolverOptions = None,
    jobs: Jobs = None,
    time: Seconds = None,
    nodes: Nodes = None,
    out: Annotated[
        Path | None, typer.Option(help="Write to this file, or continue it, instead of standard output.")
    ] = None,
) -> None:
    """List the solutions of boards, one a line: the board at its end, or the moves where these are the answer.

    Exit code: 0 listed, 1 a board has none or a limit came first, 2 something unreadable.
    """
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.solutions import Listing

    call = EnumerationCall(puzzle, solver, option, jobs, Limit(time, nodes))
    with _lines(out) as write:
        for board_input, instance in call.boards(board, file):
            listing = Listing(call.solver, instance, call.limit, most)
            try:
                for moves in listing:
                    write(_line(call.puzzle, instance, moves))
            except KeyboardInterrupt:
                listing.stop = "interrupted"
            call.report_end(board_input, listing.count, listing.stop)
    raise typer.Exit(call.code)


def _line(puzzle: Puzzle, instance: Instance, moves: tuple[int, ...]) -> str:
    from puzzlelab.core.puzzle import presentation_of
    from puzzlelab.core.solver import board_after, names_of

    if not presentation_of(puzzle).answer_is_board:
        return " ".join(names_of(puzzle, moves))
    return puzzle.write(board_after(puzzle, instance.state, moves))


@contextmanager
def _lines(out: Path | None) -> Iterator[Callable[[str], object]]:
    """A function that writes a line; a file is continued only if its lines are those that are written."""
    from puzzlelab.core.outputs import LineOutput

    if out is None:
        yield typer.echo
        return
    with LineOutput(out) as file:
        yield file.write
        if file.rest:
            print(f"{out} has {file.rest:,} more lines: nothing was changed", file=sys.stderr)
