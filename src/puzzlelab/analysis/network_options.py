"""Which option of a solver makes it ask a network: as an estimate or as a prior, by what the network tells."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

from puzzlelab.core import networks
from puzzlelab.core.errors import BadOption, shorten
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.settings import Settings, fill
from puzzlelab.core.solver import Solver

BEST = "best"
"""The name that stands for the best network that comes with the package."""
HEADS = {"estimate": networks.ESTIMATES, "prior": networks.PRIORS}
"""Option of a solver -> the heads of a network of which it needs one; the option that is preferred stands first."""
WORDS = {"estimate": "how many moves remain", "prior": "which moves are good"}
"""Option of a solver -> what it asks a network."""


def named(name: str) -> str:
    """What an option says to mean this network: a name, a file, or the beginning of a hash, with or without `net:`."""
    if networks.is_network(name):
        return name
    return networks.PREFIX if name == BEST else f"{networks.PREFIX}:{name}"


def network_options(puzzle: Puzzle, solver: str, known: Collection[str], name: str) -> Mapping[str, Any]:
    """The option by which the `solver`, which has the `known` ones, asks the network of this name.

    An estimate, if the network tells how many moves remain and the solver has one; else a prior, if it tells which
    moves are good. Raises `BadInput` where there is no such network, and `BadOption` where the solver cannot ask it.
    """
    text = named(name)
    asked = [option for option in HEADS if option in known]
    if not asked:
        raise BadOption(f"{solver} asks no network: it has neither an estimate nor a prior")
    heads = networks.find(puzzle, text).heads
    for option in asked:
        if set(HEADS[option]) & set(heads):
            return {option: text}
    lacking = " or ".join(WORDS[option] for option in asked)
    raise BadOption(f"the network '{shorten(name)}' does not tell {lacking}, which is what {solver} would ask it")


def with_options(solver: Solver, options: Mapping[str, Any]) -> Solver:
    """The solver with these options; those that it was given itself stay as they are."""
    kind = cast(type[Settings], type(solver))
    return cast(Solver, fill(kind, {**options, **_given(solver)}))


def asking(puzzle: Puzzle, solver: Solver, name: str) -> Solver | None:
    """The solver that asks the network of this name; None where it was told something else to ask, or asks nothing."""
    known = solver.options()
    if not HEADS.keys() & known.keys() or HEADS.keys() & _given(solver).keys():
        return None
    return with_options(solver, network_options(puzzle, solver.name, known, name))


def _given(solver: Solver) -> dict[str, Any]:
    """The options that were not left as they are by default."""
    settings = cast(Settings, solver)
    given = {name: getattr(settings, name) for name in settings.model_fields_set}
    return {name: value for name, value in given.items() if value is not None}
