"""Logic by the units of a puzzle: what is found, in which order, the way to the end, and ratings."""

import numpy as np
import pytest
from logic_positions import BANK, position_of

from puzzlelab import Unsupported, load, solve
from puzzlelab.analysis.logic_steps import logic_of
from puzzlelab.core.puzzle import board_after
from puzzlelab.engine.unit_logic import TECHNIQUES, UnitLogic
from puzzlelab.puzzles.sudoku.logic.catalog import steps_of
from puzzlelab.puzzles.sudoku.logic.position import play
from puzzlelab.puzzles.sudoku.logic.steps import new_found
from puzzlelab.solvers.backtracking import singletons

FAMILIES = ("singles", "locked", "subsets", "basic_fish")
"""The families of 9x9 that units of every kind have too."""


def logic(name):
    puzzle = load(name)
    return puzzle, UnitLogic(puzzle, puzzle)


def steps(name, board, removed=""):
    """The steps of a board without candidates such as 'r1c2=3'."""
    puzzle, view = logic(name)
    return puzzle, [*view.steps(puzzle.read(board).state, (), [puzzle.read_move(each) for each in removed.split()])]


def only(digit, rows, columns, size):
    """All candidates of a digit in these rows but those in these columns."""
    return " ".join(
        f"r{row}c{column}={digit}" for row in rows for column in range(1, size + 1) if column not in columns
    )


@pytest.mark.parametrize(
    ("name", "board"), [("sudoku-9x9", "easy"), ("sudoku-16x16", "large"), ("sudoku-6x6", "small")]
)
def test_all_digits_with_one_place_are_found_as_the_story_of_a_solver_tells_them(name, board):
    puzzle, found = steps(name, board)
    placed = {move for step in found if step.technique in ("full-house", "hidden-single") for move in step.placements}
    assert sorted(placed) == singletons(puzzle, puzzle.read(board).state)


def test_what_a_person_sees_first_comes_first():
    _, found = steps("sudoku-4x4", "123......4......")
    assert str(found[0]) == "full house (1.0): r1c4 must be 4: it is the last blank cell of row 1"
    assert [step.rating for step in found] == sorted(step.rating for step in found)
    assert "naked single (2.3): r1c4 must be 4: no other candidate is left there" in map(str, found)


def test_nothing_is_forced_on_an_empty_board():
    assert steps("sudoku-9x9", "." * 81)[1] == []


@pytest.mark.parametrize(
    ("name", "removed", "text"),
    [
        (
            "sudoku-4x4",
            "r1c1=1 r1c2=1",
            "pointing (2.6): in box 1 all places of 1 are in row 2 too, so r2c3 and r2c4 cannot be 1",
        ),
        (
            "sudoku-6x6",
            "r1c4=2 r1c5=2 r1c6=2",
            "claiming (2.8): in row 1 all places of 2 are in box 1 too, so r2c1, r2c2 and r2c3 cannot be 2",
        ),
        (
            "sudoku-6x6",
            " ".join(f"r{row}c1={digit}" for row in (1, 5) for digit in (1, 2, 3, 4)),
            "naked pair (3.0): r1c1 and r5c1 have no other candidates than 5 and 6, so these digits are in these cells "
            "of column 1: r2c1, r3c1, r4c1 and r6c1 cannot be 5 or 6",
        ),
        (
            "sudoku-6x6:boxes=3x2",
            " ".join(only(digit, (4,), (2, 5), 6) for digit in (3, 6)),
            "hidden pair (3.4): 3 and 6 have no other places in row 4 than r4c2 and r4c5, so these cells hold nothing "
            "else: r4c2 and r4c5 cannot be 1, 2, 4 or 5",
        ),
        (
            "sudoku-6x6",
            only(4, (1, 6), (2, 5), 6),
            "X-wing (3.2): in row 1 and row 6 all places of 4 are in column 2 and column 5: as many units, so each of "
            "these has its 4 there, and r2c2, r2c5, r3c2, r3c5, r4c2, r4c5, r5c2 and r5c5 cannot be 4",
        ),
        (
            "sudoku-16x16",
            only("G", (1, 6, 11), (3, 8, 13), 16),
            "swordfish (3.8): in row 1, row 6 and row 11 all places of G are in column 3, column 8 and column 13: as "
            "many units, so each of these has its G there, and",
        ),
    ],
    ids=["pointing", "claiming", "naked pair", "hidden pair", "X-wing", "swordfish"],
)  # fmt: skip
def test_a_pattern_and_its_reason(name, removed, text):
    _, found = steps(name, "." * load(name).cells, removed)
    assert [str(step) for step in found if str(step).startswith(text)]


def test_a_candidate_that_was_ruled_out_leaves_others_alone():
    puzzle = load("sudoku-4x4")
    view, board = logic_of(puzzle), puzzle.read("12..............")
    found = [*view.steps(board.state, (), [puzzle.read_move("r1c3=3")])]
    assert {str(step) for step in found} >= {
        "naked single (2.3): r1c3 must be 4: no other candidate is left there",
        "hidden single (1.5): 3 has one place left in row 1: r1c4",
    }
    assert view.objection(board.state, (), [puzzle.read_move(f"r1c3={digit}") for digit in (3, 4)]) == (
        "r1c3 has no candidate left"
    )
    gone = [puzzle.read_move(each) for each in ("r1c3=3", "r1c4=3")]
    assert view.objection(board.state, (), gone) == "row 1 has no place left for a 3"


def searched(position):
    """What the searches of 9x9 find: technique, what they write, and what they rule out.

    They know subsets that are locked too, and a single place as a locked digit.
    """
    found = [step for family in FAMILIES for step in steps_of(family, position, new_found(1000))]
    return {
        (step.technique.label, step.placed, step.removed)
        for step in found
        if not step.technique.label.startswith("locked-")
        and (step.technique.label not in ("pointing", "claiming") or len(step.by_role("candidates", 0)) > 1)
    }


@pytest.mark.parametrize("board", BANK[::3])
def test_on_9x9_the_same_is_found_as_by_the_searches_for_it(board):
    puzzle, view = logic("sudoku-9x9")
    written, removed, state = [], [], puzzle.read(board).state
    for number, step in enumerate(view.way(state)):
        if number % 8 == 0:
            position = position_of(board)
            play(position, written, removed)
            found = view.steps(state, written, removed)
            assert {(each.technique, each.placements, each.eliminations) for each in found} == searched(position)
        written += step.placements
        removed += step.eliminations


@pytest.mark.parametrize(
    ("name", "board"),
    [("sudoku-4x4", "small"), ("sudoku-6x6", "small"), ("sudoku-9x9", "hard"), ("sudoku-16x16", "large")],
)
def test_no_step_contradicts_the_solution(name, board):
    puzzle, view = logic(name)
    start = puzzle.read(board)
    solution = solve(start).final.state.astype(int) - 1
    changes = {
        (move // puzzle.size, move % puzzle.size, is_written)
        for step in [*view.steps(start.state), *view.way(start.state)]
        for moves, is_written in ((step.placements, True), (step.eliminations, False))
        for move in moves
    }
    assert changes
    assert all((solution[cell] == digit) == is_written for cell, digit, is_written in changes)


def test_the_way_ends_with_the_solution_and_its_hardest_step_is_the_rating():
    puzzle, view = logic("sudoku-4x4")
    state = puzzle.read("small").state
    way = [*view.way(state)]
    assert puzzle.solved(board_after(puzzle, state, [move for step in way for move in step.placements]))
    [rating] = view.rate(state[None])
    assert (rating.scale, rating.rating, rating.hardest) == ("units", max(step.rating for step in way), "hidden-single")
    assert (rating.diamond, rating.reason) == (way[0].rating, "")
    assert sum(rating.techniques.values()) == len(way)


def test_a_board_that_needs_more_has_no_rating():
    puzzle, view = logic("sudoku-9x9")
    [rating] = view.rate(puzzle.read("hard").state[None])
    assert (rating.rating, rating.reason) == (None, "the techniques of this scale do not solve this board")
    [solved] = view.rate(solve(puzzle.read("easy")).final.state[None])
    assert (solved.rating, solved.hardest) == (0.0, None)


def test_ratings_are_those_of_the_scale_121_where_it_needs_nothing_else():
    puzzle, view = logic("sudoku-9x9")
    states = np.stack([puzzle.read(board).state for board in BANK])
    known = {technique.rating for technique in TECHNIQUES}
    of_scale = logic_of(puzzle).rate(states, "121")
    pairs = [(mine.rating, other.rating) for mine, other in zip(view.rate(states), of_scale, strict=True)]
    assert any(mine == other for mine, other in pairs)
    assert all(mine == other for mine, other in pairs if mine is not None and other in known)


def test_puzzles_without_candidates_have_no_logic():
    with pytest.raises(Unsupported, match="tiles-3x3 is not solved by logic"):
        logic_of(load("tiles-3x3"))
