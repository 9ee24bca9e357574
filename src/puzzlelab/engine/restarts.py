"""Searches many boards by one compiled search, which restarts for each of them: as `singly`, with less to do."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator

import numpy as np

from puzzlelab.core.answers import STOPS, Answers
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import State
from puzzlelab.core.result import Result
from puzzlelab.core.views import KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.driver import Clock, Machine
from puzzlelab.engine.solving import HOLD_SECONDS

NODES = 20_000
"""The states that a search expands between two questions whether to end."""


def restarted(
    search: Machine, boards: Boards, rules: KernelRules, over: Callable[[], bool]
) -> Generator[Answers, None, None]:
    """Yield the answers of a compiled search that restarts for each of these boards, as soon as they exist.

    Raises `MemoryError` where its arrays cannot grow.
    """
    search.load()
    starts = np.ascontiguousarray(rules.encode(boards.states), rules.dtype)
    first, began, results = 0, time.perf_counter(), list[Result]()
    try:
        for start in starts:
            result = _restarted(search, start, over)
            if result is None:
                break
            results.append(result)
            if (seconds := time.perf_counter() - began) > HOLD_SECONDS:
                yield Answers.of(boards[first : first + len(results)], results).solved_together(seconds)
                first, began, results = first + len(results), time.perf_counter(), []
    except KeyboardInterrupt:
        pass
    end = first + len(results)
    if results:
        yield Answers.of(boards[first:end], results).solved_together(time.perf_counter() - began)
    if end < len(boards):
        yield Answers.blank(boards[end:], stops=STOPS.index("interrupted"))


def _restarted(search: Machine, start: State, over: Callable[[], bool]) -> Result | None:
    """Return the first result of a search from this working state; None where `over()` ended it."""
    assert search.restart is not None
    search.restart(search.record, start)
    status = kernels.RUNNING
    while status not in (kernels.DONE, kernels.IMPROVED):
        if over():
            return None
        status = search.step(NODES)
        if status == kernels.FULL and not search.enlarge(Clock(Limit()).room()):
            raise MemoryError
    control = search.control
    bound, counts = int(control.bound), (int(control.expanded), int(control.generated))
    if status == kernels.DONE:
        proof, reason, stop = search.verdict(search.record)
        return Result(None, proof, reason, stop, bound, *counts)
    moves = tuple(search.solution(search.record))
    bound = min(bound, len(moves))
    return Result(moves, "optimal" if bound == len(moves) else "none", "", "done", bound, *counts)
