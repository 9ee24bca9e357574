"""Starts the programs of a run, each in a process of its own, and restarts those that are killed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor
from puzzlelab.runtime import signals
from puzzlelab.storage.files import not_a_link
from puzzlelab.training.processes import GRACE_SECONDS, end_children, start_child
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay import programs
from puzzlelab.training.selfplay.distributed_selfplay import DistributedSelfPlay
from puzzlelab.training.selfplay.heartbeat import forget_gone, forget_processes
from puzzlelab.training.selfplay.settings import SelfPlaySettings
from puzzlelab.training.selfplay.status import StatusReader, headline

TRAINER_GRACE_SECONDS = 8.0
"""The time that the trainer has to save its state, after a step or the compilation of a kernel that takes this long.

The other programs have nothing to save: a shard and a match are played again. Containers are killed after 10 s.
"""
POLL_SECONDS = 0.2
"""The time between two checks of the processes."""
STATUS_SECONDS = 2.0
"""The time between two reports of the run's status."""
SHORT_LIFE = 10.0
"""A program that is killed within this many seconds counts as killed soon after its start."""
MAX_RESTARTS = 5
"""The number of times in a row that a program is restarted which is killed soon after its start."""


@dataclass
class ManagedProcess:
    """A program in a process of its own, which is restarted when it is killed."""

    name: str
    command: list[str]
    log: str
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    kills: int = 0
    """The number of times in a row that the process was killed soon after its start."""
    dismissed: bool = False
    """Whether it was ended from outside by a signal that asks it to end; then it is not started again."""

    def start(self) -> None:
        """Start the process."""
        with open(self.log, "ab", opener=not_a_link) as log:  # a path has no opener
            # in a process group of its own: Ctrl-C reaches this process alone, which then ends its programs once
            self.process = start_child(self.command, stdout=log, stderr=log, process_group=0)
        self.started = time.monotonic()

    @property
    def running(self) -> bool:
        """Whether the process runs or is to be restarted; all end when the run is done, the referee last."""
        return self.process is not None and not self.dismissed and self.process.poll() != 0

    def restart_if_killed(self) -> bool:
        """Restart the process if it was killed, and say whether; raises `BadInput` if it failed."""
        assert self.process is not None
        code = self.process.poll()
        if code in (None, 0) or self.dismissed:
            return False
        assert code is not None
        if number := signals.ended_by(code):
            self.dismissed = True
            report.note(f"the {self.name} was ended by signal {number}, and is not started again")
            return False
        if code > 0:
            raise BadInput(f"the {self.name} failed: {self._last_line() or f'exit code {code}'}")
        self.kills = self.kills + 1 if time.monotonic() - self.started < SHORT_LIFE else 1
        if self.kills > MAX_RESTARTS:
            raise PuzzlelabError(f"the {self.name} is killed again and again: is there enough memory?")
        report.note(f"the {self.name} was killed (signal {-code}), and is started again")
        self.start()
        return True

    def _last_line(self) -> str:
        """Return the last line of the log."""
        with open(self.log, encoding="utf-8", errors="replace") as log:  # noqa: PTH123
            lines = [line.strip() for line in log if line.strip()]
        return lines[-1].removeprefix("error: ") if lines else ""


def managed_processes(run: Run, workers: int) -> list[ManagedProcess]:
    """Return the programs of a run with this number of generators, not started yet."""
    folder = run.folder
    commands = [("trainer", ["train", str(folder)]), ("referee", ["judge", str(folder)])]
    commands += [(f"generator {number}", ["generate", str(folder)]) for number in range(1, workers + 1)]
    return [
        ManagedProcess(
            name, [sys.executable, "-m", "puzzlelab", "selfplay", *words], str(folder / "programs" / f"{words[0]}.log")
        )
        for name, words in commands
    ]


@contextmanager
def child_processes(run: Run, workers: int) -> Iterator[list[ManagedProcess]]:
    """Start all programs, and end them at the end."""
    children = managed_processes(run, workers)
    try:
        for child in children:
            child.start()
        yield children
    finally:
        _end(run, children)


def _end(run: Run, children: Sequence[ManagedProcess]) -> None:
    """End all programs; the trainer saves its state before it ends, for which it has more time than the others.

    A program that was killed cannot remove its status file. That is done here: its end is no surprise any more.
    """
    processes = {child.process: child for child in children if child.process is not None}
    grace_seconds = {
        process: TRAINER_GRACE_SECONDS if child.name == programs.TRAINER else GRACE_SECONDS
        for process, child in processes.items()
    }
    ended_before = {process for process in processes if process.poll() is not None}
    try:
        late = end_children(grace_seconds)
    finally:
        forget_processes(run, {process.pid for process in processes})
    for process, child in processes.items():
        if process in late:
            report.note(
                f"the {child.name} did not end within {grace_seconds[process]:g} s, and was stopped: "
                "what it had not saved is done again when the run continues"
            )
        elif process in ended_before and process.returncode < 0 and not child.dismissed:
            report.note(f"the {child.name} was killed (signal {-process.returncode})")


def run_all(
    run: Run,
    settings: SelfPlaySettings,
    watch: Callable[[], None],
    workers: int = 1,
    minutes: float | None = None,
    executor: Executor | None = None,
    resources: Mapping[str, float] | None = None,
) -> None:
    """Run all programs until the run is done or the time is over; with 0 workers they take turns in this process.

    With an executor it does their work; `resources` are those of the trainer's node, such as `{"gpu": 1}`.
    """
    with run.exclusive("run"):
        with run.writing():
            run.programs.mkdir(exist_ok=True)
        forget_gone(run)
        began, reader, champion = time.monotonic(), StatusReader(run, settings), run.network("champion")
        reported_at = 0.0

        def time_is_over() -> bool:
            """Tell whether the time is over; reports the run's status now and then."""
            nonlocal reported_at, champion
            watch()
            spent = (time.monotonic() - began) / 60
            if spent * 60 - reported_at > STATUS_SECONDS:
                reported_at = spent * 60
                status = reader.read()
                by = "" if executor is None else f"; {executor.status()}"
                report.progress("self-play", spent, minutes, headline(status) + by)
                if status.champion != champion:
                    champion = status.champion
                    report.note(f"{spent:.1f} minutes: {headline(status)}")
            return minutes is not None and spent >= minutes

        if run.finished():
            return
        if executor is not None:
            DistributedSelfPlay(run, settings, executor, resources or {}).work(time_is_over)
            return
        if workers == 0:
            programs.take_turns(run, settings, time_is_over)
            return
        with child_processes(run, workers) as children:
            while not time_is_over() and any(child.running for child in children):
                if [child for child in children if child.restart_if_killed()]:
                    forget_gone(run)
                time.sleep(POLL_SECONDS)
