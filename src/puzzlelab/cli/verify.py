"""`puzzlelab verify`: replays the answers in files of rows with the plain rules."""

from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNREADABLE, UNSOLVED, fail, output


def verify(
    files: Annotated[list[Path], typer.Argument(help="Files of rows, as `solve --out` and `bench` write them.")],
) -> None:
    """Replay the answers in files of rows, and say which do not hold and where.

    Exit code: 0 all hold, 1 one does not, 2 something unreadable.
    """
    from puzzlelab.core.registry import load
    from puzzlelab.core.row import read_rows

    puzzles, rows, holding, unsolved, unreadable = cache(load), 0, 0, 0, 0
    for file in files:
        for line, row in read_rows(file):
            rows += 1
            verdict = row.check(puzzles(row.puzzle))
            holding += verdict.holds
            unsolved += verdict.holds and row.moves is None
            unreadable += row.error is not None
            if not verdict.holds:
                fail(f"{file}, line {line} (row {rows}): {verdict.reason}")
    if rows == 0:
        fail(f"{', '.join(map(str, files))}: there are no rows")
        raise typer.Exit(UNREADABLE)
    without = f"; {unsolved} of them without a solution" if unsolved else ""
    output().print(f"{holding} of {rows} hold{without}")
    raise typer.Exit(UNREADABLE if unreadable else SOLVED if holding == rows else UNSOLVED)
