"""An ordered parallel map, on threads (for kernels, which release the lock) or on worker processes.

Processes are always spawned, never forked: a fork of a process with compiled threads can hang or die.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from puzzlelab.core.errors import BadOption

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Item = TypeVar("Item")
Answer = TypeVar("Answer")
AHEAD = 4
"""Pieces in flight for each worker."""
LOOK = 0.5
"""Seconds between checks for Ctrl-C."""
PATIENCE = 1.0
"""Seconds that what runs has to end after an interruption; a thread that compiles or builds a table takes longer."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ordered_map(
    function: Callable[[Item], Answer],
    items: Iterable[Item],
    jobs: int | None = None,
    processes: bool = False,
    on_interrupt: Callable[[], None] | None = None,
    watch: Callable[[], None] | None = None,
) -> Iterator[Answer]:
    """`function` of each item, in the order of the items, at most `AHEAD * jobs` of them begun in advance.

    Closing the iterator, or Ctrl-C, drops what has not begun, calls `on_interrupt`, and waits a little for what runs;
    what takes longer continues in the background until the program ends, and its answer is dropped. `watch` is
    called again and again while this process waits, and may raise to the same effect.
    """
    jobs = cores() if jobs is None else jobs
    if jobs < 1:
        raise BadOption(f"at least 1 job is needed, not {jobs}")
    if jobs == 1 and not processes and watch is None:
        yield from map(function, items)
        return
    executor = _executor(jobs, processes)
    waiting: deque[Future[Answer]] = deque()
    try:
        for item in items:
            waiting.append(executor.submit(function, item))
            if len(waiting) >= AHEAD * jobs:
                yield _first(waiting, watch)
        while waiting:
            yield _first(waiting, watch)
    finally:
        if waiting and on_interrupt:
            on_interrupt()
        executor.shutdown(wait=not _still_running(waiting), cancel_futures=True)


def _still_running(waiting: Iterable[Future[Answer]]) -> bool:
    """Cancel what has not begun; whether the rest does not end in time."""
    from concurrent.futures import wait

    running = [future for future in waiting if not future.cancel()]
    return bool(running) and bool(wait(running, PATIENCE).not_done)


def _first(waiting: deque[Future[Answer]], watch: Callable[[], None] | None) -> Answer:
    """Wait for the first future, remove it, and return its result.

    Waits a little at a time, because Ctrl-C that comes just before a wait begins does not end it.
    """
    from concurrent.futures import wait

    while not wait((waiting[0],), LOOK).done:
        if watch:
            watch()
    answer = waiting[0].result()
    waiting.popleft()
    return answer


def _executor(jobs: int, processes: bool) -> Executor:
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

    if processes:
        import multiprocessing

        return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    return ThreadPoolExecutor(jobs)
