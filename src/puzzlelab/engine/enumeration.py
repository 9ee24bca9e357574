"""Enumerates or counts all solutions of a board by a search machine.

The machine returns IMPROVED with each solution or, with a number in `control[MOST]`, counts in `control[FOUND]` and is
DONE when it has that many or all.
"""

from __future__ import annotations

from collections.abc import Iterator

from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.solutions import Count
from puzzlelab.core.solver import Attempt
from puzzlelab.engine import kernels
from puzzlelab.engine.driver import Clock, Drive, Machine, Score
from puzzlelab.engine.enumeration_slots import FOUND, MOST


def listed(machine: Machine, limit: Limit, clock: Clock | None = None, score: Score | None = None) -> Iterator[Attempt]:
    """The attempts of `EnumeratesSolutions.solutions` from a machine; a `clock` may have begun before it was built.

    `score` scores the states that the machine requests, if it does.
    """
    drive = Drive(machine, limit, score, clock)

    def result(moves: tuple[int, ...] | None, stop: Stop) -> Result:
        return Result(moves, "none", "", stop, 0, *drive.counts, drive.clock.seconds)

    for status, stop in drive.slices():
        if status == kernels.IMPROVED:
            yield result(tuple(machine.solution(machine.record)), "done")
        elif status == kernels.DONE:
            yield result(None, "done")
        else:
            yield Progress(*drive.counts, 0, drive.clock.seconds)
        if stop:
            yield result(None, stop)


def counted(
    machine: Machine, limit: Limit, most: int, clock: Clock | None = None, score: Score | None = None
) -> Iterator[Count]:
    """The counts of `CountsSolutions.count` from a machine; `clock` and `score` are as in `listed`."""
    machine.control[MOST] = most
    drive = Drive(machine, limit, score, clock)
    for status, stop in drive.slices():
        total = int(machine.control[FOUND])
        if status == kernels.DONE:
            stop = "solutions" if total >= most else "done"
        yield Count(total, stop or "interrupted", drive.counts[0], drive.clock.seconds)
