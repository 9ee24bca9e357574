"""`puzzlelab analyse`: the regret of each move of a solve, the first mistake, and files of solves."""

import json

import pytest
from typed_boards import FAR, TWO


@pytest.fixture
def analyse(program):
    return lambda *arguments: program("analyse", *arguments)


@pytest.mark.parametrize("moves", [["L R L L"], ["L", "R", "L", "L"], ["L;R;L;L"]])
def test_a_solve_with_a_mistake(analyse, moves):
    code, out, err = analyse("tiles-3x3", TWO, *moves)
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines() if line.split()[0].isdecimal()]
    assert [(row[1], row[4]) for row in rows] == [("L", "+0"), ("R", "+2"), ("L", "+0"), ("L", "+0")]
    assert out.endswith("first mistake: move 2, R (+2); best there: L\nregret of the whole game: 2\n")


def test_the_puzzle_may_be_left_out_and_the_end_open(analyse):
    code, out, _ = analyse(FAR, "R D L", "--json")
    facts = json.loads(out)
    assert (code, facts["regret"]["length"], facts["first_mistake"], len(facts["continuation"])) == (0, 0, None, 28)
    assert "best continuation: " in analyse(FAR, "R D L")[1]


def test_a_file_of_solves(analyse, tmp_path):
    path = tmp_path / "solves.txt"
    path.write_text(f"# two solves\n\n{TWO}; L L\n{TWO}; L R L L\n{FAR}; R D\n")
    code, out, err = analyse("tiles-3x3", "--file", path)
    assert (code, err) == (0, "")
    assert out.splitlines()[:2] == [
        f"{path}, line 3: 2 moves, regret 0",
        f"{path}, line 4: 4 moves, regret 2; first mistake: move 2, R (+2); best there: L",
    ]
    assert out.splitlines()[3:] == [
        "3 solves: 2 without a wasted move",
        "moves wasted: mean 0.67, median 0, most 2",
        "first mistake: move 2 in the median",
    ]


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_the_rows_of_solve(analyse, program, tmp_path, ending):
    path, boards = tmp_path / f"rows.{ending}", [TWO, FAR, "2 1 3 4 5 6 7 8 0"]
    assert program("solve", "tiles-3x3", *boards, "--with", "astar", "--weight", "3", "--out", path)[0] == 1
    code, out, err = analyse("tiles-3x3", "--file", path, "--json")
    assert code == 0
    facts = [json.loads(line) for line in out.splitlines()]
    assert [each["board"] for each in facts] == [TWO, FAR]
    assert [len(each["steps"]) - each["regret"]["length"] for each in facts] == [2, 31]
    assert err.startswith("2 solves: ")
    assert analyse("tiles-4x4", "--file", path)[2].startswith(f"error: {path}, line ")


def test_errors_say_where(analyse, tmp_path):
    path = tmp_path / "solves.txt"
    path.write_text(f"{TWO}\n1 2 3; L\n{TWO}; L X\n{TWO}; L L L\n{TWO}; L L\n")
    code, out, err = analyse("tiles-3x3", "--file", path)
    assert (code, out.splitlines()[0]) == (2, f"{path}, line 5: 2 moves, regret 0")
    assert [line.partition(": ")[2].partition(": ")[0] for line in err.splitlines()] == [
        f"{path}, line {number}" for number in (1, 2, 3, 4)
    ]
    assert "there are no moves: a line is BOARD; MOVES" in err
    assert "move 3 of 3: L cannot be made" in err


@pytest.mark.parametrize("arguments", [["tiles-3x3"], ["tiles-3x3", TWO, "L", "--file", "x"]])
def test_one_source_is_given(analyse, arguments):
    assert analyse(*arguments)[::2] == (
        2,
        "error: give a board and the moves from it, or a file of solves with --file\n",
    )


def test_a_puzzle_whose_solutions_are_equally_long_is_refused(analyse):
    code, _, err = analyse("sudoku-4x4", "1" + "." * 15, "r1c2=2")
    assert code == 2
    assert err.startswith("error: hints compare the lengths of solutions")
