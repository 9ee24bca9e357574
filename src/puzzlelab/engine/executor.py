"""Executors: evaluate pure functions of pieces of work, on worker processes of this machine or on a cluster.

A piece of work depends on its argument alone, so that it may be done anywhere, and again where a worker is lost. What
an implementation provides are `Workers`; what all share is here: which node does which piece, what is done again, and
what is put aside. `local_workers.py` has the worker processes of this machine, `puzzlelab.cluster` those of Ray.

The *driver* is the process that asks; a *node* is a machine with workers. One thread of the driver uses an executor.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Protocol, Self, TypeAlias

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.engine import report

MOST_LOST_WORKERS = 3
"""The number of workers after which a piece that ended them is put aside."""
MOST_LOST_NODES = 10
"""The number of lost nodes after which a piece that was on all of them is put aside: it may be what ends them."""
REFRESH_SECONDS = 1.0
"""Seconds between two looks at which nodes there are."""
WAIT_SECONDS = 0.2
"""Seconds that one look at what has ended may take; then Ctrl-C and other work have their turn."""
RATE_SECONDS = 30.0
"""The time over which pieces a second are counted."""
NO_NODE_SECONDS = 10.0
"""Seconds without a node after which that is said."""
PIECE_SECONDS, DRIVER_SECONDS = 2.0, 0.005
"""The least time that a piece should take, and the driver's time for each: many workers need larger pieces."""

LostPlace = Literal["worker", "node"]


class ExecutorLost(PuzzlelabError):
    """The executor as a whole cannot be used any more, such as a cluster without its head."""


class ProgramLost(PuzzlelabError):
    """The process of a program ended, or its node is gone."""


@dataclass(frozen=True)
class Node:
    """A machine with workers."""

    key: str
    """Differs between any two nodes, also between two starts of one machine."""
    name: str
    """Its name for people, such as an address."""
    slots: int
    """Pieces that it works on at once."""
    ahead: int = 0
    """Pieces that may wait there beside these."""


@dataclass(frozen=True)
class Ended:
    """The end of a piece that was begun."""

    ticket: int
    value: Any = None
    error: BaseException | None = None
    """The error that the function raised."""
    lost: LostPlace | None = None
    """The part of the executor that ended before the piece was done."""
    reason: str = ""
    """The reason why it was lost, in words."""


class Published(Protocol):
    """A value that many pieces need, such as a network. It is in the arguments of pieces, and small there."""

    @property
    def key(self) -> str:
        """The hash of the value."""

    def value(self) -> Any:
        """Return the value; a node fetches it once, and a worker process keeps it."""


class Program(Protocol):
    """An object that lives in a process of its own, and may be lost with it."""

    @property
    def node(self) -> str:
        """The name of its node."""

    def call(self, method: str, *arguments: Any) -> Any:
        """Return the value of a method; raises `ProgramLost`, or what the method raises."""

    def end(self) -> None:
        """End the process at once."""


class Workers(Protocol):
    """The interface of an implementation."""

    def nodes(self) -> Sequence[Node]:
        """Return the nodes that can be used now; raises `ExecutorLost`."""

    def begin(self, ticket: int, node: Node, function: Callable[[Any], Any], argument: Any) -> None:
        """Begin `function(argument)` on a node."""

    def ended(self, seconds: float) -> list[Ended]:
        """Return what has ended since the last call; waits for the first of them, but not longer than this."""

    def cancel(self, tickets: Iterable[int]) -> None:
        """End these pieces, and forget them."""

    def publish(self, key: str, value: Any) -> Published:
        """Make a value known to all workers; see `Published`."""

    def forget(self, key: str) -> None:
        """Forget a published value that is not needed any more."""

    def start(self, factory: Callable[..., Any], arguments: Sequence[Any], resources: Mapping[str, float]) -> Program:
        """Start a process with the object `factory(*arguments)` where these resources are, such as `{"gpu": 1}`."""

    def close(self) -> None:
        """End all workers and programs of this driver, at once."""


@dataclass(frozen=True)
class Preparation:
    """The work that each node does once before the pieces that need it, such as compiling kernels and building
    tables.
    """

    key: str
    """Preparations with one key are the same."""
    function: Callable[[Any], Any]
    argument: Any


@dataclass(frozen=True)
class Piece:
    """A piece of work: a function of a module, and its argument. Both travel by pickle."""

    name: str
    """Its name for people, such as 'shard 12'."""
    function: Callable[[Any], Any]
    argument: Any
    preparation: Preparation | None = None
    context: Any = None
    """The values that the driver needs to go on with the value of the piece. They stay in the driver."""


@dataclass(frozen=True)
class Done:
    """A piece that is done, or that was put aside."""

    piece: Piece
    value: Any = None
    problem: str = ""
    """The reason why it was put aside; empty if it is done."""


@dataclass
class _Task:
    piece: Piece
    lost_workers: int = 0
    lost_nodes: int = 0


@dataclass
class _NodeState:
    node: Node
    tickets: set[int] = field(default_factory=set)
    prepared: set[str] = field(default_factory=set)
    preparing: set[str] = field(default_factory=set)
    lost_workers: Counter[str] = field(default_factory=Counter)
    """Key of a preparation -> workers that ended while they prepared this node."""

    @property
    def room(self) -> int:
        return self.node.slots + self.node.ahead - len(self.tickets)


@dataclass(frozen=True)
class ExecutorStatus:
    """The status of an executor."""

    nodes: tuple[str, ...]
    """The names of the nodes."""
    slots: int
    """Pieces that they work on at once."""
    running: int
    """Pieces that were begun and are not done."""
    done: int
    """Pieces that are done so far."""
    rate: float
    """Recent pieces a second."""
    retries: int
    """Pieces that were begun again."""

    def in_words(self) -> str:
        """Write the status as the progress line shows it."""
        nodes = f"{len(self.nodes)} node{'' if len(self.nodes) == 1 else 's'}"
        retries = f"{self.retries} retr{'y' if self.retries == 1 else 'ies'}"
        return f"{nodes}, {self.running} tasks, {self.rate:.3g} pieces/s, {retries}"


class Executor:
    """The distribution of pieces over nodes. Nodes may come and go; a piece that is lost with one is done elsewhere."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        self._nodes: dict[str, _NodeState] = {}
        self._queue: deque[_Task] = deque()
        self._running: dict[int, tuple[_Task | Preparation, str]] = {}
        """Ticket -> what was begun, and the key of its node."""
        self._put_aside: list[Done] = []
        self._failure: BaseException | None = None
        """The error of the function of a piece; what is done is returned before."""
        self._tickets = 0
        self._looked_at = float("-inf")
        self._without_node_since: float | None = None
        self._ended_at: deque[float] = deque()
        self._done = self._retries = 0
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all pieces and programs."""
        self._queue.clear()
        self._running.clear()
        self.workers.close()

    # --- pieces ---

    def submit(self, piece: Piece) -> None:
        """Let a node do this piece; `completed` returns it."""
        self._queue.append(_Task(piece))
        self._distribute()

    def completed(self, seconds: float = WAIT_SECONDS) -> list[Done]:
        """Return the pieces that are done since the last call; waits for the first of them, but not longer than this.

        Raises what the function of a piece raised, after what was done before, and `ExecutorLost`.
        """
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        self._refresh()
        self._distribute()
        done: list[Done] = []
        for ended in self.workers.ended(0.0 if self._put_aside else seconds):
            self._take(ended, done)
        self._distribute()
        done += self._put_aside
        self._put_aside = []
        return done

    @property
    def room(self) -> int:
        """How many more pieces keep the nodes busy; 0 or less where they have enough."""
        self._refresh()
        room = sum(state.node.slots + state.node.ahead for state in self._nodes.values())
        return room - self.pending

    @property
    def pending(self) -> int:
        """Pieces that are submitted and not returned by `completed`."""
        running = sum(isinstance(task, _Task) for task, _ in self._running.values())
        return len(self._queue) + running + len(self._put_aside) + (self._failure is not None)

    @property
    def slots(self) -> int:
        """Pieces that the nodes work on at once."""
        return sum(state.node.slots for state in self._nodes.values())

    @property
    def piece_seconds(self) -> float:
        """The time that a piece should take, so that the driver can feed all nodes."""
        return max(PIECE_SECONDS, self.slots * DRIVER_SECONDS)

    def cancel(self) -> None:
        """End all pieces, and forget them."""
        self._queue.clear()
        self.workers.cancel(list(self._running))
        for state in self._nodes.values():
            state.tickets.clear()
            state.preparing.clear()
        self._running.clear()
        self._put_aside.clear()
        self._failure = None

    def status(self) -> ExecutorStatus:
        """Return what this executor is doing now."""
        now = time.monotonic()
        while self._ended_at and self._ended_at[0] < now - RATE_SECONDS:
            self._ended_at.popleft()
        window = min(RATE_SECONDS, now - self._began)
        return ExecutorStatus(
            nodes=tuple(sorted(state.node.name for state in self._nodes.values())),
            slots=self.slots,
            running=len(self._running),
            done=self._done,
            rate=len(self._ended_at) / max(window, 1e-9),
            retries=self._retries,
        )

    # --- shared values and programs ---

    def publish(self, key: str, value: Any) -> Published:
        """Make a value known to all workers under its hash; see `Published`."""
        return self.workers.publish(key, value)

    def forget(self, key: str) -> None:
        """Forget a published value that is not needed any more."""
        self.workers.forget(key)

    def start(
        self, factory: Callable[..., Any], arguments: Sequence[Any], resources: Mapping[str, float] | None = None
    ) -> Program:
        """Start a process with the object `factory(*arguments)`, on a node with these resources."""
        return self.workers.start(factory, arguments, resources or {})

    # --- distribution ---

    def _refresh(self) -> None:
        """Look, now and then, which nodes there are."""
        now = time.monotonic()
        if now - self._looked_at < REFRESH_SECONDS:
            return
        self._looked_at = now
        nodes = {node.key: node for node in self.workers.nodes()}
        for key in [key for key in self._nodes if key not in nodes]:
            self._drop(key)
        for key, node in nodes.items():
            if key in self._nodes:
                self._nodes[key].node = node
            else:
                self._nodes[key] = _NodeState(node)
        self._note_missing_nodes(now)

    def _note_missing_nodes(self, now: float) -> None:
        if self._nodes:
            self._without_node_since = None
        elif self._without_node_since is None:
            self._without_node_since = now
        elif now - self._without_node_since > NO_NODE_SECONDS:
            report.note("no node can be used now: the work goes on as soon as one joins")
            self._without_node_since = float("inf")

    def _drop(self, key: str) -> None:
        """Drop a node that is gone: what was begun there is begun again elsewhere."""
        state = self._nodes.pop(key)
        lost = [task for ticket in state.tickets if isinstance(task := self._running.pop(ticket)[0], _Task)]
        self.workers.cancel(list(state.tickets))
        for task in lost:
            task.lost_nodes += 1
            self._again(
                task, f"it was on {task.lost_nodes} nodes when they were lost", task.lost_nodes, MOST_LOST_NODES
            )

    def _distribute(self) -> None:
        """Begin as many pieces as there is room for, each on the node with the most room."""
        waiting: deque[_Task] = deque()
        while self._queue:
            task = self._queue.popleft()
            state = self._node_for(task.piece.preparation)
            if state is None:
                waiting.append(task)
                if not any(each.room > 0 for each in self._nodes.values()):
                    break
            else:
                self._begin(state, task, task.piece.function, task.piece.argument)
        self._queue = waiting + self._queue

    def _node_for(self, preparation: Preparation | None) -> _NodeState | None:
        """Return a node with room that is prepared; the others are prepared meanwhile."""
        best: _NodeState | None = None
        for state in self._nodes.values():
            if preparation is not None and preparation.key not in state.prepared:
                self._prepare(state, preparation)
            elif state.room > 0 and (best is None or state.room > best.room):
                best = state
        return best

    def _prepare(self, state: _NodeState, preparation: Preparation) -> None:
        is_failing = state.lost_workers[preparation.key] >= MOST_LOST_WORKERS
        if preparation.key not in state.preparing and state.room > 0 and not is_failing:
            state.preparing.add(preparation.key)
            self._begin(state, preparation, preparation.function, preparation.argument)

    def _begin(
        self, state: _NodeState, task: _Task | Preparation, function: Callable[[Any], Any], argument: Any
    ) -> None:
        self._tickets += 1
        state.tickets.add(self._tickets)
        self._running[self._tickets] = task, state.node.key
        self.workers.begin(self._tickets, state.node, function, argument)

    # --- what has ended ---

    def _take(self, ended: Ended, done: list[Done]) -> None:
        """Note that something has ended; a piece that is done is added to `done`."""
        begun = self._running.pop(ended.ticket, None)
        if begun is None:  # it was begun again elsewhere meanwhile
            return
        task, key = begun
        state = self._nodes.get(key)
        if state is not None:
            state.tickets.discard(ended.ticket)
        if isinstance(task, Preparation):
            self._take_preparation(task, state, ended)
        elif ended.lost is not None:
            self._lose(task, ended)
        elif ended.error is not None:
            self._failure = self._failure or ended.error
        else:
            self._done += 1
            self._ended_at.append(time.monotonic())
            done.append(Done(task.piece, ended.value))
        if ended.lost == "node" and key in self._nodes:
            self._drop(key)

    def _take_preparation(self, preparation: Preparation, state: _NodeState | None, ended: Ended) -> None:
        if ended.error is not None:
            self._failure = self._failure or ended.error
        if state is None:
            return
        state.preparing.discard(preparation.key)
        if ended.lost is None and ended.error is None:
            state.prepared.add(preparation.key)
        elif ended.lost == "worker":
            state.lost_workers[preparation.key] += 1
            if state.lost_workers[preparation.key] == MOST_LOST_WORKERS:
                report.note(
                    f"the node {state.node.name} is left out: {MOST_LOST_WORKERS} of its workers ended while they "
                    f"prepared it ({ended.reason})"
                )
                if all(each.lost_workers[preparation.key] >= MOST_LOST_WORKERS for each in self._nodes.values()):
                    self._failure = self._failure or PuzzlelabError(
                        f"no node is left: {MOST_LOST_WORKERS} workers of each ended while they prepared it "
                        f"({ended.reason})"
                    )

    def _lose(self, task: _Task, ended: Ended) -> None:
        if ended.lost == "worker":
            task.lost_workers += 1
            problem = f"it has ended {task.lost_workers} workers ({ended.reason})"
            self._again(task, problem, task.lost_workers, MOST_LOST_WORKERS)
        else:
            task.lost_nodes += 1
            problem = f"it was on {task.lost_nodes} nodes when they were lost"
            self._again(task, problem, task.lost_nodes, MOST_LOST_NODES)

    def _again(self, task: _Task, problem: str, count: int, most: int) -> None:
        """Begin a piece again, before all others, unless it was lost too often."""
        if count < most:
            self._retries += 1
            self._queue.appendleft(task)
        else:
            self._put_aside.append(Done(task.piece, problem=problem))


# --- streams of pieces ---


Split: TypeAlias = Callable[[Piece], Sequence[Piece]]
"""The parts of a piece that was put aside, which are tried one by one; none if it has no parts."""


def unordered(
    executor: Executor,
    pieces: Iterable[Piece],
    watch: Callable[[], None] = lambda: None,
    split: Split = lambda piece: (),
) -> Iterator[Done]:
    """Yield each piece as soon as it is done. A piece is taken from `pieces` when a node has room for it.

    `watch` is called again and again, and may raise. Closing the iterator, or an error, ends all pieces.
    """
    rest, is_over = iter(pieces), False
    try:
        while not is_over or executor.pending:
            watch()
            while not is_over and executor.room > 0:
                piece = next(rest, None)
                is_over = piece is None
                if piece is not None:
                    executor.submit(piece)
            for done in executor.completed():
                parts = split(done.piece) if done.problem else ()
                if not parts:
                    yield done
                for part in parts:
                    executor.submit(part)
    finally:
        if executor.pending:
            executor.cancel()


WINDOW = 16
"""The number of pieces for each slot that may be done before their turn, in `ordered`."""


@dataclass(eq=False)
class _Turn:
    """The place of a piece in the order, or of the parts that it was split into."""

    done: Done | None = None
    parts: list[_Turn] = field(default_factory=list)

    def is_over(self) -> bool:
        return all(part.is_over() for part in self.parts) if self.parts else self.done is not None

    def values(self) -> Iterator[Done]:
        for part in self.parts:
            yield from part.values()
        if self.done is not None:
            yield self.done


def ordered(
    executor: Executor,
    pieces: Iterable[Piece | Done],
    watch: Callable[[], None] = lambda: None,
    split: Split = lambda piece: (),
) -> Iterator[Done]:
    """Yield each piece in the order of the pieces; what is done before its turn is kept until then.

    Where a piece takes much longer than those after it, no more of these are begun than `WINDOW` for each slot. What is
    `Done` already among the pieces is only returned in its turn, and an error of `pieces` is raised in its turn.
    """
    rest, is_over = iter(pieces), False
    failure: Exception | None = None
    turns: deque[_Turn] = deque()
    running: dict[int, _Turn] = {}

    def submit(piece: Piece) -> _Turn:
        turn = running[id(piece)] = _Turn()
        executor.submit(piece)
        return turn

    def take(done: Done) -> None:
        turn = running.pop(id(done.piece))
        parts = split(done.piece) if done.problem else ()
        if parts:
            turn.parts = [submit(part) for part in parts]
        else:
            turn.done = done

    try:
        while not is_over or turns:
            watch()
            while not is_over and executor.room > 0 and len(turns) < WINDOW * max(1, executor.slots):
                try:
                    piece = next(rest, None)
                except Exception as error:
                    piece, failure = None, error
                is_over = piece is None
                if piece is not None:
                    turns.append(_Turn(piece) if isinstance(piece, Done) else submit(piece))
            if running:
                for done in executor.completed():
                    take(done)
            while turns and turns[0].is_over():
                yield from turns.popleft().values()
        if failure is not None:
            raise failure
    finally:
        if executor.pending:
            executor.cancel()
