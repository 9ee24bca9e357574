"""Permutation search on several processes: what is left of a search is cut into pieces, which workers share.

The workers take the pieces in the order of the search, and its answers are given in that
order, whatever the timing. A worker does a slice of work, answers, and waits to be told to go on: so the limits are
kept here, and nothing has to be stopped in the middle but by ending the process.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

import numpy as np

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.puzzle import Instance
from puzzlelab.core.result import Progress, Result
from puzzlelab.core.solutions import UNLIMITED, Count
from puzzlelab.core.solver import Attempt
from puzzlelab.engine.driver import SLICE_SECONDS, Clock, Machine
from puzzlelab.engine.enumeration import FOUND, MOST, counted, listed
from puzzlelab.engine.kernels import DONE, EXPANDED, GENERATED, IMPROVED
from puzzlelab.solvers._permutation_split import Path, enter, pieces_of
from puzzlelab.solvers._permutations import PermutationRows
from puzzlelab.solvers.permutation import HEAD_START, machine

NODES = 5_000
"""Between two looks of a worker at its clock."""
BATCH = 500
"""Solutions in one answer, and answers kept of a piece whose turn has not come."""
ENDED = "a worker process of the permutation search ended before its work was done; jobs=1 works without any"


class WorkerAnswer(NamedTuple):
    """What a worker has done in one slice."""

    solutions: list[Path]
    found: int
    expanded: int
    generated: int
    over: bool


# --- the worker -----------------------------------------------------------------------------------------------------


def serve(pipe: Connection, instance: Instance, counts: list[int], counting: bool) -> None:
    """A worker: gets (a piece or None to go on with the last one, a budget), and gives an `Answer`."""
    rows = PermutationRows.of(instance)
    assert rows is not None
    search = machine(instance, rows.list(counts))
    search.step(0)
    try:
        pipe.send(None)
        while True:
            path, budget = pipe.recv()
            if path is not None:
                enter(search.record, path)
            pipe.send(_slice(search, budget, counting))
    except (EOFError, OSError):
        return


def _slice(search: Machine, budget: int, counting: bool) -> WorkerAnswer:
    """Work for some 50 ms."""
    control, began = search.control, time.perf_counter()
    solutions: list[Path] = []
    control[[EXPANDED, GENERATED, FOUND]] = 0
    control[MOST] = UNLIMITED if counting else 0
    status = -1
    while status != DONE and len(solutions) < BATCH and time.perf_counter() - began < SLICE_SECONDS:
        if control[EXPANDED] >= budget:
            break
        status = search.step(min(NODES, budget - int(control[EXPANDED])))
        if status == IMPROVED:
            solutions.append(tuple(search.solution(search.record)))
    return WorkerAnswer(solutions, int(control[FOUND]), int(control[EXPANDED]), int(control[GENERATED]), status == DONE)


# --- those that share the work --------------------------------------------------------------------------------------


@dataclass(eq=False)
class PermutationWorker:
    """One process, and what it is at."""

    process: BaseProcess
    pipe: Connection
    ready: bool = False
    piece: int | None = None
    promised: int = 0
    """Nodes that it may expand now; 0 while it waits."""


@dataclass
class WorkerPool:
    """Worker processes, which are started at once and are `ready` about a second later."""

    instance: Instance
    counts: list[int]
    jobs: int
    counting: bool
    workers: list[PermutationWorker] = field(default_factory=list)
    looked: float = 0.0
    """When it was last looked whether they are ready."""

    def start(self) -> None:
        """Start the processes; by spawn, so that what this process has compiled or holds does no harm."""
        context = multiprocessing.get_context("spawn")
        with _without_interrupt():
            for _ in range(self.jobs):
                ours, theirs = context.Pipe()
                arguments = (theirs, self.instance, self.counts, self.counting)
                process = context.Process(target=serve, args=arguments, daemon=True)
                process.start()
                theirs.close()
                self.workers.append(PermutationWorker(process, ours))

    def takes_over(self, clock: Clock) -> bool:
        """Whether the workers are ready; they are started when it is time."""
        if not self.workers and clock.seconds >= HEAD_START:
            self.start()
        if clock.seconds < self.looked + SLICE_SECONDS:
            return False
        self.looked = clock.seconds
        for worker in self.workers:
            if not worker.ready and worker.pipe.poll():
                _hear(worker)
                worker.ready = True
        return bool(self.workers) and all(worker.ready for worker in self.workers)

    def close(self) -> None:
        """End the processes."""
        for worker in self.workers:
            worker.process.terminate()
        for worker in self.workers:
            worker.process.join()
            worker.pipe.close()
        self.workers.clear()

    def work(self, pieces: list[Path], clock: Clock, expanded: int) -> Iterator[WorkerAnswer]:
        """Answers in the order of the pieces, one every 50 ms at least; what they count is new since the last one.

        `expanded` nodes were expanded before. It goes on until all is done: its reader keeps the limits.
        """
        waiting: list[list[WorkerAnswer]] = [[] for _ in pieces]
        turn, following = 0, 0
        while turn < len(pieces):
            for worker in self.workers:
                budget = self._budget(clock.limit.nodes, expanded)
                starts = worker.piece is None and following < len(pieces)
                goes_on = worker.piece == turn or (worker.piece is not None and len(waiting[worker.piece]) < BATCH)
                if worker.promised == 0 and budget > 0 and (starts or goes_on):
                    if starts:
                        worker.piece, following = following, following + 1
                    worker.promised = budget
                    self._tell(worker, pieces[following - 1] if starts else None)
            heard = self._heard(waiting)
            expanded += sum(answer.expanded for answer in heard)
            solutions: list[Path] = []
            while turn < len(pieces) and waiting[turn]:
                answer = waiting[turn].pop(0)
                solutions += answer.solutions
                turn += answer.over
            found, made = sum(answer.found for answer in heard), sum(answer.generated for answer in heard)
            yield WorkerAnswer(solutions, found, sum(answer.expanded for answer in heard), made, turn == len(pieces))

    def _budget(self, nodes: int | None, expanded: int) -> int:
        """The nodes that one more worker may expand now."""
        if nodes is None:
            return UNLIMITED
        left = nodes - expanded - sum(worker.promised for worker in self.workers)
        return (left + self.jobs - 1) // self.jobs

    def _tell(self, worker: PermutationWorker, path: Path | None) -> None:
        """Let a worker begin with this piece, or go on with its own one."""
        try:
            worker.pipe.send((path, worker.promised))
        except OSError:
            raise PuzzlelabError(ENDED) from None

    def _heard(self, waiting: list[list[WorkerAnswer]]) -> list[WorkerAnswer]:
        """What workers answer within 50 ms; it is added to what is `waiting`, by pieces."""
        busy = {worker.pipe: worker for worker in self.workers if worker.promised}
        heard = []
        for pipe in wait(list(busy), SLICE_SECONDS):
            worker = busy[pipe]  # type: ignore[index]
            answer, worker.promised = _hear(worker), 0
            if worker.piece is not None:
                waiting[worker.piece].append(answer)
            if answer.over:
                worker.piece = None
            heard.append(answer)
        return heard


@contextmanager
def _without_interrupt() -> Iterator[None]:
    """Processes that are started here never hear of Ctrl-C, which goes to all at once: this one ends the others."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # or else `Process.start` starts it, and lets the signal through afterwards
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _hear(worker: PermutationWorker) -> WorkerAnswer:
    try:
        answer: WorkerAnswer = worker.pipe.recv()
    except (EOFError, OSError):
        raise PuzzlelabError(ENDED) from None
    return answer


def shared(instance: Instance, search: Machine, clock: Clock, jobs: int) -> Iterator[Attempt]:
    """What `Lists.solutions` promises: the search alone at first, then the workers with what it has left."""
    crew = WorkerPool(instance, np.diff(search.record.lists.firsts).tolist(), jobs, counting=False)
    alone = listed(search, clock.limit, clock)
    try:
        for attempt in alone:
            yield attempt
            if isinstance(attempt, Result) and attempt.moves is None:
                return
            if crew.takes_over(clock):
                break
        control, stop = search.control, None
        for answer in crew.work(pieces_of(search, jobs), clock, int(control[EXPANDED])):
            control[EXPANDED] += answer.expanded
            control[GENERATED] += answer.generated
            counts = int(control[EXPANDED]), int(control[GENERATED]), 0
            for moves in answer.solutions:
                yield Result(moves, "none", "", "done", 0, *counts, clock.seconds)
            yield Progress(*counts, 0, clock.seconds)
            stop = None if answer.over else clock.reached(counts[0])
            if stop:
                break
        yield Result(
            None, "none", "", stop or "done", 0, int(control[EXPANDED]), int(control[GENERATED]), 0, clock.seconds
        )
    finally:
        crew.close()


def tallied(instance: Instance, search: Machine, clock: Clock, most: int, jobs: int) -> Iterator[Count]:
    """What `CountsSolutions.count` promises, in the same way."""
    crew = WorkerPool(instance, np.diff(search.record.lists.firsts).tolist(), jobs, counting=True)
    try:
        for count in counted(search, clock.limit, most, clock):
            yield count
            if count.stop != "interrupted":
                return
            if crew.takes_over(clock):
                break
        pieces = pieces_of(search, jobs)
        found, expanded = int(search.control[FOUND]), int(search.control[EXPANDED])
        for answer in crew.work(pieces, clock, expanded):
            found, expanded = found + answer.found, expanded + answer.expanded
            stop = "done" if answer.over else clock.reached(expanded)
            if found >= most:
                stop = "solutions"
            yield Count(min(found, most), stop or "interrupted", expanded, clock.seconds)
            if stop:
                return
    finally:
        crew.close()
