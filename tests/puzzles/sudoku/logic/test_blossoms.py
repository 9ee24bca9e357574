"""Death blossoms: what they remove, and how they are explained."""

from __future__ import annotations

from logic_positions import BANK, all_but, check_soundness, steps_in

from puzzlelab.puzzles.sudoku.logic.catalog import sentence

EMPTY = "0" * 81


def test_a_digit_of_all_petals_is_removed() -> None:
    (step,) = steps_in("blossoms", EMPTY, all_but("r1c1=12 r1c5=13 r4c1=24 r5c1=34"))
    assert sentence(step, "blossoms") == (
        "whichever digit r1c1 holds, it takes one from cells that have one digit more than they need: 1 from r1c5 or 2 "
        "from r4c1 and r5c1; so one of these sets holds 3, and r5c5 cannot be 3"
    )


def test_a_candidate_without_a_petal_makes_no_blossom() -> None:
    assert not steps_in("blossoms", EMPTY, all_but("r1c1=125 r1c5=13 r4c1=24 r5c1=34"))


def test_no_step_is_wrong() -> None:
    assert check_soundness("blossoms", BANK[::4]) > 5
