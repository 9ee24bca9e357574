"""Wings: what they remove, and how they are explained."""

from __future__ import annotations

from logic_positions import BANK, all_but, check_soundness, steps_in

from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

EMPTY = "0" * 81


def test_an_xy_wing_removes_the_digit_of_both_wings() -> None:
    (step,) = steps_in("wings", EMPTY, all_but("r1c1=12 r1c5=13 r5c1=23"))
    assert step.technique == Technique.XY_WING
    assert sentence(step, "wings") == (
        "r1c1 has only 1 and 2: whichever it is, one of r1c5 and r5c1 is 3; so r5c5 cannot be 3"
    )


def test_an_xyz_wing_removes_it_where_the_pivot_is_seen_too() -> None:
    (step,) = steps_in("wings", EMPTY, all_but("r1c1=123 r1c5=13 r2c3=23"))
    assert step.technique == Technique.XYZ_WING
    assert sentence(step, "wings") == (
        "r1c1 has only 1, 2 and 3: whichever it is, one of r1c1, r1c5 and r2c3 is 3; so r1c2 and r1c3 cannot be 3"
    )


def test_a_w_wing_removes_the_digit_that_one_of_its_cells_must_hold() -> None:
    twos = " ".join(f"r5c{column}=13456789" for column in (1, 2, 3, 5, 7, 8, 9))
    (step,) = steps_in("wings", EMPTY, all_but(f"r1c4=12 r8c6=12 {twos}"))
    assert step.technique == Technique.W_WING
    assert sentence(step, "wings") == (
        "r1c4 and r8c6 have the same two candidates; row 5 has 2 in one of two places, which they see, so one of them "
        "is not 2 but 1: r1c6, r2c6, r3c6, r7c4, r8c4 and r9c4 cannot be 1"
    )


def test_wings_with_two_digits_in_common_are_none() -> None:
    assert not steps_in("wings", EMPTY, all_but("r1c1=12 r1c5=12 r5c1=23"))


def test_no_wing_is_wrong() -> None:
    assert check_soundness("wings", BANK) > 3
