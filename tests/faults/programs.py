"""Runs of the program with signals and limits, and the judge of how they end. Linux only: processes are read in /proc.

Every process of a run has a mark in its environment, so that one which has left the group or lost its parent is seen
too. Only marked processes are ever ended.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MARK = "PUZZLELAB_FAULT_TRIAL"
LIMIT = 300.0
"""Seconds after which a run counts as hanging, and a process as left behind: many times what either takes."""
OUTPUT = 1_000_000
"""Bytes of each stream that are read."""
START = 0.3
"""CPU seconds in which a program may still be Python's own start."""
REFUSED = 2
SIGNAL_CODES = {signal.SIGHUP: 129, signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}
BAD_WORDS = (
    "Traceback (most recent call last)", "Exception ignored", "Aborted.", "Segmentation fault", "Fatal Python error",
    "leaked semaphore", "core dumped", "terminate called", "never retrieved",
)  # fmt: skip
ADVICE = re.compile(r"remove|restart|\bgive\b|\bput\b|delete|again|anew|instead|write |choose|name ")
"""The words of a sentence that says what to do."""


TIMES = {"seconds", "rate", "waited", "hours", "at", "date", "minutes"}
"""The fields that differ between two equal runs."""


def without_times(line: str) -> Any:
    """Return a line of JSON without what differs between two equal runs; the text if it is none."""
    try:
        value = json.loads(line)
    except ValueError:
        return line
    return {name: each for name, each in value.items() if name not in TIMES} if isinstance(value, dict) else value


@dataclass(frozen=True)
class Outcome:
    """The end of a run."""

    command: str
    code: int
    """Negative: the signal that ended it."""
    out: str
    err: str
    hangs: bool = False
    sent: int = 0
    """The signal that it got; 0 for none."""
    starting: bool = False
    """Whether the signal came in Python's own start, before the program could catch it."""
    survivors: tuple[str, ...] = ()
    """Processes of the run that outlived it."""
    peak: int = 0
    """Bytes of memory of its largest process."""

    @property
    def sentence(self) -> str:
        """The error in words; empty without one."""
        return next((line for line in reversed(self.err.splitlines()) if line.startswith("error: ")), "")

    @property
    def rows(self) -> list[Any]:
        """The rows that were printed, without times."""
        return [without_times(line) for line in self.out.splitlines()]

    @property
    def notes(self) -> list[str]:
        """The lines of standard error, but for those about compiling."""
        return [line for line in self.err.splitlines() if line.strip() and not line.startswith("Compiling ")]

    @property
    def says_nothing(self) -> bool:
        """Whether Python itself was interrupted before the first line of the program."""
        return self.starting and ("puzzlelab" not in self.err or self.code == -self.sent)

    def wrong(self, codes: Collection[int] = (0,), silent: bool = False, with_sentence: bool = True) -> list[str]:
        """Return what is wrong with the end; `codes` are right, and so is that of the signal that was sent."""
        expected = {*codes, SIGNAL_CODES[signal.Signals(self.sent)]} if self.sent else {*codes}
        text = self.out + self.err
        faults = {
            "it hangs": self.hangs,
            f"exit code {self.code}, expected one of {sorted(expected)}": not self.hangs and self.code not in expected,
            "exit code 2 without a sentence": with_sentence and self.code == REFUSED and not self.sentence,
            f"still running: {', '.join(self.survivors)}": bool(self.survivors),
            "standard error is not empty": silent and bool(self.notes),
            "raw control characters": "\x1b" in self.err.replace("\x1b[0m", ""),
            **{f"it printed {word!r}": word in text for word in BAD_WORDS},
        }
        found = [] if self.says_nothing else [fault for fault, is_there in faults.items() if is_there]
        return [*found, self.command, self.err[-2000:]] if found else []


class Program:
    """A run in a process group of its own; `shell` is a line of bash that starts it as `"$@"`."""

    def __init__(
        self, words: Sequence[str], folder: Path, variables: Mapping[str, str], shell: str = "", stdin: bytes = b""
    ) -> None:
        self.mark = uuid.uuid4().hex
        command = ["bash", "-c", shell, "-", *words] if shell else list(words)
        self.command = shlex.join(command)
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115
        with tempfile.TemporaryFile() as file:
            file.write(stdin)
            file.seek(0)
            self.process = subprocess.Popen(
                command, cwd=folder, env={**variables, MARK: self.mark}, start_new_session=True,
                stdin=file, stdout=self.out, stderr=self.err,
            )  # fmt: skip
        self.sent, self.starting, self.peak = 0, False, 0

    def poll(self) -> int | None:
        """Return the exit code, once the main process has ended."""
        if self.process.returncode is None:
            if peak := re.search(rb"VmHWM:\s*(\d+) kB", _read(f"/proc/{self.process.pid}/status")):
                self.peak = int(peak[1]) * 1024  # not `ru_maxrss`, which has the memory of the parent too
            pid, status = os.waitpid(self.process.pid, os.WNOHANG)
            if pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
        return self.process.returncode

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the main process; return whether it has ended."""
        until = time.monotonic() + seconds
        while self.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        return self.poll() is not None

    def printed(self) -> str:
        """Return the standard output so far."""
        return os.pread(self.out.fileno(), OUTPUT, 0).decode(errors="replace")

    def wait_for(self, text: str) -> str:
        """Wait until this text is printed; return the output."""
        until = time.monotonic() + LIMIT
        while text not in self.printed() and self.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        return self.printed()

    def send(self, number: int, pid: int = 0) -> None:
        """Send a signal: Ctrl-C to the whole group, as a terminal does, others to the main process or to `pid`."""
        if self.poll() is not None:
            return
        target = pid or self.process.pid
        self.sent, self.starting = number, _is_starting(target, number)
        with suppress(ProcessLookupError):
            os.killpg(target, number) if number == signal.SIGINT and not pid else os.kill(target, number)

    def finish(self) -> Outcome:
        """Wait for the end of the run and of all its processes, and end those that are still there."""
        hangs = not self.wait(LIMIT)
        until = time.monotonic() + (0 if hangs else LIMIT)
        while (left := marked(self.mark)) and time.monotonic() < until:
            time.sleep(0.02)
        survivors = tuple(f"{pid} {_read(f'/proc/{pid}/cmdline')[:80]!r}" for pid in left)
        self.end()
        err = os.pread(self.err.fileno(), OUTPUT, 0).decode(errors="replace")
        code, out = self.poll() or 0, self.printed()
        self.out.close()
        self.err.close()
        return Outcome(self.command, code, out, err, hangs, self.sent, self.starting, survivors, self.peak)

    def end(self) -> None:
        """Kill every process of this run."""
        for pid in marked(self.mark):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.wait(LIMIT)


def _read(path: str) -> bytes:
    with suppress(OSError):
        return Path(path).read_bytes()
    return b""


def marked(mark: str) -> list[int]:
    """Return the processes with this mark in their environment; one that only waits to be collected has none."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in pids if f"{MARK}={mark}".encode() in _read(f"/proc/{pid}/environ").split(b"\0")]


def children(pid: int) -> list[int]:
    """Return the direct children of a process."""
    return [int(child) for child in _read(f"/proc/{pid}/task/{pid}/children").split()]


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process; infinite if there is none."""
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK") if fields else float("inf")


def _is_starting(pid: int, number: int) -> bool:
    """Return whether a process is in its first moments, and does not catch this signal by itself yet."""
    masks = re.findall(rb"SigCgt:\s+(\w+)", _read(f"/proc/{pid}/status"))
    is_caught = bool(masks) and bool(int(masks[0], 16) >> (number - 1) & 1) and number != signal.SIGINT
    return cpu_seconds(pid) < START and not is_caught
