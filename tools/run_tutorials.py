"""Follows tutorials to the letter, in an empty folder: `python tools/run_tutorials.py docs/tutorial-proof.md ...`.

Shell blocks are run line by line. A Python block whose first line is a comment with the name of a file is added to that
file; the others run after it, as after `python -i FILE`. A TOML block is `pyproject.toml`. Lines that
install puzzlelab or open a browser are left out. `--python` names the Python of an environment with puzzlelab. Every
command is printed with its seconds; the code is 1 if one ends with another code than 0, or than its comment says.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from fenced_blocks import fenced_blocks

LEFT_OUT = re.compile(r"pip install '?\.|puzzlelab web --open")
TOLD = re.compile(r"#.*\bexit code (0 or )?1\b")
"""The comment of a command that leaves a board unsolved, or may do so."""


class Follower:
    """Follows one tutorial in a folder."""

    def __init__(self, folder: Path, python: Path) -> None:
        self.folder, self.python, self.file, self.session = folder, own_environment(folder / ".venv", python), "", ""
        path = os.pathsep.join((str(self.python.parent), os.environ["PATH"]))
        self.variables = {**os.environ, "PATH": path, "PYTHONUNBUFFERED": "1"}
        self.failed: list[str] = []

    def follow(self, page: Path) -> float:
        """Do what the blocks of a page say; the seconds that it took."""
        began = time.monotonic()
        for language, text in fenced_blocks(page):
            if language == "python":
                self._python(text)
            elif language == "toml":
                (self.folder / "pyproject.toml").write_text(text, encoding="utf-8")
            elif language in ("sh", "console"):
                for command in commands(language, text):
                    self._run(command, ["bash", "-c", command])
        return time.monotonic() - began

    def _python(self, text: str) -> None:
        if named := re.match(r"# (\w+\.py)\n", text):
            self.file = named[1]
            with (self.folder / self.file).open("a", encoding="utf-8") as file:
                file.write(text + "\n\n")
            self.session = ""
            return
        before = (self.folder / self.file).read_text(encoding="utf-8") if self.file else ""
        self.session += f"\n{text}"
        self._run(f"Python: {text.strip().splitlines()[-1].strip()}", [str(self.python), "-c", before + self.session])

    def _run(self, title: str, command: list[str]) -> None:
        began = time.monotonic()
        ended = subprocess.run(
            command, cwd=self.folder, env=self.variables, capture_output=True, text=True, check=False
        )
        print(f"{time.monotonic() - began:7.1f} s  {title}", flush=True)
        if ended.returncode not in exit_codes(title):
            self.failed.append(title)
            print(f"ended with code {ended.returncode}\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}")


def own_environment(folder: Path, python: Path) -> Path:
    """Make an environment that has the packages of another one, and may install more; its Python."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    own = folder / "bin" / "python"
    subprocess.run([own, Path(__file__).with_name("share_packages.py"), python.parent.parent], check=True)
    program = folder / "bin" / "puzzlelab"
    program.write_text(f'#!/bin/sh\nexec "{own}" -m puzzlelab "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return own


def exit_codes(line: str) -> set[int]:
    """The exit codes of a command: 0, or what its comment says (`# exit code 1`, `# exit code 0 or 1`)."""
    told = TOLD.search(line)
    return {0} if told is None else {0, 1} if told[1] else {1}


def commands(language: str, text: str) -> Iterator[str]:
    """The commands of a shell block; in a block `console` the others are what they print."""
    for line in text.splitlines():
        is_command = line.startswith("$ ") if language == "console" else bool(line.strip())
        if is_command and not LEFT_OUT.search(line):
            yield line.removeprefix("$ ")


def main() -> int:
    """Follow the pages; 1 if a command failed."""
    parser = argparse.ArgumentParser(description="Follow tutorials to the letter.")
    parser.add_argument("pages", type=Path, nargs="+")
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    arguments = parser.parse_args()
    failed = []
    for page in arguments.pages:
        with tempfile.TemporaryDirectory() as folder:
            follower = Follower(Path(folder), arguments.python)
            print(page)
            seconds = follower.follow(page)
            print(f"{seconds:7.1f} s  in all\n", flush=True)
            failed += follower.failed
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
