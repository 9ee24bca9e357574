"""`puzzlelab convert`: writes the rows of a file in another form."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from puzzlelab.cli.console import say


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A file of rows, as `solve` and `bench` write it.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The new file: .csv, .parquet, or else JSON lines.")],
) -> None:
    """Write the rows of a file as CSV, as Parquet, or as JSON lines, which `solve --out` can continue.

    Of X.csv or X.parquet the rows of X.csv.jsonl or X.parquet.jsonl are read, if that file is there.
    """
    from puzzlelab.engine import report
    from puzzlelab.storage import row_files

    rows = row_files.convert(source, target, report.note)
    say(f"{rows:,} row{'s' * (rows != 1)} in {target}")
