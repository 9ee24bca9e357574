"""A* and its variants with another order of the open list: weighted A*, greedy best-first, breadth-first.

With an admissible estimate and weight 1 the solution is optimal; with a weight w above 1 it is at most w times as long,
and the least priority in the open list, divided by w, is a proven lower bound at any time. A state is reopened when a
shorter path to it is found, so the estimate need not be consistent.
Source: Hart, Nilsson and Raphael (1968); Pohl (1970) for the weight.

Shapes: S as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import State
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.core.views import Estimate, Estimates, KernelRules
from puzzlelab.engine import records
from puzzlelab.engine.driver import EXHAUSTED, Machine, drive
from puzzlelab.engine.record_parts import new_control
from puzzlelab.engine.search_rules import chosen_estimate, fitted, minimised, rules_of, stepper
from puzzlelab.runtime.memory import reserved
from puzzlelab.solvers._astar_kernels import CONTROL, AstarRecord, Heap, step

ORDERS: Mapping[str, tuple[float, float]] = {"astar": (1.0, 1.0), "greedy": (0.0, 1.0), "breadth": (1.0, 0.0)}
"""The weights of g and h in each order."""


def machine(
    instance: Instance,
    estimate: Estimate,
    rules: KernelRules,
    weights: tuple[float, float],
    batch: int,
    limit: Limit,
) -> Machine:
    """Return the search from this start; `weights` are those of g and h."""
    moves, objective = instance.puzzle.move_count, objective_of(instance.puzzle)
    capacity = reserved(8 * rules.words + 24, limit)
    record = AstarRecord(
        tables=rules.tables,
        estimate=records.new_estimate(estimate, rules),
        control=new_control(CONTROL, bound=objective.least_sum, admissible=estimate.admissible),
        g_weight=weights[0],
        h_weight=weights[1],
        least_h=float(objective.least_sum),
        nodes=records.new_node_table(rules, capacity),
        g=np.empty(capacity, np.int32),
        h=np.empty(capacity, np.float32),
        closed=np.empty(capacity, np.bool_),
        open=Heap(priority=np.empty(2 * capacity, np.float64), node=np.empty(2 * capacity, np.int32)),
        expansion=records.new_expansion(rules, instance.state, moves),
        requested=np.empty(batch * moves, np.int32),
        scores=np.empty(batch * moves, np.float64),
    )
    record.control.proves = weights[0] == 1 and (estimate.admissible or weights[1] == 0)
    if objective.kind == "score":  # a bound on a score needs the whole bound of every state
        record.control.proves = weights[0] == weights[1] == 1 and estimate.admissible

    def requests(record: AstarRecord) -> State:
        return records.unpacked(rules, record.nodes.keys[record.requested[: record.control.requested]])

    return Machine(
        record, stepper(step, rules), solution, enlarged, lambda record: EXHAUSTED, requests, objective, total
    )


def solution(record: AstarRecord) -> list[int]:
    """Return the moves from the start to the goal."""
    return records.path_to(record.nodes.parent, record.nodes.move, int(record.control.goal))


def total(record: AstarRecord) -> int:
    """Return the cost of those moves."""
    return int(record.g[record.control.goal])


def enlarged(record: AstarRecord, room: int) -> Any:
    """Return the record with a hash table of twice the size, or None."""
    nodes = records.rehashed(record.nodes, int(record.control.states), record.expansion.moves.size, room)
    return None if nodes is None else record._replace(nodes=nodes)


class Astar(SolverSettings):
    """A* with any estimate and weight.

    `order` is `astar`, `greedy` (the estimate alone) or `breadth` (the moves from the start alone). A network scores
    the successors of `batch` expanded states at once.
    """

    name: ClassVar[str] = "astar"
    needs: ClassVar[tuple[type, ...]] = (Estimates,)
    keeps_costs: ClassVar[bool] = True

    estimate: str | Estimate | None = None
    """The name of an estimate, of a network (`net`), or an `Estimate`; none: the puzzle's default."""
    weight: float = Field(default=1.0, ge=0)
    """The weight w of the estimate: the answer is at most w times as long as the shortest."""
    order: Literal["astar", "greedy", "breadth"] = "astar"
    """The order of expansion: by cost so far plus estimate, by the estimate alone, or by the cost so far."""
    batch: int = Field(default=64, ge=1, le=1 << 16)
    """States that are expanded together, for estimates that are evaluated in batches."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress, then the one solution; memory grows with the states seen."""
        puzzle, rules = instance.puzzle, rules_of(instance)
        estimate = fitted(minimised(puzzle, chosen_estimate(puzzle, self.estimate)), rules, instance.state)
        g_weight, h_weight = ORDERS[self.order]
        weights = (g_weight, h_weight * self.weight)
        return drive(machine(instance, estimate, rules, weights, self.batch, limit), limit, estimate, rules)


SOLVER = Astar
