"""Shows what long commands do: bars on a terminal, plain lines elsewhere, and messages of the library.

`--log-level` says which messages are printed; `cli.reporters` prints them, and is imported only for that.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from puzzlelab.cli.console import PLAIN


class Bars(Protocol):
    """Progress bars, as the commands use them."""

    @property
    def task_ids(self) -> Sequence[Any]:
        """The ids of the bars."""

    def advance(self, task_id: Any) -> None:
        """Add one to the completed steps."""

    def update(self, task_id: Any, *, completed: float | None = None, description: str | None = None) -> None:
        """Set the number of completed steps."""


@contextmanager
def progress(title: str = "", total: int | None = None, shown: bool = True, lines: bool = False) -> Iterator[Bars]:
    """Show progress bars on standard error, together with messages of the library.

    If standard error is no terminal there are plain lines in their place; with `lines` they go by the share that is
    done, and not by the time.
    """
    from puzzlelab.cli.reporters import BarReporter, ProgressLines, ShareLines, as_lines, shown_by

    if not sys.stderr.isatty():
        with as_lines(ShareLines(title, total) if lines else ProgressLines(title, total)) as reporter:
            yield reporter
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not shown) as bars:
        if title:
            bars.add_task(title, total=total)

        def show(text: str) -> None:
            bars.console.print(text, soft_wrap=True, **PLAIN)

        with shown_by(BarReporter(bars), show):
            yield bars


@contextmanager
def progress_beside_output(title: str) -> Iterator[Bars]:
    """Show messages of the library, and plain lines of progress where standard error is no terminal.

    For commands whose output grows line by line: on a terminal it shows the progress, and a bar would disturb it.
    """
    from puzzlelab.cli.reporters import ProgressLines, as_lines

    reporter = ProgressLines(title)
    if sys.stderr.isatty():
        reporter.patience = 0
    with as_lines(reporter):
        yield reporter
