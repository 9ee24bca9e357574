"""Search by layers, for beam search with costs, points or a prior, and for limited-discrepancy search.

A layer keeps the states with the least sum of cost and estimate. The cost of a state is a sum over the moves that lead
to it: of their costs or minus their points, or by a prior of minus the log probability of each, or of the rank of each
among the moves, 0 for the best. A network scores the moves of many states of a layer at once. Of several paths to a
state the cheapest is kept.

Shapes: S as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import State
from puzzlelab.core.result import Proof, Stop
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import Estimate, KernelRules, Prior
from puzzlelab.engine import records
from puzzlelab.engine.driver import EXHAUSTED, Drive, Machine, prior_scorer, scorer, switched_scorer
from puzzlelab.engine.record_parts import NOWHERE, UNBOUNDED, new_control
from puzzlelab.engine.search_rules import stepper
from puzzlelab.runtime.memory import reserved
from puzzlelab.solvers._layers_kernels import (
    BY_MOVES,
    BY_PROBABILITY,
    BY_RANK,
    CONTROL,
    EXPAND,
    SCORE_BATCH,
    LayerSettings,
    LayersRecord,
    step,
)
from puzzlelab.solvers._top_k_kernels import new_selection

FIRST_TABLE = 1 << 12
SCORES = 1 << 21
"""The most scores of one batch: one for each move of a state."""
Verdict = tuple[Proof, str, Stop]


@dataclass(frozen=True)
class Guide:
    """The functions that a search by layers follows; without a prior a move costs what it costs in the puzzle."""

    estimate: Estimate | None
    """The estimate of the rest, of costs as `minimised` makes it."""
    prior: Prior | None = None
    prior_weight: float = 1.0
    """The weight of minus a log probability."""
    departures: int | None = None
    """The most departures from the prior's best move on a path; None sums log probabilities instead."""


def machine(
    instance: Instance,
    guide: Guide,
    rules: KernelRules,
    limit: Limit,
    empty_verdict: Verdict,
    width: int = UNBOUNDED,
    most: int = UNBOUNDED,
) -> Machine:
    """Return the search for a solution of at most `most` moves, or that costs at most `most`.

    `width` is the most states of a layer; `empty_verdict` is the verdict if states were dropped and there is no
    solution.
    """
    moves, estimate = instance.puzzle.move_count, guide.estimate
    objective, has_prior = objective_of(instance.puzzle), guide.prior is not None
    capacity = reserved(8 * rules.words + 32, limit)
    least = 1 if has_prior else objective.least_sum
    record = LayersRecord(
        tables=rules.tables,
        estimate=records.new_estimate(estimate, rules),
        control=new_control(CONTROL, bound=least),
        settings=LayerSettings(
            cost=BY_MOVES if not has_prior else BY_PROBABILITY if guide.departures is None else BY_RANK,
            most=most,
            width=width,
            departures=guide.departures or 0,
            prior_weight=guide.prior_weight,
            admissible=estimate is not None and estimate.admissible,
            least_rest=least,
        ),
        nodes=records.new_node_table(rules, capacity, table=FIRST_TABLE),
        cost=np.empty(capacity, np.float64),
        heuristic=np.empty(capacity, np.float32),
        selection=new_selection(capacity),
        scores=np.empty(moves * max(1, min(SCORE_BATCH, width, SCORES // moves)) if has_prior else SCORE_BATCH),
        expansion=records.new_expansion(rules, instance.state, moves),
    )

    def requests(record: LayersRecord) -> State:
        control = record.control
        first = control.cursor if is_expanding(record) else control.scored
        return records.unpacked(rules, record.nodes.keys[first : first + control.requested])

    def verdict(record: LayersRecord) -> Verdict:
        if record.control.was_cut:
            return empty_verdict
        if record.control.too_long:
            reason = f"there is no solution of at most {most} moves" if has_prior else "no better solution"
            return "none", reason, "done"
        return EXHAUSTED

    return Machine(record, stepper(step, rules), solution, enlarged, verdict, requests, objective, total)


def is_expanding(record: LayersRecord) -> bool:
    """Tell whether the states that wait for scores are those of the layer, by the prior."""
    return bool(record.control.phase == EXPAND)


def drive(search: Machine, instance: Instance, guide: Guide, rules: KernelRules, limit: Limit) -> Iterator[Attempt]:
    """Run the search: a prior scores the states of a layer, and an external estimate their successors."""
    priors = None if guide.prior is None else prior_scorer(guide.prior, rules, instance.puzzle)
    estimates = None if guide.estimate is None else scorer(guide.estimate, rules)
    score = switched_scorer(lambda: priors if is_expanding(search.record) else estimates)
    return iter(Drive(search, limit, score))


def solution(record: LayersRecord) -> list[int]:
    """Return the moves of the best solution."""
    parent = int(record.control.goal_parent)
    if parent == NOWHERE:
        return []
    return [*records.path_to(record.nodes.parent, record.nodes.move, parent), int(record.control.goal_move)]


def total(record: LayersRecord) -> int:
    """Return the number of those moves, or their cost."""
    return int(record.control.total)


def enlarged(record: LayersRecord, room: int) -> Any:
    """Return the record with a hash table of twice the size, or None."""
    rows, more = int(record.control.rows), record.expansion.moves.size + 1
    nodes = records.rehashed(record.nodes, rows, more, room, repeats=True)
    return None if nodes is None else record._replace(nodes=nodes)
