"""Iterative deepening A*: depth-first searches under a growing bound on f = g + h.

g is the number of moves so far, h the estimate. Memory is linear in the depth. With an admissible estimate the first
solution is optimal, and each finished bound is a proven lower bound.
Source: R. E. Korf, "Depth-first iterative-deepening", Artificial Intelligence 27 (1985).

Shapes: D = depth of the stack, S as in `engine.kernels`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import Field

from puzzlelab.core.answers import PROOFS, STOPS, UNSOLVED, Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import State
from puzzlelab.core.result import Progress, Proof, Result, Stop
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.core.views import Estimate, Estimates, KernelRules
from puzzlelab.engine import kernels, records
from puzzlelab.engine.driver import EXHAUSTED, Clock, Drive, Machine, drive
from puzzlelab.engine.record_parts import new_control, reset
from puzzlelab.engine.search_rules import chosen_estimate, fitted, rules_of, stepper
from puzzlelab.engine.solving import attempts_of, best_of, singly
from puzzlelab.solvers._ida_kernels import CONTROL, INFINITE, IdaRecord, Requests, step, step_many, step_requested

if TYPE_CHECKING:
    from puzzlelab.engine.shared_pieces import SharedPieces

FIRST_DEPTH = 128
QUICK_NODES = 20_000
"""The states that a search may expand among others in one call of a kernel: some milliseconds. Then it is alone."""


def machine(instance: Instance, estimate: Estimate, rules: KernelRules) -> Machine:
    """Return the search from this start."""
    moves = instance.puzzle.move_count
    record = IdaRecord(
        tables=rules.tables,
        estimate=records.new_estimate(estimate, rules),
        control=new_control(CONTROL, proves=estimate.admissible),
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
    restart(record, records.working(rules, instance.state))
    run = stepper(step_requested if kernels.is_external(record.estimate.tables) else step, rules)
    return Machine(record, run, solution, enlarged, verdict, requests, restart=restart)


def restart(record: IdaRecord, start: State) -> None:
    """Let the search begin again from another working state `[S]`."""
    reset(record.control, last_move=-1, proves=record.control.proves)
    record.stack[0] = start


def solution(record: IdaRecord) -> list[int]:
    """Return the moves of the solution."""
    return [int(move) for move in record.path[: record.control.length]]


def enlarged(record: IdaRecord, room: int) -> Any:
    """Return the record with twice the depth, or None."""
    larger = records.doubled(record, ("stack", "rows", "pending", "path", "values", "delta"), room)
    larger_requests = records.doubled(record.requests, ("child_values",), room)
    return None if larger is None or larger_requests is None else larger._replace(requests=larger_requests)


def requests(record: IdaRecord) -> State:
    """Return the states whose scores are requested."""
    return record.requests.states[: record.control.requested]


def verdict(record: IdaRecord) -> tuple[Proof, str, Stop]:
    """Return the verdict of a search in which no path exceeds the threshold."""
    if record.control.proves:
        return EXHAUSTED
    return "none", "the estimate led to no solution", "dead end"


class Ida(SolverSettings):
    """Iterative deepening A*.

    Optimal with an admissible estimate. With `jobs` above 1 that many threads share the search of each threshold.
    """

    name: ClassVar[str] = "ida"
    needs: ClassVar[tuple[type, ...]] = (Estimates,)

    estimate: str | Estimate | None = None
    """The name of an estimate, of a network (`net`), or an `Estimate`; none: the puzzle's default."""
    jobs: int = Field(default=1, ge=1)
    """Threads that share the work of one board."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress, then the one solution; O(depth) memory."""
        puzzle, rules = instance.puzzle, rules_of(instance)
        estimate = fitted(chosen_estimate(puzzle, self.estimate), rules, instance.state)
        if self.jobs == 1 or puzzle.view(KernelRules) is None or estimate.kernel is None:
            return drive(machine(instance, estimate, rules), limit, estimate, rules)
        search = partial(machine, estimate=estimate, rules=rules)
        return parallel_attempts(instance, search, estimate.admissible, limit, self.jobs)

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        """Yield the answers in parts: one call of a kernel searches from many boards, and a long search is alone."""
        rules = rules_of(boards[0])
        estimate = fitted(chosen_estimate(boards.puzzle, self.estimate), rules, boards.states[0])
        is_compiled = boards.puzzle.view(KernelRules) is not None and estimate.kernel is not None
        if self.jobs > 1 or not is_compiled:
            return singly(boards, lambda board: attempts_of(self, board, limit), over)
        return BatchSearch(boards, machine(boards[0], estimate, rules), rules, limit).answers(over)


class BatchSearch:
    """A search from many boards in the same arrays, B boards and D moves at most."""

    def __init__(self, boards: Boards, search: Machine, rules: KernelRules, limit: Limit) -> None:
        self.boards, self.search, self.limit = boards, search, limit
        count = len(boards)
        self.starts = np.ascontiguousarray(rules.encode(boards.states), rules.dtype)
        self.lengths = np.full(count, UNSOLVED, np.int32)
        self.moves = np.zeros((count, FIRST_DEPTH), np.int32)
        self.counts = np.zeros((count, 3), np.int64)
        search.step(0)  # compiles, or loads the machine code, before a clock starts

    def answers(self, over: Callable[[], bool]) -> Iterator[Answers]:
        """Yield the answers to the quick boards before a long search, then that of the long search, and so on.

        The boards after an interruption have answers without a search.
        """
        place, count, is_interrupted = 0, len(self.boards), False
        while place < count and not is_interrupted and not over():
            first, began = place, time.perf_counter()
            try:
                place = self._quick(first)
            except KeyboardInterrupt:
                break
            quick, long = self._shares(time.perf_counter() - began, first, place)
            if place > first:
                yield self._part(first, place).solved_together(quick)
            if place < count:
                alone = self._alone(place, long, over)
                is_interrupted = alone.stop == "interrupted"
                yield Answers.of(self.boards[place : place + 1], [alone])
                place += 1
        if place < count:
            yield Answers.blank(self.boards[place:], stops=STOPS.index("interrupted"))

    def _quick(self, first: int) -> int:
        """Search from the boards after the first `first` ones; return the first place that takes long, or B."""
        budget = QUICK_NODES if self.limit.nodes is None else min(QUICK_NODES, self.limit.nodes - 1)
        place: int = step_many(self.search.record, self.starts, first, budget, self.lengths, self.moves, self.counts)
        return place

    def _shares(self, seconds: float, first: int, end: int) -> tuple[float, float]:
        """Return the seconds of the boards `first` to `end` - 1, and of the board after them, by expanded states."""
        quick = int(self.counts[first:end, 0].sum()) + end - first
        long = 1 + int(self.search.control.expanded) if end < len(self.boards) else 0
        return seconds * quick / (quick + long), seconds * long / (quick + long)

    def _part(self, first: int, end: int) -> Answers:
        """Return the answers to the boards `first` to `end` - 1, which are solved."""
        part = slice(first, end)
        lengths, bounds = self.lengths[part], np.minimum(self.counts[part, 2], self.lengths[part])
        is_move = np.arange(FIRST_DEPTH) < lengths[:, None]
        proofs = np.where(bounds == lengths, PROOFS.index("optimal"), PROOFS.index("none"))
        counts = {"expanded": self.counts[part, 0], "generated": self.counts[part, 1]}
        answers = Answers.blank(self.boards[part], lengths=lengths, lower_bounds=bounds, proofs=proofs, **counts)
        return replace(answers, moves=self.moves[part][is_move])

    def _alone(self, place: int, seconds: float, over: Callable[[], bool]) -> Result:
        """Return the result of the board whose search is in the record, and goes on from there."""
        board = self.boards[place]
        search = replace(self.search)
        clock = Clock(self.limit)
        clock.began -= seconds
        if search.control.depth + 2 >= FIRST_DEPTH and not search.enlarge(clock.room()):
            return Result(None, stop="memory")
        rest = Drive(search, self.limit, clock=clock)
        return replace(best_of(rest.__iter__(), lambda attempt: over()), instance=board)


# --- several threads --------------------------------------------------------------------------------------------------

ROOTS_PER_JOB = 64
MIN_NODES = 10_000
"""A search with a lower node limit runs on one thread."""
Root = tuple[tuple[int, ...], Instance]
"""The moves to a state, and the state."""


def roots_of(instance: Instance, min_roots: int) -> list[Root] | None:
    """Return at least `min_roots` states at equal depth with the moves to them; None if one is solved."""
    puzzle = instance.puzzle
    layer: list[Root] = [((), instance)]
    seen = {instance}
    while len(layer) < min_roots:
        deeper: list[Root] = []
        for path, start in layer:
            if puzzle.solved(start.state):
                return None
            for move in np.flatnonzero(puzzle.legal(start.state)).tolist():
                child = Instance(puzzle, puzzle.apply(start.state, move))
                if child not in seen:
                    seen.add(child)
                    deeper.append(((*path, move), child))
        if not deeper:
            return None
        layer = deeper
    return None if any(puzzle.solved(start.state) for _, start in layer) else layer


def parallel_attempts(
    instance: Instance, start_search: Callable[[Instance], Machine], proves: bool, limit: Limit, jobs: int
) -> Iterator[Attempt]:
    """Yield progress, then the one solution, as the search on one thread gives it.

    `start_search` makes the search from any start; `proves` says whether its thresholds are lower bounds.
    """
    first = start_search(instance)
    first.step(0)
    roots = None if limit.nodes is not None and limit.nodes < MIN_NODES else roots_of(instance, ROOTS_PER_JOB * jobs)
    if roots is None:
        yield from Drive(first, limit)
        return
    clock = Clock(limit)
    first.step(1)
    threshold, work = int(first.control.threshold), np.zeros(2, np.int64)

    def result(moves: tuple[int, ...] | None, stop: Stop) -> Result:
        bound = threshold if proves else 0
        optimal = moves is not None and bound == len(moves)
        counts = int(work[0]), int(work[1]), 0, clock.seconds
        return Result(moves, "optimal" if optimal else "none", "", stop, bound, *counts)

    while True:
        shared, ends = _threshold_search(roots, start_search, threshold, jobs)
        shared.work = work
        for solutions in shared.rounds(limit.nodes):
            yield Progress(int(work[0]), int(work[1]), 0, threshold if proves else 0, clock.seconds)
            if shared.current == shared.count and solutions:
                yield result((*roots[shared.count - 1][0], *solutions[0]), "done")
                return
            if shared.current < shared.count and (stop := clock.reached(int(work[0]))):
                yield result(None, stop)
                return
        if min(ends) == INFINITE:
            break
        threshold = min(ends)
    proof, reason, stop = first.verdict(first.record)
    yield replace(result(None, stop), proof=proof, reason=reason)


def _threshold_search(
    roots: Sequence[Root], start_search: Callable[[Instance], Machine], threshold: int, jobs: int
) -> tuple[SharedPieces, list[int]]:
    """Return the search of all roots under a threshold, and a list that gets the next threshold below each of them."""
    from puzzlelab.engine.shared_pieces import SharedPieces  # for few searches

    ends: list[int] = []

    def begin(thread: int, root: int) -> Machine:
        path, start = roots[root]
        search = start_search(start)
        control = search.control
        control.path_length, control.last_move = len(path), path[-1]
        control.one_threshold, control.threshold = 1, threshold
        return search

    def ended(search: Machine) -> None:
        ends.append(int(search.control.next_threshold))

    return SharedPieces(len(roots), begin, jobs, ended, first_only=True), ends


SOLVER = Ida
