"""Sue de Coq: what it removes, and how it is explained."""

from __future__ import annotations

from logic_positions import BANK, all_but, check_soundness, steps_in

from puzzlelab.puzzles.sudoku.logic.catalog import sentence

EMPTY = "0" * 81


def test_as_many_cells_as_digits_hold_each_of_them() -> None:
    (step,) = steps_in("sue_de_coq", EMPTY, all_but("r1c1=1234 r1c2=1234 r1c5=12 r2c1=34"))
    assert sentence(step, "sue_de_coq") == (
        "r1c1, r1c2, r1c5 and r2c1 are 4 cells for 1, 2, 3 and 4, each of which they can hold once only, because 1 and "
        "2 are together in row 1 and 3 and 4 in box 1; so they hold each of them: r1c3 cannot be 1, 2, 3 or 4, "
        "r1c4, r1c6, r1c7, r1c8 and r1c9 cannot be 1 or 2, and r2c2, r2c3, r3c1, r3c2 and r3c3 cannot be 3 or 4"
    )


def test_cells_of_line_and_box_with_a_common_digit_are_none() -> None:
    assert not steps_in("sue_de_coq", EMPTY, all_but("r1c1=1234 r1c2=1234 r1c5=12 r2c1=24"))


def test_no_step_is_wrong() -> None:
    assert check_soundness("sue_de_coq", BANK) > 0
