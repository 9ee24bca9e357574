"""The commands of README and docs run as they are printed, except for those whose comment says that they are long.

They end with the exit code 0, or with the one that their comment says, as in `# exit code 1`. A file of boards that is
missing is made with boards of the command's puzzle. Left out are patterns, commands that need the folder of a training
run or another file that is not there, and those that serve or wait. Another test follows the tutorials.
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
from run_tutorials import exit_codes

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md") if not path.name.startswith("tutorial-")),
]
LONG = re.compile(r"#.*\b(minutes?|hours?|seconds a board|no end)\b")
PATTERN = re.compile(r"\[?[A-Z][A-Z.\]]*|\.\.\.|.*\$\w.*")
WAITING = ("web", "selfplay", "cluster", "match")
FILE = re.compile(r"[\w/-]+\.(txt|csv|jsonl|onnx|toml)|runs/.*")
WRITTEN = ("--out", "--histogram", "--run", "onnx", ">")
"""What stands before the names of files that a command writes."""
PUZZLE = re.compile(r"(tiles|dust|sudoku)-.*")


def commands(page: Path) -> Iterator[str]:
    """The commands of a page that are to be run, with their comments."""
    for block in (text for language, text in fenced_blocks(page) if language in ("", "sh")):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("puzzlelab ") and not LONG.search(line):
                words = words_of(line)
                if not any(map(PATTERN.fullmatch, words)) and words[0] not in WAITING and "--executor" not in words:
                    yield line


def words_of(line: str) -> list[str]:
    """The words of a command after the name of the program."""
    return shlex.split(line, comments=True)[1:]


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program = f'puzzlelab() {{ "{sys.executable}" -m puzzlelab "$@"; }}\n{line}'
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", program],
        cwd=folder,
        env=os.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def files_of(words: list[str]) -> list[str]:
    """The files and runs that a command reads."""
    read = [word for before, word in zip(["", *words], words, strict=False) if before not in WRITTEN]
    return [
        *(word for word in read if FILE.fullmatch(word)),
        *(folder for word in words for folder in re.findall(r"net:(runs/[\w/-]+)", word)),
        *(words[1:2] if words[0] in ("plot", "report") else ()),
    ]


def make_boards(words: list[str], folder: Path) -> Iterator[Path]:
    """Make the files of boards that are missing."""
    puzzle = next(filter(PUZZLE.fullmatch, words), None)
    for name in files_of(words):
        if puzzle and name.endswith((".txt", ".csv")) and not (folder / name).exists():
            made = run(f"puzzlelab generate {puzzle} --count 2 --out {name}", folder)
            assert made.returncode == 0, made.stderr
            yield folder / name


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_commands_of_documents_run(page: str, tmp_path: Path) -> None:
    for library in ("matplotlib", "pyarrow", "jinja2", "pysat"):
        pytest.importorskip(library)
    failed = []
    shutil.copytree(ROOT / "examples" / "boards", tmp_path / "examples" / "boards")
    for line in commands(ROOT / page):
        words = words_of(line)
        made = list(make_boards(words, tmp_path))
        if all((tmp_path / name).exists() for name in files_of(words)):
            ended = run(line, tmp_path)
            if ended.returncode not in exit_codes(line):
                failed.append(f"{line}: {ended.returncode}, {ended.stderr[-300:]}")
        for path in made:
            path.unlink()
    assert failed == []
