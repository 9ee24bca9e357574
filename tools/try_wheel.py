"""Installs a wheel into clean environments, and tries what a newcomer would: `python tools/try_wheel.py dist/*.whl`.

One environment for each Python of 3.11 to 3.13 that is found (as `python3.12`, or by pyenv). The packages are read-only
while the commands run, and there is no home: nothing may depend on either. Ends with code 1 if a command fails.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13")
BOARD = "8 6 7 2 5 4 3 0 1"
COMMANDS = (
    ("--version",),
    ("list", "tiles-4x4"),
    ("solve", "tiles-3x3", BOARD),
    ("solve", "tiles-3x3", BOARD, "--json"),
    ("hint", "sudoku-9x9", "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"),
    ("generate", "sudoku-9x9", "--count", "2"),
    ("count", "sudoku-4x4", "1.3434.2.14343.1"),
    ("web", "--help"),
)


def python_of(version: str) -> str | None:
    """The program of a version of Python, or None."""
    found = Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python")
    return next(map(str, found), None) or shutil.which(f"python{version}")


def make_read_only(folder: Path) -> None:
    """Take the right to write from everything in a folder."""
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))


def try_wheel(wheel: Path, python: str, folder: Path) -> list[str]:
    """Install a wheel into a new environment and run the commands; those that failed."""
    subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
    own = folder / "venv" / "bin" / "python"
    subprocess.run([own, "-m", "pip", "install", "-q", "-c", "constraints.txt", wheel], check=True)
    make_read_only(folder / "venv")
    work = folder / "work"
    work.mkdir()
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "PYTHONPATH")}
    environment |= {"PUZZLELAB_CACHE": str(folder / "cache"), "PUZZLELAB_BACKGROUND": "0"}
    failed = []
    for words in COMMANDS:
        ended = subprocess.run(
            [own, "-m", "puzzlelab", *words], cwd=work, env=environment, capture_output=True, text=True
        )
        print(f"  {'ok    ' if ended.returncode == 0 else 'FAILED'} puzzlelab {' '.join(words)}", flush=True)
        if ended.returncode != 0:
            failed.append(" ".join(words))
            print(ended.stdout[-2000:], ended.stderr[-2000:])
    for path in [folder / "venv", *(folder / "venv").rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | stat.S_IWUSR)  # so that it can be removed
    return failed


def main(wheels: list[str]) -> int:
    """Try a wheel with every Python; 1 if anything failed."""
    failed = []
    for version in VERSIONS:
        python = python_of(version)
        if python is None:
            print(f"Python {version}: not found, not tried")
            continue
        print(f"Python {version}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            failed += try_wheel(Path(wheels[0]).resolve(), python, Path(folder))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
