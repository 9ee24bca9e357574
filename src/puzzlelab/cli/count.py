"""`puzzlelab count` and `puzzlelab enumerate`: all solutions of boards, or how many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import INTERRUPTED, SOLVED, UNREADABLE, UNSOLVED, ErrorTally, fail, given_boards, output

if TYPE_CHECKING:
    from puzzlelab.analysis.solve_job import BoardInput
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.puzzle import Instance, Puzzle
    from puzzlelab.core.result import Stop
    from puzzlelab.core.solver import Solver

PuzzleName = Annotated[str, typer.Argument(help="The puzzle, such as sudoku-9x9.")]
Boards = Annotated[list[str] | None, typer.Argument(help="Boards; none means --file or standard input.")]
File = Annotated[Path | None, typer.Option("--file", help="A file of boards; - is standard input.")]
With = Annotated[str | None, typer.Option("--with", help="The solver; the puzzle's usual one if left out.")]
Options = Annotated[list[str] | None, typer.Option("--set", help="An option of the solver: NAME=VALUE.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Jobs of a solver that shares its work, such as permutation.")]
Seconds = Annotated[float | None, typer.Option(help="Seconds for each board.")]
Nodes = Annotated[int | None, typer.Option(help="States to expand for each board.")]


class EnumerationCall:
    """One call of a verb: the boards, the solver, and the exit code so far."""

    def __init__(
        self, puzzle: str, solver: str | None, options: list[str] | None, jobs: int | None, limit: Limit
    ) -> None:
        from puzzlelab import api
        from puzzlelab.core.settings import read_options
        from puzzlelab.core.solutions import require_lister

        self.limit = limit
        self.puzzle: Puzzle = api.load(puzzle)
        told = read_options(options or ()) | ({} if jobs is None else {"jobs": jobs})
        self.solver: Solver = api.solver(solver, self.puzzle, **told)
        require_lister(self.solver, self.puzzle)
        self.code = SOLVED

    def boards(
        self, arguments: list[str] | None, file: Path | None, json: bool = False
    ) -> Iterator[tuple[BoardInput, Instance]]:
        """The boards that can be read; the others are told of, with an object each where that is wanted."""
        from puzzlelab.analysis.serialise import error_facts
        from puzzlelab.core.errors import BadBoard

        faults = ErrorTally()
        for given in given_boards(self.puzzle, arguments or [], file):
            try:
                yield given, self.puzzle.read(given.text)
            except BadBoard as error:
                faults.tell(given.where, error)
                if json:
                    typer.echo(dumps(error_facts(self.puzzle, given.text, error)))
                self.code = UNREADABLE
        faults.end()

    def ended(self, given: BoardInput, found: int, stop: Stop) -> None:
        """Tell why a search ended before all was known, and keep the code."""
        where = f"{given.where}: " if given.where else ""
        if stop == "interrupted":
            fail(f"{where}interrupted after {_solutions(found)}")
            raise typer.Exit(INTERRUPTED)
        if stop not in ("done", "solutions"):
            fail(f"{where}the limit of {stop} ended the search after {_solutions(found)}; there may be more")
        if self.code != UNREADABLE and (found == 0 or stop not in ("done", "solutions")):
            self.code = UNSOLVED


def _solutions(found: int) -> str:
    return f"{found:,} solution{'' if found == 1 else 's'}"


def count(
    puzzle: PuzzleName,
    board: Boards = None,
    file: File = None,
    most: Annotated[int | None, typer.Option(min=1, help="Stop at so many; 2 tells whether one is unique.")] = None,
    solver: With = None,
    option: Options = None,
    jobs: Jobs = None,
    time: Seconds = None,
    nodes: Nodes = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a board.")] = False,
) -> None:
    """Count the solutions of boards: one number a board; `+` after it says that there may be more.

    Exit code: 0 counted, 1 a board has none or a limit came first, 2 something unreadable.
    """
    from puzzlelab.analysis.serialise import count_facts
    from puzzlelab.core import solutions
    from puzzlelab.core.limit import Limit

    asked, console = EnumerationCall(puzzle, solver, option, jobs, Limit(time, nodes)), output()
    for given, instance in asked.boards(board, file, json):
        found = solutions.count(asked.solver, instance, asked.limit, most)
        if json:
            typer.echo(dumps(count_facts(asked.puzzle, asked.puzzle.write(instance.state), found)))
        else:
            console.print(f"{found.solutions}{'' if found.complete else '+'}")
        asked.ended(given, found.solutions, found.stop)
    raise typer.Exit(asked.code)


def enumerate_all(
    puzzle: PuzzleName,
    board: Boards = None,
    file: File = None,
    most: Annotated[int | None, typer.Option(min=1, help="Stop at so many for each board.")] = None,
    solver: With = None,
    option: Options = None,
    jobs: Jobs = None,
    time: Seconds = None,
    nodes: Nodes = None,
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of standard output.")] = None,
) -> None:
    """List the solutions of boards, one a line: the board at its end, or the moves where these are the answer.

    Exit code: 0 listed, 1 a board has none or a limit came first, 2 something unreadable.
    """
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.solutions import Listing

    asked = EnumerationCall(puzzle, solver, option, jobs, Limit(time, nodes))
    with _lines(out) as write:
        for given, instance in asked.boards(board, file):
            listing = Listing(asked.solver, instance, asked.limit, most)
            try:
                for moves in listing:
                    write(_line(asked.puzzle, instance, moves))
            except KeyboardInterrupt:
                listing.stop = "interrupted"
            asked.ended(given, listing.found, listing.stop)
    raise typer.Exit(asked.code)


def _line(puzzle: Puzzle, instance: Instance, moves: tuple[int, ...]) -> str:
    from puzzlelab.core.puzzle import presentation_of
    from puzzlelab.core.solver import board_after, names_of

    if not presentation_of(puzzle).answer_is_board:
        return " ".join(names_of(puzzle, moves))
    return puzzle.write(board_after(puzzle, instance.state, moves))


@contextmanager
def _lines(out: Path | None) -> Iterator[Callable[[str], object]]:
    from puzzlelab.core.errors import BadFile

    if out is None:
        yield typer.echo
        return
    try:
        with out.open("w", encoding="utf-8") as file:
            yield lambda line: file.write(line + "\n")
    except OSError as error:
        raise BadFile(f"cannot write {out}: {error.strerror}") from None
