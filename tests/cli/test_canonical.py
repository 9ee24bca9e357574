"""`puzzlelab canonical`: one form for boards that are the same up to a symmetry, and one board of each class."""

import json

ONE, IMAGE, OTHER = "12......21......", "......43......34", "1...2...3......."
FORM = ".........1.2.2.1"


def test_images_have_one_form(program):
    code, out, err = program("canonical", "sudoku-4x4", ONE, IMAGE, OTHER)
    assert (code, err) == (0, "")
    same, as_well, other = out.splitlines()
    assert same == as_well == FORM != other


def test_one_board_of_each_class(program, file):
    boards = file(f"{ONE}\n{OTHER}\n{IMAGE}\n")
    code, out, err = program("canonical", "sudoku-4x4", "--file", boards, "--unique-up-to-symmetry")
    assert (code, out.split()) == (0, [ONE, OTHER])
    assert err == "2 of 3 boards are unique up to symmetry\n"
    rows = list(map(json.loads, program("canonical", "sudoku-4x4", "--file", boards, "--json")[1].splitlines()))
    assert [row["same_as"] for row in rows] == [None, None, f"{boards}, line 1"]
    assert rows[0]["canonical"] == rows[2]["canonical"] == FORM


def test_unreadable_boards(program, file):
    code, out, err = program("canonical", "sudoku-4x4", "--file", file(f"{ONE}\n12\n"), "--json")
    assert (code, "line 2" in err) == (2, True)
    assert "error" in json.loads(out.splitlines()[1])
