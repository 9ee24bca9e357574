"""Receives messages and progress of the library for a command, and prints them as lines or draws bars.

Messages and lines go through Python's logging, to the logger `puzzlelab`. `cli.progress` has what commands use.
"""

from __future__ import annotations

import logging
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from puzzlelab.cli.console import LEVEL_VARIABLE
from puzzlelab.core.errors import visible
from puzzlelab.engine.report import LOGGER, Log, Reporter, listening

if TYPE_CHECKING:
    from rich.progress import Progress

PROGRESS_VARIABLE = "PUZZLELAB_PROGRESS"
"""The environment variable with the seconds after which there is a line of progress; 0 for no lines."""
PATIENCE = 10.0
"""The seconds after which there is a line of progress, if the variable does not say it."""
GROWTH = 1.1
"""The factor between the times of two lines of progress."""


# --- lines ---


class ProgressLines(Log):
    """The progress as plain lines, where standard error is no terminal: the first after ten seconds, later ones rarely.

    A line comes after ten seconds, and whenever ten seconds and a tenth of the time so far have passed since the line
    before.
    """

    task_ids: Sequence[int] = (0,)

    def __init__(self, title: str = "", total: int | None = None) -> None:
        self.title, self.total, self.done = title, total, 0.0
        self.patience = _patience()
        self.began: dict[str, tuple[float, float]] = {}
        """By title: the time of the first report, in seconds, and what was done then."""
        self.due: dict[str, float] = {}
        """By title: the seconds since then at which the next line is due."""
        if title:
            self.began[title] = time.perf_counter(), 0.0

    def advance(self, task_id: Any) -> None:
        self.update(task_id, completed=self.done + 1)

    def update(self, task_id: Any, *, completed: float | None = None, description: str | None = None) -> None:
        self.done = self.done if completed is None else completed
        if self.title:
            self.progress(self.title, self.done, self.total, "")

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        super().progress(title, done, total, status)
        began, first = self.began.setdefault(title, (time.perf_counter(), done))
        if self.is_due(title, done, total, status, time.perf_counter() - began):
            rest = _remaining(time.perf_counter() - began, done - first, None if total is None else total - done)
            share = "" if total is None else f" of {_number(total)} ({done / total:.0%}{rest})" if total else ""
            LOGGER.info("%s", visible(f"{title}: {_number(done)}{share}{f': {status}' if status else ''}"))

    def is_due(self, title: str, done: float, total: float | None, status: str, seconds: float) -> bool:
        """Tell whether this report is printed, `seconds` after the first one of its title."""
        if not self.patience > 0 or seconds < self.due.get(title, self.patience):
            return False
        self.due[title] = max(seconds + self.patience, seconds * GROWTH)
        return True


class ShareLines(ProgressLines):
    """The progress of training as plain lines, which do not depend on the time.

    A line is printed at the first report of a title, whenever a further hundredth is done (a tenth where there is
    nothing to say but the number), and at the end. Early in a training the number doubles from line to line.
    """

    def is_due(self, title: str, done: float, total: float | None, status: str, seconds: float) -> bool:
        is_end = done == total and self.due.get(title) != math.inf
        if done < self.due.get(title, 0) and not is_end:
            return False
        step = 1.0 if total is None else total / (100 if status else 10)
        self.due[title] = math.inf if done == total else done + step
        if status and total is not None and done:
            self.due[title] = min(self.due[title], 2 * done)
        return True


def _patience() -> float:
    """Return the seconds before the first line of progress; raises `BadOption` if the variable is no number."""
    text = os.environ.get(PROGRESS_VARIABLE)
    try:
        return float(text) if text else PATIENCE
    except ValueError:
        from puzzlelab.core.errors import BadOption

        raise BadOption(f"{PROGRESS_VARIABLE} must be a number of seconds, not '{text}'") from None


def _number(value: float) -> str:
    """Return a number of a line of progress: whole ones in full, others with four digits."""
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:,.4g}"


def _remaining(seconds: float, done: float, missing: float | None) -> str:
    """Return how long the missing part takes at the rate so far; empty if it is not known."""
    if not missing or done <= 0 or seconds <= 0:
        return ""
    minutes = seconds / done * missing / 60
    return f", some {minutes:.0f} min left" if minutes >= 1 else ", less than 1 min left"


# --- bars ---


class BarReporter(Log):
    """The reporter that shows progress bars on the terminal."""

    def __init__(self, bars: Progress) -> None:
        self.bars = bars
        self.tasks: dict[str, int] = {}

    def waiting(self, sentence: str) -> None:
        if not self.bars.disable:
            super().waiting(sentence)

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        from rich.progress import TaskID

        super().progress(title, done, total, status)
        if title not in self.tasks:
            self.tasks[title] = self.bars.add_task(title, total=total)
        description = f"{title}: {status}" if status else title
        self.bars.update(TaskID(self.tasks[title]), completed=done, description=description)


# --- printing ---


@contextmanager
def as_lines(reporter: ProgressLines) -> Iterator[ProgressLines]:
    """Print what a reporter gets on standard error."""
    with shown_by(reporter, lambda text: print(text, file=sys.stderr, flush=True)):
        yield reporter


@contextmanager
def shown_by(reporter: Reporter, show: Callable[[str], None]) -> Iterator[None]:
    """Print the messages to the logger `puzzlelab` of the level of `--log-level` and above."""
    handler, level = _Handler(show), LOGGER.level
    name = os.environ.get(LEVEL_VARIABLE, "info").upper()
    if name == "DEBUG":
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    LOGGER.addHandler(handler)
    LOGGER.setLevel(name)
    try:
        with listening(reporter):
            yield
    finally:
        LOGGER.setLevel(level)
        LOGGER.removeHandler(handler)


class _Handler(logging.Handler):
    """The handler that prints the messages of a logger."""

    def __init__(self, show: Callable[[str], None]) -> None:
        super().__init__()
        self.show = show

    def emit(self, record: logging.LogRecord) -> None:
        self.show(self.format(record))
