"""A learner in a process of its own, perhaps on another machine, whose state lies in the folder of the run.

The folder is the driver's alone. The learner works in a temporary copy, and both sides exchange what has changed. If
its process ends, another one goes on from the driver's folder.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor, Program, ProgramLost
from puzzlelab.training.mirror import ChangedFiles, Changes, write_changes
from puzzlelab.training.recipe import Watch

EXCHANGE_SECONDS = 1.0
"""Seconds between two exchanges."""
SHORT_LIFE, MOST_STARTS = 30.0, 5
"""The learner is given up after `MOST_STARTS` processes in a row that ended within `SHORT_LIFE` seconds."""


@dataclass(frozen=True)
class LearnerWork:
    """The work of a learner, and the files of the folder that the driver writes. It travels by pickle."""

    learn: Callable[[Path, Watch], None]
    """Learns in a folder until the run is done, or until `watch` raises."""
    of_driver: tuple[str, ...]
    """The beginnings of the names of files that the driver writes."""

    def is_of_driver(self, name: str) -> bool:
        """Tell whether the driver writes this file."""
        return name.startswith(self.of_driver) if self.of_driver else False

    def is_of_learner(self, name: str) -> bool:
        """Tell whether the learner writes this file."""
        return not self.is_of_driver(name)


@dataclass(frozen=True)
class Exchange:
    """The answer of a learner to a call."""

    changes: Changes
    messages: list[tuple[str, tuple[Any, ...]]]
    """Calls of the reporter: method and arguments."""
    is_over: bool
    error: BaseException | None = None


@dataclass
class _Messages:
    """A reporter that keeps what the learner reports, for the driver."""

    kept: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        self.kept.append(("note", (sentence,)))

    def waiting(self, sentence: str) -> None:
        self.kept.append(("waiting", (sentence,)))

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        self.kept.append(("progress", (title, done, total, status)))

    def take(self) -> list[tuple[str, tuple[Any, ...]]]:
        """Return all messages since the last call."""
        count = len(self.kept)
        taken, self.kept[:count] = self.kept[:count], []
        return taken


class MirroredLearner:
    """The program: learns in a thread, in a copy of the folder."""

    def __init__(self, work: LearnerWork, files: Changes) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="puzzlelab-run-"))
        write_changes(self._folder, files)
        self._changed = ChangedFiles(self._folder, work.is_of_learner)
        self._changed.take()  # the driver has all of it
        self._messages, self._end, self._errors = _Messages(), threading.Event(), list[BaseException]()
        self._thread = threading.Thread(target=self._learn, args=(work,), daemon=True)
        self._thread.start()

    def _learn(self, work: LearnerWork) -> None:
        try:
            with report.listening(self._messages):
                work.learn(self._folder, self._watch)
        except KeyboardInterrupt:
            pass
        except BaseException as error:
            self._errors.append(error)

    def _watch(self) -> None:
        if self._end.is_set():
            raise KeyboardInterrupt

    def exchange(self, files: Changes) -> Exchange:
        """Take what the driver has written, and give what the learner has written."""
        write_changes(self._folder, files)
        is_over = not self._thread.is_alive()
        changes = self._changed.take()
        return Exchange(changes, self._messages.take(), is_over, self._errors[0] if self._errors else None)

    def stop(self) -> Exchange:
        """Let the learner save its state, and give all that it has written."""
        self._end.set()
        self._thread.join()
        first, last = self.exchange(Changes()), self.exchange(Changes())  # the second one tells what was removed
        changes = Changes(first.changes.whole, first.changes.more, last.changes.removed)
        shutil.rmtree(self._folder, ignore_errors=True)
        return Exchange(changes, first.messages, True, first.error)


@dataclass
class RemoteLearner:
    """The driver's side."""

    executor: Executor
    folder: Path
    work: LearnerWork
    resources: Mapping[str, float]
    """The resources that its node must have, such as `{"gpu": 1}`."""
    _program: Program | None = None
    _changed: ChangedFiles = field(init=False)
    _started_at: float = 0.0
    _short_lives: int = 0
    _exchanged_at: float = 0.0

    def exchange_if_due(self) -> bool:
        """Exchange files if it is time for that; whether the learner is over. Raises what the learner raised."""
        now = time.monotonic()
        if now - self._exchanged_at < EXCHANGE_SECONDS:
            return False
        self._exchanged_at = now
        try:
            if self._program is None:
                self._start()
            assert self._program is not None
            return self._take(self._program.call("exchange", self._changed.take()))
        except ProgramLost as error:
            self._lost(error)
            return False

    def stop(self) -> None:
        """Let the learner save its state, and end its process."""
        program, self._program = self._program, None
        if program is None:
            return
        try:
            self._take(program.call("stop"))
        except ProgramLost:
            report.note("the learner was lost before it could save: its last steps are done again")
        finally:
            program.end()

    def _start(self) -> None:
        self._changed = ChangedFiles(self.folder)
        files = self._changed.take()
        self._changed.is_own = self.work.is_of_driver
        self._program = self.executor.start(MirroredLearner, (self.work, files), self.resources)
        self._started_at = time.monotonic()

    def _take(self, exchange: Exchange) -> bool:
        write_changes(self.folder, exchange.changes)
        for method, arguments in exchange.messages:
            _report(method, arguments)
        if exchange.error is not None:
            raise exchange.error
        return exchange.is_over

    def _lost(self, error: ProgramLost) -> None:
        self._program = None
        is_short = time.monotonic() - self._started_at < SHORT_LIFE
        self._short_lives = self._short_lives + 1 if is_short else 1
        if self._short_lives >= MOST_STARTS:
            raise PuzzlelabError(f"the learner ends again and again ({error}): is there enough memory?")
        report.note(f"the learner was lost ({error}), and starts again from the saved state")


def _report(method: str, arguments: tuple[Any, ...]) -> None:
    """Report what the learner has reported."""
    calls: Mapping[str, Callable[..., None]] = {
        "note": report.note,
        "waiting": report.waiting,
        "progress": report.progress,
    }
    calls[method](*arguments)
