"""The commands of README and documents run as they are printed, except for those whose comment says that they are long.

A file after `--file` that does not exist is made with boards of the command's puzzle. Left out are patterns, commands
that need the folder of a training run or another file that is not there, and those that serve or wait.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fenced_blocks import fenced_blocks

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", *(f"docs/{name}.md" for name in ("benchmarks", "dust", "networks", "solving", "sudoku", "tiles"))]
LONG = re.compile(r"#.*\b(minutes?|hours?|seconds a board|no end)\b")
PATTERN = re.compile(r"\[?[A-Z][A-Z.\]]*|\.\.\.")
WAITING = ("web", "selfplay", "cluster", "match")
FILE = re.compile(r"[\w/-]+\.(txt|csv|jsonl|onnx|toml)|runs/.*")
PUZZLE = re.compile(r"(tiles|dust|sudoku)-.*")
ENDS = (0, 1)
"""Exit codes: 1 says that a board is unsolved, or has an objection."""


def commands(page: Path) -> Iterator[list[str]]:
    """The words of the commands of a page that are to be run."""
    for block in (text for language, text in fenced_blocks(page) if language in ("", "sh")):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("puzzlelab ") and not LONG.search(line):
                words = shlex.split(line, comments=True)
                if not any(map(PATTERN.fullmatch, words)):
                    yield words[1:]


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-m", "puzzlelab", *words]
    return subprocess.run(
        program, cwd=folder, env=os.environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def make_boards(words: list[str], folder: Path) -> None:
    """Make the file after `--file`, if it is missing."""
    if "--file" in words and (puzzle := next(filter(PUZZLE.fullmatch, words), None)):
        name = words[words.index("--file") + 1]
        if not (folder / name).exists():
            made = run(["generate", puzzle, "--count", "2", "--out", name], folder)
            assert made.returncode == 0, made.stderr


def has_files(words: list[str], folder: Path) -> bool:
    """Whether the files that a command reads are there; what follows `--out` and the like is written."""
    if words[0] in ("plot", "report") and not (folder / words[1]).exists():
        return False
    read = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if before not in ("--out", "--histogram", "--run")
    ]
    return all((folder / word).exists() for word in read if FILE.fullmatch(word)) and not any(
        "net:runs/" in word for word in words
    )


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_commands_of_documents_run(page: str, tmp_path: Path) -> None:
    for library in ("matplotlib", "pyarrow", "jinja2", "pysat"):
        pytest.importorskip(library)
    failed = []
    shutil.copytree(ROOT / "examples" / "boards", tmp_path / "examples" / "boards")
    for words in commands(ROOT / page):
        make_boards(words, tmp_path)
        if words[0] in WAITING or "--executor" in words or not has_files(words, tmp_path):
            continue
        ended = run(words, tmp_path)
        if ended.returncode not in ENDS:
            failed.append(f"puzzlelab {shlex.join(words)}: {ended.returncode}, {ended.stderr[-300:]}")
    assert failed == []
