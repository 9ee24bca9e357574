"""`puzzlelab plot`: draw what `bench --out` kept."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlelab.cli.console import output


def plot(
    folder: Annotated[Path, typer.Argument(help="The folder that `bench --out` filled.")],
    kind: Annotated[
        str,
        typer.Option(
            help="lengths of solutions; levels: share solved by level; bars: seconds; widths: share optimal by width."
        ),
    ] = "lengths",
) -> None:
    """Draw a benchmark as KIND.png and KIND.svg in its folder, and print the same figures."""
    from puzzlelab.bench import plots, runs

    made = plots.chart(runs.stored(folder), kind)
    paths = plots.save(made, folder)
    console = output()
    console.print(plots.table(made))
    for path in paths:
        console.print(str(path), markup=False)
