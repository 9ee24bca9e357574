"""IDA* on several threads: the search of each threshold is split into subtrees below many roots near the start.

The answer does not depend on timing: the solution of the first root counts, and a solution cancels later roots only.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.solver import Attempt
from puzzlelab.engine.control_slots import EXPANDED, GENERATED
from puzzlelab.engine.driver import SLICE_SECONDS, Clock, Drive, Machine
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED
from puzzlelab.solvers._ida_kernels import (
    INFINITE,
    LAST_MOVE,
    NEXT_THRESHOLD,
    ONE_THRESHOLD,
    PATH_LENGTH,
    THRESHOLD,
)

ROOTS_PER_JOB = 64
SLICE_NODES = 100_000
"""The most nodes of one slice."""
MAX_BYTES = 1 << 30
"""The most bytes that the arrays of one search may grow by at once."""
MIN_NODES = 10_000
"""A search with a lower node limit runs on one thread."""


@dataclass
class Shared:
    """The state that the threads of one search share."""

    roots: list[tuple[tuple[int, ...], Instance]]
    threshold: int
    jobs: int = 1
    lock: threading.Lock = field(default_factory=threading.Lock)
    next_root: int = 0
    """The next root to search."""
    solutions: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Solutions by their root."""
    next_threshold: int = INFINITE
    expanded: int = 0
    generated: int = 0
    nodes: int | None = None
    """The most states to expand."""
    granted: int = 0
    """The most states that threads may be expanding now."""
    over: bool = False

    def take(self) -> int | None:
        """Return the next root to search under this threshold."""
        with self.lock:
            if self.over or self.next_root >= min([len(self.roots), *self.solutions]):
                return None
            self.next_root += 1
            return self.next_root - 1

    def budget(self) -> int:
        """Return the states a thread may expand next; 0 while other threads may return some, or when all are used."""
        with self.lock:
            granted = SLICE_NODES
            if self.nodes is not None:
                nodes_left = self.nodes - self.expanded - self.granted
                granted = min(SLICE_NODES, (nodes_left + self.jobs - 1) // self.jobs)
                self.over = self.over or self.expanded >= self.nodes
            self.granted += granted
            return granted

    def add(self, granted: int, expanded: int, generated: int) -> None:
        """Count the work of one slice."""
        with self.lock:
            self.granted -= granted
            self.expanded += expanded
            self.generated += generated

    def is_needless(self, root: int) -> bool:
        """Tell whether an earlier root has a solution, or the search is over."""
        return self.over or any(solved_root < root for solved_root in self.solutions)


def roots_of(instance: Instance, min_roots: int) -> list[tuple[tuple[int, ...], Instance]] | None:
    """Return at least `min_roots` states at equal depth with the moves to them; None if one is solved."""
    puzzle = instance.puzzle
    layer, seen = [((), instance)], {instance}
    while len(layer) < min_roots:
        deeper: list[tuple[tuple[int, ...], Instance]] = []
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
        layer = deeper  # type: ignore[assignment]
    return None if any(puzzle.solved(start.state) for _, start in layer) else layer  # type: ignore[return-value]


def parallel_attempts(
    instance: Instance, machine: Callable[[Instance], Machine], proves: bool, limit: Limit, jobs: int
) -> Iterator[Attempt]:
    """Yield progress, then the one solution, as the search on one thread gives it.

    `machine` makes the search from any start; `proves` says whether its thresholds are lower bounds.
    """
    first = machine(instance)
    first.step(0)
    roots = None if limit.nodes is not None and limit.nodes < MIN_NODES else roots_of(instance, ROOTS_PER_JOB * jobs)
    if roots is None:
        yield from Drive(first, limit)
        return
    clock = Clock(limit)
    first.step(1)
    shared = Shared(roots, int(first.control[THRESHOLD]), jobs, nodes=limit.nodes)

    def progress() -> Progress:
        return Progress(shared.expanded, shared.generated, 0, shared.threshold if proves else 0, clock.seconds)

    def result(moves: tuple[int, ...] | None, stop: Stop) -> Result:
        bound = shared.threshold if proves else 0
        optimal = moves is not None and bound == len(moves)
        counts = (shared.expanded, shared.generated, 0, clock.seconds)
        return Result(moves, "optimal" if optimal else "none", "", stop, bound, *counts)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                futures = [pool.submit(_search, shared, machine) for _ in range(jobs)]
                while wait(futures, timeout=SLICE_SECONDS).not_done:
                    yield progress()
                    if stop := clock.reached(shared.expanded):
                        yield result(None, stop)
                        return
                for future in futures:
                    future.result()
                if shared.over and not shared.solutions:
                    yield result(None, "nodes")
                    return
                if shared.solutions:
                    yield result(shared.solutions[min(shared.solutions)], "done")
                    return
                if shared.next_threshold == INFINITE:
                    proof, reason, stop = first.verdict(first.record)
                    yield replace(result(None, stop), proof=proof, reason=reason)
                    return
                shared.threshold, shared.next_threshold, shared.next_root = shared.next_threshold, INFINITE, 0
        finally:
            shared.over = True


def _search(shared: Shared, machine: Callable[[Instance], Machine]) -> None:
    """Search one root after another under the threshold."""
    while (root := shared.take()) is not None:
        path, start = shared.roots[root]
        search = machine(start)
        control = search.control
        control[PATH_LENGTH], control[LAST_MOVE], control[ONE_THRESHOLD] = len(path), path[-1], 1
        control[THRESHOLD] = shared.threshold
        status = FULL
        while status not in (DONE, IMPROVED) and not shared.is_needless(root):
            before = int(control[EXPANDED]), int(control[GENERATED])
            granted = shared.budget()
            if granted == 0:
                time.sleep(0.001)
                continue
            status = search.step(granted)
            shared.add(granted, int(control[EXPANDED]) - before[0], int(control[GENERATED]) - before[1])
            if status == FULL and not search.enlarge(MAX_BYTES):
                raise MemoryError
        with shared.lock:
            if status == IMPROVED:
                shared.solutions[root] = (*path, *search.solution(search.record))
            shared.next_threshold = min(
                shared.next_threshold, int(control[NEXT_THRESHOLD]) if status == DONE else INFINITE
            )
