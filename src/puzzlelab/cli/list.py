"""`puzzlelab list`: lists all puzzles and solvers, or what one puzzle offers."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import output

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import Puzzle


def list_all(
    puzzle: Annotated[str | None, typer.Argument(help="Describe this puzzle.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List all puzzles and solvers, or the solvers, estimates, scales, networks and examples of one puzzle."""
    from puzzlelab import api
    from puzzlelab.analysis import catalog

    loaded_puzzle = None if puzzle is None else api.load(puzzle)
    facts = catalog.everything() if loaded_puzzle is None else catalog.about(loaded_puzzle)
    if json:
        print(dumps(facts), flush=True)
    elif loaded_puzzle is None:
        _everything(facts)
    else:
        _one(loaded_puzzle, facts)


def _everything(facts: dict[str, Any]) -> None:
    _table(
        ("puzzles", "names", "what it is"),
        [(each["family"], ", ".join(each["names"]), each["about"]) for each in facts["puzzles"]],
    )
    output().print()
    _table(
        ("solvers", "what it is", "options"),
        [
            (each["name"], each["about"], ", ".join(option["name"] for option in each["options"]))
            for each in facts["solvers"]
        ],
    )
    output().print("\nWhat one puzzle offers: puzzlelab list PUZZLE")


def _one(puzzle: Puzzle, facts: dict[str, Any]) -> None:
    from puzzlelab.experience import rewards

    console, usual = output(), facts["usual_solver"]["name"]
    console.print(f"{facts['puzzle']}: {facts['moves']} moves ({facts['move_note']})", markup=False)
    solvers = [name + (" (usual)" if name == usual else "") for name in facts["solvers"]]
    console.print(f"solvers: {', '.join(solvers)}", markup=False)
    _table(("estimates", "what it is"), [(_name(each), each["about"]) for each in facts["estimates"]])
    _table(
        ("scales", "levels", "what it is"),
        [(each["name"], "-".join(map(str, each["levels"] or ())), each["about"]) for each in facts["scales"]],
    )
    _table(("rewards", "what it is"), list(rewards.available(puzzle).items()))
    _table(
        ("networks", "hash", "parameters", "outputs", "recipe"),
        [
            (_name(each), each["hash"], f"{each['parameters']:,}", ", ".join(each["heads"]), each["recipe"])
            for each in facts["networks"]
        ],
    )
    _table(
        ("examples", "what it is", "as in"),
        [(each["name"], each["about"], f"puzzlelab solve {puzzle.name} {each['name']}") for each in facts["examples"]],
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
