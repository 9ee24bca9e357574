"""What commands say of boards with several solutions or a wrong one beside them, and write for boards without any."""

from __future__ import annotations

import json

import pytest

from puzzlelab.cli.several import ADVICE

UNIQUE = "12343412214343.."
OPEN, NONE, WRONG = "." * 16, "11" + "." * 14, "1234"
SOLVED, SWAPPED = "1234341221434321", "1234341221434312"
DIFFERENCE = "the file says r4c3=1, r4c4=2, and the solution has r4c3=2, r4c4=1"


@pytest.fixture
def boards(tmp_path):
    """A file of a unique board, one that is none, one without a solution, and one with several."""
    path = tmp_path / "boards.txt"
    path.write_text("".join(f"{text}\n" for text in (UNIQUE, WRONG * 4 + "5", NONE, OPEN, UNIQUE)))
    return path


def note(path, count=1, total=5, line=4):
    have = "has" if count == 1 else "have"
    return f"{count} of {total} boards {have} several solutions; the first: {path}, line {line}; {ADVICE}"


def test_rows_have_the_number_of_solutions(program, boards):
    code, out, err = program("solve", "sudoku-4x4", "--file", boards, "--json")
    assert [json.loads(line).get("solutions") for line in out.splitlines()] == [1, None, 0, 2, 1]
    assert (code, err.splitlines()[-1]) == (2, note(boards))


@pytest.mark.parametrize(("notation", "first"), [("line", SOLVED), ("csv", f"{UNIQUE},{SOLVED}")])
def test_lines_stay_in_step_with_the_boards(program, boards, notation, first):
    code, out, err = program("solve", "sudoku-4x4", "--file", boards, "--as", notation)
    lines = out.split("\n")
    assert (code, lines[0], lines[1], lines[2], lines[4], lines[5:]) == (2, first, "", "", first, [""])
    assert lines[3]
    assert err.splitlines()[-1] == note(boards)


def test_the_answers_of_a_file_are_told_to_be_of_several(program, boards, tmp_path):
    assert note(boards) in program("solve", "sudoku-4x4", "--file", boards)[2]
    assert note(boards) in program("solve", "sudoku-4x4", "--file", boards, "--out", tmp_path / "rows.jsonl")[2]


def test_one_board(program):
    assert program("solve", "sudoku-4x4", OPEN)[::2] == (0, "")
    assert program("solve", "sudoku-4x4", OPEN, "--as", "line")[::2] == (
        0,
        f"the board has several solutions; {ADVICE}\n",
    )
    assert program("solve", "sudoku-4x4", UNIQUE, "--as", "line")[::2] == (0, "")


def test_boards_must_be_unique(program, tmp_path):
    path = tmp_path / "boards.txt"
    path.write_text(f"{UNIQUE}\n{OPEN}\n")
    words = ("solve", "sudoku-4x4", "--file", path, "--as", "line")
    assert program(*words)[0] == 0
    assert program(*words, "--unique")[0] == 1
    assert program("solve", "sudoku-4x4", UNIQUE, "--unique")[0] == 0
    assert program("solve", "sudoku-4x4", OPEN, "--unique")[0] == 1
    code, _, err = program(*words, "--with", "annealing", "--unique")
    assert (code, err) == (1, f"2 of 2 boards have no proof of one solution; the first: {path}, line 1\n")


def test_commands_name_the_line_and_the_cell(program, tmp_path):
    path = tmp_path / "boards.csv"
    path.write_text(f"puzzle,solution\n{UNIQUE},{SOLVED}\n{UNIQUE},{SWAPPED}\n{OPEN},{SOLVED}\n")
    code, out, err = program("solve", "sudoku-4x4", "--file", path, "--as", "line")
    assert (code, len(out.splitlines())) == (1, 3)
    assert err.splitlines()[0] == f"error: {path}, line 3: {DIFFERENCE}"
    assert "the first: " in err.splitlines()[1]
    assert "; the file has one of them for 1; " in err.splitlines()[1]
    code, out, _ = program("check", "sudoku-4x4", "--file", path, "--json")
    objections = [json.loads(line)["objections"] for line in out.splitlines()]
    assert (code, objections[:2]) == (1, [[], [DIFFERENCE]])
    assert objections[2][0].endswith("; the solution beside it is one")
    assert f"{path}, line 3: {UNIQUE}\n" in program("check", "sudoku-4x4", "--file", path)[1]


def test_further_wrong_solutions_are_counted(program, tmp_path):
    path = tmp_path / "boards.csv"
    path.write_text(f"{UNIQUE},{SWAPPED}\n" * 22)
    _, _, err = program("solve", "sudoku-4x4", "--file", path, "--as", "line")
    assert err.splitlines()[20:] == ["error: and 2 more boards beside which a wrong solution stands"]
