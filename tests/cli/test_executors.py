"""`--executor local`: each command prints and writes what it does without it."""

import re

import pytest

EASY = ".54.8213..6...37943.16..2..2...7....693.1.547....4...9..9..78.24368...7..2856.41."
MANY = ".2....984..5..4..7...7.9...............97..138..4..5..5.3.427.12....7.45...1...9."
BOARDS = "\n".join([EASY, MANY, "wrong", EASY, "." * 80, "11" + EASY[2:], MANY]) + "\n"
TILES = "1 2 3 4 5 6 7 0 8\n1 2 3 4 5 6 0 7 8\n1 2 3 4 5 6 8 7 0\n"
LOCAL = ("--executor", "local", "--jobs", 1)


def without_seconds(said):
    """The exit code, the output and the lines of errors, which may come earlier than the output for boards before."""
    code, out, err = (re.sub(r'"seconds": [\d.e-]+|[\d.]+ s$', "", str(part)) for part in said)
    return code, out, sorted(err.splitlines())


def test_count(program, file):
    words = "count", "sudoku-9x9", "--file", file(BOARDS), "--most", 300
    here = program(*words)
    assert without_seconds(program(*words, *LOCAL)) == without_seconds(here)
    assert here[0] == 2


def test_verify(program, file, tmp_path):
    rows = tmp_path / "rows.jsonl"
    program("solve", "tiles-3x3", "--file", file(TILES), "--out", rows)
    text = rows.read_text()
    rows.write_text(text + text.replace('"U"', '"D"').replace('"length": 1,', '"length": 3,'))
    here = program("verify", rows, "--prove", "--json")
    assert without_seconds(program("verify", rows, "--prove", "--json", *LOCAL)) == without_seconds(here)


def test_generate(program):
    words = ("generate", "tiles-3x3", "--level", "3-6", "--json", "--count", 12, "--seed", 4)
    assert program(*words, *LOCAL) == program(*words)


@pytest.mark.parametrize(
    ("puzzle", "name"),
    [("tiles-3x3", "boards.txt"), pytest.param("sudoku-9x9", "boards.csv", marks=pytest.mark.slow)],
)
def test_a_generated_file_is_continued(program, tmp_path, puzzle, name):
    here, there = tmp_path / f"here-{name}", tmp_path / f"there-{name}"
    program("generate", puzzle, "--count", 700, "--out", here)
    if puzzle == "tiles-3x3":  # the file of a puzzle's own generator is complete, and may not get larger
        program("generate", puzzle, "--count", 10, "--out", there)
    assert program("generate", puzzle, "--count", 700, "--out", there, *LOCAL)[0] == 0
    assert there.read_bytes() == here.read_bytes()


def test_impossible_levels_leave_no_file(program, tmp_path):
    out = tmp_path / "boards.txt"
    assert program("generate", "tiles-3x3", "--level", 40, "--out", out, *LOCAL)[0] == 2
    assert not out.exists()


def test_the_environment_names_an_executor(program, monkeypatch):
    monkeypatch.setenv("PUZZLELAB_EXECUTOR", "elsewhere")
    for words in (("count", "sudoku-9x9", EASY), ("generate", "tiles-3x3"), ("bench", "korf15")):
        code, _, err = program(*words)
        assert code == 2
        assert "there is no executor 'elsewhere'" in err
