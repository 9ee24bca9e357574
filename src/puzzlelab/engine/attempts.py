"""Combines the attempts of several searches: one after another, in turns, until nothing better comes, or by one search
that restarts for each of many boards.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import STOPS, Answers
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import State
from puzzlelab.core.result import LIMITS, SOLUTIONS, Progress, Result, Stop, bound_of, with_stop, with_tighter_bound
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.driver import Clock, Machine
from puzzlelab.engine.solving import HOLD_SECONDS

GROWTH = 4
"""The factor by which each round of `in_rounds` is longer than the one before it."""
SHARED_LIMITS: tuple[Stop, ...] = ("time", "nodes")
"""Limits of which each of several searches can get a share."""
NODES = 20_000
"""The states that a search expands between two questions whether to end."""
Search = Callable[[Limit, Result], Iterator[Attempt]]
"""The attempts of a search under a limit; it gets the best answer so far, and need not look for a longer one."""


def one_by_one(searches: Iterable[Search], limit: Limit, shares: int = 1) -> Generator[Attempt, None, None]:
    """Yield from one search after another under one limit, until one has the proof; the answers only get better.

    Each search gets the remaining limit. With `shares`, the number of searches, each gets an equal share of the time
    and the nodes that are left.
    """
    best = Result(None)
    was_cut: Stop | None = None
    for number, search in enumerate(searches):
        shares_left = max(shares - number, 1)
        best = yield from _after(best, search(_remaining_limit(limit, best, shares_left), best))
        used_up_share = shares_left > 1 and best.stop in SHARED_LIMITS
        if best.proof != "none" or (best.stop in LIMITS and not used_up_share):
            return
        if limit.nodes is not None and best.expanded >= limit.nodes:
            yield with_stop(best, "nodes")
            return
        was_cut = best.stop if used_up_share else was_cut
    if was_cut is not None:
        yield with_stop(best, was_cut)


def in_rounds(searches: Sequence[Search], limit: Limit, first_nodes: Sequence[int]) -> Generator[Attempt, None, None]:
    """Yield from searches in turns under one limit, until one has the proof or all have ended; the answers only get
    better.

    In the first round each search expands its number of `first_nodes`, in each later round `GROWTH` times as many, from
    the start again, unless it goes on from its last turn. So the turns depend on no clock, and repeated work is a third
    at most. A search that ends by itself, or whose memory is used up, is not run again.
    """
    best = Result(None)
    running, growth, is_out_of_memory = list(zip(searches, first_nodes, strict=True)), 1, False
    while running:
        for search, first in tuple(running):
            share = _remaining_limit(limit, best, 1)
            nodes = first * growth
            share = replace(share, nodes=nodes if share.nodes is None else min(nodes, share.nodes))
            best = yield from _after(best, search(share, best))
            if best.proof != "none" or best.stop in ("time", "interrupted"):
                return
            if limit.nodes is not None and best.expanded >= limit.nodes:
                yield with_stop(best, "nodes")
                return
            if best.stop != "nodes":
                running.remove((search, first))
                is_out_of_memory |= best.stop == "memory"
        growth *= GROWTH
    if is_out_of_memory or best.moves is not None:
        yield with_stop(best, "memory" if is_out_of_memory else "done")


def with_patience(attempts: Iterator[Attempt], limit: Limit, patience: float | None) -> Iterator[Attempt]:
    """Yield the attempts of a search; one without a limit on time or nodes ends when `patience` seconds bring nothing
    better.

    That time begins with the first solution.
    """
    if patience is None or limit.seconds is not None or limit.nodes is not None:
        yield from attempts
        return
    best, improved_at = Result(None), 0.0
    for attempt in attempts:
        yield attempt
        seconds = attempt.seconds or 0.0
        if isinstance(attempt, Result):
            improved_at = seconds if attempt.is_better_than(best) else improved_at
            best = attempt
        if best.proof == "none" and best.moves is not None and seconds - improved_at >= patience:
            ended = replace(
                best,
                stop="patience",
                expanded=attempt.expanded,
                generated=attempt.generated,
                evaluations=attempt.evaluations,
                seconds=attempt.seconds,
            )
            yield ended if isinstance(attempt, Result) else with_tighter_bound(ended, bound_of(attempt, best))
            return


def given_up(attempts: Iterator[Attempt], reason: str = "") -> Iterator[Attempt]:
    """Yield the attempts of a search that ends at its limit of nodes as if it had nothing left to search.

    `reason` is that of a result without a solution.
    """
    for attempt in attempts:
        if isinstance(attempt, Result) and attempt.stop == "nodes":
            attempt = replace(attempt, stop="dead end", reason=attempt.reason if attempt.moves is not None else reason)
        yield attempt


def _after(best: Result, attempts: Iterator[Attempt]) -> Generator[Attempt, None, Result]:
    """Yield the attempts of a search after those whose last result is `best`; return the last one of both."""
    spent = best
    for attempt in attempts:
        attempt = _added(attempt, spent)
        if isinstance(attempt, Result):
            best = attempt = _better(best, attempt)
        yield attempt
    return best


def _remaining_limit(limit: Limit, spent: Result, shares: int) -> Limit:
    """Return an equal share of what this result has left of the limit."""
    if limit.seconds is None and limit.nodes is None:
        return limit
    seconds = None if limit.seconds is None else max((limit.seconds - (spent.seconds or 0.0)) / shares, 1e-6)
    nodes = None if limit.nodes is None else max((limit.nodes - spent.expanded) // shares, 1)
    return replace(limit, seconds=seconds, nodes=nodes)


def _added(attempt: Attempt, spent: Result) -> Attempt:
    """Return the attempt, counted from the first search on, by the work of the searches before."""
    if not (spent.seconds or spent.expanded):
        return attempt
    expanded, generated = attempt.expanded + spent.expanded, attempt.generated + spent.generated
    evaluations, seconds = attempt.evaluations + spent.evaluations, (attempt.seconds or 0.0) + (spent.seconds or 0.0)
    if isinstance(attempt, Progress):
        bound = max(attempt.bound, spent.lower_bound) if spent.lower_bound > 0 else attempt.bound  # no score has one
        return Progress(expanded, generated, evaluations, bound, seconds)
    return replace(attempt, expanded=expanded, generated=generated, evaluations=evaluations, seconds=seconds)


def _better(best: Result, attempt: Result) -> Result:
    """Return the better answer of two, with the counts of the later one and the higher bound."""
    is_better = best.moves is None or attempt.is_better_than(best)
    merged = attempt
    if not is_better:
        merged = replace(attempt, moves=best.moves, cost=best.cost, score=best.score, proof="none", reason="")
    if merged.proof in SOLUTIONS:
        return merged
    return with_tighter_bound(merged, best)


# --- many boards ---


def restarted(
    search: Machine,
    boards: Boards,
    rules: KernelRules,
    over: Callable[[], bool],
    bounds: NDArray[np.float64] | None = None,
) -> Generator[Answers, None, None]:
    """Yield the answers of a compiled search that restarts for each of these boards, as soon as they exist.

    `bounds` are lower bounds of the boards, for a search that knows none.

    Raises `MemoryError` where its arrays cannot grow.
    """
    search.load()
    starts = rules.starts(boards.states)
    first, began, results = 0, time.perf_counter(), list[Result]()
    try:
        for number, start in enumerate(starts):
            result = _restarted(search, start, over, 0 if bounds is None else int(bounds[number]))
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


def _restarted(search: Machine, start: State, over: Callable[[], bool], bound: int) -> Result | None:
    """Return the first result of a search from this working state; None where `over()` ended it."""
    assert search.restart is not None
    search.restart(search.record, start)
    search.control.bound = bound
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
