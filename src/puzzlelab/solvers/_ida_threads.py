"""IDA* on several threads: the start's surroundings are cut into many small roots, which share each bound's search.

The answer does not depend on the timing: of the roots that hold a solution the first one counts, and only later roots
are given up when one is found.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

import numpy as np

from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import Estimate, KernelRules
from puzzlelab.engine.driver import SLICE_SECONDS, Clock, drive
from puzzlelab.engine.kernels import DONE, EXPANDED, FULL, GENERATED, IMPROVED
from puzzlelab.solvers.ida import LAST, NEVER, NEXT, OFFSET, SINGLE, THRESHOLD, machine

ROOTS_A_JOB = 64
BUDGET = 100_000
"""Nodes between two looks at whether to go on."""
WORTH_IT = 10_000
"""A search of fewer nodes is left to one thread."""


@dataclass
class Shared:
    """What the threads of one search share."""

    roots: list[tuple[tuple[int, ...], Instance]]
    threshold: int
    jobs: int = 1
    lock: threading.Lock = field(default_factory=threading.Lock)
    place: int = 0
    """The next root to take."""
    found: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Solutions by the root they were found from."""
    following: int = NEVER
    expanded: int = 0
    generated: int = 0
    nodes: int | None = None
    """The most states to expand."""
    promised: int = 0
    """States that threads are expanding now, at most."""
    over: bool = False

    def take(self) -> int | None:
        """The next root to search under this threshold."""
        with self.lock:
            if self.over or self.place >= min([len(self.roots), *self.found]):
                return None
            self.place += 1
            return self.place - 1

    def budget(self) -> int:
        """How many states a thread may expand next; 0 while others may still give back some, or when all are used."""
        with self.lock:
            granted = BUDGET
            if self.nodes is not None:
                left = self.nodes - self.expanded - self.promised
                granted = min(BUDGET, (left + self.jobs - 1) // self.jobs)
                self.over = self.over or self.expanded >= self.nodes
            self.promised += granted
            return granted

    def add(self, granted: int, expanded: int, generated: int) -> None:
        """Count the work of one slice."""
        with self.lock:
            self.promised -= granted
            self.expanded += expanded
            self.generated += generated

    def needless(self, root: int) -> bool:
        """Whether nobody waits for this root any more."""
        return self.over or any(other < root for other in self.found)


def roots_of(instance: Instance, wanted: int) -> list[tuple[tuple[int, ...], Instance]] | None:
    """At least `wanted` states around the start, equally deep, with the moves to them; None if one is solved."""
    puzzle = instance.puzzle
    layer, seen = [((), instance)], {instance}
    while len(layer) < wanted:
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


def attempts(instance: Instance, estimate: Estimate, rules: KernelRules, limit: Limit, jobs: int) -> Iterator[Attempt]:
    """Progress, then the one solution, as the search on one thread gives it."""
    first = machine(instance, estimate, rules)
    first.step(0)
    roots = None if limit.nodes is not None and limit.nodes < WORTH_IT else roots_of(instance, ROOTS_A_JOB * jobs)
    if roots is None:
        yield from drive(first, limit, estimate, rules)
        return
    clock = Clock(limit)
    first.step(1)
    shared = Shared(roots, int(first.control[THRESHOLD]), jobs, nodes=limit.nodes)
    proves = estimate.admissible

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
                futures = [pool.submit(_search, shared, estimate, rules) for _ in range(jobs)]
                while wait(futures, timeout=SLICE_SECONDS).not_done:
                    yield progress()
                    if stop := clock.reached(shared.expanded):
                        yield result(None, stop)
                        return
                for future in futures:
                    future.result()
                if shared.over and not shared.found:
                    yield result(None, "nodes")
                    return
                if shared.found:
                    yield result(shared.found[min(shared.found)], "done")
                    return
                if shared.following == NEVER:
                    proof, reason, stop = first.verdict(first.record)
                    yield replace(result(None, stop), proof=proof, reason=reason)
                    return
                shared.threshold, shared.following, shared.place = shared.following, NEVER, 0
        finally:
            shared.over = True


def _search(shared: Shared, estimate: Estimate, rules: KernelRules) -> None:
    """Search one root after another under the threshold."""
    while (root := shared.take()) is not None:
        path, start = shared.roots[root]
        search = machine(start, estimate, rules)
        control = search.control
        control[OFFSET], control[LAST], control[SINGLE] = len(path), path[-1], 1
        control[THRESHOLD] = shared.threshold
        status = FULL
        while status not in (DONE, IMPROVED) and not shared.needless(root):
            before = int(control[EXPANDED]), int(control[GENERATED])
            granted = shared.budget()
            if granted == 0:
                time.sleep(0.001)
                continue
            status = search.step(granted)
            shared.add(granted, int(control[EXPANDED]) - before[0], int(control[GENERATED]) - before[1])
            if status == FULL:
                search.enlarge(1 << 30)
        with shared.lock:
            if status == IMPROVED:
                shared.found[root] = (*path, *search.solution(search.record))
            shared.following = min(shared.following, int(control[NEXT]) if status == DONE else NEVER)
