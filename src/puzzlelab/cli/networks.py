"""The words of the verbs that solve by networks, and what they make of the options of a solver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.core.solver import Solver

WITH_NETWORK = "greedy"
"""The solver that asks a network where nobody names one."""

Net = Annotated[
    str | None,
    typer.Option(
        help="The network to ask: a name, a file, the beginning of a hash, or 'best', the best of the package."
    ),
]
MaxMoves = Annotated[int | None, typer.Option(help="Moves after which a solver that plays, such as greedy, gives up.")]
AvoidRepeats = Annotated[
    bool, typer.Option("--avoid-repeats", help="Greedy: make the best move that leads to a state not seen before.")
]


def option_of_network(puzzle: Puzzle, solver: str, options: Mapping[str, Any], net: str) -> Mapping[str, Any]:
    """The option by which the solver of this name asks a network, beside these options; raises `BadInput`."""
    from puzzlelab.analysis.network_options import network_options
    from puzzlelab.core import registry
    from puzzlelab.core.errors import BadOption

    found = network_options(puzzle, solver, registry.solver_class(solver).model_fields, net)
    for option in found.keys() & options.keys():
        raise BadOption(f"--net sets the option '{option}' of {solver}, which is given already: give one of them")
    return found


def all_asking(puzzle: Puzzle, solvers: Sequence[Solver], net: str | None) -> list[Solver]:
    """The solvers; those that can ask a network, and were told nothing else to ask, ask this one.

    Raises `BadOption` where none can.
    """
    from puzzlelab.analysis.network_options import with_network
    from puzzlelab.core.errors import BadOption

    if net is None:
        return list(solvers)
    found = [with_network(puzzle, solver, net) for solver in solvers]
    if not any(found):
        names = ", ".join(solver.name for solver in solvers)
        raise BadOption(f"none of the solvers ({names}) has a network to ask, or else each is told what to ask")
    return [new or old for new, old in zip(found, solvers, strict=True)]


def all_with(solvers: Sequence[Solver], options: Mapping[str, Any]) -> list[Solver]:
    """The solvers, each with those of these options that it has; raises `BadOption` for an option that none has."""
    from puzzlelab.analysis.network_options import with_options
    from puzzlelab.core.errors import BadOption

    for option in options:
        if not any(option in solver.options() for solver in solvers):
            names = ", ".join(solver.name for solver in solvers)
            raise BadOption(f"none of the solvers ({names}) has an option '{option}'")
    known = [{name: options[name] for name in options.keys() & solver.options().keys()} for solver in solvers]
    return [with_options(solver, mine) if mine else solver for solver, mine in zip(solvers, known, strict=True)]
