"""The workplace of a case: a folder, a source of random numbers, the environment of its runs, and its trials."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import puzzlelab
from fault_trials.judge import Result, last_line
from fault_trials.programs import LIMIT, Outcome, Program, Programs, Stopped
from fault_trials.record import Case, Trial

if TYPE_CHECKING:
    from fault_trials.works import Work

SOURCE = Path(puzzlelab.__file__).resolve().parents[1]
MODULE = (sys.executable, "-m", "puzzlelab")
LARGEST_TABLE = 1_000_000
"""Bytes of the largest table that is copied from the user's cache."""
BOARDS = {
    "dust.txt": ("generate", "dust-6x5x4", "--count", "300", "--seed", "7"),
    "few.txt": ("generate", "dust-6x5x4", "--count", "12", "--seed", "8"),
    "tiles.txt": ("generate", "tiles-3x3", "--count", "20", "--seed", "9"),
}
"""Files of boards that cases share, and what makes them."""


class Reference:
    """The result of an uninterrupted run of a work, with its duration."""

    def __init__(self, folder: Path, result: Result, seconds: float) -> None:
        self.folder, self.result, self.seconds = folder, result, seconds


class Site:
    """What all cases share: the temporary folder, a cache of compiled kernels, boards, and reference results."""

    def __init__(self, folder: Path, seed: int, programs: Programs) -> None:
        self.folder, self.seed, self.programs = folder, seed, programs
        self.cache, self.inputs = folder / "cache", folder / "inputs"
        self._references: dict[str, Reference] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def prepare(self) -> None:
        """Copy the user's compiled kernels and small tables, so that little is compiled; make the boards."""
        from puzzlelab.engine.compiler import kernel_folder
        from puzzlelab.engine.table_cache import table_folder

        self.inputs.mkdir(parents=True)
        kernels = kernel_folder()
        if kernels is not None:
            shutil.copytree(kernels, self.cache / "kernels" / kernels.name)
        (self.cache / "tables").mkdir(parents=True, exist_ok=True)
        for path in table_folder().glob("*") if table_folder().is_dir() else ():
            if path.stat().st_size < LARGEST_TABLE:
                shutil.copy(path, self.cache / "tables")
        bench = self.bench(Case("preparation", "boards", lambda bench: None))
        for name, words in BOARDS.items():
            made = bench.run(*words, "--out", str(self.inputs / name))
            if made.code:
                sys.exit(f"{made.command} ended with code {made.code}: {made.err}")

    def bench(self, case: Case) -> Bench:
        """A workplace for a case."""
        return Bench(self, case)

    def reference(self, name: str) -> Reference:
        """A reference that was made before."""
        return self._references[name]

    def once(self, name: str, make: Callable[[], Reference]) -> Reference:
        """A reference that several cases need, which is made once."""
        with self._lock:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            if name not in self._references:
                self._references[name] = make()
            return self._references[name]


class Bench:
    """The workplace of one case; equal seeds give it equal random numbers, whatever else runs."""

    def __init__(self, site: Site, case: Case) -> None:
        self.site, self.case = site, case
        self.random = random.Random(f"{site.seed} {case.title}")
        self.trials: list[Trial] = []
        self.folder = site.folder / "cases" / "".join(c if c.isalnum() else "-" for c in case.title)[:100]
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir(parents=True)
        self._number = 0

    # --- running ---

    def environment(self, changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
        """The environment variables of a run: the caller's without its settings of Python and puzzlelab."""
        variables = {name: value for name, value in os.environ.items() if not name.startswith(("PUZZLELAB_", "PYTHON"))}
        variables |= {
            "PYTHONPATH": str(SOURCE),
            "PUZZLELAB_CACHE": str(self.site.cache),
            "PUZZLELAB_BACKGROUND": "0",
            "TMPDIR": str(self.temporary),
            "OMP_NUM_THREADS": "1",
        }
        for name, value in (changes or {}).items():
            if value is None:
                variables.pop(name, None)
            else:
                variables[name] = value
        return variables

    def start(
        self,
        *words: object,
        env: Mapping[str, str | None] | None = None,
        shell: str = "",
        stdin: bytes = b"",
        before: Sequence[str] = (),
    ) -> Program:
        """Start puzzlelab with these words; `before` stands before it, as `nohup` does."""
        command = [*before, *MODULE, *map(str, words)]
        return self.site.programs.start(command, self.folder, self.environment(env), shell, stdin)

    def run(
        self,
        *words: object,
        env: Mapping[str, str | None] | None = None,
        shell: str = "",
        stdin: bytes = b"",
        limit: float = LIMIT,
    ) -> Outcome:
        """Run puzzlelab with these words to its end."""
        return self.start(*words, env=env, shell=shell, stdin=stdin).finish(limit)

    def python(self, script: str, *words: str) -> str:
        """What a script prints in a process of its own, so that this one stays small."""
        command = [sys.executable, "-c", script, *words]
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True, check=True)
        return done.stdout

    def fresh(self, name: str = "out") -> Path:
        """A new folder in that of the case."""
        self._number += 1
        folder = self.folder / f"{name}-{self._number}"
        folder.mkdir()
        return folder

    def copy(self, source: Path, name: str = "copy") -> Path:
        """A copy of a folder in that of the case."""
        return shutil.copytree(source, self.fresh(name), dirs_exist_ok=True)

    def reference(self, work: Work) -> Reference:
        """The result of a work that nothing interrupts; a run that had to compile is repeated."""

        def make() -> Reference:
            while True:
                folder = self.site.folder / "references" / f"{work.slug}-{time.monotonic_ns()}"
                work.begin(folder, self.site)
                outcome = self.run(*work.words(folder, self.site), limit=5 * LIMIT)
                if outcome.code not in work.codes:
                    raise RuntimeError(f"{outcome.command} ended with code {outcome.code}: {outcome.err[-500:]}")
                if "Compiling" not in outcome.err:
                    return Reference(folder, work.result(folder, outcome), outcome.seconds)

        return self.site.once(work.name, make)

    def left_behind(self) -> list[str]:
        """Complaints about what is in the folder for temporary files; torch keeps a cache of its own there."""
        names = [path.name for path in self.temporary.iterdir() if not path.name.startswith("torchinductor")]
        return [f"left in the folder for temporary files: {name}" for name in names]

    def pause(self, seconds: float) -> None:
        """Wait, unless the script is to stop."""
        if self.site.programs.stopping.wait(seconds):
            raise Stopped

    # --- judging ---

    def tried(self, complaints: Iterable[str], outcome: Outcome | None = None, fault: str = "") -> None:
        """A trial, with what is wrong about it."""
        command, wrong = outcome.command if outcome else "", tuple(complaints)
        if wrong and outcome and outcome.err.strip():
            wrong += (f"its last words: {last_line(outcome.err)}",)
        fault = fault or self.case.fault
        self.trials.append(Trial(fault, self.case.name, wrong, command, title=self.case.title))

    def skipped(self, reason: str, fault: str = "") -> None:
        """A fault that could not be put in."""
        self.trials.append(Trial(fault or self.case.fault, self.case.name, skipped=reason))

    # --- small disks ---

    @contextmanager
    def small_disk(self, size: str) -> Iterator[Path | None]:
        """A disk of this size, mounted in the folder of the case; None where it cannot be made."""
        folder = self.fresh("disk")
        if os.geteuid() != 0 or not _mounted(folder, size):
            yield None
            return
        try:
            yield folder
        finally:
            unmount(folder)

    @staticmethod
    def grow(folder: Path, size: str = "200m") -> None:
        """Make room on a small disk."""
        subprocess.run(["mount", "-o", f"remount,size={size}", str(folder)], check=True, capture_output=True)


def quota(kilobytes: int) -> str:
    """A line of bash for `shell`: no file may be larger; what is printed goes through pipes, and is not limited."""
    limited = f'(ulimit -f {kilobytes}; exec "$@") 2>&4 | cat'
    return f'{{ {limited}; exit "${{PIPESTATUS[0]}}"; }} 4> >(cat >&2)'


def unmount(folder: Path) -> None:
    """Take a small disk away, even if a program still uses it."""
    subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True)


def _mounted(folder: Path, size: str) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False
