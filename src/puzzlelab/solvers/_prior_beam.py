"""Layered search by a prior, for beam search and limited-discrepancy search.

A network scores the moves of many states of a layer at once. The cost of a state is a sum over the moves that lead to
it: of minus the log probability of each, or of the rank of each among the moves by the prior, 0 for the best. Of
several paths to a state the cheapest is kept.

Shapes: S as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import State
from puzzlelab.core.result import Proof, Stop
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import Estimate, KernelRules, Prior
from puzzlelab.engine import records
from puzzlelab.engine.control_slots import REQUESTED
from puzzlelab.engine.driver import EXHAUSTED, Drive, Machine, prior_scorer, scorer, switched_scorer
from puzzlelab.engine.search_rules import stepper
from puzzlelab.runtime.memory import reserved
from puzzlelab.solvers._prior_beam_kernels import (
    CURSOR,
    EXPAND,
    GOAL,
    PHASE,
    ROWS,
    SCORE_BATCH,
    SCORED,
    TOO_LONG,
    WAS_CUT,
    PriorBeamRecord,
    step,
)
from puzzlelab.solvers._top_k_kernels import new_selection

UNBOUNDED = 1 << 40
"""A limit that is never reached."""
FIRST_TABLE = 1 << 12
SCORES = 1 << 21
"""The most scores of one batch: one for each move of a state."""
Verdict = tuple[Proof, str, Stop]


@dataclass(frozen=True)
class Bounds:
    """The limits of a search."""

    max_moves: int = UNBOUNDED
    """The most moves of a solution."""
    width: int = UNBOUNDED
    """The most states of a layer, by the least sum of cost and estimate."""
    departures: int | None = None
    """The most departures from the best move on a path; None sums log probabilities instead."""
    prior_weight: float = 1.0
    """The weight of minus a log probability."""


def machine(
    instance: Instance,
    estimate: Estimate | None,
    rules: KernelRules,
    bounds: Bounds,
    limit: Limit,
    empty_verdict: Verdict,
) -> Machine:
    """Return the search from this start; `empty_verdict` is its verdict if it dropped states without a solution."""
    moves = instance.puzzle.move_count
    capacity = reserved(8 * rules.words + 24, limit)
    departures = -1 if bounds.departures is None else bounds.departures
    admissible = estimate is not None and estimate.admissible
    record = PriorBeamRecord(
        tables=rules.tables,
        estimate=records.new_estimate(estimate, rules),
        control=records.new_control(),
        settings=np.array([bounds.max_moves, bounds.width, departures, admissible], np.int64),
        prior_weight=np.array([bounds.prior_weight]),
        nodes=records.new_node_table(rules, capacity, table=FIRST_TABLE),
        cost=np.empty(capacity, np.float32),
        heuristic=np.empty(capacity, np.float32),
        selection=new_selection(capacity),
        scores=np.empty(moves * max(1, min(SCORE_BATCH, bounds.width, SCORES // moves)), np.float64),
        expansion=records.new_expansion(rules, instance.state, moves),
    )

    def requests(record: PriorBeamRecord) -> State:
        first = record.control[CURSOR if record.control[PHASE] == EXPAND else SCORED]
        return records.unpacked(rules, record.nodes.keys[first : first + record.control[REQUESTED]])

    def verdict(record: PriorBeamRecord) -> Verdict:
        if record.control[WAS_CUT]:
            return empty_verdict
        if record.control[TOO_LONG]:
            return "none", f"there is no solution of at most {bounds.max_moves} moves", "done"
        return EXHAUSTED

    return Machine(record, stepper(step, rules), solution, enlarged, verdict, requests)


def drive(
    search: Machine, instance: Instance, prior: Prior, estimate: Estimate | None, rules: KernelRules, limit: Limit
) -> Iterator[Attempt]:
    """Run the search: the prior scores the states of a layer, and an external estimate their successors."""
    priors = prior_scorer(prior, rules, instance.puzzle)
    estimates = None if estimate is None else scorer(estimate, rules)
    score = switched_scorer(lambda: priors if search.control[PHASE] == EXPAND else estimates)
    return iter(Drive(search, limit, score))


def solution(record: PriorBeamRecord) -> list[int]:
    """Return the moves from the start to the goal."""
    return records.path_to(record.nodes.parent, record.nodes.move, int(record.control[GOAL]))


def enlarged(record: PriorBeamRecord, room: int) -> Any:
    """Return the record with a hash table of twice the size, or None."""
    rows, more = int(record.control[ROWS]), record.expansion.moves.size + 1
    nodes = records.rehashed(record.nodes, rows, more, room, repeats=True)
    return None if nodes is None else record._replace(nodes=nodes)
