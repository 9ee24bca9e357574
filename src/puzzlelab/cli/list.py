"""`puzzlelab list` and `cluster`: all puzzles and solvers, what one puzzle offers, and the nodes of a Ray cluster."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import print_table, say
from puzzlelab.cli.options import with_files
from puzzlelab.core.errors import BadOption

if TYPE_CHECKING:
    from puzzlelab.cluster.ray_nodes import RayNode
    from puzzlelab.core.puzzle import Puzzle


def list_all(
    puzzle: Annotated[
        str | None,
        typer.Argument(
            callback=with_files, help="Describe this puzzle, or the layers of a network: net:NAME, or net:FOLDER."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List all puzzles and solvers, or the solvers, estimates, scales, networks and examples of one puzzle.

    For a network (net:NAME) its layers and parameters.
    """
    from puzzlelab.analysis import catalog
    from puzzlelab.core import registry
    from puzzlelab.core.solver import is_network

    if puzzle is not None and is_network(puzzle):
        _network(puzzle, json)
        return
    loaded_puzzle = None if puzzle is None else registry.load(puzzle)
    facts = catalog.everything() if loaded_puzzle is None else catalog.about(loaded_puzzle)
    if json:
        print(dumps(facts), flush=True)
    elif loaded_puzzle is None:
        _everything(facts)
    else:
        _one(loaded_puzzle, facts)


def _network(name: str, json: bool) -> None:
    """Print a network with its layers."""
    from puzzlelab.cli.train import need_libraries, print_layers
    from puzzlelab.core import registry
    from puzzlelab.nets import model_zoo
    from puzzlelab.nets.card import read_card
    from puzzlelab.storage import networks

    text = networks.parts(name)[0]
    if not text:
        raise BadOption(
            "name the network: net:NAME, with a name that `puzzlelab list PUZZLE` shows, a file or a folder"
        )
    card = read_card(model_zoo.path_anywhere(text))
    need_libraries("the list of a network's layers", ["puzzlelab.nets.torch_model"])
    from puzzlelab.nets.torch_model import layers_of, untrained

    model = untrained(registry.load(card.puzzle), card.network)
    if json:
        print(dumps({**card.model_dump(), "layers": layers_of(model)}), flush=True)
        return
    trained = f", {card.steps:,} steps of {card.recipe}" if card.recipe else ""
    say(f"{card.name}: {card.network['kind']} for {card.puzzle}{trained}")
    print_layers(model)


def _everything(facts: dict[str, Any]) -> None:
    print_table(
        ("puzzles", "names", "what it is"),
        [(each["family"], ", ".join(each["names"]), each["about"]) for each in facts["puzzles"]],
    )
    say()
    print_table(
        ("solvers", "what it is", "options"),
        [
            (
                ", ".join([each["name"], *each["other_names"]]),
                each["about"],
                ", ".join(option["name"] for option in each["options"]),
            )
            for each in facts["solvers"]
        ],
    )
    say("\nWhat one puzzle offers: puzzlelab list PUZZLE")


def _one(puzzle: Puzzle, facts: dict[str, Any]) -> None:
    from puzzlelab.experience import rewards

    usual = facts["usual_solver"]["name"]
    note = f" ({facts['move_note']})" if facts["move_note"] else ""
    say(f"{facts['puzzle']}: {facts['moves']} moves{note}")
    solvers = [name + (" (usual)" if name == usual else "") for name in facts["solvers"]]
    others = ", ".join(facts["solvers_by_estimate"])
    say(f"solvers: {', '.join(solvers)}{f'; with --estimate: {others}' if others else ''}")
    print_table(
        ("moves as", "letters", "what a move is"),
        [(form, letters, text) for letters, forms in facts["move_forms"].items() for form, text in forms.items()],
    )
    print_table(("estimates", "what it is"), [(_name(each), each["about"]) for each in facts["estimates"]])
    print_table(
        ("scales", "levels", "what it is"),
        [(each["name"], "-".join(map(str, each["levels"] or ())), each["about"]) for each in facts["scales"]],
    )
    print_table(("rewards", "what it is"), list(rewards.available(puzzle).items()))
    print_table(
        ("networks", "hash", "parameters", "outputs", "recipe"),
        [
            (_name(each), each["hash"], f"{each['parameters']:,}", ", ".join(each["heads"]), each["recipe"])
            for each in facts["networks"]
        ],
    )
    print_table(
        ("examples", "what it is", "as in"),
        [(each["name"], each["about"], f"puzzlelab solve {puzzle.name} {each['name']}") for each in facts["examples"]],
    )


def _name(each: dict[str, Any]) -> str:
    return f"{each['name']} (usual)" if each["usual"] else str(each["name"])


# --- the nodes of a cluster ---

cluster = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Show the nodes of a Ray cluster, on which --executor ray works."
)


@cluster.callback()
def keep_subcommand() -> None:
    """Keep `status` a subcommand, although it is the only one."""


@cluster.command()
def status(
    address: Annotated[
        str,
        typer.Argument(
            envvar="RAY_ADDRESS",
            help="The address of the head, such as 10.0.0.1:6379; by default the cluster that this machine belongs to.",
        ),
    ] = "",
) -> None:
    """Print the nodes with their resources and versions, and which of them cannot be used.

    Exit code: 0 all nodes can be used, 1 one of them cannot, 2 there is no such cluster.
    """
    from puzzlelab.cluster import nodes_of

    nodes = nodes_of(address)
    say(f"{len(nodes)} node{'' if len(nodes) == 1 else 's'}")
    columns = ("node", "host", "processors", "graphics cards", "memory", "puzzlelab", "Python", "numba", "state")
    print_table(columns, [_row_of(node) for node in nodes])
    raise typer.Exit(1 if any(node.problem for node in nodes) else 0)


def _row_of(node: RayNode) -> tuple[str, ...]:
    """Return a node in words."""
    versions = node.versions or {}
    state = node.problem or ("ready" if node.versions else "does not answer yet")
    return (
        node.address,
        node.host,
        f"{node.cpus}",
        f"{node.resources.get('GPU', 0):g}",
        f"{node.resources.get('memory', 0) / 2**30:.1f} GiB",
        *(versions.get(name, "") for name in ("puzzlelab", "Python", "numba")),
        state,
    )
