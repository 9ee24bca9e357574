"""IDA* on several threads: the search of each threshold is split into subtrees below many roots near the start.

The answer does not depend on timing: the solution of the first root counts, and a solution cancels later roots only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.solver import Attempt
from puzzlelab.engine.driver import Clock, Drive, Machine
from puzzlelab.engine.shared_pieces import SharedPieces
from puzzlelab.solvers._ida_kernels import INFINITE

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
    threshold, work = int(first.control.threshold), np.zeros(2, np.int64)

    def result(moves: tuple[int, ...] | None, stop: Stop) -> Result:
        bound = threshold if proves else 0
        optimal = moves is not None and bound == len(moves)
        counts = int(work[0]), int(work[1]), 0, clock.seconds
        return Result(moves, "optimal" if optimal else "none", "", stop, bound, *counts)

    while True:
        shared, ends = _threshold_search(roots, machine, threshold, jobs)
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
    roots: Sequence[Root], machine: Callable[[Instance], Machine], threshold: int, jobs: int
) -> tuple[SharedPieces, list[int]]:
    """Return the search of all roots under a threshold, and a list that gets the next threshold below each of them."""
    ends: list[int] = []

    def begin(thread: int, root: int) -> Machine:
        path, start = roots[root]
        search = machine(start)
        control = search.control
        control.path_length, control.last_move = len(path), path[-1]
        control.one_threshold, control.threshold = 1, threshold
        return search

    def ended(search: Machine) -> None:
        ends.append(int(search.control.next_threshold))

    return SharedPieces(len(roots), begin, jobs, ended, first_only=True), ends
