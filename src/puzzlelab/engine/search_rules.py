"""Chooses what a search runs on: its rules (kernels, a graph made by batch rules, or plain rules) and its estimate."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator

from puzzlelab.core import registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadOption, PuzzlelabError, UnknownName, shorten
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.solver import Solver, is_network, uses_default_estimate
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Prior
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import Negated

if TYPE_CHECKING:
    from puzzlelab.engine.state_graph import StateGraph

PATH = re.compile(r"^[^:]*[/\\]|\.onnx$|\.safetensors$")
"""Found in the path of a network. Nothing is looked up: that would tell others whether a file exists."""


def _of_a_solver(text: str) -> str:
    """Refuse the name of no solver; the solver itself is only loaded where it is used."""
    registry.require_solver(text)
    return text


SolverText = Annotated[str, AfterValidator(_of_a_solver)]
"""A solver as text with its options, such as `beam:width=100`."""


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
        return graph_rules(puzzle, instance.state)
    kind = objective_of(puzzle).kind
    if kind != "moves" and not kernels.has_costs(rules.tables):
        raise PuzzlelabError(f"the kernels of {puzzle.name} have no `move_cost`, and its moves have a {kind}")
    return rules


def graph_rules(puzzle: Puzzle, state: State) -> GraphRules:
    """Return a new graph in the place of kernels, for states of the shape of `state`."""
    from puzzlelab.engine.state_graph import StateGraph

    graph = StateGraph(puzzle, state)
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
    graph = rules.graph
    if not graph.has_batch_rules or np.asarray(scores(start[None])).dtype.kind not in "iu":
        return estimate
    return replace(estimate, scores=None, kernel=lambda: graph.estimate_by(scores))


def runner(kernel: Any, rules: KernelRules) -> Callable[..., Any]:
    """Return the compiled kernel; on a graph it raises what the puzzle's rules raise."""
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
    if not isinstance(rules, GraphRules):
        return run
    graph = rules.graph

    def step_with_room(record: Any, budget: int) -> int:
        graph.require_room()
        status: int = run(record, min(budget, graph.room()))
        return status

    return step_with_room


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


def solver_with(text: str, estimate: str | Estimate | None) -> Solver:
    """Return the solver of this text, with this estimate where it would use the default one."""
    solver = registry.parse_solver(text)
    if estimate is None or not uses_default_estimate(solver):
        return solver
    return registry.make_solver(solver.name, {**solver.values(), "estimate": estimate})


def minimised(puzzle: Puzzle, estimate: Estimate) -> Estimate:
    """Return the estimate of the remaining sum of steps: of a puzzle with a score, minus the estimate of the points."""
    if objective_of(puzzle).kind != "score":
        return estimate
    kernel, scores = estimate.kernel, estimate.scores
    return replace(
        estimate,
        kernel=None if kernel is None else lambda: Negated(kernel()),
        scores=None if scores is None else lambda states: _negative(np.asarray(scores(states))),
    )


def _negative(values: NDArray[Any]) -> NDArray[Any]:
    """Return minus these numbers; whole ones stay whole."""
    return -values.astype(np.int64 if values.dtype.kind in "iu" else np.float64)


def chosen_prior(puzzle: Puzzle, option: str | Prior) -> Prior:
    """Return the prior for this puzzle that the value of a solver's option names; only networks are priors by name."""
    if isinstance(option, Prior):
        return option
    if not is_network(option):
        raise BadOption(f"'{shorten(option)}' is no prior; write net, or net:NAME")
    from puzzlelab.storage import networks

    return networks.prior(puzzle, option)
