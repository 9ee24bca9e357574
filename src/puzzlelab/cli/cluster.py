"""`puzzlelab cluster`: what a Ray cluster has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import print_table, say

if TYPE_CHECKING:
    from puzzlelab.cluster.ray_nodes import RayNode

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Show the nodes of a Ray cluster, on which --executor ray works."
)


@app.callback()
def cluster() -> None:
    """Keep `status` a subcommand, although it is the only one."""


@app.command()
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
    print_table(columns, [_row(node) for node in nodes])
    raise typer.Exit(1 if any(node.problem for node in nodes) else 0)


def _row(node: RayNode) -> tuple[str, ...]:
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
