"""Runs of the program, each in a process group of its own: signals, limits, and the processes that belong to it.

The processes of a run are recognised by a mark in their environment, so that a process which has left the group or lost
its parent is seen too. Only marked processes are ever ended.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MARK = "PUZZLELAB_FAULT_TRIAL"
LIMIT = 120.0
"""Seconds after which a program counts as hanging; as many times more as the machine is busy with other work."""
GONE: dict[int, float] = {signal.SIGKILL: 5.0}
"""Seconds that the processes of a run may live after its main process was ended so."""
GONE_OTHERWISE = 2.0
STARTING_CPU = 0.3
"""CPU seconds in which a program may still be Python's own start."""
OUTPUT = 200_000
"""Bytes of each stream that are kept."""


class Stopped(Exception):
    """The script was interrupted."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    command: str
    code: int
    """Negative: the signal that ended it."""
    out: str = ""
    err: str = ""
    seconds: float = 0.0
    timed_out: bool = False
    sent: int = 0
    """The signal that it got; 0 for none."""
    starting: bool = False
    """Whether the signal came in Python's own start, before it was caught."""
    after_signal: float = 0.0
    """Seconds from the signal to its end."""
    survivors: tuple[str, ...] = ()
    """Processes of it that were still there when they should have been gone."""
    gone_after: float = 0.0
    """Seconds from its end to that of its last process."""
    peak: int = 0
    """Bytes of memory of its largest process."""


class Programs:
    """Starts runs, and ends all of them when the script stops."""

    def __init__(self) -> None:
        self.stopping = threading.Event()
        self._running: set[Program] = set()
        self._lock = threading.Lock()
        self.slowest_end = 0.0
        """Most seconds that a process outlived a killed main process."""

    def start(
        self, words: Sequence[str], folder: Path, environment: Mapping[str, str], shell: str = "", stdin: bytes = b""
    ) -> Program:
        """Start a command; `shell` is a line of bash that runs it as `"$@"`, under limits or with closed streams."""
        if self.stopping.is_set():
            raise Stopped
        program = Program(self, words, folder, environment, shell, stdin)
        with self._lock:
            self._running.add(program)
        return program

    def ended(self, program: Program) -> None:
        """Forget a run that has ended."""
        with self._lock:
            self._running.discard(program)

    def stop(self) -> None:
        """End all runs; nothing starts from now on."""
        self.stopping.set()
        with self._lock:
            running = list(self._running)
        for program in running:
            program.end_all()


class Program:
    """One run."""

    def __init__(
        self,
        programs: Programs,
        words: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        shell: str = "",
        stdin: bytes = b"",
    ) -> None:
        self.programs, self.mark = programs, uuid.uuid4().hex
        command = ["bash", "-c", shell, "-", *words] if shell else list(words)
        self.command = f"bash -c {shlex.quote(shell)} - {shlex.join(words)}" if shell else shlex.join(words)
        self._streams = {name: folder / f"{name}-{self.mark}" for name in ("in", "out", "err")}
        self._streams["in"].write_bytes(stdin)
        with (
            self._streams["in"].open("rb") as stdin_file,
            self._streams["out"].open("wb") as out,
            self._streams["err"].open("wb") as err,
        ):
            self.begun = time.monotonic()
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env={**environment, MARK: self.mark},
                stdin=stdin_file,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        self.peak = 0
        self.sent = 0
        self.sent_at = 0.0
        self.starting = False

    def poll(self) -> int | None:
        """The exit code, once it has ended."""
        if self.process.returncode is None:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self.peak = usage.ru_maxrss * 1024
        return self.process.returncode

    def wait(self, seconds: float) -> bool:
        """Wait for its end; whether it has ended."""
        until = time.monotonic() + seconds
        while self.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        return self.poll() is not None

    def wait_for_output(self, text: str, seconds: float = LIMIT) -> bool:
        """Wait until this text is on its standard output; whether it came."""
        until = time.monotonic() + seconds
        while text not in self.output() and self.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        return text in self.output()

    def output(self, name: str = "out") -> str:
        """What it has printed so far."""
        with suppress(FileNotFoundError), self._streams[name].open("rb") as file:
            return file.read(OUTPUT).decode(errors="replace")
        return ""

    def send(self, number: int, pid: int | None = None) -> None:
        """Send a signal: Ctrl-C to the whole group, as a terminal does, others to the main process or to `pid`."""
        if self.poll() is not None:
            return
        self.starting = _starting(pid or self.process.pid, number)
        self.sent, self.sent_at = number, time.monotonic()
        with suppress(ProcessLookupError):
            if number == signal.SIGINT and pid is None:
                os.killpg(self.process.pid, number)
            else:
                os.kill(pid or self.process.pid, number)

    def finish(self, limit: float = LIMIT) -> Outcome:
        """Wait for its end and for that of all its processes, end those that are still there, and say how it was."""
        timed_out = not self.wait(limit * load())
        stopped = self.programs.stopping.is_set()
        if timed_out:
            self.end_all()
            self.wait(LIMIT)
        ended = time.monotonic()
        until = ended + GONE.get(self.sent, GONE_OTHERWISE) * load()
        while (pids := marked(self.mark)) and time.monotonic() < until:
            time.sleep(0.02)
        survivors = tuple(_described(pid) for pid in pids)
        gone_after = time.monotonic() - ended
        if not survivors and self.sent:
            self.programs.slowest_end = max(self.programs.slowest_end, gone_after)
        self.end_all()
        self.programs.ended(self)
        if stopped or self.programs.stopping.is_set():
            raise Stopped
        outcome = Outcome(
            self.command, self.poll() or 0, self.output(), self.output("err"), ended - self.begun, timed_out,
            sent=self.sent, starting=self.starting, after_signal=ended - self.sent_at if self.sent else 0.0,
            survivors=survivors, gone_after=gone_after, peak=self.peak,
        )  # fmt: skip
        for path in self._streams.values():
            path.unlink(missing_ok=True)
        return outcome

    def end_all(self) -> None:
        """Kill every process of this run."""
        for pid in marked(self.mark):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def load() -> float:
    """By how much other work slows this machine: the load for each core, at least 1."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def marked(mark: str) -> list[int]:
    """The processes with this mark in their environment; one that only waits to be collected has none."""
    wanted, pids = f"{MARK}={mark}".encode(), []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    pids.append(int(folder.name))
    return pids


def children(pid: int) -> list[int]:
    """The direct children of a process."""
    with suppress(OSError):
        tasks = Path(f"/proc/{pid}/task").iterdir()
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return []


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process; infinite if there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("inf")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _starting(pid: int, number: int) -> bool:
    """Whether a process is in its first moments, and does not catch this signal yet."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    masks = [int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigCgt:")]
    caught = bool(masks and masks[0] >> (number - 1) & 1)
    early = cpu_seconds(pid) < STARTING_CPU
    return early and (not caught or number == signal.SIGINT)  # Python itself catches Ctrl-C


def _described(pid: int) -> str:
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        return f"{pid} ({words[:80].strip()})"
    return str(pid)
