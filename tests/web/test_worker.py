"""Which messages a worker sends, and what it only logs."""

import logging

import pytest

from puzzlelab.core.errors import BadFile, BadOption, PuzzlelabError
from puzzlelab.core.objective import MOVES, UNKNOWN, Objective
from puzzlelab.core.result import Progress
from puzzlelab.engine import report
from puzzlelab.web import tasks, worker
from puzzlelab.web.task_context import TaskContext
from puzzlelab.web.worker import DONE, FAULT, INTERNAL_ERROR, OUT_OF_MEMORY, REFUSED

SECRET = "/somewhere/secret"


def run_task(monkeypatch, task):
    """The final message of a task, and the messages before it."""
    messages = []
    monkeypatch.setitem(tasks.TASKS, "trial", task)
    context = TaskContext(lambda kind, value: messages.append((kind, value)), lambda: False, 2**28)
    return worker._run_task("trial", {}, context), messages


def raising(error):
    def task(request, context):
        raise error

    return task


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (BadOption("ida has no option 'x'"), (REFUSED, "ida has no option 'x'")),
        (MemoryError(), (REFUSED, OUT_OF_MEMORY)),
        (BadFile(f"cannot read {SECRET}"), (FAULT, INTERNAL_ERROR)),
        (OSError(28, "No space left on device", SECRET), (FAULT, INTERNAL_ERROR)),
        (PuzzlelabError(f"a wrong answer in {SECRET}"), (FAULT, INTERNAL_ERROR)),
        (ZeroDivisionError(SECRET), (FAULT, INTERNAL_ERROR)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_of_a_request_are_sent_and_internal_errors_are_logged(monkeypatch, caplog, error, end) -> None:
    assert run_task(monkeypatch, raising(error)) == (end, [])
    assert (SECRET in caplog.text) == (end[0] == FAULT)


def test_waiting_and_progress_are_sent_and_notes_are_logged(monkeypatch, caplog) -> None:
    def task(request, context):
        report.waiting("Compiling.")
        report.note(f"The table cannot be kept in {SECRET}.")
        report.progress("building", 1, 4, "group 2")
        report.progress("building", 2, 4, "group 2")
        return 7

    with caplog.at_level(logging.WARNING):
        end, messages = run_task(monkeypatch, task)
    assert end == (DONE, b"7")
    assert messages == [("waiting", {"text": "Compiling."}), ("waiting", {"text": "building 25%: group 2"})]
    assert SECRET in caplog.text


@pytest.mark.parametrize(
    ("objective", "bound", "facts"),
    [
        (MOVES, 7, {"bound": 7}),
        (Objective("cost"), 7, {"bound": 7}),
        (Objective("score"), -40, {"upper_bound": 40}),
        (Objective("score"), UNKNOWN, {"upper_bound": None}),
    ],
)
def test_progress_has_the_bound_that_rows_have(objective, bound, facts) -> None:
    progress = tasks._progress_facts(Progress(1, 2, 3, bound, 0.5), objective)
    assert progress == {"expanded": 1, "generated": 2, "evaluations": 3, "seconds": 0.5, **facts}
