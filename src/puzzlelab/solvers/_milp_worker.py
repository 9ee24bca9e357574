"""The process in which `integer` runs HiGHS, because HiGHS cannot be interrupted, but a process can be ended.

Run as a script, it needs nothing of puzzlelab. Pickled questions come on standard input, and pickled answers go to
standard output. When the input ends, so does the process.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections.abc import Mapping
from queue import SimpleQueue
from typing import IO, Any

import numpy as np

Message = Mapping[str, Any]

FOUND, INFEASIBLE_END, LIMIT, FAILED = range(4)
"""Ends: a solution, a proof that there is none, a limit before either, or something unforeseen."""
_TIME, _INFEASIBLE, _OTHER = 1, 2, 4
"""The numbers of these ends in `scipy.optimize.milp`; a limit on nodes is among the others."""


def write(stream: IO[bytes], message: Message) -> None:
    """Send a message."""
    pickle.dump(message, stream)
    stream.flush()


def read(stream: IO[bytes]) -> Message | None:
    """Return the next message; None at the end of the stream, also within a message."""
    try:
        message: Message = pickle.load(stream)
    except (EOFError, pickle.UnpicklingError):
        return None
    return message


def solve(question: Message) -> Message:
    """Return the answer of HiGHS: how it `end`ed, the numbers of the variables that are 1, and the nodes that it took.

    A question has a matrix of zeros and ones by its `rows` and `columns`, the sums `least` and `most` of each row, the
    bounds `lower` and `upper` of each variable, and the limits `seconds` and `nodes`.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    rows, columns, lower = question["rows"], question["columns"], question["lower"]
    matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(question["least"]), len(lower)))
    limits = {"time_limit": question["seconds"], "node_limit": question["nodes"]}
    result = milp(
        np.zeros(len(lower)),
        integrality=np.ones(len(lower)),
        bounds=Bounds(lower, question["upper"]),
        constraints=LinearConstraint(matrix, question["least"], question["most"]),
        options={name: value for name, value in limits.items() if value is not None},
    )
    ones = np.empty(0, np.int64) if result.x is None else np.flatnonzero(result.x > 0.5)
    return {
        "end": _end(result, question["nodes"] is not None),
        "ones": ones,
        "nodes": result.get("mip_node_count") or 0,
        "words": result.message,
    }


def _end(result: Any, has_node_limit: bool) -> int:
    if result.x is not None:
        return FOUND
    if result.status == _INFEASIBLE:
        return INFEASIBLE_END
    if result.status == _TIME or (result.status == _OTHER and has_node_limit):
        return LIMIT
    return FAILED


def main() -> None:
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what else is printed must not come between the answers
    import scipy.optimize  # noqa: F401 (before the first question, so that no clock runs yet)

    questions: SimpleQueue[Message] = SimpleQueue()
    threading.Thread(target=_listen, args=(questions,), daemon=True).start()
    write(answers, {})
    while True:
        write(answers, solve(questions.get()))


def _listen(questions: SimpleQueue[Message]) -> None:
    while question := read(sys.stdin.buffer):
        questions.put(question)
    os._exit(0)


if __name__ == "__main__":
    main()
