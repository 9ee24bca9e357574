"""The number of items, such as boards or rows, that a piece of work should have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TypeVar

from puzzlelab.engine.executor import DRIVER_SECONDS, Executor

Item = TypeVar("Item")

GROWTH = 4
"""How much larger a piece may be than the one before."""
MOST_ITEMS = 100_000
"""Items of a piece, at most."""
SHARE = 4
"""The pieces for each of several slots that many items give at least, so that the slots end at about the same time; but
no pieces that take less time than the driver needs to feed all slots.
"""


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
