"""What the program refuses: every command of refusals.txt ends with code 2 and its sentence, and changes no file."""

import os
import re
import shlex
from pathlib import Path

import pytest
import small_runs

LINES = Path(__file__).with_name("refusals.txt").read_text().splitlines()
COMMANDS = [(line[2:], LINES[number + 1]) for number, line in enumerate(LINES) if line.startswith("$ ")]
TRAINING = ("train", "selfplay", "match")
"""Commands that need PyTorch."""
FILES = {
    "boards.txt": "1 2 3 4 5 6 7 0 8\n",
    "comments.txt": "# a comment\n",
    "empty.onnx": "",
    "empty.txt": "",
    "foreign.jsonl": '{"puzzle": "chess", "board": "e4", "solver": "ida"}\n',
    "notes.csv": "mine",
    "notes.png": "mine",
    "notes.txt": "my notes\n",
    "full/mine.txt": "mine",
    "teacher/teacher.json": '{"name": "Ms Smith"}',
    "run/config.toml": 'recipe = "imitation"\npuzzle = "tiles-2x2"\n',
    "state/state-5.safetensors": "x",
    "deep.toml": "x = " + "[" * 100_000,
    "lattice.toml": 'recipe = "lattice"\npuzzle = "sudoku-4x4"\nnetwork = { kind = "lattice" }\n'
    "boards = [{ count = 5 }]\n",
    "playing.toml": f'recipe = "dqn"\npuzzle = "tiles-2x3"\n{small_runs.PLAYING}',
    "selfplay.toml": f'recipe = "selfplay"\n{small_runs.SELFPLAY}',
    "small.toml": small_runs.IMITATION,
}
"""The files of the working folder."""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working folder with those files, a pipe and two empty folders."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for name in ("folder", "folder.onnx"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "long.toml").touch()
    os.truncate(tmp_path / "long.toml", 10**9)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder):
    """The files and folders in a folder, with the texts of those that have one."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return {name: path.read_text() if name in FILES else "" for name, path in found.items()}


@pytest.mark.parametrize(("command", "sentence"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_it_is_refused_with_a_sentence(program, here, command, sentence):
    words = shlex.split(command)
    if words[0] in TRAINING:
        pytest.importorskip("torch")
    if "/dev/" in command and not all(Path(word).exists() for word in words if word.startswith("/dev/")):
        pytest.skip("this system has no such device")
    before = contents(here)
    code, out, err = program(*words)
    assert (code, out) == (2, "")
    pattern = re.escape(sentence).replace(r"\.\.\.", ".*")
    if sentence.startswith("error: "):
        assert re.fullmatch(f"{pattern}\n", err)
    else:  # of the library that reads options, which draws a frame around it
        assert re.search(pattern, " ".join(err.replace("│", " ").split()))
    assert contents(here) == before
