"""What a worker tells, and what it keeps to itself."""

import logging

import pytest

from puzzlelab.core.errors import BadFile, BadOption, PuzzlelabError
from puzzlelab.engine import report
from puzzlelab.web import tasks, worker
from puzzlelab.web.worker import DONE, FAULT, INSIDE, NOT_ENOUGH, REFUSED, TaskContext

SECRET = "/somewhere/secret"


def ended(monkeypatch, task):
    """How a task ends, and what was told before."""
    told = []
    monkeypatch.setitem(tasks.TASKS, "trial", task)
    teller = TaskContext(lambda kind, value: told.append((kind, value)), lambda: False, 2**28)
    return worker._answer("trial", {}, teller), told


def raising(error):
    def task(asked, teller):
        raise error

    return task


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (BadOption("ida has no option 'x'"), (REFUSED, "ida has no option 'x'")),
        (MemoryError(), (REFUSED, NOT_ENOUGH)),
        (BadFile(f"cannot read {SECRET}"), (FAULT, INSIDE)),
        (OSError(28, "No space left on device", SECRET), (FAULT, INSIDE)),
        (PuzzlelabError(f"a wrong answer in {SECRET}"), (FAULT, INSIDE)),
        (ZeroDivisionError(SECRET), (FAULT, INSIDE)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_the_asker_can_mend_is_told_and_all_else_is_logged(monkeypatch, caplog, error, end) -> None:
    assert ended(monkeypatch, raising(error)) == (end, [])
    assert (SECRET in caplog.text) == (end[0] == FAULT)


def test_what_a_task_waits_for_is_told_and_notes_are_logged(monkeypatch, caplog) -> None:
    def task(asked, teller):
        report.waiting("Compiling.")
        report.note(f"The table cannot be kept in {SECRET}.")
        report.progress("building", 1, 4, "group 2")
        report.progress("building", 2, 4, "group 2")
        return 7

    with caplog.at_level(logging.WARNING):
        end, told = ended(monkeypatch, task)
    assert end == (DONE, 7)
    assert told == [("waiting", {"text": "Compiling."}), ("waiting", {"text": "building 25%: group 2"})]
    assert SECRET in caplog.text
