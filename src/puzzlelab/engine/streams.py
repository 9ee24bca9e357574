"""Feeds an executor with a stream of pieces of work, and gives each piece its size.

`ordered` and `unordered` submit pieces while there is room, and yield their values.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from puzzlelab.engine.executor import DRIVER_SECONDS, WAIT_SECONDS, Executor, PieceLost, Setup, Timed, values_of

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")

WINDOW = 16
"""The number of pieces for each slot that may be done before their turn, in `ordered`."""
GROWTH = 4
"""How much larger a piece may be than the one before."""
MOST_ITEMS = 100_000
"""Items of a piece, at most."""
SHARE = 4
"""The pieces for each of several slots that many items give at least, so that the slots end at about the same time; but
no pieces that take less time than the driver needs to feed all slots.
"""


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece of work in a stream."""

    name: str
    """Its name for people, such as 'shard 12'."""
    work: Callable[[], Any] | None
    """The function with its arguments, a `functools.partial`, which travels by pickle; None: there is nothing to do."""
    setup: Setup | None = None
    context: Any = None
    """The values that the driver needs to go on with the value of the piece. They stay in the driver."""
    took: Callable[[float], None] = lambda seconds: None
    """Is told the time of the piece when it is done."""


Split: TypeAlias = "Callable[[Piece], Sequence[Piece]]"
"""The parts of a piece that was lost, which are tried one by one; none if it has no parts."""


def _no_parts(piece: Piece) -> Sequence[Piece]:
    return ()


def ordered(
    executor: Executor,
    pieces: Iterable[Piece],
    split: Split = _no_parts,
    watch: Callable[[], None] = lambda: None,
) -> Iterator[tuple[Piece, Any]]:
    """Yield the values of the pieces, in the order of the pieces; what is done before its turn is kept until then.

    A value is `PieceLost` for a piece that was left out, and None for one without work. A piece is taken from `pieces`
    when there is room for it; where one takes much longer than those after it, no more of these are begun than
    `WINDOW` for each slot. What a function or `pieces` raises is raised in its turn. `watch` is called again and again,
    and may raise. Closing the iterator, or an error, ends all pieces.
    """
    if executor.is_inline:
        return (pair for piece in pieces for pair in _inline(executor, piece))
    return _Stream(executor, iter(pieces), split, watch, is_ordered=True).values()


def unordered(
    executor: Executor,
    pieces: Iterable[Piece],
    split: Split = _no_parts,
    watch: Callable[[], None] = lambda: None,
) -> Iterator[tuple[Piece, Any]]:
    """Yield the values of the pieces as soon as they exist; see `ordered`."""
    if executor.is_inline:
        return ordered(executor, pieces)
    return _Stream(executor, iter(pieces), split, watch, is_ordered=False).values()


def _inline(executor: Executor, piece: Piece) -> Iterator[tuple[Piece, Any]]:
    """Yield the values of a piece that is done here, whose time is that without what is done with the values."""
    seconds, values = 0.0, iter((None,) if piece.work is None else values_of(piece.work))
    while True:
        began = time.perf_counter()
        value = next(values, values)
        seconds += time.perf_counter() - began
        if value is values:
            break
        yield piece, value
    piece.took(seconds)


@dataclass(eq=False)
class _Turn:
    """The place of a piece in a stream."""

    piece: Piece
    values: deque[Any] = field(default_factory=deque)
    """The values that were not yielded yet; the thread of the piece adds them, so that Ctrl-C can lose none."""
    is_over: bool = False
    error: BaseException | None = None


@dataclass
class _Stream:
    """The state of `ordered` and `unordered`."""

    executor: Executor
    rest: Iterator[Piece]
    split: Split
    watch: Callable[[], None]
    is_ordered: bool
    turns: list[_Turn] = field(default_factory=list)
    """The pieces that were begun and whose values were not all yielded, in their order."""
    events: SimpleQueue[tuple[_Turn, Future[Timed[Any]] | None]] = field(default_factory=SimpleQueue)
    """A turn that has another value, or has ended with this future; threads put them here."""
    is_rest_over: bool = False

    def values(self) -> Iterator[tuple[Piece, Any]]:
        try:
            while self.turns or not self.is_rest_over:
                self.watch()
                self._fill()
                yield from self._ready()
                if self.turns or self.executor.room <= 0:
                    self._take(WAIT_SECONDS)
        except KeyboardInterrupt:  # what threads have is kept
            self.executor.cancel()
            while self._take(0.0):
                pass
            yield from self._ready()
            raise
        finally:
            if self.turns:
                self.executor.cancel()

    def _fill(self) -> None:
        """Begin pieces while there is room."""
        most = WINDOW * max(1, self.executor.slots)
        while not self.is_rest_over and self.executor.room > 0 and len(self.turns) < most:
            try:
                piece = next(self.rest, None)
            except Exception as error:
                self.is_rest_over = True
                self.turns.append(_Turn(Piece("the next piece", None), is_over=True, error=error))
                return
            if piece is None:
                self.is_rest_over = True
            else:
                self.turns.append(self._begun(piece))

    def _begun(self, piece: Piece) -> _Turn:
        turn = _Turn(piece)
        if piece.work is None:
            turn.values.append(None)
            turn.is_over = True
            return turn

        def put(value: Any) -> None:
            turn.values.append(value)
            self.events.put((turn, None))

        future = self.executor.submit(piece.work, setup=piece.setup, put=put)
        future.add_done_callback(lambda ended: self.events.put((turn, ended)))
        return turn

    def _take(self, seconds: float) -> bool:
        """Note the next event, and tell whether there was one; waits for it, but not longer than this."""
        self.executor.check()
        try:
            turn, future = self.events.get(timeout=seconds)
        except Empty:
            return False
        if future is not None:
            self._end(turn, future)
        return True

    def _end(self, turn: _Turn, future: Future[Timed[Any]]) -> None:
        from concurrent.futures import CancelledError

        error = CancelledError() if future.cancelled() else future.exception()
        if isinstance(error, CancelledError):  # values of it are missing: nothing after them has its turn
            return
        if isinstance(error, PieceLost):
            place = self.turns.index(turn)
            if parts := self.split(turn.piece):
                self.turns[place : place + 1] = [self._begun(part) for part in parts]
                return
            turn.values.append(error)
        elif error is None:
            turn.piece.took(future.result().seconds)
        else:
            turn.error = error
        turn.is_over = True

    def _ready(self) -> Iterator[tuple[Piece, Any]]:
        """Yield the values whose turn it is; raises an error whose turn it is."""
        for turn in list(self.turns):
            while turn.values:
                value = turn.values[0]
                try:
                    yield turn.piece, value
                finally:  # before it Ctrl-C leaves the value to the next call
                    turn.values.popleft()
            if turn.is_over:
                self.turns.remove(turn)
                if turn.error is not None:
                    raise turn.error
            elif self.is_ordered:
                return


class PieceSize:
    """The number of items of a piece, which is chosen so that it takes the seconds that the executor needs, starting
    with one; or `together`, if items are to be in one piece.
    """

    def __init__(self, executor: Executor, together: int | None = None, most: int = MOST_ITEMS) -> None:
        self._executor, self._together, self._most = executor, together, most
        self.items = together or 1
        self._rate = 0.0
        """Items a second."""

    def took(self, items: int, seconds: float) -> None:
        """Adapt the size to the time of a piece."""
        if self._together is None and items:
            self._rate = items / max(seconds, 1e-6)
            wanted = self._rate * self._executor.piece_seconds
            self.items = int(max(1, min(wanted, GROWTH * max(items, self.items), self._most)))

    def of(self, total: int) -> int:
        """Return the items of the next piece, where there is this number in all."""
        slots = max(1, self._executor.slots)
        if self._together is not None:
            return max(1, min(self._together, -(-total // slots)))
        least = int(self._rate * slots * DRIVER_SECONDS)
        return max(1, min(self.items, max(least, total // (SHARE * slots if slots > 1 else 1))))

    def cut(self, items: Iterator[Item]) -> Iterator[list[Item]]:
        """Yield the items of one piece after the other; an error of `items` is raised after the items before it."""
        failure: Exception | None = None
        while failure is None:
            some: list[Item] = []
            try:
                for item in islice(items, self.items):
                    some.append(item)  # noqa: PERF402  # what `extend` keeps after an error is not documented
            except Exception as error:
                failure = error
            if some:
                yield some
            elif failure is None:
                return
        raise failure
