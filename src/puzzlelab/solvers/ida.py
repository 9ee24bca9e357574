"""Iterative deepening A*: depth-first searches under a growing bound on f = g + h.

g is the number of moves so far, h the estimate. Memory is linear in the depth. With an admissible estimate the first
solution is optimal, and each finished bound is a proven lower bound. Another solver may look for solutions meanwhile,
in turns: the search ends when its bound reaches the length of the best one.
Source: R. E. Korf, "Depth-first iterative-deepening", Artificial Intelligence 27 (1985).

Shapes: D = depth of the stack, S as in `engine.kernels`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import Field

from puzzlelab.core.answers import PROOFS, STOPS, UNSOLVED, Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import NoRoom
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import State
from puzzlelab.core.result import Progress, Proof, Result, Stop
from puzzlelab.core.solver import Attempt, Solver, SolverSettings
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Stronger
from puzzlelab.engine import kernels, records, report
from puzzlelab.engine.attempts import GROWTH, given_up, in_rounds
from puzzlelab.engine.driver import EXHAUSTED, Clock, Drive, Machine, scorer
from puzzlelab.engine.record_parts import UNBOUNDED, new_control, reset
from puzzlelab.engine.search_rules import SolverText, chosen_estimate, fitted, rules_of, solver_with, stepper
from puzzlelab.engine.solving import attempts_of, best_of, ended_by_memory, singly, uninterrupted
from puzzlelab.solvers._ida_kernels import CONTROL, INFINITE, IdaRecord, Requests, step, step_many, step_requested

if TYPE_CHECKING:
    from puzzlelab.engine.shared_pieces import SharedPieces

FIRST_DEPTH = 128
QUICK_NODES = 20_000
"""The states that a search may expand among others in one call of a kernel: some milliseconds. Then it is alone."""
FIRST_NODES, UPPER_NODES = 1 << 20, 1 << 15
"""The states of the first turn of a search, and of that of its `upper`, whose states take some ten times as long."""
MOST_UPPER_NODES = 1 << 23
"""The states of a turn of the `upper` after which it has no other: a beam then needs some hundred megabytes."""
STRONGER_NODES, NOTE_NODES = 1 << 24, 1 << 26
"""The states after which a search in turns begins again with a stronger estimate, some seconds; and after which it says
what the tables of that would cost, where they are not there."""


def machine(instance: Instance, estimate: Estimate, rules: KernelRules) -> Machine:
    """Return the search from this start."""
    moves = instance.puzzle.move_count
    record = IdaRecord(
        tables=rules.tables,
        estimate=records.new_estimate(estimate, rules),
        control=new_control(CONTROL, proves=estimate.admissible, max_moves=UNBOUNDED),
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
    reset(record.control, last_move=-1, proves=record.control.proves, max_moves=UNBOUNDED)
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
    """Return the verdict of a search in which no path exceeds the threshold, or no shorter solution is looked for."""
    if record.control.max_moves < UNBOUNDED:
        return "none", "no shorter solution", "done"
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
    upper: SolverText | None = None
    """A solver, as text with its options, that takes turns with the search of a board that is not solved soon, if the
    estimate is admissible: the search ends when its bound reaches the length of the best solution. Its estimate is that
    of the search, unless it names one."""

    @property
    def solvers(self) -> list[Solver]:
        """The solver that gives upper bounds, if there is one; raises `UnknownName` or `BadOption`."""
        return [] if self.upper is None else [solver_with(self.upper, self.estimate)]

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress, then the one solution; O(depth) memory."""
        puzzle, rules = instance.puzzle, rules_of(instance)
        estimate = fitted(chosen_estimate(puzzle, self.estimate), rules, instance.state)
        if self.jobs == 1 or puzzle.view(KernelRules) is None or estimate.kernel is None:
            return self._in_turns(Turns(instance, machine(instance, estimate, rules), estimate, rules), limit)
        search = partial(machine, estimate=estimate, rules=rules)
        uppers = self.solvers if estimate.admissible else ()
        return parallel_attempts(instance, search, estimate.admissible, limit, self.jobs, uppers)

    def _in_turns(self, turns: Turns, limit: Limit) -> Generator[Attempt, None, None]:
        """Yield the attempts of the search and of the solver that gives upper bounds, if there is one, in turns."""
        if self.upper is None or not turns.estimate.admissible:
            return turns.turn(limit, Result(None))
        turns.stronger = turns.estimate.stronger if self.estimate is None else None

        def upper_turn(limit_left: Limit, best: Result) -> Iterator[Attempt]:
            attempts = ended_by_memory(lambda: self.solvers[0].attempts(turns.instance, limit_left))
            return given_up(attempts) if (limit_left.nodes or 0) >= MOST_UPPER_NODES else attempts

        return in_rounds([turns.turn, upper_turn], limit, first_turns(limit))

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        """Yield the answers in parts: one call of a kernel searches from many boards, and a long search is alone."""
        rules = rules_of(boards[0])
        estimate = fitted(chosen_estimate(boards.puzzle, self.estimate), rules, boards.states[0])
        is_compiled = boards.puzzle.view(KernelRules) is not None and estimate.kernel is not None
        if self.jobs > 1 or not is_compiled:
            return singly(boards, lambda board: attempts_of(self, board, limit), over)

        def resumed(board: Instance, search: Machine, seconds: float) -> Generator[Attempt, None, None]:
            return self._in_turns(Turns(board, search, estimate, rules, seconds), limit)

        first_nodes = limit.nodes if self.upper is None else first_turns(limit)[0]
        search = machine(boards[0], estimate, rules)
        return BatchSearch(boards, search, rules, limit, first_nodes, resumed).answers(over)


def first_turns(limit: Limit) -> list[int]:
    """Return the states of the first turn of a search, and of that of its `upper`."""
    most = UNBOUNDED if limit.nodes is None else max(1, limit.nodes // 4)
    return [min(FIRST_NODES, most), min(UPPER_NODES, most)]


@dataclass
class Turns:
    """A search that goes on from turn to turn."""

    instance: Instance
    search: Machine
    estimate: Estimate
    rules: KernelRules
    seconds: float = 0.0
    """The seconds of the search before its first turn."""
    stronger: Stronger | None = None
    """The estimate with which it begins again when it takes long, at the bound that is proven then."""

    def turn(self, limit: Limit, best: Result) -> Generator[Attempt, None, None]:
        """Yield the attempts under this limit; of solutions that are not shorter than the best one there are none."""
        if self.stronger is not None and best.expanded >= STRONGER_NODES:
            self._strengthen(self.stronger, best)
        self.search.control.max_moves = UNBOUNDED if best.length is None else best.length - 1
        self.search.load()  # before the clock starts
        clock = Clock(limit)
        clock.began, self.seconds = clock.began - self.seconds, 0.0
        yield from Drive(self.search, limit, scorer(self.estimate, self.rules), clock)
        self.search.control.expanded = self.search.control.generated = 0  # each turn is counted by itself

    def _strengthen(self, stronger: Stronger, best: Result) -> None:
        """Begin again with a stronger estimate if its tables are there and have room; or say what they would cost."""
        puzzle = self.instance.puzzle
        if stronger.is_built():
            self.stronger = None
            with suppress(NoRoom, MemoryError):
                estimate = chosen_estimate(puzzle, stronger.name)
                search = machine(self.instance, estimate, self.rules)
                search.control.threshold = best.lower_bound
                self.search, self.estimate = search, estimate
                _note_once(f"{puzzle.name}: the search takes long, and goes on with the estimate {stronger.name}.")
        elif best.expanded >= NOTE_NODES:
            self.stronger = None
            _note_once(f"{puzzle.name}: the search takes long. --estimate {stronger.name} {stronger.about}.")


@cache
def _note_once(sentence: str) -> None:
    """Send a message, once in a process."""
    report.note(sentence)


class BatchSearch:
    """A search from many boards in the same arrays, B boards and D moves at most."""

    def __init__(
        self,
        boards: Boards,
        search: Machine,
        rules: KernelRules,
        limit: Limit,
        first_nodes: int | None,
        resumed: Callable[[Instance, Machine, float], Generator[Attempt, None, None]],
    ) -> None:
        """`first_nodes` are the states of the first turn of a search; `resumed(board, search, seconds)` goes on with
        one.
        """
        self.boards, self.search, self.limit, self.resumed = boards, search, limit, resumed
        self.budget = min(QUICK_NODES, (first_nodes or UNBOUNDED) - 1)
        count = len(boards)
        self.starts = rules.starts(boards.states)
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
        record = self.search.record
        place: int = step_many(record, self.starts, first, self.budget, self.lengths, self.moves, self.counts)
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
        if search.control.depth + 2 >= FIRST_DEPTH and not search.enlarge(Clock(self.limit).room()):
            return Result(None, stop="memory")
        return replace(best_of(self.resumed(board, search, seconds), lambda attempt: over()), instance=board)


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
    instance: Instance,
    start_search: Callable[[Instance], Machine],
    proves: bool,
    limit: Limit,
    jobs: int,
    uppers: Sequence[Solver] = (),
) -> Iterator[Attempt]:
    """Yield progress, then the one solution, as the search on one thread gives it.

    `start_search` makes the search from any start; `proves` says whether its thresholds are lower bounds. The solver
    that gives upper bounds, if there is one, has its turns between two thresholds.
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
    best: tuple[int, ...] | None = None
    due = FIRST_NODES

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
                yield result(best, stop)
                return
        if min(ends) == INFINITE:
            break
        threshold = min(ends)
        left = limit.share(clock.seconds, int(work[0]))
        if uppers and work[0] >= due and left is not None:
            nodes = int(work[0]) * UPPER_NODES // FIRST_NODES
            left = replace(left, nodes=min(nodes, MOST_UPPER_NODES, left.nodes or nodes))
            upper = uninterrupted(best_of(ended_by_memory(partial(uppers[0].attempts, instance, left))))
            work += upper.expanded, upper.generated
            due = GROWTH * int(work[0])
            if upper.moves is not None and (best is None or len(upper.moves) < len(best)):
                best = upper.moves
                yield result(best, "done")
        if best is not None and len(best) <= threshold:
            yield result(best, "done")
            return
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
