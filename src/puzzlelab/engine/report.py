"""Messages and progress of long computations, passed on to a reporter such as the command line.

Preparations are kernels that are compiled or loaded, and tables that are built. A server does not count their time as
time of a search, because it is spent once, and a search that is ended meanwhile would have to begin with it again.
"""

import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from puzzlelab.core.errors import visible

LOGGER = logging.getLogger("puzzlelab")
"""The logger of messages for the user."""


class Reporter(Protocol):
    """The receiver of messages and progress, such as the command line."""

    def note(self, sentence: str) -> None:
        """Show a message to the user."""

    def waiting(self, sentence: str) -> None:
        """Show the reason of a delay; on terminals only."""

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        """Show the progress of `title`, which ends at `done == total`; `status` describes the current state."""


class Log:
    """The default reporter: writes messages to the log `puzzlelab`.

    If that has no handler and no level, the reasons of delays go to standard error.
    """

    def note(self, sentence: str) -> None:
        LOGGER.warning("%s", visible(sentence))

    def waiting(self, sentence: str) -> None:
        if LOGGER.hasHandlers() or LOGGER.level:
            LOGGER.info("%s", visible(sentence))
        elif sys.stderr is not None and not _is_worker():  # not once for each worker
            print(visible(sentence), file=sys.stderr, flush=True)

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        LOGGER.debug("%s: %s of %s %s", title, done, total, status)


def _is_worker() -> bool:
    """Tell whether this is a worker process, which has imported the module that says so."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


_listeners: list[Reporter] = [Log()]
_title = ""
"""What stands before the titles of progress."""


def note(sentence: str) -> None:
    """Send a message to the reporter."""
    _listeners[-1].note(sentence)


def waiting(sentence: str) -> None:
    """Send the reason of a delay to the reporter."""
    _listeners[-1].waiting(sentence)


def progress(title: str, done: float, total: float | None, status: str = "") -> None:
    """Send the progress of `title` to the reporter; `total` may be unknown, `status` describes the current state."""
    _listeners[-1].progress(_title + title, done, total, status)


@contextmanager
def titled(begin: str) -> Iterator[None]:
    """Put this before the titles of progress during the body, such as 'run 2 of 6: '."""
    global _title
    before, _title = _title, _title + begin
    try:
        yield
    finally:
        _title = before


@contextmanager
def after(seconds: float, sentence: str) -> Iterator[None]:
    """Send the reason of a delay if the body takes longer than `seconds`."""
    timer = threading.Timer(seconds, waiting, (sentence,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def listening(reporter: Reporter) -> Iterator[None]:
    """Send all messages to `reporter` during the body."""
    _listeners.append(reporter)
    try:
        yield
    finally:
        last = max(place for place, listener in enumerate(_listeners) if listener is reporter)
        del _listeners[last]


# --- preparations -----------------------------------------------------------------------------------------------------

_lock = threading.Lock()
_preparation_listeners: list[Callable[[bool], None]] = []
_depth = 0


@contextmanager
def preparing() -> Iterator[None]:
    """Tell the listeners that this process prepares something until the end of the block."""
    _change(1)
    try:
        yield
    finally:
        _change(-1)


def listen_to_preparations(listener: Callable[[bool], None]) -> None:
    """Call `listener(True)` whenever a preparation begins, and `listener(False)` when the last one has ended."""
    _preparation_listeners.append(listener)


def _change(step: int) -> None:
    global _depth
    with _lock:
        before, _depth = _depth, _depth + step
        if (before == 0) != (_depth == 0):
            for listener in _preparation_listeners:
                listener(_depth > 0)
