"""Depth-first branch and bound: find a solution, then search only for shorter ones until there is none.

Successors are tried in the order of their estimates, best first, or in the order of another estimate, which may differ
below the first plies. With an admissible estimate (or with none) a state that cannot lead to a shorter solution is
pruned, and a search that ends has proven its best solution optimal, in any order. It suits puzzles whose games end by
themselves; others need a limit on the depth.
Source: Lawler and Wood, "Branch-and-bound methods" (1966).

Shapes: D = depth of the stack, S, M as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import State
from puzzlelab.core.result import Proof, Stop
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Reversible
from puzzlelab.engine import records
from puzzlelab.engine.driver import EXHAUSTED, Drive, Machine, scorer, switched_scorer
from puzzlelab.engine.record_parts import UNBOUNDED, Control, new_control
from puzzlelab.engine.search_rules import chosen_estimate, fitted, rules_of, stepper
from puzzlelab.solvers._depth_first_kernels import AWAIT_BOUNDS, CONTROL, DepthFirstRecord, step

FIRST_DEPTH = 128
NO_ESTIMATE = Estimate("none", admissible=True, scores=lambda states: np.zeros(len(states), np.int64))
"""The estimate for a puzzle without one."""


class Orders(NamedTuple):
    """The estimates of one search."""

    bound: Estimate
    order: Estimate | None = None
    """The order of the first plies, or of all; None orders by the bound."""
    deep: Estimate | None = None
    """The order below them."""


def machine(instance: Instance, orders: Orders, rules: KernelRules, depth: int, plies: int) -> Machine:
    """Return the search from this start for solutions of at most `depth` moves.

    The deep order begins after `plies` plies.
    """
    moves = instance.puzzle.move_count
    capacity = min(depth, FIRST_DEPTH) + 2
    record = DepthFirstRecord(
        tables=rules.tables,
        bound=records.new_estimate(orders.bound, rules),
        order=records.new_estimate(orders.order, rules),
        deep=records.new_estimate(orders.deep, rules),
        control=new_control(CONTROL, max_moves=depth, plies=plies, proves=orders.bound.admissible),
        stack=np.zeros((capacity, rules.size), rules.dtype),
        rows=np.zeros((capacity, moves), np.int32),
        values=np.zeros((capacity, moves), np.float64),
        counts=np.zeros(capacity, np.int64),
        cursors=np.zeros(capacity, np.int64),
        best=np.zeros(capacity, np.int32),
        children=np.zeros((moves, rules.size), rules.dtype),
        scores=np.zeros(moves, np.float64),
        keys=np.zeros(moves, np.float64),
    )
    record.stack[0] = records.working(rules, instance.state)

    def verdict(record: DepthFirstRecord) -> tuple[Proof, str, Stop]:
        if depth < UNBOUNDED:
            return "none", f"there is no solution of at most {depth} moves", "done"
        return EXHAUSTED

    return Machine(record, stepper(step, rules), solution, enlarged, verdict, requests)


def solution(record: DepthFirstRecord) -> list[int]:
    """Return the best moves so far."""
    return [int(move) for move in record.best[: record.control.length]]


def enlarged(record: DepthFirstRecord, room: int) -> Any:
    """Return the record with twice the depth, or None."""
    return records.doubled(record, ("stack", "rows", "values", "counts", "cursors", "best"), room)


def requests(record: DepthFirstRecord) -> State:
    """Return the states whose scores are requested."""
    return record.children[: record.control.requested]


def requested_estimate(control: Control) -> int:
    """Return the index in `Orders` of the estimate whose scores are requested."""
    if control.phase == AWAIT_BOUNDS:
        return 0
    return 1 if control.depth < control.plies else 2


class DepthFirst(SolverSettings):
    """Depth-first branch and bound; `depth` is the most moves of a solution, which puzzles without an end need.

    `estimate` is the bound. It also orders the successors unless `order` is given; below the first `plies` plies
    `deep_order` orders them.
    """

    name: ClassVar[str] = "depth-first"

    estimate: str | Estimate | None = None
    """The name of an estimate, of a network (`net`), or an `Estimate`; none: the puzzle's default."""
    depth: int | None = Field(default=None, ge=1, le=1_000_000)
    """The most moves of a solution; puzzles whose moves can be undone need it."""
    order: str | Estimate | None = None
    """The estimate that orders the successors; none: that of the bound."""
    deep_order: str | Estimate | None = None
    """Another order below the first `plies` moves."""
    plies: int | None = Field(default=None, ge=1, le=1_000_000)
    """The moves after which `deep_order` holds."""

    @model_validator(mode="after")
    def _complete_order(self) -> DepthFirst:
        if (self.deep_order is None) != (self.plies is None) or (self.deep_order and self.order is None):
            raise BadOption(
                "depth-first tries successors by 'order' in the first 'plies' plies and by 'deep_order' below them: "
                "give all three, or 'order' alone"
            )
        return self

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress and ever shorter solutions; O(depth) memory."""
        puzzle = instance.puzzle
        if self.depth is None and puzzle.view(Reversible) is not None:
            raise BadOption(f"depth-first needs a limit on the depth: moves of {puzzle.name} can be undone without end")
        rules = rules_of(instance)
        orders = self._orders(instance, rules)
        search = machine(instance, orders, rules, self.depth or UNBOUNDED, self.plies or UNBOUNDED)
        scorers = [None if estimate is None else scorer(estimate, rules) for estimate in orders]
        return iter(Drive(search, limit, switched_scorer(lambda: scorers[requested_estimate(search.control)])))

    def _orders(self, instance: Instance, rules: KernelRules) -> Orders:
        puzzle, start = instance.puzzle, instance.state
        has_estimate = self.estimate is not None or puzzle.view(Estimates) is not None
        bound = chosen_estimate(puzzle, self.estimate) if has_estimate else NO_ESTIMATE
        names = self.order, self.deep_order
        orders = [fitted(chosen_estimate(puzzle, name), rules, start) if name else None for name in names]
        return Orders(fitted(bound, rules, start), *orders)


SOLVER = DepthFirst
