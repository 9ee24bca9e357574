"""Shows messages and the progress of the library, to which commands report too: bars on a terminal, lines elsewhere.

Messages and lines go through Python's logging, to the logger `puzzlelab`; `--log-level` says which are printed.
"""

from __future__ import annotations

import logging
import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from puzzlelab.cli.console import LEVEL_VARIABLE
from puzzlelab.core.errors import BadOption, visible
from puzzlelab.engine.report import LOGGER, Log, listening

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PROGRESS_VARIABLE = "PUZZLELAB_PROGRESS"
"""The environment variable with the seconds after which there is a line of progress; 0 for none, of training too."""
PATIENCE = 10.0
"""The seconds after which there is a line of progress, if the variable does not say it."""
SEARCH_PATIENCE = 1.0
"""The same for the search of one board."""
GROWTH, SEARCH_GROWTH = 1.1, 1.5
"""The factors between the times of two lines of progress, of long work and of the search of one board."""


@contextmanager
def progress(bars: bool = True, by_share: bool = False, one_search: bool = False) -> Iterator[None]:
    """Show messages and progress on standard error: bars on a terminal, lines elsewhere.

    With `by_share` the lines go by the share that is done, and not by the time; with `one_search` they begin sooner.
    Without `bars` a terminal has messages alone, because the output of the command shows its progress.
    """
    is_terminal, level = sys.stderr.isatty(), LOGGER.level
    with ExitStack() as stack:
        if is_terminal and bars:
            reporter: Log = BarReporter(stack.enter_context(_bars()))
        else:
            patience, growth = (SEARCH_PATIENCE, SEARCH_GROWTH) if one_search else (PATIENCE, GROWTH)
            reporter = LineReporter(0.0 if is_terminal else _patience(patience), by_share, growth)
        handler = logging.StreamHandler(sys.stderr)  # that of rich, where there are bars: above them
        name = os.environ.get(LEVEL_VARIABLE, "info").upper()
        if name == "DEBUG":
            handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        LOGGER.addHandler(handler)
        stack.callback(LOGGER.removeHandler, handler)
        LOGGER.setLevel(name)
        stack.callback(LOGGER.setLevel, level)
        stack.enter_context(listening(reporter))
        yield


def _bars() -> Progress:
    """Return the bars of rich; what is printed meanwhile on a terminal comes above them."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
    return Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty())


class BarReporter(Log):
    """The reporter that shows a bar for each title that is not at its end."""

    def __init__(self, bars: Progress) -> None:
        self.bars = bars
        self.tasks: dict[str, TaskID] = {}

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        super().progress(title, done, total, status)
        if title not in self.tasks:
            self.tasks[title] = self.bars.add_task(title, total=total)
        description = f"{title}: {status}" if status else title
        self.bars.update(self.tasks[title], completed=done, description=description, visible=done != total)


class LineReporter(Log):
    """The reporter that prints plain lines, by the time or by the share that is done.

    By the time, a line comes after some seconds of patience, and whenever these have passed since the line before and
    the time so far has grown by a factor; without patience there are none. By the share, which does not depend on the
    time, it comes at the first report of a title, whenever a further hundredth is done (a tenth where there is nothing
    to say but the number), and at the end. Early in a training the number doubles from line to line.
    """

    def __init__(self, patience: float, by_share: bool = False, growth: float = GROWTH) -> None:
        self.patience, self.by_share, self.growth = patience if patience > 0 else math.inf, by_share, growth
        self.began: dict[str, tuple[float, float]] = {}
        """By title: the time of the first report, in seconds, and what was done then."""
        self.due: dict[str, float] = {}
        """By title: the seconds since then, or what is done, from which on there is a line."""

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        super().progress(title, done, total, status)
        began, first = self.began.setdefault(title, (time.perf_counter(), done))
        seconds = time.perf_counter() - began
        due = self.due.get(title, 0.0 if self.by_share and self.patience < math.inf else self.patience)
        is_end = self.by_share and done == total and due < math.inf
        if is_end or (done if self.by_share else seconds) >= due:
            self.due[title] = math.inf if is_end else self._next_due(seconds, done, total, status)
            rest = _remaining(seconds, done - first, None if total is None else total - done)
            share = f" of {_number(total)} ({done / total:.0%}{rest})" if total else ""
            LOGGER.info("%s", visible(f"{title}: {_number(done)}{share}{f': {status}' if status else ''}"))

    def _next_due(self, seconds: float, done: float, total: float | None, status: str) -> float:
        if not self.by_share:
            return max(seconds + self.patience, seconds * self.growth)
        due = done + (1.0 if total is None else total / (100 if status else 10))
        return min(due, 2 * done) if status and total is not None and done else due


def _patience(default: float) -> float:
    """Return the seconds before the first line of progress; raises `BadOption` if the variable is no number."""
    text = os.environ.get(PROGRESS_VARIABLE)
    try:
        return float(text) if text else default
    except ValueError:
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
