"""Beam search where moves have costs or points: layers of the states with the least sum of cost and estimate."""

from __future__ import annotations

from typing import Any

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import State
from puzzlelab.core.result import Proof, Stop
from puzzlelab.core.views import Estimate, KernelRules
from puzzlelab.engine import records
from puzzlelab.engine.control_slots import BOUND, REQUESTED
from puzzlelab.engine.driver import EXHAUSTED, Machine
from puzzlelab.engine.record_parts import NOWHERE
from puzzlelab.engine.search_rules import stepper
from puzzlelab.runtime.memory import reserved
from puzzlelab.solvers._cost_beam_kernels import (
    GOAL_MOVE,
    GOAL_PARENT,
    ROWS,
    SCORED,
    TOTAL,
    UNBOUNDED,
    WAS_CUT,
    CostBeamRecord,
    step,
)
from puzzlelab.solvers._top_k_kernels import new_selection

FIRST_TABLE = 1 << 12
SCORE_BATCH = 1 << 14
"""The most states of one batch."""


def machine(
    instance: Instance,
    estimate: Estimate,
    rules: KernelRules,
    width: int,
    most: int,
    limit: Limit,
    empty_verdict: tuple[Proof, str, Stop],
) -> Machine:
    """Return the search of one width for a solution that costs at most `most`.

    `empty_verdict` is its verdict if it dropped states and has no solution. The estimate is of costs, as `minimised`
    makes it.
    """
    objective, moves = objective_of(instance.puzzle), instance.puzzle.move_count
    capacity = reserved(8 * rules.words + 36, limit)
    record = CostBeamRecord(
        tables=rules.tables,
        estimate=records.new_estimate(estimate, rules),
        control=records.new_control(),
        settings=np.array([most, width, estimate.admissible, objective.least_sum], np.int64),
        nodes=records.new_node_table(rules, capacity, table=FIRST_TABLE),
        cost=np.empty(capacity, np.int64),
        heuristic=np.empty(capacity, np.float64),
        selection=new_selection(capacity),
        scores=np.empty(SCORE_BATCH, np.float64),
        expansion=records.new_expansion(rules, instance.state, moves),
    )
    record.control[BOUND] = objective.least_sum

    def requests(record: CostBeamRecord) -> State:
        first = record.control[SCORED]
        return records.unpacked(rules, record.nodes.keys[first : first + record.control[REQUESTED]])

    def verdict(record: CostBeamRecord) -> tuple[Proof, str, Stop]:
        if record.control[WAS_CUT]:
            return empty_verdict
        return EXHAUSTED if most >= UNBOUNDED else ("none", "no better solution", "done")

    return Machine(record, stepper(step, rules), solution, enlarged, verdict, requests, objective, total)


def solution(record: CostBeamRecord) -> list[int]:
    """Return the moves of the best solution."""
    parent = int(record.control[GOAL_PARENT])
    if parent == NOWHERE:
        return []
    return [*records.path_to(record.nodes.parent, record.nodes.move, parent), int(record.control[GOAL_MOVE])]


def total(record: CostBeamRecord) -> int:
    """Return the cost of those moves."""
    return int(record.control[TOTAL])


def enlarged(record: CostBeamRecord, room: int) -> Any:
    """Return the record with a hash table of twice the size, or None."""
    rows, more = int(record.control[ROWS]), record.expansion.moves.size + 1
    nodes = records.rehashed(record.nodes, rows, more, room, repeats=True)
    return None if nodes is None else record._replace(nodes=nodes)
