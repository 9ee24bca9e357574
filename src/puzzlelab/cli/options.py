"""Arguments and options that several commands share, each with its text in `--help`.

A command takes one by its type, as in `seed: Seed = 0`. The options of networks are in `cli.networks`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from puzzlelab.core.limit import Limit

# --- puzzles and boards ---

TilesName = Annotated[str, typer.Argument(help="The puzzle, such as tiles-4x4.")]
BoardTexts = Annotated[list[str] | None, typer.Argument(help="BoardTexts; none means --file or standard input.")]
BoardFile = Annotated[Path | None, typer.Option("--file", help="A file of boards; - is standard input.")]
LineFile = Annotated[Path | None, typer.Option("--file", help="A file of one board a line; - is standard input.")]
Settle = Annotated[bool, typer.Option("--settle", help="Accept boards that are not at rest, and let them settle.")]
Seed = Annotated[int, typer.Option(min=0, help="Equal seeds give equal boards.")]

# --- solvers ---

SolverName = Annotated[
    str | None,
    typer.Option("--with", help="The solver, alone or as NAME:OPTION=VALUE:...; the puzzle's usual one if left out."),
]
OtherOptions = Annotated[list[str] | None, typer.Option("--set", help="Any other option of the solver: NAME=VALUE.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads; by default all cores.")]

# --- where the work is done ---

ExecutorName = Annotated[
    str | None,
    typer.Option(
        "--executor",
        envvar="PUZZLELAB_EXECUTOR",
        help="Where the work is done: local (processes of this machine), ray or ray:ADDRESS (a cluster).",
    ),
]

LearnerResources = Annotated[
    list[str] | None,
    typer.Option(
        "--learner-resources",
        help="With --executor: learn in a process of its own on a node that has this, such as gpu=1; may be repeated.",
    ),
]

# --- limits ---

Seconds = Annotated[float | None, typer.Option(help="Seconds for each board.")]
Nodes = Annotated[int | None, typer.Option(help="States to expand for each board.")]


def limit_of(seconds: float | None, nodes: int | None, memory: str | None) -> Limit:
    """Return the limit of `--time`, `--nodes` and `--memory`; raises `BadOption` for a memory that cannot be read."""
    from puzzlelab.core.limit import Limit, read_memory

    return Limit(seconds, nodes, None if memory is None else read_memory(memory))


# --- output ---

JsonObjects = Annotated[bool, typer.Option("--json", help="Print one JSON object a board.")]
