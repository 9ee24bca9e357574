"""The preparations of this process: kernels that are compiled or loaded, tables that are built.

A server does not count this time as time of a search, because it is spent once, and a search that is ended meanwhile
would have to begin with it again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_listeners: list[Callable[[bool], None]] = []
_depth = 0


@contextmanager
def preparing() -> Iterator[None]:
    """Tell the listeners that this process prepares something until the end of the block."""
    _change(1)
    try:
        yield
    finally:
        _change(-1)


def listen(listener: Callable[[bool], None]) -> None:
    """Call `listener(True)` whenever a preparation begins, and `listener(False)` when the last one has ended."""
    _listeners.append(listener)


def _change(step: int) -> None:
    global _depth
    with _lock:
        before, _depth = _depth, _depth + step
        if (before == 0) != (_depth == 0):
            for listener in _listeners:
                listener(_depth > 0)
