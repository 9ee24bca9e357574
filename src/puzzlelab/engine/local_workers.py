"""The workers of this machine, for `executor.py`: processes, each of which does one piece at a time.

Each process has a pool of its own, so that the end of one leaves the others alone, and tells which piece ended it.
Processes are spawned, never forked: a fork of a process with compiled threads can hang or die.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import platform
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing.connection import wait as wait_for_sentinel
from pathlib import Path
from typing import Any

from puzzlelab.engine.executor import Ended, Node, Program, ProgramLost
from puzzlelab.engine.kernel_cache import kernel_cache
from puzzlelab.engine.parallel import cores
from puzzlelab.runtime import signals
from puzzlelab.runtime.memory import share_memory

KEPT_VALUES = 8
"""Published values that a process keeps."""


@dataclass(frozen=True)
class PublishedFile:
    """A published value in a file; see `Published`."""

    key: str
    path: Path

    def value(self) -> Any:
        return _value(self.path)


@lru_cache(maxsize=KEPT_VALUES)
def _value(path: Path) -> Any:
    with path.open("rb") as file:
        return pickle.load(file)


class LocalWorkers:
    """The worker processes of this machine, by default one for each core."""

    def __init__(self, count: int | None = None) -> None:
        self._pools: list[ProcessPoolExecutor | None] = [None] * (count or cores())
        self._begun: dict[int, tuple[int, Future[Any]]] = {}
        """Ticket -> the number of the process, and the result to come."""
        self._folder: Path | None = None
        self._programs: list[LocalProgram] = []

    def nodes(self) -> Sequence[Node]:
        return (Node("local", platform.node() or "this machine", len(self._pools)),)

    def begin(self, ticket: int, node: Node, function: Callable[[Any], Any], argument: Any) -> None:
        busy = {number for number, _ in self._begun.values()}
        number = next(each for each in range(len(self._pools)) if each not in busy)
        pool = self._pools[number] or new_pool(len(self._pools))
        self._pools[number] = pool
        try:
            future = pool.submit(function, argument)
        except BrokenProcessPool:  # it ended while it had nothing to do
            self._pools[number] = pool = new_pool(len(self._pools))
            future = pool.submit(function, argument)
        self._begun[ticket] = number, future

    def ended(self, seconds: float) -> list[Ended]:
        futures = {future: ticket for ticket, (_, future) in self._begun.items()}
        if not futures:
            threading.Event().wait(seconds)
            return []
        return [self._ended(futures[future]) for future in wait(futures, seconds, FIRST_COMPLETED).done]

    def _ended(self, ticket: int) -> Ended:
        number, future = self._begun.pop(ticket)
        error = future.exception()
        if isinstance(error, BrokenProcessPool):
            self._pools[number] = None
            return Ended(ticket, lost="worker", reason="a worker process was killed, or crashed")
        return Ended(ticket, error=error) if error is not None else Ended(ticket, future.result())

    def cancel(self, tickets: Iterable[int]) -> None:
        for ticket in tickets:
            number, _ = self._begun.pop(ticket, (None, None))
            pool = None if number is None else self._pools[number]
            if number is not None and pool is not None:
                self._pools[number] = None
                end_pool(pool)

    def publish(self, key: str, value: Any) -> PublishedFile:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="puzzlelab-"))
        path = self._folder / key
        if not path.exists():
            path.write_bytes(pickle.dumps(value))
        return PublishedFile(key, path)

    def forget(self, key: str) -> None:
        if self._folder is not None:
            (self._folder / key).unlink(missing_ok=True)

    def start(self, factory: Callable[..., Any], arguments: Sequence[Any], resources: Mapping[str, float]) -> Program:
        program = LocalProgram(factory, arguments)
        self._programs.append(program)
        return program

    def close(self) -> None:
        self._begun.clear()
        for program in self._programs:
            program.end()
        for number, pool in enumerate(self._pools):
            self._pools[number] = None
            if pool is not None:
                end_pool(pool)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


class LocalProgram:
    """An object in a process of its own; see `Program`."""

    def __init__(self, factory: Callable[..., Any], arguments: Sequence[Any]) -> None:
        self._pool = new_pool()
        self._made = self._pool.submit(_make, factory, arguments)

    @property
    def node(self) -> str:
        """See `Program`."""
        return platform.node() or "this machine"

    def call(self, method: str, *arguments: Any) -> Any:
        """See `Program`."""
        try:
            self._made.result()
            return self._pool.submit(_call, method, arguments).result()
        except BrokenProcessPool:
            raise ProgramLost("its process was killed, or crashed") from None

    def end(self) -> None:
        """See `Program`."""
        end_pool(self._pool)


_object: Any = None
"""The object of the program that this process is."""


def _make(factory: Callable[..., Any], arguments: Sequence[Any]) -> None:
    global _object
    _object = factory(*arguments)


def _call(method: str, arguments: Sequence[Any]) -> Any:
    return getattr(_object, method)(*arguments)


def new_pool(sharers: int = 1) -> ProcessPoolExecutor:
    """Return a pool of one process, which does not outlive this one, and does not get its signals.

    It is one of several that share the free memory.
    """
    kernel_cache()  # a private one is shared with the process
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(1, mp_context=context, initializer=_begin_worker, initargs=(sharers,))
    with signals.blocked():
        pool.submit(_nothing)  # starts the process
    return pool


def _nothing() -> None:
    pass


def _begin_worker(sharers: int) -> None:
    """End this process when its parent has ended, and compile nothing in the background."""
    os.environ["PUZZLELAB_BACKGROUND"] = "0"
    share_memory(sharers)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        wait_for_sentinel([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


def end_pool(pool: ProcessPoolExecutor) -> None:
    """End a pool and its process at once."""
    processes = list((pool._processes or {}).values())
    for process in processes:
        process.kill()
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        with suppress(OSError, ValueError):
            process.join(1)
