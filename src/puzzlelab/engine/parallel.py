"""An ordered parallel map, on threads (for kernels, which release the lock) or on worker processes.

Processes are always spawned, never forked: a fork of a process with compiled threads can hang or die.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from puzzlelab.core.errors import BadOption

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Begun: TypeAlias = "tuple[Future[Any], Iterator[Answer]]"
"""The work on an item, and its answers, each of which is waited for."""
Value: TypeAlias = "tuple[Answer] | tuple[()]"
"""A value that a thread yields, or the end of its values."""
ITEMS_AHEAD = 4
"""Pieces in flight for each worker."""
POLL_SECONDS = 0.5
"""Seconds between checks for Ctrl-C."""
PATIENCE = 1.0
"""Seconds that what runs has to end after an interruption; a thread that compiles or builds a table takes longer."""


def cores() -> int:
    """Return the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ordered_map(
    function: Callable[[Item], Answer],
    items: Iterable[Item],
    jobs: int | None = None,
    processes: bool = False,
    on_interrupt: Callable[[], None] | None = None,
    watch: Callable[[], None] | None = None,
) -> Iterator[Answer]:
    """Yield `function` of each item, in the order of the items, at most `ITEMS_AHEAD * jobs` of them begun in advance.

    Closing the iterator, or Ctrl-C, drops what has not begun, calls `on_interrupt`, and waits a little for what runs;
    what takes longer continues in the background until the program ends, and its answer is dropped. `watch` is
    called again and again while this process waits, and may raise to the same effect.
    """
    jobs = _checked(jobs)
    if jobs == 1 and not processes and watch is None:
        yield from map(function, items)
        return
    executor = _executor(jobs, processes)

    def begun(item: Item) -> Begun[Answer]:
        future = executor.submit(function, item)
        return future, _result(future, watch)

    yield from _in_order(executor, begun, items, ITEMS_AHEAD * jobs, on_interrupt)


def ordered_flat_map(
    function: Callable[[Item], Iterator[Answer]],
    items: Iterable[Item],
    jobs: int | None = None,
    on_interrupt: Callable[[], None] | None = None,
) -> Iterator[Answer]:
    """Yield the values that `function(item)` yields, as soon as they exist, in the order of the items; on threads.

    Other threads work ahead, as in `ordered_map`, and what they yield is kept until its turn. Closing the iterator, or
    Ctrl-C, has the effect that it has there; iterators that run are closed at their next value.
    """
    jobs = _checked(jobs)
    if jobs == 1:
        for item in items:
            yield from function(item)
        return
    executor, is_closed = _executor(jobs, processes=False), threading.Event()

    def run(item: Item, values: SimpleQueue[Value[Answer]]) -> None:
        try:
            for value in function(item):
                values.put((value,))
                if is_closed.is_set():
                    break
        finally:
            values.put(())

    def begun(item: Item) -> Begun[Answer]:
        values: SimpleQueue[Value[Answer]] = SimpleQueue()
        future = executor.submit(run, item, values)
        return future, _values(future, values)

    def interrupt() -> None:
        is_closed.set()
        if on_interrupt:
            on_interrupt()

    yield from _in_order(executor, begun, items, ITEMS_AHEAD * jobs, interrupt)


def _checked(jobs: int | None) -> int:
    jobs = cores() if jobs is None else jobs
    if jobs < 1:
        raise BadOption(f"at least 1 job is needed, not {jobs}")
    return jobs


def _in_order(
    executor: Executor,
    begin: Callable[[Item], Begun[Answer]],
    items: Iterable[Item],
    most: int,
    on_interrupt: Callable[[], None] | None,
) -> Iterator[Answer]:
    """Yield the answers for each item in the order of the items, of which at most `most` are begun and not answered."""
    waiting: deque[Begun[Answer]] = deque()

    def first() -> Iterator[Answer]:
        yield from waiting[0][1]
        waiting.popleft()

    try:
        for item in items:
            waiting.append(begin(item))
            if len(waiting) >= most:
                yield from first()
        while waiting:
            yield from first()
    finally:
        if waiting and on_interrupt:
            on_interrupt()
        executor.shutdown(wait=not _still_running(future for future, _ in waiting), cancel_futures=True)


def _still_running(waiting: Iterable[Future[Any]]) -> bool:
    """Cancel what has not begun; whether the rest does not end in time."""
    from concurrent.futures import wait

    running = [future for future in waiting if not future.cancel()]
    return bool(running) and bool(wait(running, PATIENCE).not_done)


def _result(future: Future[Answer], watch: Callable[[], None] | None) -> Iterator[Answer]:
    """Wait for a future, and yield its result.

    Waits a little at a time, because Ctrl-C that comes just before a wait begins does not end it.
    """
    from concurrent.futures import wait

    while not wait((future,), POLL_SECONDS).done:
        if watch:
            watch()
    yield future.result()


def _values(future: Future[None], values: SimpleQueue[Value[Answer]]) -> Iterator[Answer]:
    """Yield what a future puts into a queue, up to an empty tuple; waits as `_result` does."""
    while True:
        try:
            value = values.get(timeout=POLL_SECONDS)
        except Empty:
            continue
        if not value:
            break
        yield value[0]
    future.result()  # raises its error


def _executor(jobs: int, processes: bool) -> Executor:
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

    if processes:
        import multiprocessing

        from puzzlelab.engine.kernel_cache import kernel_cache

        kernel_cache()  # a private one is shared with the processes
        return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    return ThreadPoolExecutor(jobs)
