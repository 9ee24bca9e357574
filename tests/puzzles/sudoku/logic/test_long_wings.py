"""Wings of four to seven cells: what they remove, and how they are explained."""

from __future__ import annotations

from logic_positions import BANK, check_soundness, steps_in

from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

CELLS = {(1, 1): "12", (1, 4): "23", (1, 7): "34", (3, 3): "14"}


def test_a_wxyz_wing_removes_the_digit_that_is_not_linked() -> None:
    removed = " ".join(
        f"{digit}{row}{column}" for (row, column), own in CELLS.items() for digit in "123456789" if digit not in own
    )
    steps = [each for each in steps_in("long_wings", "." * 81, removed) if each.technique == Technique.WXYZ_WING]
    assert [sentence(step, "long_wings") for step in steps] == [
        "r1c1, r1c4 and r1c7 in row 1 have one digit more than cells. If r3c3 is not 4, its other digit is lost to "
        "them, and one of them is 4: r1c2, r1c3, r3c7, r3c8 and r3c9 cannot be 4"
    ]


def test_no_long_wing_is_wrong() -> None:
    assert check_soundness("long_wings", BANK[:4]) > 0
