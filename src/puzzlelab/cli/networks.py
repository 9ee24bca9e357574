"""The command-line options for networks, and their effect on the options of solvers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.core.solver import Solver

WITH_NETWORK = "greedy"
"""The solver for `--net` without `--with`."""

Net = Annotated[
    str | None,
    typer.Option(
        help="The network to use: a name, a file, the beginning of a hash, or 'best', the best of the package."
    ),
]
MaxMoves = Annotated[int | None, typer.Option(help="Moves after which a solver that plays, such as greedy, gives up.")]
AvoidRepeats = Annotated[
    bool, typer.Option("--avoid-repeats", help="Greedy: take the best move to a state that was not visited before.")
]


def option_of_network(puzzle: Puzzle, solver: str, options: Mapping[str, Any], net: str) -> Mapping[str, Any]:
    """Return the options that make the solver of this name use a network.

    Raises `BadInput` if `options` sets them too.
    """
    from puzzlelab.analysis.network_options import network_options
    from puzzlelab.core import registry
    from puzzlelab.core.errors import BadOption

    network_settings = network_options(puzzle, solver, registry.solver_class(solver).model_fields, net)
    for option in network_settings.keys() & options.keys():
        raise BadOption(f"--net sets the option '{option}' of {solver}, which is set already: give one of them")
    return network_settings


def all_asking(puzzle: Puzzle, solvers: Sequence[Solver], net: str | None) -> list[Solver]:
    """Return the solvers; those that can use a network, and have none set, use this one.

    Raises `BadOption` if none can.
    """
    from puzzlelab.analysis.network_options import with_network
    from puzzlelab.core.errors import BadOption

    if net is None:
        return list(solvers)
    network_solvers = [with_network(puzzle, solver, net) for solver in solvers]
    if not any(network_solvers):
        names = ", ".join(solver.name for solver in solvers)
        raise BadOption(f"none of the solvers ({names}) can use a network, or each has its option set already")
    return [new or old for new, old in zip(network_solvers, solvers, strict=True)]


def all_with(solvers: Sequence[Solver], options: Mapping[str, Any]) -> list[Solver]:
    """Return the solvers with these options, each with those that it knows.

    Raises `BadOption` for one that none knows.
    """
    from puzzlelab.analysis.network_options import with_options
    from puzzlelab.core.errors import BadOption

    for option in options:
        if not any(option in solver.options() for solver in solvers):
            names = ", ".join(solver.name for solver in solvers)
            raise BadOption(f"none of the solvers ({names}) has an option '{option}'")
    options_by_solver = [
        {name: options[name] for name in options.keys() & solver.options().keys()} for solver in solvers
    ]
    return [
        with_options(solver, own_options) if own_options else solver
        for solver, own_options in zip(solvers, options_by_solver, strict=True)
    ]
