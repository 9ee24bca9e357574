"""`puzzlelab list`: the puzzles and solvers that there are, or what one puzzle offers."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import output

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import Puzzle


def list_all(
    puzzle: Annotated[str | None, typer.Argument(help="Say what this puzzle offers.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Name the puzzles and solvers, or the solvers, estimates, scales, networks and examples of one puzzle."""
    from puzzlelab import api
    from puzzlelab.analysis import catalog

    chosen = None if puzzle is None else api.load(puzzle)
    told = catalog.everything() if chosen is None else catalog.about(chosen)
    if json:
        print(dumps(told), flush=True)
    elif chosen is None:
        _everything(told)
    else:
        _one(chosen, told)


def _everything(told: dict[str, Any]) -> None:
    _table(
        ("puzzles", "names", "what it is"),
        [(each["family"], ", ".join(each["names"]), each["about"]) for each in told["puzzles"]],
    )
    output().print()
    _table(
        ("solvers", "what it is", "options"),
        [
            (each["name"], each["about"], ", ".join(option["name"] for option in each["options"]))
            for each in told["solvers"]
        ],
    )
    output().print("\nWhat one puzzle offers: puzzlelab list PUZZLE")


def _one(puzzle: Puzzle, told: dict[str, Any]) -> None:
    from puzzlelab.experience import rewards

    console, usual = output(), told["usual_solver"]["name"]
    console.print(f"{told['puzzle']}: {told['moves']} moves ({told['move_note']})", markup=False)
    solvers = [name + (" (usual)" if name == usual else "") for name in told["solvers"]]
    console.print(f"solvers: {', '.join(solvers)}", markup=False)
    _table(("estimates", "what it is"), [(_name(each), each["about"]) for each in told["estimates"]])
    _table(
        ("scales", "levels", "what it is"),
        [(each["name"], "-".join(map(str, each["levels"] or ())), each["about"]) for each in told["scales"]],
    )
    _table(("rewards", "what a move is worth to a learner"), list(rewards.available(puzzle).items()))
    _table(
        ("networks", "hash", "parameters", "tells", "recipe"),
        [
            (_name(each), each["hash"], f"{each['parameters']:,}", ", ".join(each["heads"]), each["recipe"])
            for each in told["networks"]
        ],
    )
    _table(
        ("examples", "what it is", "as in"),
        [(each["name"], each["about"], f"puzzlelab solve {puzzle.name} {each['name']}") for each in told["examples"]],
    )


def _name(each: dict[str, Any]) -> str:
    return f"{each['name']} (usual)" if each["usual"] else str(each["name"])


def _table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Print rows below their titles; nothing if there are none."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(*columns, box=None)
    for row in rows:
        table.add_row(*map(escape, row))
    if rows:
        output().print(table)
