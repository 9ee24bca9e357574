"""What each program of a run does at the moment, told in a file of its own: `programs/generator-machine-123.json`."""

from __future__ import annotations

import json
import os
import platform
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadFile
from puzzlelab.experience.shard_leases import has_ended, this_process
from puzzlelab.training.selfplay.run_folder import SelfPlayRun

BEAT = 5.0
"""Seconds between two signs of life."""
SILENT = 120.0
"""Seconds without one after which a program on another machine is taken to be gone."""


class Heartbeat:
    """Of one program."""

    def __init__(self, league: SelfPlayRun, program: str) -> None:
        self.league, self.program = league, program
        self.path = league.programs / f"{program}-{platform.node()}-{os.getpid()}.json"
        self._told: tuple[str, str] | None = None
        self.waited = 0.0
        """Seconds, in all."""
        self._since = time.time()

    def does(self, what: str) -> None:
        """Say what it does now."""
        self._tell(what, "")

    def waits(self, what: str) -> None:
        """Say what it waits for."""
        self._tell("", what)

    def _tell(self, does: str, waits: str) -> None:
        if self._told == (does, waits):
            return
        now = time.time()
        if self._told is not None and self._told[1]:
            self.waited += now - self._since
        self._told, self._since = (does, waits), now
        told = {**this_process(), "program": self.program, "does": does, "waits": waits, "since": now}
        self.league.write(self.path, json.dumps(told) + "\n")

    @contextmanager
    def kept(self) -> Iterator[Heartbeat]:
        """Gives signs of life meanwhile, and removes the file at the end."""
        with self.league.writing():
            self.league.programs.mkdir(exist_ok=True)
        over = threading.Event()

        def live() -> None:
            while not over.wait(BEAT):
                with suppress(OSError):
                    os.utime(self.path)

        signs = threading.Thread(target=live, daemon=True)
        signs.start()
        try:
            self.does("begins")
            yield self
        finally:
            over.set()
            signs.join()
            with suppress(OSError):
                self.path.unlink()


@dataclass(frozen=True)
class ProgramStatus:
    """What such a file says."""

    name: str
    """What it is: a generator, the trainer, the referee."""
    machine: str
    process: int
    does: str
    waits: str
    """What it waits for, if it does not do anything."""
    seconds: float
    """For how long."""
    gone: bool
    """Whether it ended without a word."""


def programs(league: SelfPlayRun) -> list[ProgramStatus]:
    """All that said something and did not end."""
    return [found for path in sorted(league.programs.glob("*.json")) if (found := _read(path)) is not None]


def forget_gone(league: SelfPlayRun) -> None:
    """Remove the files of programs that ended without a word."""
    for path in league.programs.glob("*.json"):
        found = _read(path)
        if found is not None and found.gone:
            path.unlink(missing_ok=True)


def _read(path: Path) -> ProgramStatus | None:
    """What a file says; None if it has just gone."""
    try:
        told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        silent = time.time() - path.stat().st_mtime
        return ProgramStatus(
            told["program"],
            told["machine"],
            told["process"],
            told["does"],
            told["waits"],
            max(0.0, time.time() - told["since"]),
            has_ended(told) or silent > SILENT,
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        raise BadFile(f"{path} is damaged: remove it") from None
