"""The next cell of a Sudoku and why; what is said of moves that lead astray, and of boards without a solution."""

import json

import pytest

from puzzlelab import BadBoard, Limit, Unsupported, load, solver
from puzzlelab.analysis.logical_hints import (
    EASY_NAKED_SINGLE,
    FULL_HOUSE,
    HIDDEN_SINGLE_IN_BOX,
    HIDDEN_SINGLE_IN_LINE,
    deduce,
    in_words,
    singles,
)
from puzzlelab.jobs.serialise import deduction_facts, hint_row
from puzzlelab.solvers.backtracking import singletons

NEVER = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4........."
"""Nothing in its rows, columns and boxes speaks against a solution, and there is none."""


def told(board, *moves, name="sudoku-9x9", limit=None):
    puzzle = load(name)
    instance, played = puzzle.read(board), [puzzle.read_move(move) for move in moves]
    return deduce(instance, played, solver(puzzle=puzzle), limit or Limit())


def facts(*words, **options):
    found = deduction_facts(told(*words, **options))
    assert json.loads(json.dumps(found)) == found
    return found


def grid(name="sudoku-9x9", **cells):
    """A board with these cells, such as r1c1=5."""
    puzzle = load(name)
    state = puzzle.read("." * puzzle.cells).state
    for cell, digit in cells.items():
        state = puzzle.apply(state, puzzle.read_move(f"{cell}={digit}"))
    return puzzle.write(state)


@pytest.mark.parametrize(
    ("cells", "best", "why", "spoken"),
    [
        (
            {"r2c4": 7, "r3c8": 7, "r5c2": 7, "r9c3": 7},
            "r1c1=7",
            "7 has one place left in box 1: r1c1",
            ["r2c4", "r3c8", "r5c2", "r9c3"],
        ),
        (
            dict(zip([f"r1c{column}" for column in range(1, 9)], [4, 5, 6, 7, 8, 9, 1, 2], strict=True)),
            "r1c9=3",
            "r1c9 must be 3: it is the last blank cell of row 1",
            [f"r1c{column}" for column in range(1, 9)],
        ),
        (
            {"r1c2": 1, "r1c3": 2, "r1c4": 3, "r1c5": 4, "r4c1": 5, "r5c1": 6, "r2c2": 7, "r3c3": 8},
            "r1c1=9",
            "r1c1 must be 9: its row, column and box hold every other digit",
            ["r1c2", "r1c3", "r1c4", "r1c5", "r2c2", "r3c3", "r4c1", "r5c1"],
        ),
    ],
    ids=["a digit with one place", "a last cell", "a cell with one candidate"],
)
def test_a_forced_cell_and_why(cells, best, why, spoken):
    found = facts(grid(**cells))
    assert (found["best"], found["forced"], found["why"], found["reason"]) == ([best], True, why, "")
    assert found["cells"] == spoken


@pytest.mark.parametrize(("name", "board"), [("sudoku-9x9", "easy"), ("sudoku-9x9", "hard"), ("sudoku-6x6", "small")])
def test_told_step_by_step_a_board_is_solved_and_every_forced_cell_is_right(name, board):
    puzzle = load(name)
    instance, asked, moves = puzzle.read(board), solver(puzzle=puzzle), []
    while (found := deduce(instance, moves, asked, Limit())).best is not None:
        if found.forced:
            cell = found.best // puzzle.size
            assert all(found.instance.state[list(found.cells)] != 0)
            assert cell not in found.cells
        moves.append(found.best)
    assert found.reason == "nothing is left to do: the board is solved"
    assert puzzle.solved(found.instance.state)
    assert found.unique


def test_where_nothing_is_forced_the_cell_comes_from_the_solution():
    puzzle = load("sudoku-9x9")
    instance, asked, moves = puzzle.read("hard"), solver(puzzle=puzzle), []
    while (found := deduce(instance, moves, asked, Limit())).forced:
        moves.append(found.best)
    assert found.best is not None
    assert "is from the only solution" in found.why
    candidates = puzzle.candidates(found.instance.state).sum(axis=1)
    assert candidates[found.best // puzzle.size] == min(candidates[candidates > 0]) >= 2


def test_a_board_with_several_solutions_is_said_to_have_them():
    found = facts("." * 16, name="sudoku-4x4")
    assert (found["unique"], found["forced"], len(found["best"])) == (False, False, 1)
    assert "is from a solution" in found["why"]


def test_moves_that_are_not_in_the_only_solution_are_wrong():
    found = facts("easy", "r1c9=6", "r1c1=1", "r7c1=5")
    assert (found["best"], found["wrong"], found["cells"]) == ([], ["r1c1=1"], ["r1c1"])
    assert found["reason"] == "r1c1=1 is wrong: the only solution has another digit there"
    assert facts("easy", "r1c1=1", "r1c4=1")["why"].startswith("r1c1=1 and r1c4=1 are wrong: ")


def test_of_several_solutions_the_first_move_that_leaves_none_is_wrong():
    assert facts("." * 16, "r1c1=1", "r1c2=2", "r2c3=1", name="sudoku-4x4")["wrong"] == []
    found = facts("." * 16, "r1c1=1", "r4c4=1", "r1c2=2", "r2c3=3", "r3c1=2", name="sudoku-4x4")
    assert (found["wrong"], found["best"]) == (["r2c3=3"], [])
    assert found["reason"].startswith("after r2c3=3 there is no solution")
    conflict = facts("." * 16, "r1c1=1", "r3c3=2", "r1c2=1", "r4c4=3", name="sudoku-4x4")
    assert (conflict["wrong"], conflict["best"]) == (["r1c2=1"], [])
    assert conflict["reason"] == "after r1c2=1 there is no solution: row 1 holds two 1s, in r1c1 and r1c2"


@pytest.mark.parametrize(("board", "why"), [("11" + "." * 79, "row 1 holds two 1s"), (NEVER, "every possibility")])
def test_a_given_board_without_a_solution(board, why):
    found = facts(board)
    assert (found["best"], found["wrong"], found["unique"]) == ([], [], False)
    assert found["reason"].startswith(f"the given board cannot be solved: {why}")


def test_what_is_not_known_in_time_is_not_claimed():
    found = told("large", name="sudoku-25x25", limit=Limit(seconds=1e-9))
    assert found.unique is None
    assert found.forced or "no solution was found in time" in found.reason
    assert deduction_facts(told("." * 16, name="sudoku-4x4", limit=Limit(seconds=1e-9)))["best"] == []


def test_a_conflict_needs_no_time():
    found = told("." * 16, "r1c1=1", "r1c2=1", name="sudoku-4x4", limit=Limit(seconds=1e-9))
    assert (found.best, len(found.wrong)) == (None, 1)


def test_a_cell_that_is_filled_takes_no_move():
    with pytest.raises(BadBoard, match="move 2 of 2: r1c1=1 writes in a cell that is filled"):
        told("." * 81, "r1c1=1", "r1c1=1")


def test_a_solver_that_lists_no_solutions_is_refused():
    with pytest.raises(Unsupported, match="cannot list or count"):
        deduce(load("sudoku-9x9").read("easy"), [], solver("random"), Limit())


def test_a_row_has_the_question():
    puzzle = load("sudoku-4x4")
    instance, asked = puzzle.read("small"), solver(puzzle=puzzle)
    moves = [puzzle.read_move("r1c1=4")]
    row = hint_row(instance, moves, asked, Limit(), deduce(instance, moves, asked, Limit()))
    assert (row["puzzle"], row["board"], row["moves"]) == ("sudoku-4x4", ".1....4....23...", ["r1c1=4"])
    assert row["solver"] == "dancing-links"
    assert len(row["best"]) == 1


# --- singles ---


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
