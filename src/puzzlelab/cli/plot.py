"""`puzzlelab plot`: draw what `bench --out` kept."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlelab.cli.console import output


def plot(
    folder: Annotated[Path, typer.Argument(help="The folder that `bench --out` filled.")],
    kind: Annotated[
        str | None,
        typer.Option(
            help="lengths of solutions; lengths2d: of one solver against another; levels: share solved, and excess "
            "over the optimum, by level; bars: seconds; widths: share optimal by width and by seconds; "
            "jobs: seconds by number of jobs; "
            "clues: seconds by number of clues. Left out: what suits the puzzle."
        ),
    ] = None,
    solver: Annotated[
        list[str] | None, typer.Option("--with", help="Only these solvers, such as beam:width=100; may be repeated.")
    ] = None,
    beside: Annotated[
        Path | None,
        typer.Option(help="widths: published points to draw too; a line has a name, a width and per cent (TAB)."),
    ] = None,
    mark: Annotated[
        float, typer.Option(min=0, help="Draw a dashed line at so many seconds, where it is near; 0 for none.")
    ] = 0.1,
) -> None:
    """Draw a benchmark as KIND.png and KIND.svg in its folder, and print the same figures."""
    from puzzlelab.bench import plots, published, runs

    run = runs.stored(folder)
    if solver:
        run = plots.only(run, [text.strip() for each in solver for text in each.split(",")])
    curves = None if beside is None else published.read(beside)
    made = plots.chart(run, kind or (plots.WITH_CURVES if curves else plots.usual(run)), curves)
    paths = plots.save(made, folder, mark)
    console = output()
    console.print(plots.table(made))
    for sentence in made.remarks:
        console.print(sentence, markup=False)
    for path in paths:
        console.print(str(path), markup=False)
