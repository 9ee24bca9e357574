"""The cells that two rules force: all of them, and in the order in which a person sees them."""

import pytest

from puzzlelab import load
from puzzlelab.analysis.singles import (
    EASY_NAKED_SINGLE,
    FULL_HOUSE,
    HIDDEN_SINGLE_IN_BOX,
    HIDDEN_SINGLE_IN_LINE,
    in_words,
    singles,
)
from puzzlelab.solvers.backtracking import singletons


@pytest.mark.parametrize(
    ("name", "board"), [("sudoku-9x9", "easy"), ("sudoku-16x16", "large"), ("sudoku-6x6", "small")]
)
def test_all_digits_with_one_place_are_found_as_the_story_of_a_solver_tells_them(name, board):
    puzzle = load(name)
    state = puzzle.read(board).state
    found = {
        single.move
        for single in singles(puzzle, state)
        if single.order in (FULL_HOUSE, HIDDEN_SINGLE_IN_BOX, HIDDEN_SINGLE_IN_LINE)
    }
    assert sorted(found) == singletons(puzzle, state)


def test_what_a_person_sees_first_comes_first():
    puzzle = load("sudoku-4x4")
    found = sorted(singles(puzzle, puzzle.read("123......4......").state))
    assert [each.order for each in found] == sorted(each.order for each in found)
    assert (found[0].order, found[0].why) == (FULL_HOUSE, "r1c4 must be 4: it is the last blank cell of row 1")
    assert found[1].order in (HIDDEN_SINGLE_IN_BOX, EASY_NAKED_SINGLE)


def test_nothing_is_forced_on_an_empty_board():
    puzzle = load("sudoku-9x9")
    assert list(singles(puzzle, puzzle.read("." * 81).state)) == []


@pytest.mark.parametrize(("names", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
def test_names_in_words(names, text):
    assert in_words(names) == text
