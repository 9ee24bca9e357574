"""`puzzlelab steps`, and `solve --steps` and `--with logic`: the steps of logic, and where they end."""

import json

import pytest

SMALL = ".1....4....23..."
NEVER = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4........."


def test_the_steps_of_a_board(program):
    code, out, err = program("steps", "sudoku-4x4", "123......4......")
    assert (code, err) == (0, "")
    assert out.startswith("full house (1.0): r1c4 must be 4: it is the last blank cell of row 1\n")


def test_the_steps_as_json(program):
    code, out, _ = program("steps", "sudoku-9x9", "easy", "--json")
    row = json.loads(out)
    assert code == 0
    assert (row["puzzle"], row["reason"], len(row["board"])) == ("sudoku-9x9", "", 81)
    first = row["steps"][0]
    assert (first["technique"], first["placements"], first["eliminations"]) == ("hidden-single", ["r2c3=2"], [])
    assert (first["units"], first["links"]) == ([{"unit": "box 1", "role": 0}], [])
    assert first["sentence"] == "2 has one place left in box 1: r2c3"


def test_many_boards_with_errors_among_them(program, file):
    code, out, err = program("steps", "sudoku-4x4", "--file", file(f"{SMALL}\n11..............\n12\n"))
    assert code == 2
    assert "line 1: .1....4" in out
    assert "the board cannot be solved: row 1 holds two 1s, in r1c1 and r1c2" in out
    assert "line 3" in err


@pytest.mark.parametrize(
    ("board", "reason"), [("." * 81, "no step of logic is known here"), (NEVER, "the board cannot be solved: every")]
)
def test_a_board_without_steps_says_why(program, easiest_search, board, reason):
    code, out, _ = program("steps", "sudoku-9x9", board)
    assert code == 1
    assert out.startswith(reason)
    row = json.loads(program("steps", "sudoku-9x9", board, "--json")[1])
    assert (row["steps"], row["reason"].startswith(reason)) == ([], True)


def test_a_puzzle_without_logic(program):
    code, out, err = program("steps", "tiles-3x3", "1 2 3 4 5 6 7 0 8")
    assert (code, out) == (2, "")
    assert err == "error: tiles-3x3 is not solved by logic: its boards have no cells with candidates\n"


@pytest.mark.parametrize(
    ("words", "name"), [(("sudoku-4x4", SMALL), "dancing-links"), (("sudoku-9x9", "easy", "--with", "logic"), "logic")]
)
def test_a_solution_in_steps_has_a_reason_for_each(program, words, name):
    code, out, _ = program("solve", *words, "--steps")
    lines = out.splitlines()
    steps = [line for line in lines if line.lstrip()[:1].isdigit() and ". " in line[:5]]
    assert code == 0
    assert lines[0].startswith(f"{words[0]} by {name}")
    assert [int(line.split(".")[0]) for line in steps] == [*range(1, len(steps) + 1)]
    assert all("single" in line or "full house" in line for line in steps)


def test_where_logic_ends_the_rest_is_shown_as_moves(program):
    code, out, _ = program("solve", "sudoku-4x4", "1...............", "--steps")
    assert code == 0
    assert "no step of logic is known here; the other cells are from the solution" in out
    assert "\n1. r1c2=" in out


def test_the_solver_says_where_logic_ends(program, easiest_search):
    code, out, _ = program("solve", "sudoku-9x9", "." * 81, "--with", "logic", "--steps")
    assert code == 1
    assert "no step of logic is known after 0 steps, which write 0 digits" in out
