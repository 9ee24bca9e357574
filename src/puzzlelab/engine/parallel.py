"""The process that submits pieces as its own worker, with one thread or several; see `executor.py`.

With one, a piece is done in the thread that waits for it, when it waits, so that a value costs nothing before it is
wanted, and Ctrl-C reaches the search itself. Threads are for kernels, which release the lock.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from puzzlelab.core.errors import BadOption
from puzzlelab.engine.executor import WAIT_SECONDS, Executor, Program, Setup, Timed, values_of
from puzzlelab.engine.streams import Piece, ordered

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Item = TypeVar("Item")
Answer = TypeVar("Answer")

PART_SECONDS = 0.2
"""The time that a piece should take: a piece is sent nowhere."""
PATIENCE = 1.0
"""Seconds that what runs has to end after an interruption; a thread that compiles or builds a table takes longer."""

_thread = threading.local()


def cores() -> int:
    """Return the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cancellation() -> Callable[[], bool]:
    """Return a function that tells whether the piece was cancelled that this thread begins now."""
    over: threading.Event = getattr(_thread, "over", None) or threading.Event()
    return over.is_set


@dataclass(frozen=True)
class HeldValue:
    """A published value in the memory of this process; see `Published`."""

    key: str
    held: Any

    def value(self) -> Any:
        return self.held


class ThisProcess(Executor):
    """This process with `jobs` threads, by default one for each core.

    `in_threads` makes it use a thread for a single job too, for callers that watch. `on_cancel` is called when pieces
    are cancelled, which go on until they see that: what takes longer than `PATIENCE` ends with the program.
    """

    shares_memory = True

    def __init__(
        self, jobs: int | None = 1, in_threads: bool = False, on_cancel: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__()
        self._jobs = cores() if jobs is None else jobs
        if self._jobs < 1:
            raise BadOption(f"at least 1 job is needed, not {jobs}")
        self.is_inline = self._jobs == 1 and not in_threads
        self._on_cancel, self._over = on_cancel, threading.Event()
        self._threads: ThreadPoolExecutor | None = None
        self._lock, self._prepared = threading.Lock(), set[str]()
        self._later: deque[tuple[Future[Timed[Any]], Callable[[], Any]]] = deque()
        """Inline pieces that were submitted, and what they do."""
        self._programs: list[Program] = []

    def _begin(
        self, work: Callable[[], Any], setup: Setup | None, put: Callable[[Any], None] | None
    ) -> Future[Timed[Any]]:
        from concurrent.futures import Future, ThreadPoolExecutor

        if self.is_inline:
            future: Future[Timed[Any]] = Future()
            self._later.append((future, work))
            return future
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._jobs)
        return self._threads.submit(self._run, work, setup, put, self._over)

    def _run(
        self,
        work: Callable[[], Any],
        setup: Setup | None,
        put: Callable[[Any], None] | None,
        over: threading.Event,
    ) -> Timed[Any]:
        """Do a piece in a thread, after the first one has compiled and built what it needs."""
        if setup is not None:
            with self._lock:
                if setup.key not in self._prepared:
                    setup.prepare()
                    self._prepared.add(setup.key)
        return _run(work, put, over)

    def wait(self, futures: Iterable[Future[Timed[Any]]], seconds: float = WAIT_SECONDS) -> set[Future[Timed[Any]]]:
        """Do the next piece if it is done inline, however long it takes, unless there is no time to wait."""
        if self._later and seconds:
            future, work = self._later.popleft()
            try:
                future.set_result(_run(work, None, self._over))
            except Exception as error:
                future.set_exception(error)
            return {future} & set(futures)
        return super().wait(futures, seconds)

    def cancel(self) -> None:
        from concurrent.futures import wait

        self._later.clear()
        running = [future for future in list(self.running) if not future.cancel()]
        self._over.set()
        self._on_cancel()
        self._over = threading.Event()
        wait(running, PATIENCE)
        self.running.clear()

    def shutdown(self) -> None:
        self._later.clear()
        for program in self._programs:
            program.end()
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None

    @property
    def slots(self) -> int:
        return self._jobs

    @property
    def room(self) -> int:
        """Nothing waits beside an inline piece, which could be done elsewhere meanwhile."""
        return self.slots - len(self.running) if self.is_inline else super().room

    @property
    def piece_seconds(self) -> float:
        return PART_SECONDS

    def status(self) -> str:
        """Write nothing: the command line shows what it does itself."""
        return ""

    def publish(self, key: str, value: Any) -> HeldValue:
        return HeldValue(key, value)

    def forget(self, key: str) -> None:
        """Keep nothing: the value lasts as long as its users."""

    def start(
        self, factory: Callable[..., Any], arguments: Sequence[Any], resources: Mapping[str, float] | None = None
    ) -> Program:
        from puzzlelab.engine.worker_processes import LocalProgram

        program = LocalProgram(factory, arguments)
        self._programs.append(program)
        return program


def _run(work: Callable[[], Any], put: Callable[[Any], None] | None, over: threading.Event) -> Timed[Any]:
    """Do a piece of work in this thread; once `over` is set, it raises `CancelledError` at its next value."""
    from concurrent.futures import CancelledError

    before, _thread.over = getattr(_thread, "over", None), over
    values, began = [], time.perf_counter()
    try:
        for value in values_of(work):
            if put is None:
                values.append(value)
            else:
                put(value)
            if over.is_set():
                raise CancelledError
    finally:
        _thread.over = before
    return Timed(values, time.perf_counter() - began)


def ordered_map(
    function: Callable[[Item], Answer],
    items: Iterable[Item],
    jobs: int | None = None,
    on_interrupt: Callable[[], None] = lambda: None,
    watch: Callable[[], None] | None = None,
) -> Iterator[Answer]:
    """Yield `function` of each item, in the order of the items, on `jobs` threads, by default one for each core.

    Closing the iterator, or Ctrl-C, drops what has not begun, calls `on_interrupt`, and waits a little for what runs.
    `watch` is called again and again while this process waits, and may raise to the same effect.
    """
    with ThisProcess(jobs, in_threads=watch is not None, on_cancel=on_interrupt) as executor:
        pieces = (Piece("an item", partial(function, item)) for item in items)
        for _, answer in ordered(executor, pieces, watch=watch or (lambda: None)):
            yield answer
