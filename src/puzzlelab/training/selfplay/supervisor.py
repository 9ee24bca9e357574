"""Starts the programs of a run, each in a process of its own, and starts them again if somebody kills them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.engine import report
from puzzlelab.training.processes import ENDING, PARENT
from puzzlelab.training.recipes.selfplay import SelfPlaySettings
from puzzlelab.training.selfplay import programs
from puzzlelab.training.selfplay.heartbeat import forget_gone
from puzzlelab.training.selfplay.run_folder import SelfPlayRun
from puzzlelab.training.selfplay.status import StatusReader, headline

INTERRUPTED = 130
"""The exit code of a program that Ctrl-C ended, which reaches all of a terminal."""
LOOK = 0.2
"""Seconds between two looks at the processes."""
SHOW = 2.0
"""Seconds between two looks at how the run stands."""
SOON = 10.0
"""Seconds in which a program that lives no longer than that is not much use."""
PATIENCE = 5
"""How often in a row it is started again all the same."""


@dataclass
class ManagedProcess:
    """A program in a process of its own, which is started again when it is killed."""

    name: str
    command: list[str]
    log: str
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    kills: int = 0
    """How often in a row it was killed soon after it was started."""

    def start(self) -> None:
        """Start it."""
        told = {**os.environ, PARENT: str(os.getpid())}
        with open(self.log, "ab") as log:  # noqa: PTH123  # a stream that the process inherits
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=told)
        self.started = time.monotonic()

    @property
    def works(self) -> bool:
        """Whether it has not ended by itself, as all do when the run is done: the referee last."""
        return self.process is not None and self.process.poll() != 0

    def look(self) -> bool:
        """Whether it was killed, and is started again now; raises `BadInput` where it failed."""
        assert self.process is not None
        code = self.process.poll()
        if code in (None, 0, INTERRUPTED):
            return False
        if code > 0:
            raise BadInput(f"the {self.name} failed: {self._last_words() or f'exit code {code}'}")
        self.kills = self.kills + 1 if time.monotonic() - self.started < SOON else 1
        if self.kills > PATIENCE:
            raise PuzzlelabError(f"the {self.name} is killed again and again: is there enough memory?")
        report.note(f"the {self.name} was killed (signal {-code}), and is started again")
        self.start()
        return True

    def _last_words(self) -> str:
        """The last sentence that it said."""
        with open(self.log, encoding="utf-8", errors="replace") as log:  # noqa: PTH123
            lines = [line.strip() for line in log if line.strip()]
        return lines[-1].removeprefix("error: ") if lines else ""


@contextmanager
def children(league: SelfPlayRun, workers: int) -> Iterator[list[ManagedProcess]]:
    """All programs at work; they are ended at the end, the learner after it has saved."""
    folder = league.folder
    made = [("trainer", ["train", str(folder)]), ("referee", ["judge", str(folder)])]
    made += [(f"generator {number}", ["generate", str(folder)]) for number in range(1, workers + 1)]
    found = [
        ManagedProcess(
            name, [sys.executable, "-m", "puzzlelab", "selfplay", *words], str(folder / "programs" / f"{words[0]}.log")
        )
        for name, words in made
    ]
    with ExitStack() as stack:
        for child in found:
            child.start()
            stack.callback(_end, child)
        yield found


def _end(child: ManagedProcess) -> None:
    import signal

    process = child.process
    assert process is not None
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=ENDING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def run_all(
    league: SelfPlayRun,
    settings: SelfPlaySettings,
    watch: Callable[[], None],
    workers: int = 1,
    minutes: float | None = None,
) -> None:
    """Let all programs work until the run is done or the time is over; without workers they take turns in this one."""
    with league.alone("run"):
        with league.writing():
            league.programs.mkdir(exist_ok=True)
        forget_gone(league)
        began, standing, champion = time.monotonic(), StatusReader(league, settings), league.named("champion")
        shown = 0.0

        def over() -> bool:
            """Whether it is time to stop; tells how the run stands now and then."""
            nonlocal shown, champion
            watch()
            spent = (time.monotonic() - began) / 60
            if spent * 60 - shown > SHOW:
                shown = spent * 60
                facts = standing.facts()
                report.progress("self-play", spent, minutes, headline(facts))
                if facts.champion != champion:
                    champion = facts.champion
                    report.note(f"{spent:.1f} minutes: {headline(facts)}")
            return minutes is not None and spent >= minutes

        if league.done.exists():
            return
        if workers == 0:
            programs.take_turns(league, settings, over)
            return
        with children(league, workers) as at_work:
            while not over() and any(child.works for child in at_work):
                if [child for child in at_work if child.look()]:
                    forget_gone(league)
                time.sleep(LOOK)
