"""Executors: do pieces of work in this process, by worker processes of this machine, or on a cluster.

A piece of work is a function of a module with its arguments. Its value depends on these alone, so that it may be made
anywhere, and again where a worker is lost. The interface is that of `concurrent.futures`: `submit` returns a future.
`streams.py` feeds an executor with a stream of pieces, and no user of it needs to know where pieces run. `parallel.py`
does pieces here, `worker_processes.py` has the worker processes of this machine, and `puzzlelab.cluster` those of a Ray
cluster. The *driver* is the process that submits.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from puzzlelab.core.errors import PuzzlelabError

if TYPE_CHECKING:
    from concurrent.futures import Future

Value = TypeVar("Value")

MOST_TRIES = 5
"""The number of workers or nodes that a piece may end; then it is left out."""
WAIT_SECONDS = 0.2
"""Seconds of one wait for pieces that end; then Ctrl-C and other work have their turn."""
RATE_SECONDS = 30.0
"""The time over which pieces a second are counted."""
PIECE_SECONDS, DRIVER_SECONDS = 2.0, 0.005
"""The least time that a piece should take, and the driver's time for each: many workers need larger pieces."""
AHEAD_SHARE = 4
"""The slots for each piece that waits beside those that are worked on, so that workers do not wait for the driver."""


class PieceLost(PuzzlelabError):
    """A piece has ended `MOST_TRIES` workers, and is left out."""


class ExecutorLost(PuzzlelabError):
    """The executor as a whole cannot be used any more, such as a cluster without its head."""


class ProgramLost(PuzzlelabError):
    """The process of a program ended, or its node is gone: the next call makes the program anew."""


@dataclass(frozen=True)
class Timed(Generic[Value]):
    """The values of a piece of work, and the time that it took."""

    values: Sequence[Value]
    """The values that its function yields, or the only one that it returns."""
    seconds: float

    @property
    def value(self) -> Value:
        """The value that the function returns."""
        return self.values[0]


class Published(Protocol):
    """A value that many pieces need, such as a network. It is in the arguments of pieces, and small there."""

    @property
    def key(self) -> str:
        """The hash of the value."""

    def value(self) -> Any:
        """Return the value; a node fetches it once, and a worker process keeps it."""


class Program(Protocol):
    """An object in a process of its own. If the process is lost, the object is made anew in another one."""

    def call(self, method: str, *arguments: Any) -> Future[Any]:
        """Return the future of a method's value, whose error is `ProgramLost`, or what the method raises.

        The first call after `ProgramLost` reaches the new object.
        """

    def end(self) -> None:
        """End the process at once."""


@dataclass(frozen=True)
class Setup:
    """The needs of pieces that a worker process meets once: compiled kernels, tables, and networks."""

    key: str = ""
    """Setups with one key are the same; empty if there is nothing to prepare."""
    prepare: Callable[[], Any] = dict
    """Compiles and builds. Of the processes of one machine, one at a time does so, and the others find it done."""
    networks: Mapping[str, Published] = field(default_factory=dict)
    """Name of a network -> its files, where these are the driver's."""


class Executor(ABC):
    """The distribution of pieces over workers; `with` ends them."""

    shares_memory = False
    """Whether pieces run in this process, with its networks, kernels and tables."""
    is_inline = False
    """Whether they run in the thread that waits for their values, one after another."""
    shares_files = True
    """Whether pieces and programs see the folders of this process."""

    def __init__(self) -> None:
        self.running: set[Future[Timed[Any]]] = set()
        """The futures of the pieces that are submitted and have not ended."""
        self._done = 0
        self._ended_at: deque[float] = deque()
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.shutdown()

    def submit(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        setup: Setup | None = None,
        put: Callable[[Any], None] | None = None,
    ) -> Future[Timed[Any]]:
        """Return the future of a piece, whose error is what the function raises, or `PieceLost`.

        `put` is called with each value of the function as soon as it is in this process, in any thread.
        """
        future = self._begin(partial(function, *arguments), setup, put)
        self.running.add(future)
        if put is not None and not self.shares_memory:
            future.add_done_callback(partial(_put_all, put))
        future.add_done_callback(self._ended)
        return future

    @abstractmethod
    def _begin(
        self, work: Callable[[], Any], setup: Setup | None, put: Callable[[Any], None] | None
    ) -> Future[Timed[Any]]:
        """Begin a piece; `put` is for workers that share the memory of this process."""

    def _ended(self, future: Future[Timed[Any]]) -> None:
        self.running.discard(future)
        if not future.cancelled():
            self._done += 1
            self._ended_at.append(time.monotonic())

    def wait(self, futures: Iterable[Future[Timed[Any]]], seconds: float = WAIT_SECONDS) -> set[Future[Timed[Any]]]:
        """Return those of these futures that have ended; waits for the first, but not longer than this.

        Raises `ExecutorLost`.
        """
        from concurrent.futures import FIRST_COMPLETED
        from concurrent.futures import wait as wait_for

        self.check()
        some = list(futures)
        if done := {future for future in some if future.done()}:
            return done
        if not some:
            time.sleep(seconds)
        return wait_for(some, seconds, FIRST_COMPLETED).done

    def check(self) -> None:  # noqa: B027  # most cannot be lost
        """Raise `ExecutorLost` if the executor cannot be used any more."""

    @abstractmethod
    def cancel(self) -> None:
        """End all pieces, and forget them."""

    @abstractmethod
    def shutdown(self) -> None:
        """End all pieces, workers and programs at once."""

    # --- size and status ---

    @property
    @abstractmethod
    def slots(self) -> int:
        """Pieces that are worked on at once."""

    @property
    def room(self) -> int:
        """The number of further pieces that keep the workers busy; 0 or less where they have enough."""
        return self.slots + -(-self.slots // AHEAD_SHARE) - len(self.running)

    @property
    def piece_seconds(self) -> float:
        """The time that a piece should take, so that the driver can feed all workers."""
        return max(PIECE_SECONDS, self.slots * DRIVER_SECONDS)

    @property
    def nodes(self) -> int:
        """The number of machines with workers."""
        return 1

    def status(self) -> str:
        """Write what the executor is doing now, as the progress line shows it; empty where that is known."""
        now = time.monotonic()
        while self._ended_at and self._ended_at[0] < now - RATE_SECONDS:
            self._ended_at.popleft()
        rate = len(self._ended_at) / max(min(RATE_SECONDS, now - self._began), 1e-9)
        nodes = f"{self.nodes} node{'' if self.nodes == 1 else 's'}"
        return f"{nodes}, {min(self.slots, len(self.running))} tasks, {rate:.3g} pieces/s"

    # --- shared values and programs ---

    @abstractmethod
    def publish(self, key: str, value: Any) -> Published:
        """Make a value known to all workers under its hash; see `Published`."""

    @abstractmethod
    def forget(self, key: str) -> None:
        """Forget a published value that is not needed any more."""

    @abstractmethod
    def start(
        self, factory: Callable[..., Any], arguments: Sequence[Any], resources: Mapping[str, float] | None = None
    ) -> Program:
        """Start a process with the object `factory(*arguments)` where these resources are, such as `{"gpu": 1}`.

        It lasts until its `end`, or until the executor is shut down.
        """


def _put_all(put: Callable[[Any], None], future: Future[Timed[Any]]) -> None:
    if not future.cancelled() and future.exception() is None:
        for value in future.result().values:
            put(value)


def values_of(work: Callable[[], Any]) -> Iterator[Any]:
    """Yield the values that a piece of work yields, or the one that it returns."""
    value = work()
    if isinstance(value, Generator):
        yield from value
    else:
        yield value
