"""The next cell of a Sudoku and why; what is said of moves that lead astray, and of boards without a solution."""

import json

import pytest

from puzzlelab import BadBoard, Limit, Unsupported, load, solver
from puzzlelab.analysis.logical_hints import deduce, read_notes
from puzzlelab.core.logic import Step
from puzzlelab.jobs.serialise import deduction_facts, hint_row

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
    ("cells", "best", "why"),
    [
        (
            {"r2c4": 7, "r3c8": 7, "r5c2": 7, "r9c3": 7},
            "r1c1=7",
            "7 has one place left in box 1: r1c1",
        ),
        (
            dict(zip([f"r1c{column}" for column in range(1, 9)], [4, 5, 6, 7, 8, 9, 1, 2], strict=True)),
            "r1c9=3",
            "r1c9 must be 3: it is the last blank cell of row 1",
        ),
        (
            {"r1c2": 1, "r1c3": 2, "r1c4": 3, "r1c5": 4, "r4c1": 5, "r5c1": 6, "r2c2": 7, "r3c3": 8},
            "r1c1=9",
            "r1c1 must be 9: no other candidate is left there",
        ),
    ],
    ids=["a digit with one place", "a last cell", "a cell with one candidate"],
)
def test_the_easiest_step_and_why(cells, best, why):
    found = facts(grid(**cells))
    assert (found["best"], found["forced"], found["why"], found["reason"]) == ([best], True, why, "")
    assert (found["step"]["placements"], found["step"]["sentence"]) == ([best], why)


@pytest.mark.parametrize(("name", "board"), [("sudoku-9x9", "easy"), ("sudoku-9x9", "hard"), ("sudoku-6x6", "small")])
def test_told_step_by_step_a_board_is_solved(name, board):
    puzzle = load(name)
    instance, asked, moves, removed = puzzle.read(board), solver(puzzle=puzzle), [], []
    while not (found := deduce(instance, moves, asked, Limit(), removed)).reason:
        if found.step is None:
            moves.append(found.best)
        else:
            assert found.step.placements or found.step.eliminations
            moves += found.step.placements
            removed += found.step.eliminations
    assert found.reason == "nothing is left to do: the board is solved"
    assert puzzle.solved(found.instance.state)
    assert found.unique


def test_where_no_step_is_known_the_cell_comes_from_the_solution(monkeypatch):
    monkeypatch.setattr("puzzlelab.analysis.logical_hints.logic_of", lambda puzzle: Ruling([]))
    found = told("small", name="sudoku-4x4")
    puzzle, state = found.instance.puzzle, found.instance.state
    assert (found.step, found.forced, found.unique) == (None, False, True)
    assert found.why == f"no step of logic is known here: {puzzle.write_move(found.best)} is from the only solution"
    candidates = puzzle.candidates(state).sum(axis=1)
    assert candidates[found.best // puzzle.size] == min(candidates[candidates > 0])


class Ruling:
    """Sudoku of 4x4 whose only logic is that 2 is no candidate of r1c1 and, after that, that 1 is its digit."""

    def __init__(self, steps):
        self.steps_left = steps

    def objection(self, state, written=(), removed=()):
        return None

    def way(self, state, written=(), removed=(), assumes_unique=True):
        return iter(self.steps_left[len(written) + len(removed) :])


def test_a_step_that_rules_out_candidates_has_no_move(monkeypatch):
    puzzle = load("sudoku-4x4")
    move = {name: puzzle.read_move(name) for name in ("r1c1=2", "r1c1=4")}
    steps = [
        Step("first", "first technique", "r1c1 cannot be 2", eliminations=(move["r1c1=2"],), cells=((0, 0), (1, 5))),
        Step("second", "second technique", "r1c1 must be 4", (move["r1c1=4"],)),
    ]
    monkeypatch.setattr("puzzlelab.analysis.logical_hints.logic_of", lambda puzzle: Ruling(steps))
    found = told("small", name="sudoku-4x4")
    assert (found.step, found.best, found.forced, found.reason) == (steps[0], None, False, "")
    assert found.why == "r1c1 cannot be 2"
    assert deduction_facts(found)["step"]["eliminations"] == ["r1c1<>2"]
    assert deduction_facts(found)["cells"] == ["r1c1", "r2c2"]
    moves, removed = read_notes(puzzle, " r1c1<>2 ")
    assert deduce(puzzle.read("small"), moves, solver(puzzle=puzzle), Limit(), removed).step == steps[1]


def test_a_candidate_of_the_only_solution_that_was_ruled_out_is_named():
    puzzle = load("sudoku-9x9")
    moves, removed = read_notes(puzzle, "r7c1=5 r1c9<>6 r1c1<>1")
    found = deduce(puzzle.read("easy"), moves, solver(puzzle=puzzle), Limit(), removed)
    assert (found.step, found.best, deduction_facts(found)["wrong"]) == (None, None, ["r1c9<>6"])
    assert found.reason == "r1c9<>6 is wrong: the only solution has what was ruled out there"


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
