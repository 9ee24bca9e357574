"""The server as a task sees it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from puzzlelab.core.errors import visible

MAX_ANSWER = 8 * 2**20
"""The most bytes of one answer."""
THROTTLE_SECONDS = 0.2
"""The least time between two throttled messages of one kind."""


class TaskContext:
    """The server as a task sees it: the task sends messages, and asks whether its result is still needed."""

    def __init__(self, send: Callable[[str, Any], None], stop_requested: Callable[[], bool], memory: int) -> None:
        self.send, self.stop_requested, self.memory = send, stop_requested, memory
        self._last_sent: dict[str, float] = {}

    def send_throttled(self, kind: str, value: Any) -> None:
        """Send a message unless one of the same kind was sent within `THROTTLE_SECONDS`."""
        now = time.monotonic()
        if now - self._last_sent.get(kind, -THROTTLE_SECONDS) >= THROTTLE_SECONDS:
            self._last_sent[kind] = now
            self.send(kind, value)

    # The interface of a listener of `engine.report`.

    def note(self, sentence: str) -> None:
        logging.warning("%s", visible(sentence))  # it may contain paths of files

    def waiting(self, sentence: str) -> None:
        self.send("waiting", {"text": sentence})

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        share = f" {done / total:.0%}" if total else ""
        self.send_throttled("waiting", {"text": f"{title}{share}{f': {status}' if status else ''}"})
