"""Iterative deepening A*: depth-first searches under a growing bound on f = g + h.

g is the number of moves so far, h the estimate. Memory is linear in the depth. With an admissible estimate the first
solution is optimal, and each finished bound is a proven lower bound.
Source: R. E. Korf, "Depth-first iterative-deepening", Artificial Intelligence 27 (1985).

Shapes: D = depth of the stack, S as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, State
from puzzlelab.core.result import Proof, Stop
from puzzlelab.core.solver import Attempt, SolverSettings, chosen_estimate
from puzzlelab.core.views import Estimate, Estimates, KernelRules
from puzzlelab.engine import kernels, records
from puzzlelab.engine.control_slots import LENGTH, REQUESTED
from puzzlelab.engine.driver import EXHAUSTED, Machine, drive
from puzzlelab.engine.search_rules import fitted, rules_of, stepper
from puzzlelab.solvers._ida_kernels import LAST_MOVE, PROVES, IdaRecord, Requests, step, step_requested

FIRST_DEPTH = 128


def machine(instance: Instance, estimate: Estimate, rules: KernelRules) -> Machine:
    """The search from this start."""
    moves = instance.puzzle.move_count
    record = IdaRecord(
        tables=rules.tables,
        estimate=records.new_estimate(estimate, rules),
        control=records.new_control(),
        stack=np.zeros((FIRST_DEPTH, rules.size), rules.dtype),
        rows=np.zeros((FIRST_DEPTH, moves), np.int32),
        pending=np.zeros(FIRST_DEPTH, np.uint64),
        path=np.zeros(FIRST_DEPTH, np.int32),
        values=np.zeros(FIRST_DEPTH, np.int64),
        delta=np.zeros((FIRST_DEPTH, estimate.memo), np.int64),
        requests=Requests(
            states=np.zeros((moves, rules.size), rules.dtype),
            moves=np.zeros(moves, np.int32),
            child_values=np.zeros((FIRST_DEPTH, moves), np.int64),
        ),
        scores=np.zeros(moves, np.float64),
    )
    record.stack[0] = records.working(rules, instance.state)
    record.control[LAST_MOVE], record.control[PROVES] = -1, estimate.admissible
    is_external = kernels.is_external(record.estimate.tables)
    return Machine(
        record, stepper(step_requested if is_external else step, rules), solution, enlarged, verdict, requests
    )


def solution(record: IdaRecord) -> list[int]:
    """The moves of the solution."""
    return [int(move) for move in record.path[: record.control[LENGTH]]]


def enlarged(record: IdaRecord, room: int) -> Any:
    """The record with twice the depth, or None."""
    larger = records.doubled(record, ("stack", "rows", "pending", "path", "values", "delta"), room)
    requests = records.doubled(record.requests, ("child_values",), room)
    return None if larger is None or requests is None else larger._replace(requests=requests)


def requests(record: IdaRecord) -> State:
    """The states whose scores are requested."""
    return record.requests.states[: record.control[REQUESTED]]


def verdict(record: IdaRecord) -> tuple[Proof, str, Stop]:
    """The verdict of a search in which no path exceeds the threshold."""
    if record.control[PROVES]:
        return EXHAUSTED
    return "none", "the estimate led to no solution", "dead end"


class Ida(SolverSettings):
    """Iterative deepening A*.

    Optimal with an admissible estimate. With `jobs` above 1 that many threads share the search of each threshold.
    """

    name: ClassVar[str] = "ida"
    needs: ClassVar[tuple[type, ...]] = (Estimates,)

    estimate: str | Estimate | None = None
    jobs: int = Field(default=1, ge=1)

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress, then the one solution; O(depth) memory."""
        puzzle, rules = instance.puzzle, rules_of(instance)
        estimate = fitted(chosen_estimate(puzzle, self.estimate), rules, instance.state)
        if self.jobs == 1 or puzzle.view(KernelRules) is None or estimate.kernel is None:
            return drive(machine(instance, estimate, rules), limit, estimate, rules)
        from puzzlelab.solvers._ida_threads import parallel_attempts

        search = partial(machine, estimate=estimate, rules=rules)
        return parallel_attempts(instance, search, estimate.admissible, limit, self.jobs)


SOLVER = Ida
