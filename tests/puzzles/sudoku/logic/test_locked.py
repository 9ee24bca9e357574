"""Locked candidates: what they remove, their direct forms, and how they are explained."""

from __future__ import annotations

from logic_positions import BANK, check_soundness, keep, position_of, steps_in

from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.locked import locked
from puzzlelab.puzzles.sudoku.logic.steps import evidence_of, find_steps, new_found
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

EMPTY = "." * 81
BOX_1 = [(row, column) for row in (1, 2, 3) for column in (1, 2, 3)]


def test_pointing_removes_from_the_line() -> None:
    (step,) = steps_in("locked", EMPTY, keep("7", BOX_1, [(2, 1), (2, 3)]))
    assert step.technique == Technique.POINTING
    assert sentence(step, "locked") == (
        "in box 1 all places of 7 are in row 2 too, so r2c4, r2c5, r2c6, r2c7, r2c8 and r2c9 cannot be 7"
    )


def test_claiming_removes_from_the_box() -> None:
    column = [(row, 5) for row in range(1, 10)]
    (step,) = steps_in("locked", EMPTY, keep("7", column, [(7, 5), (9, 5)]))
    assert step.technique == Technique.CLAIMING
    assert sentence(step, "locked") == (
        "in column 5 all places of 7 are in box 8 too, so r7c4, r7c6, r8c4, r8c6, r9c4 and r9c6 cannot be 7"
    )


def test_a_locked_pair_removes_from_a_box_and_a_line() -> None:
    removed = " ".join(f"{digit}1{column}" for digit in range(3, 10) for column in (1, 2))
    steps = steps_in("locked", EMPTY, removed)
    assert [step.technique for step in steps] == [Technique.LOCKED_PAIR]
    assert sentence(steps[0], "locked") == (
        "r1c1 and r1c2, which box 1 and row 1 share, have no other candidates than 1 and 2, so the rest of both cannot "
        "hold these digits: r1c3, r1c4, r1c5, r1c6, r1c7, r1c8, r1c9, r2c1, r2c2, r2c3, r3c1, r3c2 and r3c3 cannot be "
        "1 or 2"
    )


def test_a_locked_triple_has_three_cells() -> None:
    removed = " ".join(f"{digit}1{column}" for digit in range(4, 10) for column in (1, 2, 3))
    assert Technique.LOCKED_TRIPLE in {step.technique for step in steps_in("locked", EMPTY, removed)}


def test_direct_pointing_places_a_digit_and_removes_nothing() -> None:
    box_2 = [(row, column) for row in (1, 2, 3) for column in (4, 5, 6)]
    removed = f"{keep('7', BOX_1, [(2, 1), (2, 3)])} {keep('7', box_2, [(2, 4), (3, 5)])}"
    position, found = position_of(EMPTY, removed), new_found(9)
    find_steps(locked(Technique.DIRECT_POINTING), position, found)
    (step,) = evidence_of(found)
    assert step.removed == ()
    assert sentence(step, "locked") == (
        "in box 1 all places of 7 are in row 2 too, so r2c4, r2c7, r2c8 and r2c9 cannot be 7; then r3c5 is the last "
        "place of 7 in box 2"
    )


def test_no_locked_candidate_is_wrong() -> None:
    assert check_soundness("locked", BANK) > 50
