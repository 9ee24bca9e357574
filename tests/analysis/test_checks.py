"""What is said of a board before it is solved."""

import json

import pytest

from puzzlelab import Limit, Unsupported, check, load
from puzzlelab.analysis.checks import check_facts

ODD = "1 2 3 4 5 6 8 7 0"


def checked(name, board, **options):
    return check(load(name).read(board), **options)


def test_nothing_speaks_against_a_good_board():
    told = checked("tiles-3x3", "8 6 7 2 5 4 3 0 1")
    assert (told.ok, told.unsolvable, told.solutions, told.witnesses) == (True, False, None, ())
    assert told.difficulty == {"level": 23, "distance": 31}


def test_a_board_that_cannot_be_solved_has_no_solution():
    told = checked("tiles-3x3", ODD)
    assert (told.ok, told.unsolvable, told.solutions) == (False, True, 0)
    assert told.objections[0].startswith("cannot be solved: odd permutation")


def test_exactly_one_solution():
    told = checked("sudoku-4x4", "small")
    assert (told.ok, told.solutions, told.objections) == (True, 1, ())


def test_two_solutions_are_shown_where_they_differ():
    puzzle = load("sudoku-4x4")
    told = checked("sudoku-4x4", "." * 16)
    assert (told.ok, told.unsolvable, told.solutions) == (False, False, 2)
    assert told.objections[-1].startswith("more than one solution; two of them differ in ")
    first, second = told.witnesses
    assert puzzle.solved(first)
    assert puzzle.solved(second)
    assert (first != second).any()


def test_what_is_not_known_in_time_is_no_fact():
    told = checked("sudoku-25x25", "large", limit=Limit(seconds=1e-6))
    assert (told.ok, told.unsolvable, told.solutions, told.stop) == (False, False, None, "time")
    assert told.objections == ("no solution was found within 1e-06 s",)


def test_remarks_of_the_puzzle_stand_beside_the_solutions():
    told = checked("sudoku-9x9", "." * 81)
    assert told.objections[0].startswith("0 clues: ")
    assert len(told.objections) == 2


def test_a_solver_that_cannot_list_is_refused():
    with pytest.raises(Unsupported):
        checked("sudoku-4x4", "." * 16, solver="random")


def test_facts():
    facts = check_facts(checked("tiles-3x3", ODD))
    assert json.loads(json.dumps(facts)) == facts
    assert (facts["puzzle"], facts["board"], facts["ok"], facts["solutions"]) == ("tiles-3x3", ODD, False, 0)
    assert set(facts) == {"puzzle", "board", "ok", "objections", "unsolvable", "solutions", "difficulty"}
