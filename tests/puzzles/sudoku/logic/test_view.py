"""The view `Logic` of Sudoku: every family of the catalog comes through it, in order, and nothing else does."""

from __future__ import annotations

import numpy as np
import pytest
from logic_positions import solution_of

from puzzlelab import load, solve
from puzzlelab.core.logic import Logic, Step, changes_of, places_of, read_elimination, write_elimination
from puzzlelab.jobs.serialise import step_facts
from puzzlelab.puzzles.sudoku.logic import view
from puzzlelab.puzzles.sudoku.logic.catalog import FAMILIES, families_in
from puzzlelab.puzzles.sudoku.logic.rating import Entry
from puzzlelab.puzzles.sudoku.logic.techniques import Technique
from puzzlelab.puzzles.sudoku.logic.view import position_of, searches

PUZZLE = load("sudoku-9x9")
EASY = PUZZLE.read("easy").state
PAIRS = PUZZLE.read("000000010400000000020000000000050407008000300001090000300400200050100000000806000").state


def logic(puzzle: str = "sudoku-9x9") -> Logic:
    """The view of a puzzle."""
    view = load(puzzle).view(Logic)
    assert view is not None
    return view


def test_other_sizes_have_the_logic_of_their_units() -> None:
    assert list(logic("sudoku-4x4").scales) == ["units"]
    assert list(logic().scales)[:2] == ["121", "118"]
    assert logic("sudoku-9x9:candidates").scales == logic().scales


def test_every_family_is_searched() -> None:
    searched = [type(entry.family) for entry in searches("121", assumes_unique=True)]
    assert {type(record) for name in FAMILIES for record in families_in(name)} <= set(searched)


def test_two_searches_that_find_one_rectangle_give_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [Entry(record, {}) for name in ("loops", "uniqueness") for record in families_in(name)]
    monkeypatch.setattr(view, "searches", lambda scale, assumes_unique: both)
    cells = {0: "12", 3: "12", 9: "12", 12: "1234"}
    removed = [9 * cell + digit for cell, digits in cells.items() for digit in range(9) if str(digit + 1) not in digits]
    steps = [*logic().steps(np.zeros(81, np.uint8), (), removed)]
    rectangles = [step.eliminations for step in steps if step.technique == "unique-rectangle-1"]
    assert rectangles == [(9 * 12, 9 * 12 + 1)]


def test_the_way_solves_a_board_and_is_right() -> None:
    solution = solution_of(PUZZLE.write(EASY))
    steps = [*logic().way(EASY)]
    moves = [move for step in steps for move in step.placements]
    assert all(solution[move // 9] == move % 9 + 1 for move in moves)
    assert len(moves) == (EASY == 0).sum()
    assert {step.rating for step in steps} == {1.0, 1.2}


def test_steps_come_by_difficulty_and_once() -> None:
    steps = [*logic().steps(EASY)]
    rated = [step.rating for step in steps if step.rating is not None]
    assert max(rated[:10]) <= 1.5
    assert len(set(steps)) == len(steps)
    for step in steps:
        assert step.placements or step.eliminations
        assert places_of(PUZZLE, step)


def test_a_position_has_its_moves_and_lacks_what_was_ruled_out() -> None:
    first = next(logic().steps(EASY))
    [move] = first.placements
    assert move not in [each for step in logic().steps(EASY, [move]) for each in step.placements]
    others = [each for each in range(9 * (move // 9), 9 * (move // 9) + 9) if each != move]
    assert "naked-single" in {step.technique for step in logic().steps(EASY, (), others) if move in step.placements}


def test_what_contradicts_is_named() -> None:
    cell = [*range(9 * 8, 9 * 9)]
    assert logic().objection(EASY) is None
    assert logic().objection(EASY, (), cell) == "r1c9 has no candidate left"
    sixes = [PUZZLE.read_move(f"r{row}c9=6") for row in range(1, 10)]
    assert logic().objection(EASY * 0, (), sixes) == "column 9 has no place left for a 6"
    assert list(logic().way(EASY, (), cell)) == []
    assert "two 5s" in str(logic().objection(EASY, [PUZZLE.read_move("r1c1=5")]))


def test_without_the_assumption_no_step_rests_on_it() -> None:
    techniques = {each.label for each in Technique if each.assumes_unique}
    assert {"unique-rectangle-1", "hidden-rectangle", "unique-loop-4", "bug-1"} <= techniques
    assert "xy-wing" not in techniques
    assert not techniques & {step.technique for step in logic().way(PAIRS, assumes_unique=False)}


def test_a_board_with_candidates_has_the_steps_of_its_position() -> None:
    puzzle = load("sudoku-9x9:candidates")
    move = next(logic().steps(EASY)).placements[0]
    digit = move % 9 + 1
    [*removed] = (f"{other}{move // 81 + 1}{move // 9 % 9 + 1}" for other in range(1, 10) if other != digit)
    board = puzzle.read(f":0000:x:{PUZZLE.write(EASY)}:{' '.join(removed)}:::")
    naked = [step for step in logic(puzzle.name).steps(board.state) if step.technique == "naked-single"]
    assert move in [step.placements[0] for step in naked]


def test_a_board_with_candidates_is_rated_by_what_they_leave() -> None:
    puzzle = load("sudoku-9x9:candidates")
    solution = solution_of(PUZZLE.write(EASY))
    all_left = puzzle.read(PUZZLE.write(EASY)).state
    only_solution = np.where(EASY, all_left, 1 << (solution - 1).astype(np.uint16)).astype(np.uint16)
    plain, left, singles = logic().rate(np.stack([EASY]), "121") + logic(puzzle.name).rate(
        np.stack([all_left, only_solution]), "121"
    )
    assert plain == left
    assert set(singles.techniques) == {"full-house", "hidden-single"}
    assert singles.rating == 1.2


def test_cells_with_notes_of_their_own_count_as_given() -> None:
    puzzle, plain = load("sudoku-9x9:candidates"), position_of(PUZZLE, EASY, (), ())
    blank = int(np.flatnonzero(EASY == 0)[0])
    digit = int(np.flatnonzero(PUZZLE.candidates(EASY)[blank])[0])
    state = puzzle.read(PUZZLE.write(EASY)).state.copy()
    state[blank] &= ~np.uint16(1 << digit)
    other = position_of(puzzle, state, (), ())
    assert np.flatnonzero(other.givens != plain.givens).tolist() == [blank]


@pytest.mark.parametrize("candidate", [0, 400, 728])
def test_eliminations_are_written_and_read(candidate: int) -> None:
    text = write_elimination(PUZZLE, candidate)
    assert read_elimination(PUZZLE, text) == candidate
    assert text == PUZZLE.write_move(candidate).replace("=", "<>")


def test_a_step_as_plain_data() -> None:
    step = next(logic().steps(EASY))
    facts = step_facts(PUZZLE, step)
    assert facts["placements"] == changes_of(PUZZLE, step) == ["r2c3=2"]
    assert (facts["rating"], facts["units"]) == (1.2, [{"unit": "box 1", "role": 0}])
    chain = Step("x", "x", "x.", eliminations=(4,), nodes=step.nodes, links=step.links, candidates=((1, 4),))
    assert step_facts(PUZZLE, chain)["candidates"] == [{"candidate": "r1c1=5", "role": 1}]
    assert (changes_of(PUZZLE, chain), places_of(PUZZLE, chain)) == (["r1c1<>5"], ["r1c1"])


def test_a_solved_board_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    solved = solve(PUZZLE.read("easy")).final
    assert solved is not None
    monkeypatch.setattr(view, "find_steps", None)
    assert not [*logic().steps(solved.state), *logic().way(solved.state)]
