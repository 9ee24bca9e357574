"""A worker process: reads tasks from a pipe, sends messages while it runs them, and ends with its parent.

A message is a pair (kind, value). A task ends with one message of `FINAL_KINDS`. An error of the request becomes a
sentence for the client; an internal error is only logged, because its text may contain paths of files.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing import connection, parent_process
from multiprocessing.connection import Connection
from typing import Any

DONE, REFUSED, FAULT = "done", "refused", "fault"
FINAL_KINDS = (DONE, REFUSED, FAULT)
"""How a task ends: with its result, with an error of the request, or with an internal error."""
OUT_OF_MEMORY = "this needs more memory than a search may have here"
INTERNAL_ERROR = "an internal error of the server; its log has the details"
THROTTLE_SECONDS = 0.2
"""The least time between two throttled messages of one kind."""
MEMORY_SLACK = 2**30
"""Bytes that a worker may reserve beyond the memory of its searches: for threads, machine code and networks."""


class TaskContext:
    """What a task sees of the server: it sends messages, and asks whether its result is still needed."""

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
        logging.warning(sentence)  # it may contain paths of files

    def waiting(self, sentence: str) -> None:
        self.send("waiting", {"text": sentence})

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        share = f" {done / total:.0%}" if total else ""
        self.send_throttled("waiting", {"text": f"{title}{share}{f': {status}' if status else ''}"})


def main(pipe: Connection, stop_flag: Any, memory: int) -> None:
    """Run the tasks from the pipe until it is closed; `stop_flag` is set while the current task should end early."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when to end
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _limit_memory(memory)

    def send(kind: str, value: Any) -> None:
        pipe.send((kind, value))

    context = TaskContext(send, lambda: bool(stop_flag.value), memory)
    while True:
        try:
            name, request = pipe.recv()
        except (EOFError, OSError):
            return
        send(*_run_task(name, request, context))


def _run_task(name: str, request: dict[str, Any], context: TaskContext) -> tuple[str, Any]:
    """The final message of one task."""
    from puzzlelab.core.errors import BadFile, BadInput
    from puzzlelab.engine import report
    from puzzlelab.web import tasks

    try:
        with report.listening(context):
            return DONE, tasks.TASKS[name](request, context)
    except BadFile:  # no request names a file, so this is an internal error
        logging.exception("a file that %s needs", name)
    except BadInput as error:
        return REFUSED, str(error)
    except MemoryError:
        return REFUSED, OUT_OF_MEMORY
    except Exception:
        logging.exception("while doing %s", name)
    return FAULT, INTERNAL_ERROR


def _end_with_parent() -> None:
    """End this process as soon as its parent has ended, for whatever reason."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _limit_memory(memory: int) -> None:
    """Limit the memory of this process, where the system can do so."""
    if sys.platform != "linux":
        return
    import resource

    _, hard_limit = resource.getrlimit(resource.RLIMIT_DATA)
    limit = 2 * memory + MEMORY_SLACK
    soft_limit = limit if hard_limit == resource.RLIM_INFINITY else min(limit, hard_limit)
    resource.setrlimit(resource.RLIMIT_DATA, (soft_limit, hard_limit))
