"""The programs of a run: what each of them does, and the one watcher that starts them, restarts them, and ends them.

A program shares only the folder of its run with the others. It is in a process of its own, which the executor starts
here or on another machine; if the process is lost, the executor starts it again, and the program goes on from the
folder. Only a program that gives pieces of work to other processes is a thread of this one, with the executor.

A machine that does not see the folder works in a temporary copy, and both sides exchange what has changed.
"""

from __future__ import annotations

import shutil
import signal
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor, ProgramLost
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.runtime import signals
from puzzlelab.training.mirror import ChangedFiles, Changes, write_changes
from puzzlelab.training.recipe import NO_CALLBACKS, Callbacks, Recipe, Watch
from puzzlelab.training.runs import Run

if TYPE_CHECKING:
    from concurrent.futures import Future

LEARNER = "learner"
POLL_SECONDS = 0.1
"""The time between two checks of all programs."""
EXCHANGE_SECONDS = 0.5
"""Seconds between two questions to a process for its messages and files."""
SAVE_SECONDS = 8.0
"""The time that a learner has to save its state, after a step or the compilation of a kernel that takes this long.

Containers are killed after 10 s.
"""
SHORT_LIFE, MOST_LIVES = 30.0, 5
"""A program is given up after `MOST_LIVES` processes in a row that ended within `SHORT_LIFE` seconds."""

REPORTS: Mapping[str, Callable[..., None]] = {
    "note": report.note,
    "waiting": report.waiting,
    "progress": report.progress,
}
"""The calls of the reporter by their names."""


Work: TypeAlias = "Callable[..., None]"
"""A function of a module, or a `partial` of one, which travels by pickle. Its arguments are `run`, `watch` and
`executor`: it works until the run is done, or until the watch raises; the executor does what others can do of it.
"""


@dataclass(frozen=True)
class RunProgram:
    """A program of a run."""

    name: str
    """Its name for people, such as 'generator 2'."""
    work: Work
    uses_executor: bool = False
    """Whether its pieces of work are for the executor, if that has other processes."""
    resources: Mapping[str, float] = field(default_factory=dict)
    """The resources that its node must have, such as `{"gpu": 1}`."""
    grace_seconds: float = 0.0
    """The time that it has to save its state at the end; 0: all that is not done is done again, and it is killed."""
    lock: str = ""
    """The lock of the run that it holds. Where the folder is copied, this process holds it."""
    only_reads: tuple[str, ...] = ()
    """The beginnings of the names of files that others write: those that a copy of the folder gets from here."""

    def writes(self, name: str) -> bool:
        """Tell whether this program may write the file."""
        return not (self.only_reads and name.startswith(self.only_reads))


class Programs:
    """The programs of a run that this process has started."""

    def __init__(self, run: Run, executor: Executor, programs: Sequence[RunProgram], on_loss: Watch) -> None:
        """`on_loss` is called after the process of a program was lost."""
        self._executor, self._checked_at = executor, 0.0
        self._all: list[_Thread | _Process] = [
            _Thread(program, run, executor)
            if program.uses_executor and not executor.shares_memory
            else _Process(program, run, executor, on_loss)
            for program in programs
        ]

    @property
    def running(self) -> set[str]:
        """The names of the programs that have not ended by themselves."""
        return {each.program.name for each in self._all if not each.is_over}

    def check(self) -> None:
        """Pass on what the programs report, and raise the error of one that failed; may be called at every step."""
        now = time.monotonic()
        if now - self._checked_at >= POLL_SECONDS:
            self._checked_at = now
            self._executor.check()
            for each in self._all:
                each.check()

    def end(self) -> None:
        """End all programs together, each within its grace; after a second signal all are killed at once."""
        began = time.monotonic()
        try:
            for each in self._all:
                each.ask()
            for each in sorted(self._all, key=lambda each: each.program.grace_seconds):
                each.finish(began + each.program.grace_seconds)
        finally:
            for each in self._all:
                each.kill()


@contextmanager
def running(
    run: Run, executor: Executor, programs: Sequence[RunProgram], on_loss: Watch = lambda: None
) -> Iterator[Programs]:
    """Start the programs of a run, and end them at the end."""
    with ExitStack() as locks:
        for program in programs:
            if program.lock and not executor.shares_files:
                locks.enter_context(run.exclusive(program.lock))
        begun = Programs(run, executor, programs, on_loss)
        try:
            yield begun
        finally:
            begun.end()


class _Thread:
    """A program at work in a thread of this process, until it returns or is stopped."""

    def __init__(self, program: RunProgram, run: Run, executor: Executor) -> None:
        self.program, self.is_over, self.is_stopped = program, False, False
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._work, args=(run, executor), daemon=True)
        self.thread.start()

    def _work(self, run: Run, executor: Executor) -> None:
        try:
            self.program.work(run=run, watch=self._watch, executor=executor)
        except KeyboardInterrupt:
            pass
        except BaseException as error:
            error.add_note(traceback.format_exc())  # which does not travel with the error
            self.error = error

    def _watch(self) -> None:
        if self.is_stopped:
            raise KeyboardInterrupt

    def check(self) -> None:
        is_over = not self.thread.is_alive()
        if self.error is not None:
            raise _failure(self.program, self.error)
        self.is_over = is_over

    def ask(self) -> None:
        """Let the next call of the watch end the work."""
        self.is_stopped = True

    def finish(self, end: float) -> None:
        self.thread.join()

    def kill(self) -> None:
        """Do nothing: what the thread does ends with the executor."""


# --- a process ---


@dataclass(frozen=True)
class Exchange:
    """The answer of a process to a question."""

    changes: Changes
    messages: list[tuple[str, tuple[Any, ...]]]
    """Calls of the reporter: method and arguments."""
    is_over: bool
    was_stopped: bool
    """Whether a signal to the process has ended the work."""
    error: BaseException | None


@dataclass
class _Messages:
    """A reporter that keeps what the program reports, for the process that has started it."""

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


class Host:
    """The object in the process of a program: lets it work in a thread, and answers questions meanwhile."""

    def __init__(self, program: RunProgram, folder: Path | None) -> None:
        """Make a host for a program in this folder; without one it gets a temporary copy of the folder."""
        self._program, self._is_copy = program, folder is None
        self._folder = folder or Path(tempfile.mkdtemp(prefix="puzzlelab-run-"))
        self._changed = ChangedFiles(self._folder, program.writes)
        self._messages = _Messages()
        self._working: _Thread | None = None

    def begin(self, files: Changes) -> Exchange:
        """Begin to work, in a copy with these files."""
        if self._is_copy:
            write_changes(self._folder, files)
            self._changed.take()  # the other side has all of it
        self._working = _Thread(replace(self._program, work=self._work), Run(self._folder), ThisProcess())
        signals.at_termination(self._working.ask)
        return self.exchange(Changes())

    def _work(self, **arguments: Any) -> None:
        with report.listening(self._messages):
            self._program.work(**arguments)

    def _begun(self) -> _Thread:
        if self._working is None:
            raise ProgramLost("its process ended, and has begun again")
        return self._working

    def exchange(self, files: Changes) -> Exchange:
        """Take what the others have written, and give what the program has written and reported."""
        working = self._begun()
        write_changes(self._folder, files)
        is_over = not working.thread.is_alive()
        messages = self._messages.take()  # before the files, so that what a message tells is in them
        return Exchange(self._changes(is_over), messages, is_over, working.is_stopped, working.error)

    def _changes(self, is_over: bool) -> Changes:
        """Return what the program has written since the last call; a copy is removed when it is over."""
        if not self._is_copy:
            return Changes()
        changes = self._changed.take()
        if is_over:
            last = self._changed.take()  # which tells what was removed
            changes = replace(changes, removed=(*changes.removed, *last.removed))
            shutil.rmtree(self._folder, ignore_errors=True)
            self._is_copy = False
        return changes

    def stop(self) -> Exchange:
        """Let the program save its state, and give all that it has written."""
        working = self._begun()
        working.ask()
        working.thread.join()
        return self.exchange(Changes())


class _Process:
    """A program in a process of its own, seen from here."""

    def __init__(self, program: RunProgram, run: Run, executor: Executor, on_loss: Watch) -> None:
        self.program, self.is_over = program, False
        self._run, self._on_loss, self._is_copied = run, on_loss, not executor.shares_files
        self._actor = executor.start(Host, (program, None if self._is_copied else run.folder), program.resources)
        self._changed = ChangedFiles(run.folder)
        self._has_begun, self._short_lives = False, 0
        self._began_at = self._asked_at = 0.0
        self._answer: Future[Exchange] | None = None
        self._last_answer: Future[Exchange] | None = None

    def check(self) -> None:
        """Take the answer to the last question, or ask the next one when it is due; never waits."""
        if self._answer is None:
            self._ask()
        elif self._answer.done():
            answer, self._answer = self._answer, None
            try:
                self._take(answer.result())
            except ProgramLost as error:
                self._note_loss(error)
            if self.is_over:
                self._actor.end()

    def _ask(self) -> None:
        now = time.monotonic()
        if self.is_over or (self._has_begun and now - self._asked_at < EXCHANGE_SECONDS):
            return
        self._asked_at = now
        if self._has_begun:
            self._answer = self._actor.call("exchange", self._changed.take() if self._is_copied else Changes())
        else:
            self._began_at = now
            self._answer = self._actor.call("begin", self._all_files())

    def _all_files(self) -> Changes:
        """Return the whole folder for a copy of it; then only the files count that the program does not write."""
        if not self._is_copied:
            return Changes()
        self._changed = ChangedFiles(self._run.folder)
        files = self._changed.take()
        self._changed.is_own = lambda name: not self.program.writes(name)
        return files

    def _take(self, exchange: Exchange) -> None:
        self._has_begun = True
        write_changes(self._run.folder, exchange.changes)
        for method, arguments in exchange.messages:
            REPORTS[method](*arguments)
        if exchange.error is not None:
            raise _failure(self.program, exchange.error)
        self.is_over = exchange.is_over
        if exchange.is_over and exchange.was_stopped and self._last_answer is None:
            report.note(f"the {self.program.name} was ended by a signal, and is not started again")

    def _note_loss(self, error: ProgramLost) -> None:
        name, is_short = self.program.name, time.monotonic() - self._began_at < SHORT_LIFE
        self._has_begun, self._short_lives = False, self._short_lives + 1 if is_short else 1
        if self._short_lives >= MOST_LIVES:
            raise PuzzlelabError(f"the {name} ends again and again ({error}): is there enough memory?")
        report.note(f"the {name} was lost ({error}), and is started again")
        self._on_loss()

    def ask(self) -> None:
        if self._has_begun and not self.is_over and self.program.grace_seconds:
            self._last_answer = self._actor.call("stop")

    def finish(self, end: float) -> None:
        if self._last_answer is None:
            return
        name, grace = self.program.name, self.program.grace_seconds
        try:
            for answer in filter(None, (self._answer, self._last_answer)):
                self._take(answer.result(max(0.0, end - time.monotonic())))
        except TimeoutError:
            report.note(
                f"the {name} did not end within {grace:g} s, and was stopped: what it had not saved is done again "
                "when the run continues"
            )
        except ProgramLost as error:
            report.note(f"the {name} was lost ({error}) before it could save: its last steps are done again")

    def kill(self) -> None:
        self._actor.end()


def _failure(program: RunProgram, error: BaseException) -> BaseException:
    """Return the error of a program as one of this process."""
    return PuzzlelabError(f"the {program.name} failed: {error}") if isinstance(error, PuzzlelabError) else error


# --- the programs of a recipe ---


def train(
    recipe: Recipe,
    run: Run,
    settings: Any,
    executor: Executor,
    resources: Mapping[str, float] | None = None,
    callbacks: Callbacks = NO_CALLBACKS,
) -> None:
    """Learn, beside a generator if the recipe has one; a signal ends both after the present step.

    The learner is this process, which calls the callbacks, or with `resources`, such as `{"gpu": 1}`, a process on a
    node that has them.
    """
    programs = []
    if recipe.generate is not None:
        programs.append(RunProgram("generator", partial(recipe.generate, settings=settings), uses_executor=True))
    if resources:
        work, only_reads = partial(recipe.learn, settings=settings), ("shards/",) * len(programs)
        programs.append(RunProgram(LEARNER, work, False, resources, SAVE_SECONDS, LEARNER, only_reads))
    with running(run, executor, programs) as begun, signals.delayed() as check_interrupt:

        def watch() -> None:
            check_interrupt()
            begun.check()
            if len(begun.running) < len(programs) and not run.done.exists():
                signals.interrupt(signal.SIGTERM)  # which has ended one of them

        if not resources:
            recipe.learn(run, settings, watch, executor, callbacks)
        while LEARNER in begun.running:
            time.sleep(POLL_SECONDS)
            watch()
