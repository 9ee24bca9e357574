"""`puzzlelab list`: the puzzles and solvers that there are, or what one puzzle offers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import output

if TYPE_CHECKING:
    from rich.console import Console


def list_all(
    puzzle: Annotated[str | None, typer.Argument(help="Say what this puzzle offers.")] = None,
) -> None:
    """Name the puzzles and solvers, or the estimates and scales of one puzzle."""
    if puzzle is None:
        _everything()
    else:
        _one(puzzle)


def _everything() -> None:
    from rich.table import Table

    from puzzlelab.core import registry

    puzzles = Table("puzzles", "names", "what it is", box=None)
    for name in registry.families():
        family = registry.family(name)
        puzzles.add_row(name, ", ".join(family.EXAMPLES), family.ABOUT)
    solvers = Table("solvers", "what it is", "options", box=None)
    for name in [*registry.solver_names(), *registry.exact_solvers()]:
        kind = registry.solver_class(name)
        solvers.add_row(name, (kind.__doc__ or "").strip().split("\n\n")[0], ", ".join(kind.model_fields))
    console = output()
    console.print(puzzles)
    console.print()
    console.print(solvers)
    console.print("\nWhat one puzzle offers: puzzlelab list PUZZLE")


def _one(name: str) -> None:
    from rich.table import Table

    from puzzlelab import api
    from puzzlelab.core.puzzle import Estimates, Samples
    from puzzlelab.experience import rewards

    puzzle, console = api.load(name), output()
    console.print(f"{puzzle.name}: {puzzle.move_count} moves ({getattr(puzzle, 'move_note', '')})")
    if isinstance(puzzle, Estimates):
        usual = puzzle.estimate().name
        estimates = Table("estimates", "what it is", box=None)
        for each, about in puzzle.estimates.items():
            estimates.add_row(each + (" (usual)" if usual.startswith(each) else ""), about)
        console.print(estimates)
    if isinstance(puzzle, Samples) and puzzle.scales:
        scales = Table("scales", "levels", "what it is", box=None)
        for each, scale in puzzle.scales.items():
            scales.add_row(each, "-".join(map(str, scale.levels)) if scale.levels else "", scale.about)
        console.print(scales)
    worth = Table("rewards", "what a move is worth to a learner", box=None)
    for each, about in rewards.offered(puzzle).items():
        worth.add_row(each, about)
    console.print(worth)
    _networks(puzzle.name, console)
    examples = getattr(puzzle, "examples", {})
    if examples:
        boards = Table("examples", "what it is", "as in", box=None)
        for each, example in examples.items():
            boards.add_row(each, example.about, f"puzzlelab solve {puzzle.name} {each}")
        console.print(boards)


def _networks(puzzle: str, console: Console) -> None:
    """The networks for a puzzle that come with the package, as their cards tell of them; nothing if there is none."""
    from rich.markup import escape
    from rich.table import Table

    from puzzlelab.core.networks import SHELF

    networks = Table("networks", "hash", "parameters", "tells", "recipe", box=None)
    for path in sorted(SHELF.glob("*.json")):
        card = json.loads(path.read_text(encoding="utf-8"))  # read here, because what loads networks needs torch
        if card.get("puzzle") == puzzle:
            heads = ", ".join(card.get("network", {}).get("heads", ()))
            told = [card.get("name", ""), f"{card.get('parameters', 0):,}", heads, card.get("recipe", "")]
            networks.add_row(*map(escape, [path.stem + (" (usual)" if path.stem == puzzle else ""), *told]))
    if networks.row_count:
        console.print(networks)
