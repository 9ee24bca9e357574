"""`puzzlelab hint`: what a player is told of the moves at a position, and of a game that was played."""

import json
from functools import partial

import pytest
from typed_boards import FAR, TWO

DUST = "331233122213"


@pytest.fixture
def program(program):
    """Runs `hint` with these words; returns (exit code, standard output, standard error)."""
    return partial(program, "hint")


def rows(out, columns):
    """The rows of a table that was printed, below its titles."""
    lines = [line.split() for line in out.splitlines()]
    return [line for line in lines if len(line) == columns and (line[-1] in ("yes", "no"))]


def test_the_moves_with_what_they_need_and_waste(program):
    code, out, err = program("tiles-3x3", TWO)
    assert (code, err) == (0, "")
    assert "2 moves, proven optimal" in out
    assert "all the best moves: L\n" in out
    assert "4 5 6" in out
    assert rows(out, 4) == [["L", "2", "0", "yes"], ["D", "4", "2", "yes"]]


def test_dust_marks_the_cluster_to_click(program):
    code, out, err = program("dust-4x3x3", DUST, "--with", "bfs")
    assert (code, err) == (0, "")
    assert "4 moves, proven optimal" in out
    assert "all the best moves: 2,0\n" in out
    assert "[R]" in out
    assert rows(out, 4)[0] == ["2,0", "4", "0", "yes"]
    assert {row[2] for row in rows(out, 4)[1:]} == {"1"}


def test_many_boards(program, tmp_path):
    file = tmp_path / "boards.txt"
    file.write_text(f"{TWO}\n1 2 3\n{FAR}\n")
    code, out, err = program("tiles-3x3", "--file", file)
    assert code == 2
    assert "2 moves, proven optimal" in out
    assert "31 moves, proven optimal" in out
    assert "line 2" in err


def test_what_is_not_proven_in_time_is_said(program):
    code, out, err = program("tiles-3x3", FAR, "--with", "bfs", "--nodes", 1000)
    assert (code, err) == (1, "")
    assert "no solution is known yet (at least" in out
    assert {row[-1] for row in [line.split() for line in out.splitlines()] if row and row[0] in ("D", "L", "R")} == {
        "no"
    }
    code, out, _ = program("tiles-3x3", FAR, "--with", "beam", "--set", "width=100")
    assert code == 1
    assert "are needed" in out
    assert "the best known moves:" in out


def test_an_impossible_board(program):
    code, out, _ = program("tiles-3x3", "2 1 3 4 5 6 7 8 0")
    assert code == 1
    assert "no move helps: odd permutation" in out


def test_a_game(program):
    code, out, err = program("tiles-3x3", TWO, "--game", "L R L L")
    assert (code, err) == (0, "")
    assert [(row[1], row[4]) for row in rows(out, 6)] == [("L", "+0"), ("R", "+2"), ("L", "+0"), ("L", "+0")]
    assert out.endswith("regret of the whole game: 2\n")


def test_a_game_under_a_limit(program):
    code, out, _ = program("tiles-3x3", FAR, "--with", "bfs", "--nodes", 500, "--game", "R L")
    assert code == 1
    assert "(not proven)" in out


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (("--tell", "kind"), ["next: hidden single"]),
        (("--tell", "where"), ["next: hidden single", "where: box 1"]),
        ((), ["next: hidden single", "where: box 1", "r2c3=2", "2 has one place left in box 1: r2c3"]),
    ],
)
def test_a_sudoku_shows_the_next_step_as_far_as_it_is_wanted(program, words, lines):
    code, out, err = program("sudoku-9x9", "easy", *words)
    assert (code, err) == (0, "")
    assert out.splitlines()[: len(lines)] == lines
    assert ("* -----" in out) == (not words)


def test_a_sudoku_after_some_moves_as_json(program):
    code, out, _ = program("sudoku-9x9", "easy", "--game", "r1c9=6 r7c1=5 r9c1<>3", "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["puzzle"], told["solver"], told["moves"]) == ("sudoku-9x9", "bands", ["r1c9=6", "r7c1=5"])
    assert (told["best"], told["forced"], told["wrong"], told["unique"]) == (["r2c3=2"], True, [], True)
    assert (told["eliminations"], told["step"]["technique"]) == (["r9c1<>3"], "hidden-single")


def test_a_wrong_move_in_a_sudoku(program):
    code, out, _ = program("sudoku-9x9", "easy", "--game", "r1c1=1")
    assert code == 1
    assert out.startswith("r1c1=1 is wrong: the only solution has another digit there\n")


def test_a_sudoku_with_several_solutions_says_so(program):
    code, out, _ = program("sudoku-4x4", "." * 16)
    assert code == 0
    assert "is from a solution" in out
    assert out.endswith("the given board has more than one solution\n")


@pytest.mark.parametrize(
    ("words", "title", "names"),
    [
        (["--game", "LL"], "(moves are U, D, L, R: the way the tile slides)", ["L", "L"]),
        (
            ["--game", "7 8", "--as", "words"],
            "(moves are up, down, left, right: the way the tile slides)",
            ["left"] * 2,
        ),
        (["--game", "rr", "--letters", "blank"], "(moves are U, D, L, R: the way the blank moves)", ["R", "R"]),
        (["--game", "RR", "--as", "blank"], "(moves are u, d, l, r: the way the blank moves)", ["r", "r"]),
        (["--game", "L2", "--as", "numbers"], "(moves are numbers: the tile that slides)", ["7", "8"]),
    ],
)
def test_a_game_is_read_in_any_form_and_shown_in_one(program, words, title, names):
    code, out, err = program("tiles-3x3", TWO, *words)
    assert (code, err) == (0, "")
    assert out.startswith(f"tiles-3x3 by ida {title}: 2 moves")
    assert [row[1] for row in rows(out, 6)] == names


def test_best_moves_are_shown_in_a_form(program):
    _, out, _ = program("tiles-3x3", TWO, "--as", "words", "--letters", "blank")
    assert out.startswith("tiles-3x3 by ida (moves are up, down, left, right: the way the blank moves)\n")
    assert "all the best moves: right\n" in out


def test_json_has_the_names_of_the_puzzle(program):
    _, out, _ = program("tiles-3x3", TWO, "--game", "rr", "--as", "blank", "--json")
    assert [step["move"] for step in json.loads(out)["steps"]] == ["L", "L"]


def test_a_scramble_is_a_board(program):
    code, out, err = program("tiles-3x3", "--scramble", "D2R", "--as", "counts")
    assert (code, err) == (0, "")
    assert out.startswith(
        "the board after the scramble: 1 0 2 4 5 3 7 8 6\n"
        "moves back to the goal (moves are U, D, L, R, and how often: the way the tile slides): LU2\n"
    )
    assert "3 moves, proven optimal" in out
