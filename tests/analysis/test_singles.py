"""Singles on boards of any size: what is found, in which order, and the way to the end."""

import pytest

from puzzlelab import Unsupported, load
from puzzlelab.analysis.logic_steps import logic_of
from puzzlelab.analysis.singles import SinglesLogic
from puzzlelab.solvers.backtracking import singletons


def singles(name, board):
    """The singles of a board, by the class that serves sizes without a logic of their own."""
    puzzle = load(name)
    return puzzle, [*SinglesLogic(puzzle, puzzle).steps(puzzle.read(board).state)]


@pytest.mark.parametrize(
    ("name", "board"), [("sudoku-9x9", "easy"), ("sudoku-16x16", "large"), ("sudoku-6x6", "small")]
)
def test_all_digits_with_one_place_are_found_as_the_story_of_a_solver_tells_them(name, board):
    puzzle, steps = singles(name, board)
    found = {move for step in steps if step.technique != "naked-single" for move in step.placements}
    assert sorted(found) == singletons(puzzle, puzzle.read(board).state)


def test_what_a_person_sees_first_comes_first():
    _, steps = singles("sudoku-4x4", "123......4......")
    assert str(steps[0]) == "full house: r1c4 must be 4: it is the last blank cell of row 1"
    assert steps[1].technique in ("hidden-single", "naked-single")
    assert "naked single: r1c4 must be 4: no other candidate is left there" in map(str, steps)


def test_nothing_is_forced_on_an_empty_board():
    assert singles("sudoku-9x9", "." * 81)[1] == []


def test_a_candidate_that_was_ruled_out_leaves_others_alone():
    puzzle = load("sudoku-4x4")
    logic, board = logic_of(puzzle), puzzle.read("12..............")
    steps = [*logic.steps(board.state, (), [puzzle.read_move("r1c3=3")])]
    assert [str(step) for step in steps[:2]] == [
        "naked single: r1c3 must be 4: no other candidate is left there",
        "hidden single: 3 has one place left in row 1: r1c4",
    ]
    assert logic.objection(board.state, (), [puzzle.read_move(f"r1c3={digit}") for digit in (3, 4)]) == (
        "r1c3 has no candidate left"
    )


def test_the_way_ends_with_the_solution():
    puzzle = load("sudoku-4x4")
    board = puzzle.read("small")
    state = board.state
    for step in logic_of(puzzle).way(board.state):
        for move in step.placements:
            state = puzzle.apply(state, move)
    assert puzzle.solved(state)


def test_singles_rate_no_board_and_other_puzzles_have_none():
    puzzle = load("sudoku-4x4")
    assert not logic_of(puzzle).scales
    with pytest.raises(Unsupported, match="sudoku-4x4 has no scale of ratings"):
        logic_of(puzzle).rate(puzzle.read("small").state[None])
    with pytest.raises(Unsupported, match="tiles-3x3 is not solved by logic"):
        logic_of(load("tiles-3x3"))
