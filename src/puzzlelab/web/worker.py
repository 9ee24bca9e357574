"""A worker process: takes one task after the other from a pipe, tells what it finds, and ends with its parent.

Every answer is (kind, value): events as they come, then one of `ENDS`. What is wrong with a request is a sentence; what
is wrong with us goes to the log, because it may speak of files.
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
ENDS = (DONE, REFUSED, FAULT)
"""How a task ends: with its answer, with what is wrong with the request, or with our own fault."""
NOT_ENOUGH = "this needs more memory than a search may have here"
INSIDE = "something went wrong inside the server; its log says what"
SELDOM = 0.2
"""Seconds between two events of one kind that are worth telling only now and then."""
SLACK = 2**30
"""Bytes that a worker may reserve beyond what its searches may hold: threads, machine code, networks."""


class TaskContext:
    """What a task tells while it works, and how it learns that nobody wants its answer any more."""

    def __init__(self, send: Callable[[str, Any], None], stopped: Callable[[], bool], memory: int) -> None:
        self.tell, self.over, self.memory = send, stopped, memory
        self._told: dict[str, float] = {}

    def sometimes(self, kind: str, value: Any) -> None:
        """Tell it unless the same kind was told a moment ago."""
        now = time.monotonic()
        if now - self._told.get(kind, -SELDOM) >= SELDOM:
            self._told[kind] = now
            self.tell(kind, value)

    # What `engine.report` wants of a listener.

    def note(self, sentence: str) -> None:
        logging.warning(sentence)  # it may speak of files

    def waiting(self, sentence: str) -> None:
        self.tell("waiting", {"text": sentence})

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        part = f" {done / total:.0%}" if total else ""
        self.sometimes("waiting", {"text": f"{title}{part}{f': {status}' if status else ''}"})


def main(pipe: Connection, flag: Any, memory: int) -> None:
    """Do what comes down the pipe until it is closed; `flag` is set where a task should end early."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server says when to end
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _confine(memory)

    def send(kind: str, value: Any) -> None:
        pipe.send((kind, value))

    teller = TaskContext(send, lambda: bool(flag.value), memory)
    while True:
        try:
            name, asked = pipe.recv()
        except (EOFError, OSError):
            return
        send(*_answer(name, asked, teller))


def _answer(name: str, asked: dict[str, Any], teller: TaskContext) -> tuple[str, Any]:
    """The end of one task."""
    from puzzlelab.core.errors import BadFile, BadInput
    from puzzlelab.engine import report
    from puzzlelab.web import tasks

    try:
        with report.listening(teller):
            return DONE, tasks.TASKS[name](asked, teller)
    except BadFile:  # nobody names files here
        logging.exception("a file that %s needs", name)
    except BadInput as error:
        return REFUSED, str(error)
    except MemoryError:
        return REFUSED, NOT_ENOUGH
    except Exception:
        logging.exception("while doing %s", name)
    return FAULT, INSIDE


def _end_with_parent() -> None:
    """End this process as soon as its parent is gone, however that ended."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _confine(memory: int) -> None:
    """Refuse this process more than a search may hold, where the system can do so."""
    if sys.platform != "linux":
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = 2 * memory + SLACK
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))
