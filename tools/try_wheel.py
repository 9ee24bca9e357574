"""Installs a wheel into clean environments, and tries what a newcomer would: `python tools/try_wheel.py dist/*.whl`.

One environment for each Python of 3.11 to 3.13 that is found (as `python3.12`, or by pyenv), or only for those that are
named: `--python 3.12`. The commands solve, benchmark, report, train for a minute and serve the page. The packages
cannot be written meanwhile, not even by root, whose rights are dropped by `setpriv`; and there is no home. Ends with
code 1 if a command fails, or if it has changed the environment.
"""

from __future__ import annotations

import argparse
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

VERSIONS = ("3.11", "3.12", "3.13")
EXTRAS = "learn,plot,web"
BOARD = "8 6 7 2 5 4 3 0 1"
COMMANDS = (
    ("--version",),
    ("demo",),
    ("list", "tiles-4x4"),
    ("solve", "tiles-3x3", BOARD),
    ("solve", "tiles-3x3", BOARD, "--json"),
    (
        "solve",
        "tiles-4x4",
        "10 5 1 0 15 9 13 14 2 8 4 7 6 12 11 3",
        "--with",
        "beam",
        "--width",
        "100",
        "--estimate",
        "net",
    ),
    ("hint", "sudoku-9x9", "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"),
    ("generate", "sudoku-9x9", "--count", "2"),
    ("count", "sudoku-4x4", "1.3434.2.14343.1"),
    ("bench", "korf15", "--with", "beam:width=10", "--out", "results", "--jobs", "2"),
    ("plot", "results", "--kind", "lengths"),
    ("report", "results", "--out", "report.html"),
    ("train", "imitation", "--config", "tiles-3x3", "--run", "run", "--set", "learning.steps=2000"),
    ("solve", "tiles-3x3", BOARD, "--with", "astar", "--net", "run"),
)
WITHOUT_RIGHTS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
"""Begins a command of root's that has the rights of an ordinary user: it cannot write a read-only file."""
START = 60
"""Seconds within which the page must answer."""


@dataclass
class Environment:
    """A clean environment with the wheel, and what failed in it."""

    folder: Path
    failed: list[str] = field(default_factory=list)

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    def install(self, wheel: Path, python: str) -> None:
        """Make the environment; its packages and the folder above are read-only afterwards."""
        subprocess.run([python, "-m", "venv", self.folder / "venv"], check=True)
        wanted = f"puzzlelab[{EXTRAS}] @ {wheel.as_uri()}"
        subprocess.run([self.python, "-m", "pip", "install", "-qq", "-c", "constraints.txt", wanted], check=True)
        for path in self._files():
            path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
        for name in ("work", "cache"):
            (self.folder / name).mkdir()

    def start(self, words: Sequence[str]) -> subprocess.Popen[str]:
        """Start a command; its output is a pipe."""
        variables = {name: value for name, value in os.environ.items() if name not in ("HOME", "PYTHONPATH")}
        variables |= {"XDG_CACHE_HOME": str(self.folder / "cache"), "PYTHONUNBUFFERED": "1"}
        return subprocess.Popen(
            [*(WITHOUT_RIGHTS if os.geteuid() == 0 else ()), self.python, "-m", "puzzlelab", *words],
            cwd=self.folder / "work",
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def check(self, words: Sequence[str], trial: Callable[[Environment], str]) -> None:
        """Make a trial and print how it went; it gives what was printed if it failed."""
        began = time.monotonic()
        printed = trial(self)
        print(
            f"  {'FAILED' if printed else 'ok    '} {time.monotonic() - began:5.1f} s  puzzlelab {' '.join(words)}",
            flush=True,
        )
        if printed:
            self.failed.append(" ".join(words))
            print(printed[-3000:])

    def state(self) -> dict[Path, float]:
        """When each file of the environment was last written."""
        return {path: path.stat().st_mtime for path in self._files()}

    def remove(self) -> None:
        for path in self._files():
            path.chmod(path.stat().st_mode | stat.S_IWUSR)
        shutil.rmtree(self.folder)

    def _files(self) -> Iterator[Path]:
        paths = [self.folder / "venv", *(self.folder / "venv").rglob("*")]
        return (path for path in paths if not path.is_symlink())


def command(words: Sequence[str]) -> Callable[[Environment], str]:
    """The trial of a command, which must end with code 0."""

    def trial(environment: Environment) -> str:
        process = environment.start(words)
        printed, _ = process.communicate()
        return "" if process.returncode == 0 else f"ended with code {process.returncode}\n{printed}"

    return trial


def page(environment: Environment) -> str:
    """The trial of the page: it answers, and ends when it is told to."""
    process = environment.start(("web", "--port", "0"))
    assert process.stdout is not None
    line = process.stdout.readline()
    address = next((word for word in line.split() if word.startswith("http://")), "")
    if not address:
        process.kill()
        return line + process.stdout.read()
    wrong = [path for path in ("", "health") if not _answers(f"{address.rstrip('/')}/{path}")]
    process.terminate()  # Ctrl-C would be ignored where this runs in the background
    printed, _ = process.communicate(timeout=START)
    ended = "" if process.returncode == 0 else f"ended with code {process.returncode}\n{printed}"
    return ended + (f"no answer at {', '.join(wrong)}" if wrong else "")


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=START) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def try_wheel(wheel: Path, python: str) -> list[str]:
    """Install a wheel into a new environment and make all trials; those that failed."""
    environment = Environment(Path(tempfile.mkdtemp(prefix="puzzlelab-")))
    try:
        environment.install(wheel, python)
        before = environment.state()
        for words in COMMANDS:
            environment.check(words, command(words))
        environment.check(("web",), page)
        if environment.state() != before:
            print("  FAILED: files of the environment have changed")
            environment.failed.append("read-only packages")
    finally:
        environment.remove()
    return environment.failed


def python_of(version: str) -> str | None:
    """The program of a version of Python, or None."""
    found = Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python")
    return next(map(str, found), None) or shutil.which(f"python{version}")


def main() -> int:
    """Try a wheel with every Python; 1 if anything failed."""
    parser = argparse.ArgumentParser(description="Try a wheel in clean environments.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", action="append", choices=VERSIONS, help="only this version; may be repeated")
    arguments = parser.parse_args()
    failed = []
    for version in arguments.python or VERSIONS:
        python = python_of(version)
        if python is None:
            print(f"Python {version}: not found, not tried")
            continue
        print(f"Python {version}", flush=True)
        failed += try_wheel(arguments.wheel.resolve(), python)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
