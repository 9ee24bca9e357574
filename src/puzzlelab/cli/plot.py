"""`puzzlelab plot`: draws the rows of `bench --out`, or the progress of training runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import say, show
from puzzlelab.core.errors import BadInput

if TYPE_CHECKING:
    from puzzlelab.bench.charts import Chart


def plot(
    folder: Annotated[
        list[Path],
        typer.Argument(help="The folder of `bench --out`, or one or more folders of training runs or of a sweep."),
    ],
    kind: Annotated[
        str | None,
        typer.Option(
            help="lengths of solutions; lengths2d: of one solver against another; levels: share solved, and excess "
            "over the optimum, by level; excess: boards by how far "
            "solutions are from the optimum; bars: seconds; widths: share optimal by width, or by playouts, and by "
            "seconds; effort: moves by seconds; jobs: seconds by number of jobs; "
            "clues: seconds by number of clues; learning: greedy play over the minutes of training runs; "
            "elo: ratings over the minutes of one self-play run. "
            "By default the kind that suits the folder."
        ),
    ] = None,
    solver: Annotated[
        list[str] | None, typer.Option("--with", help="Only these solvers, such as beam:width=100; may be repeated.")
    ] = None,
    beside: Annotated[
        Path | None,
        typer.Option(
            help="widths: a file of published points to draw too; a line has a name, a width, per cent (TAB)."
        ),
    ] = None,
    mark: Annotated[
        float, typer.Option(min=0, help="Draw a dashed line at this number of seconds, if it is near; 0 for none.")
    ] = 0.1,
) -> None:
    """Draw a benchmark or training runs as KIND.png and KIND.svg in the (first) folder, and print the same numbers."""
    from puzzlelab.bench import seeds, training_charts
    from puzzlelab.bench.charts import save
    from puzzlelab.training.runs import Run

    runs = [run for each in folder for run in seeds.runs_in(each) or [each]]
    if len(folder) == 1 and kind in (None, training_charts.ELO) and training_charts.is_selfplay_run(folder[0]):
        chart = training_charts.elo(folder[0])
    elif all(Run(each).begun for each in runs):
        if solver or beside or kind not in (None, training_charts.LEARNING):
            raise BadInput(
                f"training runs have one kind of plot, '{training_charts.LEARNING}', and a single self-play run "
                f"also '{training_charts.ELO}', both without --with and --beside"
            )
        chart = training_charts.learning(runs)
    elif len(folder) > 1:
        raise BadInput("several folders can be drawn together only if all of them are training runs")
    else:
        chart = _of_benchmark(folder[0], kind, solver, beside)
    paths = save(chart, folder[0], mark)
    show(chart)
    for sentence in chart.remarks:
        say(sentence)
    for path in paths:
        say(str(path))


def _of_benchmark(folder: Path, kind: str | None, solver: list[str] | None, beside: Path | None) -> Chart:
    from puzzlelab.bench import plots, runs
    from puzzlelab.bench.curves import read_curves

    run = runs.read_run(folder)
    if solver:
        run = plots.select_solvers(run, [text.strip() for each in solver for text in each.split(",")])
    curves = None if beside is None else read_curves(beside)
    return plots.chart(run, kind or (plots.KIND_WITH_CURVES if curves else plots.default_kind(run)), curves)
