"""The status of each program of a run, in a file for each: `programs/generator-machine-123.json`."""

from __future__ import annotations

import json
import os
import platform
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadFile
from puzzlelab.experience.shard_leases import clock_of, has_ended, renewing, this_process
from puzzlelab.training.runs import Run

GENERATOR, TRAINER, REFEREE = "generator", "trainer", "referee"
NEEDS = {GENERATOR: (TRAINER,), TRAINER: (GENERATOR,), REFEREE: (TRAINER,)}
"""The programs whose output each program waits for."""
COMMANDS = {GENERATOR: "generate", TRAINER: "train", REFEREE: "judge"}
"""The subcommand of `puzzlelab selfplay` that starts each program."""
INTERVAL = 5.0
"""Seconds between two updates of the file's time stamp."""
TIMEOUT = 120.0
"""Seconds without an update after which a program on another machine counts as gone."""
NAME = re.compile(r"(generator|trainer|referee)-.*-\d+\.json")
"""The names of status files."""


class Heartbeat:
    """The status file of one program."""

    def __init__(self, run: Run, program: str) -> None:
        self.run, self.program = run, program
        self.path = run.programs / f"{program}-{platform.node()}-{os.getpid()}.json"
        self._activity: tuple[str, str] | None = None
        self.waited = 0.0
        """Seconds of waiting in all."""
        self._since = time.monotonic()

    def busy(self, activity: str) -> None:
        """Report an activity."""
        self._write(activity, "")

    def waiting(self, wanted: str) -> None:
        """Report that the program waits, and for what."""
        self._write("", wanted)

    def _write(self, busy: str, waiting: str) -> None:
        if self._activity == (busy, waiting):
            return
        now = time.monotonic()
        if self._activity is not None and self._activity[1]:
            self.waited += now - self._since
        self._activity, self._since = (busy, waiting), now
        values = {**this_process(), "program": self.program, "busy": busy, "waiting": waiting}
        values["since"] = clock_of(self.run.programs)
        self.run.write(self.path, json.dumps(values) + "\n", durable=False)

    @contextmanager
    def running(self) -> Iterator[Heartbeat]:
        """Update the time stamp meanwhile, and remove the file at the end."""
        with self.run.writing():
            self.run.programs.mkdir(exist_ok=True)
        try:
            with renewing(lambda: [self.path], INTERVAL):
                self.busy("begins")
                yield self
        finally:
            with suppress(OSError):
                self.path.unlink()


@dataclass(frozen=True)
class ProgramStatus:
    """The content of a status file."""

    name: str
    """The kind of program: generator, trainer or referee."""
    machine: str
    process: int
    busy: str
    """The activity; empty while the program waits."""
    waiting: str
    """The reason for which the program waits; empty while it is busy."""
    seconds: float
    """The time since the last change of these."""
    gone: bool
    """Whether the program ended without removing its file."""


def programs(run: Run) -> list[ProgramStatus]:
    """Return the status of every program that has not ended regularly."""
    now = clock_of(run.programs)
    return [status for path in _paths(run) if (status := _read(path, now)) is not None]


def forget_gone(run: Run) -> None:
    """Remove the files of programs that were killed, and those that a power cut has damaged."""
    now = clock_of(run.programs)
    for path in _paths(run):
        try:
            status = _read(path, now)
        except BadFile:
            path.unlink(missing_ok=True)
            continue
        if status is not None and status.gone:
            path.unlink(missing_ok=True)


def _paths(run: Run) -> list[Path]:
    """Return the status files."""
    return sorted(path for path in run.programs.glob("*.json") if path.is_file() and NAME.fullmatch(path.name))


def _read(path: Path, now: float) -> ProgramStatus | None:
    """Return the content of a status file; None if it has just been removed.

    `now` is the time of its file system, to which a time stamp is set that lies in the future.
    """
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        texts = [values[name] for name in ("program", "machine", "busy", "waiting")]
        if not all(isinstance(text, str) for text in texts) or not isinstance(values["process"], int):
            raise TypeError
        silent = now - path.stat().st_mtime
        if silent < 0:
            with suppress(OSError):
                os.utime(path)
        return ProgramStatus(
            values["program"],
            values["machine"],
            values["process"],
            values["busy"],
            values["waiting"],
            max(0.0, now - values["since"]),
            has_ended(values) or silent > TIMEOUT,
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadFile(f"{path} is damaged: remove it") from None


def missing_programs(run: Run, program: str) -> list[str]:
    """Return a sentence about each program that is not at work although this one waits for its output."""
    at_work = {status.name for status in programs(run) if not status.gone}
    return [
        f"the {program} waits, and no {other} is at work on {run.folder}: "
        f"puzzlelab selfplay {COMMANDS[other]} {run.folder}"
        for other in NEEDS.get(program, ())
        if other not in at_work
    ]
