"""`--executor local`: each command prints and writes what it does without it."""

import re

import pytest
from typed_boards import EASY, MANY

BOARDS = "\n".join([EASY, MANY, "wrong", EASY, "." * 80, "11" + EASY[2:], MANY]) + "\n"
TILES = "1 2 3 4 5 6 7 0 8\n1 2 3 4 5 6 0 7 8\n1 2 3 4 5 6 8 7 0\n"
NO_EXECUTOR = "there is no executor 'elsewhere'; known are local, ray"
LOCAL = ("--executor", "local", "--jobs", 1)


def without_seconds(said):
    """The exit code, the output and the lines of errors, which may come earlier than the output for boards before."""
    code, out, err = (re.sub(r'"seconds": [\d.e-]+|[\d.]+ s$', "", str(part)) for part in said)
    return code, out, sorted(err.splitlines())


def test_the_environment_names_an_executor(program, monkeypatch):
    monkeypatch.setenv("PUZZLELAB_EXECUTOR", "elsewhere")
    assert program("count", "sudoku-9x9", EASY)[::2] == (
        2,
        "error: there is no executor 'elsewhere'; known are local, ray\n",
    )


@pytest.mark.slow
def test_count(program, file):
    words = "count", "sudoku-9x9", "--file", file(BOARDS), "--most", 300
    here = program(*words)
    assert without_seconds(program(*words, *LOCAL)) == without_seconds(here)
    assert here[0] == 2


def test_a_generated_file_is_continued(program, tmp_path):
    here, there = tmp_path / "here.txt", tmp_path / "there.txt"
    program("generate", "tiles-3x3", "--count", 700, "--out", here, "--seed", 3)
    program("generate", "tiles-3x3", "--count", 10, "--out", there, "--seed", 3)
    assert program("generate", "tiles-3x3", "--count", 700, "--out", there, *LOCAL)[0] == 0
    assert there.read_bytes() == here.read_bytes()
