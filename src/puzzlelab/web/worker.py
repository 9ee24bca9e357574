"""A worker process: reads tasks from a pipe, sends messages while it runs them, and ends with its parent.

A message is a pair (kind, value). A task ends with one message of `FINAL_KINDS`; its result is JSON, so that the server
need only send it. An error of the request becomes a
sentence for the client; an internal error is only logged, because its text may contain paths of files.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
from multiprocessing import connection, parent_process
from multiprocessing.connection import Connection
from typing import Any

from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.engine import report
from puzzlelab.runtime.memory import share_memory
from puzzlelab.web import tasks
from puzzlelab.web.task_context import MAX_ANSWER, TaskContext

DONE, REFUSED, FAULT = "done", "refused", "fault"
FINAL_KINDS = (DONE, REFUSED, FAULT)
"""The kinds of the last message of a task: its result, an error of the request, or an internal error."""
OUT_OF_MEMORY = "this needs more memory than a search may have here"
INTERNAL_ERROR = "an internal error of the server; its log has the details"
PREPARING = "preparing"
"""A message with whether the worker compiles kernels or builds tables from now on."""
MEMORY_SLACK = 2**30
"""Bytes that a worker may reserve beyond the memory of its searches: for threads, machine code and networks."""


def main(pipe: Connection, stop_flag: Any, memory: int, sharers: int = 1) -> None:
    """Run the tasks from the pipe until it is closed; `stop_flag` is set while the current task should end early.

    A search may use `memory` bytes, and its share of what is free where several workers share it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when to end
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _limit_memory(memory)
    share_memory(sharers)

    sending = threading.Lock()  # a thread may compile while another sends a solution

    def send(kind: str, value: Any) -> None:
        with sending:
            pipe.send((kind, value))

    report.listen_to_preparations(lambda begins: send(PREPARING, begins))
    context = TaskContext(send, lambda: bool(stop_flag.value), memory)
    while True:
        try:
            name, request = pipe.recv()
        except (EOFError, OSError):
            return
        send(*_run_task(name, request, context))


def _run_task(name: str, request: dict[str, Any], context: TaskContext) -> tuple[str, Any]:
    """Return the final message of one task."""
    try:
        with report.listening(context):
            return DONE, _as_json(tasks.TASKS[name](request, context))
    except BadFile:  # no request names a file, so this is an internal error
        logging.exception("a file that %s needs", name)
    except BadInput as error:
        return REFUSED, str(error)
    except MemoryError:
        return REFUSED, OUT_OF_MEMORY
    except Exception:
        logging.exception("while doing %s", name)
    return FAULT, INTERNAL_ERROR


def _as_json(result: Any) -> bytes:
    """Return the JSON of a result; raises `BadInput` for one that is too large to be sent."""
    answer = json.dumps(result, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    if len(answer) > MAX_ANSWER:
        raise BadInput(
            f"the answer has {len(answer):,} bytes; at most {MAX_ANSWER:,} are sent, so ask for less at once"
        )
    return answer


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
