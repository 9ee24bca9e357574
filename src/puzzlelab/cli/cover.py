"""`puzzlelab cover`: solves an exact cover that is given as it is, counts its solutions, or lists them."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from itertools import chain
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli import options
from puzzlelab.cli.console import say
from puzzlelab.cli.progress import progress
from puzzlelab.core.errors import BadOption

if TYPE_CHECKING:
    from puzzlelab.core.cover import ExactCover


def cover(
    file: Annotated[Path, typer.Argument(help="A file with an option a line; - is standard input.")],
    primary: Annotated[
        str | None,
        typer.Option(metavar="ITEM,...", help="The items to cover; by default all in FILE but the secondary ones."),
    ] = None,
    secondary: Annotated[
        str, typer.Option(metavar="ITEM,...", help="Items that at most one option may hold, and that none needs to.")
    ] = "",
    count: Annotated[bool, typer.Option("--count", help="Print how many solutions there are.")] = False,
    every: Annotated[bool, typer.Option("--all", help="List all solutions, one a line.")] = False,
    most: Annotated[int | None, typer.Option(min=1, help="With --count or --all: stop at so many.")] = None,
    solver: options.SolverName = None,
    time: options.Seconds = None,
    nodes: options.Nodes = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON; with --all a list of names a line.")] = False,
) -> None:
    """Solve an exact cover: choose options so that each item is in exactly one of them.

    A line of FILE is an option, such as `A: 1 3 5`: its name, and its items. Of the four lines `A: 1 3 5`, `B: 2 4`,
    `C: 2 3 4 5 6` and `D: 2 4 6` the solution is `A D`. A comment begins with #. An option without a name has the
    number of its line. Solvers are dancing-links, sat and integer.

    Exit code: 0 solved, 1 there is no solution or a limit came first, 2 something unreadable.
    """
    from puzzlelab.core.boards import Boards
    from puzzlelab.core.cover_puzzle import board_of
    from puzzlelab.text.moves import move_notation

    if count and every:
        raise BadOption("--count prints a number and --all lists solutions: give one of them")
    if most is not None and not (count or every):
        raise BadOption("--most is the most solutions to count or to list: give --count or --all with it")
    boards = Boards.of([board_of(_read(file, primary, secondary))])
    chosen_solver, limit = options.solver_of(boards.puzzle, solver, None), options.limit_of(time, nodes)
    with progress(bars=False):
        if not count and not every:
            from puzzlelab.cli.answers import SolveReport
            from puzzlelab.core.solver import require
            from puzzlelab.jobs.solve_job import SolveJob

            require(chosen_solver, boards.puzzle)
            job = SolveJob(boards.puzzle, chosen_solver, limit)
            report = SolveReport(job, move_notation(boards.puzzle), many=False, json=json)
            for part in report.job.solve(boards):
                report.show(part)
            raise typer.Exit(report.summary(1))
        from puzzlelab.cli.count import list_solutions, print_counts
        from puzzlelab.engine.enumeration import count_parts, require_enumerator

        enumerator = require_enumerator(chosen_solver, boards.puzzle)
        if every:
            write = _print_json if json else _print_lines
            raise typer.Exit(list_solutions(enumerator, boards, limit, most, move_notation(boards.puzzle), write))
        raise typer.Exit(max(print_counts(boards, part, json) for part in count_parts(enumerator, boards, limit, most)))


def _read(file: Path, primary: str | None, secondary: str) -> ExactCover:
    """Return the cover in a file, or on standard input."""
    from puzzlelab.storage.lines import blocks_of, text_blocks
    from puzzlelab.text.covers import items_in, read_cover

    name = "standard input" if str(file) == "-" else str(file)
    blocks = text_blocks(sys.stdin.buffer, name) if str(file) == "-" else blocks_of(file)
    lines = chain.from_iterable(map(io.StringIO, blocks))
    return read_cover(lines, name, None if primary is None else items_in(primary), items_in(secondary))


def _print_lines(lines: Sequence[str]) -> None:
    say("\n".join(lines))


def _print_json(lines: Sequence[str]) -> None:
    say("\n".join(dumps(line.split()) for line in lines))
