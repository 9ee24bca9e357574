"""Chooses the option by which a solver uses a network: as an estimate or as a prior, by the heads of the network."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

from puzzlelab.core.errors import BadOption, shorten
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.settings import Settings, fill
from puzzlelab.core.solver import NETWORK, Solver, is_network
from puzzlelab.storage import networks

BEST = "best"
"""The name of the best network of the package."""
HEADS = {"estimate": networks.ESTIMATES, "prior": networks.PRIORS}
"""Option of a solver -> the heads of which it needs one; the preferred option comes first."""
WORDS = {"estimate": "how many moves remain", "prior": "which moves are good"}
"""Option of a solver -> the predictions that it needs, in words."""


def named(name: str) -> str:
    """Return the value of an option for this network: a name, a file, or the start of a hash, with or without
    `net:`.
    """
    if is_network(name):
        return name
    return NETWORK if name == BEST else f"{NETWORK}:{name}"


def network_options(puzzle: Puzzle, solver: str, options: Collection[str], name: str) -> Mapping[str, Any]:
    """Return the option by which the `solver`, which has these `options`, uses the network of this name.

    This is `estimate`, if the network predicts the cost-to-go and the solver has that option; otherwise `prior`, if the
    network scores moves; otherwise `estimate` by the values of moves.

    Raises `BadInput` if there is no such network, and `BadOption` if the solver cannot use it.
    """
    text = named(name)
    usable = [option for option in HEADS if option in options]
    if not usable:
        raise BadOption(f"{solver} cannot use a network: it has neither an estimate nor a prior")
    network = networks.find(puzzle, text)
    for option in usable:
        if set(HEADS[option]) & set(network.heads):
            return {option: text}
    if "estimate" in usable and networks.is_estimate(network):
        return {"estimate": text}
    lacking = " or ".join(WORDS[option] for option in usable)
    raise BadOption(f"the network '{shorten(name)}' does not predict {lacking}, which {solver} needs")


def with_options(solver: Solver, options: Mapping[str, Any]) -> Solver:
    """Return the solver with these options; options that were set before keep their values."""
    return _configured(solver, {**options, **_set_options(solver)})


def with_network(puzzle: Puzzle, solver: Solver, name: str) -> Solver | None:
    """Return the solver with the network of this name; None if it cannot use one, or has another estimate or prior.

    An estimate or a prior that is `net` or `net:averaged`, without a name, becomes this network.
    """
    options, own, text = solver.options(), _set_options(solver), named(name)
    endings = {option: own[option].removeprefix(NETWORK) for option in HEADS if _lacks_name(own.get(option))}
    if endings:
        names = {option: text.removesuffix(ending) + ending for option, ending in endings.items()}
        return _configured(solver, {**own, **names})
    if not HEADS.keys() & options.keys() or HEADS.keys() & own.keys():
        return None
    return with_options(solver, network_options(puzzle, solver.name, options, name))


def _lacks_name(value: Any) -> bool:
    """Tell whether the value of an option is `net` or `net:averaged`."""
    return is_network(value) and not networks.parts(value)[0]


def _configured(solver: Solver, values: Mapping[str, Any]) -> Solver:
    """Return a solver of the same kind with these options."""
    return cast(Solver, fill(cast(type[Settings], type(solver)), values))


def _set_options(solver: Solver) -> dict[str, Any]:
    """Return the options that were set explicitly."""
    settings = cast(Settings, solver)
    values = {name: getattr(settings, name) for name in settings.model_fields_set}
    return {name: value for name, value in values.items() if value is not None}
