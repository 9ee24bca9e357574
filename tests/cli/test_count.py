"""All solutions of boards, or how many there are: `count` and `enumerate`, as they are typed."""

import json
import re

import pytest
from typed_boards import BLANK, EASY, EASY_DONE, MANY, NEVER, TWICE

from puzzlelab import load

NUMBER = 254
"""Solutions of MANY."""


def need(solver):
    """Pass over a solver whose library is not installed."""
    if solver == "sat":
        pytest.importorskip("pysat")


# --- count ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "number", "code"), [("easy", 1, 0), (EASY_DONE, 1, 0), (MANY, NUMBER, 0), (TWICE, 0, 1), (NEVER, 0, 1)]
)
def test_a_number_for_a_board(program, board, number, code):
    assert program("count", "sudoku-9x9", board) == (code, f"{number}\n", "")


def test_the_shortest_solutions_of_boards(program, tmp_path):
    boards, path = ["8 6 7 2 5 4 3 0 1", "1 2 3 4 5 6 0 7 8", "1 2 3 4 5 6 7 8 0"], tmp_path / "list.txt"
    assert program("count", "tiles-3x3", *boards, "--optimal") == (0, "40\n1\n1\n", "")
    out = program("count", "tiles-3x3", *boards, "--json")[1]
    assert [json.loads(line)["length"] for line in out.splitlines()] == [31, 2, 0]
    assert program("enumerate", "tiles-3x3", *boards, "--most", 2, "--out", path)[0] == 0
    assert [len(line.split()) for line in path.read_text().splitlines()] == [31, 31, 2, 0]
    assert program("count", "sudoku-9x9", MANY, "--optimal") == (0, f"{NUMBER}\n", "")


@pytest.mark.parametrize("solver", ["bands", "dancing-links", "sat"])
def test_every_solver_counts(program, solver):
    need(solver)
    assert program("count", "sudoku-9x9", MANY, "--with", solver, "--most", 7) == (0, "7+\n", "")


@pytest.mark.parametrize(("most", "said"), [(253, "253+"), (254, "254+"), (255, "254")])
def test_a_plus_says_that_there_may_be_more(program, most, said):
    assert program("count", "sudoku-9x9", MANY, "--most", most) == (0, f"{said}\n", "")


def test_a_file_with_a_bad_line(program, tmp_path):
    path = tmp_path / "boards.csv"
    path.write_text(f"puzzle,solution\n{EASY},{EASY_DONE}\n{EASY[1:]}\n{MANY}\n{TWICE}\n")
    code, out, err = program("count", "sudoku-9x9", "--file", path)
    assert (code, out) == (2, "1\n254\n0\n")
    assert err == f"error: {path}, line 3: 80 cells given; sudoku-9x9 has 81\n"


@pytest.mark.parametrize("verb", ["count", "enumerate"])
@pytest.mark.parametrize(("limit", "name"), [(("--nodes", 500), "nodes"), (("--time", 0.01), "time")])
def test_a_limit_is_told(program, verb, limit, name):
    code, out, err = program(verb, "sudoku-9x9", BLANK, *limit)
    assert code == 1
    told = re.fullmatch(
        rf"error: the limit of {name} ended the search after ([0-9,]+) solutions?; there may be more\n", err
    )
    assert told is not None
    number = int(told[1].replace(",", ""))
    if verb == "count":
        assert out == f"{number}+\n"
    else:
        assert len(set(out.splitlines())) == number


def test_ctrl_c_shows_the_number_so_far(program, monkeypatch):
    from puzzlelab.core.result import Count
    from puzzlelab.solvers.dancing_links import DancingLinks

    def count(self, instance, limit, most):
        yield Count(1234, "interrupted")
        raise KeyboardInterrupt

    monkeypatch.setattr(DancingLinks, "count", count)
    code, out, err = program("count", "sudoku-9x9", BLANK, "easy", "--with", "dancing-links")
    assert (code, out) == (130, "1234+\n")
    assert err == "board 1: interrupted after 1,234 solutions\n"


# --- enumerate ------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["bands", "sat"])
def test_all_solutions_are_listed_once(program, solver):
    need(solver)
    puzzle = load("sudoku-9x9")
    code, out, err = program("enumerate", "sudoku-9x9", MANY, "--with", solver)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == len(set(lines)) == NUMBER
    for line in lines:
        assert puzzle.solved(puzzle.read(line).state)
        assert all(clue in (".", digit) for clue, digit in zip(MANY, line, strict=True))


@pytest.mark.parametrize("most", [1, 5, 1000])
def test_as_many_as_are_asked_for(program, most):
    code, out, err = program("enumerate", "sudoku-9x9", MANY, "easy", "--most", most)
    assert (code, err) == (0, "")
    assert len(set(out.splitlines())) == min(most, NUMBER) + 1
    assert out.endswith(f"\n{EASY_DONE}\n")


def test_a_list_in_a_file_is_read_again(program, tmp_path):
    path = tmp_path / "all.txt"
    assert program("enumerate", "sudoku-9x9", MANY, "easi", "--out", path) == (
        2,
        "",
        "error: board 2: there is no example 'easi'; did you mean 'easy'?\n",
    )
    assert path.read_text() == program("enumerate", "sudoku-9x9", MANY)[1]
    assert program("count", "sudoku-9x9", "--file", path) == (0, "1\n" * NUMBER, "")


def test_a_list_is_continued_and_other_files_are_left_alone(program, tmp_path):
    path = tmp_path / "all.txt"
    assert program("enumerate", "sudoku-9x9", MANY, "--most", 2, "--out", path) == (0, "", "")
    assert program("enumerate", "sudoku-9x9", MANY, "--out", path) == (0, "", "")
    whole = path.read_text()
    assert whole == program("enumerate", "sudoku-9x9", MANY)[1]
    code, _, err = program("enumerate", "sudoku-9x9", MANY, "--most", 2, "--out", path)
    assert (code, err) == (0, f"{path} has {NUMBER - 2:,} more lines: nothing was changed\n")
    code, _, err = program("enumerate", "sudoku-9x9", "easy", "--out", path)
    assert code == 2
    assert err.startswith(f"error: {path} holds something else: its line 1 is '")
    assert path.read_text() == whole


# --- both -----------------------------------------------------------------------------------------


# --- many boards ----------------------------------------------------------------------------------


def mixed(tmp_path):
    """A file with boards of all kinds, two of them unreadable; and the boards that can be read."""
    path = tmp_path / "mixed.txt"
    lines = [EASY, EASY, TWICE, EASY[1:], MANY, NEVER, BLANK, EASY, "x", EASY_DONE]
    path.write_text("\n".join(lines) + "\n")
    return path, [line for line in lines if len(line) == 81]


@pytest.mark.parametrize("words", [(), ("--most", 2), ("--nodes", 5000)])
def test_boards_of_a_file_are_counted_as_each_alone(program, tmp_path, words):
    path, readable = mixed(tmp_path)
    words = words if "--most" in words else (*words, "--most", 2000)
    code, out, err = program("count", "sudoku-9x9", "--file", path, *words)
    alone = [program("count", "sudoku-9x9", text, *words) for text in readable]
    assert code == 2
    assert out == "".join(each[1] for each in alone)
    errors = [each[2].removeprefix("error: ") for each in alone if each[2]]
    told = [line.split(": ", 2)[2] for line in err.splitlines(keepends=True)]
    assert [line for line in told if "cells" not in line and "'x'" not in line] == errors
    assert (f"{path}, line 4: " in err, f"{path}, line 9: " in err) == (True, True)


def test_objects_of_a_file_stand_in_the_order_of_its_lines(program, tmp_path):
    path, _ = mixed(tmp_path)
    _, out, _ = program("count", "sudoku-9x9", "--file", path, "--most", 2, "--json")
    objects = [json.loads(line) for line in out.splitlines()]
    assert ["error" in each for each in objects] == [False] * 3 + [True] + [False] * 4 + [True, False]
    assert [each.get("solutions") for each in objects] == [1, 1, 0, None, 2, 0, 2, 1, None, 1]
    assert [each.get("complete") for each in objects[4:8]] == [False, True, False, True]
    _, out, _ = program("check", "sudoku-9x9", "--file", path, "--json")
    objects = [json.loads(line) for line in out.splitlines()]
    assert [each.get("solutions") for each in objects] == [1, 1, 0, None, 2, 0, 2, 1, None, 1]


@pytest.mark.parametrize(("verb", "out"), [("count", "0+\n"), ("enumerate", "")])
def test_ctrl_c_in_a_batch_keeps_what_was_printed(program, monkeypatch, verb, out):
    from puzzlelab.puzzles.sudoku.solvers.bands import Bands

    def count_batch(self, boards, most, limit):
        raise KeyboardInterrupt

    monkeypatch.setattr(Bands, "count_batch", count_batch)
    assert program(verb, "sudoku-9x9", "easy", "inkala") == (
        130,
        out,
        "board 1: interrupted after 0 solutions\n",
    )


def test_shortest_solutions_are_listed_in_every_form_of_moves(program) -> None:
    listed = [program("enumerate", "tiles-3x3", "867254301", *words)[1] for words in ([], ["--as", "counts"])]
    spelled = [
        "".join(char * int(digit or 1) for char, digit in re.findall("([UDLR])([0-9]?)", line))
        for line in listed[1].split("\n")
    ]
    assert spelled == [line.replace(" ", "") for line in listed[0].split("\n")]
    assert len(spelled) == 41
