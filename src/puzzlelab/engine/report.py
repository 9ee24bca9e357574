"""How long work inside the library tells the person in front of it what it is doing; silent unless somebody listens."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

_LOGGER = logging.getLogger("puzzlelab")


class Reporter(Protocol):
    """Somebody who listens, such as the command line."""

    def note(self, sentence: str) -> None:
        """Something worth knowing happened."""

    def waiting(self, sentence: str) -> None:
        """Why nothing is seen to happen; worth nothing afterwards, nor to a file."""

    def progress(self, title: str, done: float, total: float | None, told: str) -> None:
        """`title` has got this far, `done == total` ends it; `told` is how it stands now."""


class Log:
    """The listener of a program that set none: sentences go to the log `puzzlelab`."""

    def note(self, sentence: str) -> None:
        _LOGGER.warning(sentence)

    def waiting(self, sentence: str) -> None:
        _LOGGER.info(sentence)

    def progress(self, title: str, done: float, total: float | None, told: str) -> None:
        _LOGGER.debug("%s: %s of %s %s", title, done, total, told)


_listeners: list[Reporter] = [Log()]


def note(sentence: str) -> None:
    """Tell the listener a sentence."""
    _listeners[-1].note(sentence)


def waiting(sentence: str) -> None:
    """Tell the listener why nothing is seen to happen."""
    _listeners[-1].waiting(sentence)


def progress(title: str, done: float, total: float | None, told: str = "") -> None:
    """Tell the listener how far `title` has got, of an unknown total if None, and in a few words how it stands."""
    _listeners[-1].progress(title, done, total, told)


@contextmanager
def after(seconds: float, sentence: str) -> Iterator[None]:
    """Tell the listener this sentence if it has to wait longer than that for what is done meanwhile."""
    timer = threading.Timer(seconds, waiting, (sentence,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def listening(reporter: Reporter) -> Iterator[None]:
    """Let `reporter` hear what is told meanwhile."""
    _listeners.append(reporter)
    try:
        yield
    finally:
        last = max(place for place, listener in enumerate(_listeners) if listener is reporter)
        del _listeners[last]
