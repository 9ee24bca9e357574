"""Chooses what a search runs on: its rules (kernels, a graph made by batch rules, or plain rules) and its estimate."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadOption, PuzzlelabError, UnknownName, shorten
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.solver import is_network
from puzzlelab.core.views import BatchRules, Estimate, Estimates, KernelRules, Prior
from puzzlelab.engine import kernels
from puzzlelab.engine.record_parts import reset

if TYPE_CHECKING:
    from puzzlelab.engine.state_graph import StateGraph

PATH = re.compile(r"^[^:]*[/\\]|\.onnx$|\.safetensors$")
"""Found in the path of a network. Nothing is looked up: that would tell others whether a file exists."""


@dataclass(frozen=True)
class GraphRules(KernelRules):
    """The kernel rules whose working states are nodes of a graph that grows."""

    graph: StateGraph = field(kw_only=True)


def rules_of(instance: Instance) -> KernelRules:
    """Return the puzzle's kernels, or else its batch rules, or else the adapter over its plain rules.

    Raises `PuzzlelabError` if the kernels do not know the costs or points of the moves.
    """
    puzzle = instance.puzzle
    rules = puzzle.view(KernelRules)
    if rules is None:
        return _adapted(puzzle, instance.state)
    kind = objective_of(puzzle).kind
    if kind != "moves" and not kernels.has_costs(rules.tables):
        raise PuzzlelabError(f"the kernels of {puzzle.name} have no `move_cost`, and its moves have a {kind}")
    return rules


def _adapted(puzzle: Puzzle, state: State) -> KernelRules:
    """Return what stands for kernels: a new graph by batch rules, or else the plain rules; for states as `state`."""
    batch = puzzle.view(BatchRules)
    if batch is None:
        from puzzlelab.engine.interpreted_kernels import plain_rules

        return plain_rules(puzzle, state)
    from puzzlelab.engine.state_graph import StateGraph

    graph = StateGraph(puzzle, batch, state)
    return GraphRules(graph.tables, 1, np.int32, 1, graph.nodes_of, graph.states_of, graph=graph)


def fitted(estimate: Estimate, rules: KernelRules, start: State) -> Estimate:
    """Return the estimate as a search on these rules uses it, from the plain `start[S]` on.

    On a graph, an estimate that gives whole numbers is kept with the nodes, and is a kernel for the search.
    """
    scores = estimate.scores
    if not isinstance(rules, GraphRules):
        return estimate
    if scores is None:
        raise PuzzlelabError(f"the estimate '{estimate.name}' is a kernel, and the puzzle has no compiled rules")
    if np.asarray(scores(start[None])).dtype.kind not in "iu":
        return estimate
    graph = rules.graph
    return replace(estimate, scores=None, kernel=lambda: graph.estimate_by(scores))


def runner(kernel: Any, rules: KernelRules) -> Callable[..., Any]:
    """Return the compiled kernel; or its source, interpreted, for plain rules. It raises what batch rules raise."""
    if rules.plain:
        return kernel.py_func  # type: ignore[no-any-return]
    if not isinstance(rules, GraphRules):
        return kernel  # type: ignore[no-any-return]
    graph = rules.graph

    def run(*arguments: Any) -> Any:
        value = kernel(*arguments)
        graph.raise_error()
        return value

    return run


def stepper(step: Any, rules: KernelRules) -> Callable[..., int]:
    """Return the `step` of a search as `runner` gives it; it raises `NoRoom` on a graph that is almost full."""
    run = runner(step, rules)
    if rules.plain:
        return partial(_interpreted, run)
    if not isinstance(rules, GraphRules):
        return run
    graph = rules.graph

    def step_with_room(record: Any, budget: int) -> int:
        graph.require_room()
        status: int = run(record, min(budget, graph.room()))
        return status

    return step_with_room


def _interpreted(step: Callable[..., int], record: Any, budget: int) -> int:
    """Run an interpreted `step`, with the record's counts and flags in an object whose names Python reads quickly."""
    control = record.control
    values = SimpleNamespace(**dict(zip(control.dtype.names, control.item(), strict=True)))
    try:
        return step(record._replace(control=values), budget)
    finally:
        reset(control, **vars(values))


def chosen_estimate(puzzle: Puzzle, option: str | Estimate | None) -> Estimate:
    """Return the estimate for this puzzle that the value of a solver's option names."""
    if isinstance(option, Estimate):
        return option
    if option is not None and is_network(option):
        from puzzlelab.storage import networks

        return networks.estimate(puzzle, option)
    estimates = puzzle.view(Estimates)
    if estimates is None:
        raise UnknownName("estimate of " + puzzle.name, option or "default", ())
    try:
        return estimates.estimate(option)
    except UnknownName:
        if option is not None and PATH.search(option):
            name = shorten(option)
            raise BadOption(f"'{name}' is no estimate of {puzzle.name}; a network is written net:{name}") from None
        raise


def chosen_prior(puzzle: Puzzle, option: str | Prior) -> Prior:
    """Return the prior for this puzzle that the value of a solver's option names; only networks are priors by name."""
    if isinstance(option, Prior):
        return option
    if not is_network(option):
        raise BadOption(f"'{shorten(option)}' is no prior; write net, or net:NAME")
    from puzzlelab.storage import networks

    return networks.prior(puzzle, option)
