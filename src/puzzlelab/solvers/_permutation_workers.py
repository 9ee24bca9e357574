"""Permutation search on several processes, which share the pieces of a split search.

The workers take the pieces in the order of the search, and solutions are yielded in that order, whatever the timing. A
worker does a slice of work, answers, and waits for the next request, so this process keeps the limits.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.result import Count, Progress, Result
from puzzlelab.core.solver import Attempt
from puzzlelab.engine.control_slots import EXPANDED, GENERATED
from puzzlelab.engine.driver import SLICE_SECONDS, Clock, Machine
from puzzlelab.engine.enumeration import UNLIMITED, counted, listed
from puzzlelab.engine.enumeration_slots import FOUND, MOST
from puzzlelab.engine.kernels import DONE, IMPROVED
from puzzlelab.runtime import signals
from puzzlelab.solvers._permutation_search import machine
from puzzlelab.solvers._permutation_split import Path, pieces_of, restrict_to
from puzzlelab.solvers._permutations import PermutationRows

HEAD_START = 0.5
"""Seconds of search before other processes are started."""
NODES = 5_000
"""Nodes between two readings of a worker's clock."""
BATCH = 500
"""The most solutions in one answer, and the most pending answers of a later piece."""
WORKER_ENDED = "a worker process of the permutation search ended before its work was done; jobs=1 works without any"


class WorkerAnswer(NamedTuple):
    """The work of one slice."""

    solutions: list[Path]
    solution_count: int
    expanded: int
    generated: int
    over: bool


# --- the worker -----------------------------------------------------------------------------------------------------


def serve(pipe: Connection, instance: Instance, counts: list[int], counting: bool) -> None:
    """Run a worker: it receives (a piece or None to continue the last one, a budget), and sends a `WorkerAnswer`."""
    rows = PermutationRows.of(instance)
    assert rows is not None
    search = machine(instance, rows.list(counts))
    search.step(0)
    try:
        pipe.send(None)
        while True:
            path, budget = pipe.recv()
            if path is not None:
                restrict_to(search.record, path)
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


# --- the pool -------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class PermutationWorker:
    """One process, and the piece it works on."""

    process: BaseProcess
    pipe: Connection
    ready: bool = False
    piece: int | None = None
    granted: int = 0
    """The node budget of its current slice; 0 while it waits."""


@dataclass
class WorkerPool:
    """Worker processes, which are started at once and are `ready` about a second later."""

    instance: Instance
    counts: list[int]
    jobs: int
    counting: bool
    workers: list[PermutationWorker] = field(default_factory=list)
    last_poll: float = 0.0
    """Time of the last check whether they are ready."""

    def start(self) -> None:
        """Start the processes; by spawn, so that what this process has compiled or holds does no harm."""
        context = multiprocessing.get_context("spawn")
        with signals.blocked():
            for _ in range(self.jobs):
                ours, theirs = context.Pipe()
                arguments = (theirs, self.instance, self.counts, self.counting)
                process = context.Process(target=serve, args=arguments, daemon=True)
                process.start()
                theirs.close()
                self.workers.append(PermutationWorker(process, ours))

    def takes_over(self, clock: Clock) -> bool:
        """Tell whether the workers are ready; starts them when `HEAD_START` is over."""
        if not self.workers and clock.seconds >= HEAD_START:
            self.start()
        if clock.seconds < self.last_poll + SLICE_SECONDS:
            return False
        self.last_poll = clock.seconds
        for worker in self.workers:
            if not worker.ready and worker.pipe.poll():
                _receive(worker)
                worker.ready = True
        return bool(self.workers) and all(worker.ready for worker in self.workers)

    def close(self) -> None:
        """End the processes."""
        for worker in self.workers:
            worker.process.kill()
        for worker in self.workers:
            worker.process.join()
            worker.pipe.close()
        self.workers.clear()

    def work(self, pieces: list[Path], clock: Clock, expanded: int) -> Iterator[WorkerAnswer]:
        """Yield answers in the order of the pieces, at least one every 50 ms; their counts are new since the last one.

        `expanded` nodes were expanded before. It continues until all pieces are done: the caller keeps the limits.
        """
        pending: list[list[WorkerAnswer]] = [[] for _ in pieces]
        current, next_piece = 0, 0
        while current < len(pieces):
            for worker in self.workers:
                budget = self._budget(clock.limit.nodes, expanded)
                starts = worker.piece is None and next_piece < len(pieces)
                continues = worker.piece == current or (worker.piece is not None and len(pending[worker.piece]) < BATCH)
                if worker.granted == 0 and budget > 0 and (starts or continues):
                    if starts:
                        worker.piece, next_piece = next_piece, next_piece + 1
                    worker.granted = budget
                    self._send(worker, pieces[next_piece - 1] if starts else None)
            answers = self._receive_all(pending)
            expanded += sum(answer.expanded for answer in answers)
            solutions: list[Path] = []
            while current < len(pieces) and pending[current]:
                answer = pending[current].pop(0)
                solutions += answer.solutions
                current += answer.over
            solutions_found, generated = (
                sum(answer.solution_count for answer in answers),
                sum(answer.generated for answer in answers),
            )
            yield WorkerAnswer(
                solutions,
                solutions_found,
                sum(answer.expanded for answer in answers),
                generated,
                current == len(pieces),
            )

    def _budget(self, nodes: int | None, expanded: int) -> int:
        """Return the nodes that one more worker may expand now."""
        if nodes is None:
            return UNLIMITED
        nodes_left = nodes - expanded - sum(worker.granted for worker in self.workers)
        return (nodes_left + self.jobs - 1) // self.jobs

    def _send(self, worker: PermutationWorker, path: Path | None) -> None:
        """Let a worker begin with this piece, or continue with its own."""
        try:
            worker.pipe.send((path, worker.granted))
        except OSError:
            raise PuzzlelabError(WORKER_ENDED) from None

    def _receive_all(self, pending: list[list[WorkerAnswer]]) -> list[WorkerAnswer]:
        """Return the answers of workers within 50 ms, which are also added to `pending`, by piece."""
        busy = {worker.pipe: worker for worker in self.workers if worker.granted}
        answers = []
        for pipe in wait(list(busy), SLICE_SECONDS):
            worker = busy[pipe]  # type: ignore[index]
            answer, worker.granted = _receive(worker), 0
            if worker.piece is not None:
                pending[worker.piece].append(answer)
            if answer.over:
                worker.piece = None
            answers.append(answer)
        return answers


def _receive(worker: PermutationWorker) -> WorkerAnswer:
    try:
        answer: WorkerAnswer = worker.pipe.recv()
    except (EOFError, OSError):
        raise PuzzlelabError(WORKER_ENDED) from None
    return answer


def listed_by_workers(instance: Instance, search: Machine, clock: Clock, jobs: int) -> Iterator[Attempt]:
    """Yield all solutions, as `Enumerator.solutions` specifies: by this process first, then by the workers."""
    pool = WorkerPool(instance, np.diff(search.record.lists.firsts).tolist(), jobs, counting=False)
    search_here = listed(search, clock.limit, clock)
    try:
        for attempt in search_here:
            yield attempt
            if isinstance(attempt, Result) and attempt.moves is None:
                return
            if pool.takes_over(clock):
                break
        control, stop = search.control, None
        for answer in pool.work(pieces_of(search, jobs), clock, int(control[EXPANDED])):
            control[EXPANDED] += answer.expanded
            control[GENERATED] += answer.generated
            expanded, generated = int(control[EXPANDED]), int(control[GENERATED])
            for moves in answer.solutions:
                yield Result(moves, expanded=expanded, generated=generated, seconds=clock.seconds)
            yield Progress(expanded, generated, 0, 0, clock.seconds)
            stop = None if answer.over else clock.reached(expanded)
            if stop:
                break
        yield Result(
            None,
            stop=stop or "done",
            expanded=int(control[EXPANDED]),
            generated=int(control[GENERATED]),
            seconds=clock.seconds,
        )
    finally:
        pool.close()


def counted_by_workers(instance: Instance, search: Machine, clock: Clock, most: int, jobs: int) -> Iterator[Count]:
    """Count the solutions, as `Enumerator.count` specifies, in the same way as `listed_by_workers`."""
    pool = WorkerPool(instance, np.diff(search.record.lists.firsts).tolist(), jobs, counting=True)
    try:
        for count in counted(search, clock.limit, most, clock):
            yield count
            if count.stop != "interrupted":
                return
            if pool.takes_over(clock):
                break
        pieces = pieces_of(search, jobs)
        solutions, expanded = int(search.control[FOUND]), int(search.control[EXPANDED])
        for answer in pool.work(pieces, clock, expanded):
            solutions, expanded = solutions + answer.solution_count, expanded + answer.expanded
            stop = "done" if answer.over else clock.reached(expanded)
            if solutions >= most:
                stop = "solutions"
            yield Count(min(solutions, most), stop or "interrupted", expanded, clock.seconds)
            if stop:
                return
    finally:
        pool.close()
