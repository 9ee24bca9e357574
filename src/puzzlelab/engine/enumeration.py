"""Enumerates or counts all solutions of a board by a search machine.

The machine returns IMPROVED with each solution or, with a number in `control[MOST]`, counts in `control[FOUND]` and is
DONE when it has that many or all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import State
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.solutions import Count
from puzzlelab.core.solver import Attempt
from puzzlelab.engine import kernels
from puzzlelab.engine.driver import Clock, Machine
from puzzlelab.engine.enumeration_slots import FOUND, MOST

Score = Callable[[State], NDArray[np.float64]]
"""Scores the working states that a machine requests."""


def listed(machine: Machine, limit: Limit, clock: Clock | None = None, score: Score | None = None) -> Iterator[Attempt]:
    """The attempts of `EnumeratesSolutions.solutions` from a machine; a `clock` may have begun before it was built.

    `score` scores the states that the machine requests, if it does.
    """
    machine.step(0)
    clock, evaluations = clock or Clock(limit), 0
    while True:
        status, stop, scored = _slice(machine, clock, score)
        evaluations += scored
        expanded, generated = int(machine.control[kernels.EXPANDED]), int(machine.control[kernels.GENERATED])
        moves = tuple(machine.solution(machine.record)) if status == kernels.IMPROVED else None
        seconds = clock.seconds
        work = Result(moves, expanded=expanded, generated=generated, evaluations=evaluations, seconds=seconds)
        if status in (kernels.IMPROVED, kernels.DONE):
            yield work
        else:
            yield Progress(expanded, generated, evaluations, 0, seconds)
        if status == kernels.DONE:
            return
        if stop:
            yield replace(work, moves=None, stop=stop)
            return


def counted(
    machine: Machine, limit: Limit, most: int, clock: Clock | None = None, score: Score | None = None
) -> Iterator[Count]:
    """The counts of `CountsSolutions.count` from a machine; `clock` and `score` are as in `listed`."""
    machine.control[MOST] = most
    machine.step(0)
    clock = clock or Clock(limit)
    while True:
        status, stop, _ = _slice(machine, clock, score)
        total = int(machine.control[FOUND])
        if status == kernels.DONE:
            stop = "solutions" if total >= most else "done"
        yield Count(total, stop or "interrupted", int(machine.control[kernels.EXPANDED]), clock.seconds)
        if stop:
            return


def _slice(machine: Machine, clock: Clock, score: Score | None) -> tuple[int, Stop | None, int]:
    """One slice of work: its status, the limit that is reached, if one is, and how many states were scored."""
    status = clock.work(machine.run, machine.record)
    if status == kernels.FULL:
        return status, None if machine.enlarge(clock.room()) else "memory", 0
    scored = machine.answer(score) if status == kernels.NEEDS_SCORES else 0
    return status, clock.reached(int(machine.control[kernels.EXPANDED])), scored
