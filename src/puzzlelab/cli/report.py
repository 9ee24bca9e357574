"""`puzzlelab report`: everything in a folder of results as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNREADABLE, fail, say
from puzzlelab.cli.progress import progress


def report(
    folder: Annotated[
        Path, typer.Argument(help="A folder of `bench --out` or of a training run, or one above several.")
    ],
    out: Annotated[Path, typer.Option(help="The file to write; an earlier report is replaced.")],
) -> None:
    """Write tables, plots and the hardest boards of all results in a folder into one HTML file.

    The file needs no other file and no network. Answers are verified again while they are read.

    Exit code: 0, or 2 if a folder could not be read; the report then has the others.
    """
    from puzzlelab.bench import results_report

    results_report.check_out(out)
    with progress():
        sections = results_report.collect(folder)
        results_report.write(sections, folder.resolve().name, out)
    errors = [section["error"] for section in sections if "error" in section]
    for error in errors:
        fail(error)
    say(f"{out}: {len(sections)} results")
    raise typer.Exit(UNREADABLE if errors else SOLVED)
