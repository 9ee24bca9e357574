"""Unique rectangles and loops: what they remove, in which order, and how they are explained."""

from __future__ import annotations

import pytest
from logic_positions import BANK, all_but, check_soundness, position_of, steps_in

from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.loops import families, family
from puzzlelab.puzzles.sudoku.logic.steps import find_steps, new_found, surcharge
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

EMPTY = "0" * 81
SWAPPED = (
    "if r1c1, r1c4, r2c1 and r2c4 held only 1 and 2, these could be swapped, and the board would have two solutions"
)
LOOP = "r1c1=12 r1c5=12 r2c5=12 r2c9=12 r3c9=12 "
NINE = "".join(f" r2c{column}=3456789" for column in (3, 5, 6, 7, 8, 9))


def others(words: str) -> str:
    """Return words that keep 1 and 2 from all other cells."""
    cells = [f"r{row}c{column}" for row in range(1, 10) for column in range(1, 10)]
    return "".join(f" {cell}=3456789" for cell in cells if cell not in words)


def told(words: str) -> dict[Technique, str]:
    """Return the sentence of the first step of each technique."""
    steps = steps_in("loops", EMPTY, all_but(words))
    return {step.technique: sentence(step, "loops") for step in reversed(steps)}


def test_type_1_removes_both_digits_from_the_last_cell() -> None:
    assert told("r1c1=12 r1c4=12 r2c1=12 r2c4=1234") == {
        Technique.UNIQUE_RECTANGLE_1: f"{SWAPPED}; so r2c4 is 3 or 4: r2c4 cannot be 1 or 2"
    }


def test_type_2_removes_the_extra_digit_where_all_its_cells_are_seen() -> None:
    assert told("r1c1=12 r1c4=12 r2c1=123 r2c4=123")[Technique.UNIQUE_RECTANGLE_2] == (
        f"{SWAPPED}; so one of r2c1 and r2c4 is 3, and r2c2, r2c3, r2c5, r2c6, r2c7, r2c8 and r2c9 cannot be 3"
    )


def test_type_3_is_a_subset_with_one_cell_for_both() -> None:
    assert told("r1c1=12 r1c4=12 r2c1=123 r2c4=124 r2c8=34")[Technique.UNIQUE_RECTANGLE_3] == (
        f"{SWAPPED}; so r2c1 is 3 or r2c4 is 4, and with r2c8 it takes 3 and 4 in row 2: "
        "r2c2, r2c3, r2c5, r2c6, r2c7 and r2c9 cannot be 3 or 4"
    )


def test_type_3_may_be_told_as_a_hidden_subset() -> None:
    assert told("r1c1=12 r1c4=12 r2c1=123 r2c4=124" + NINE)[Technique.UNIQUE_RECTANGLE_3] == (
        f"{SWAPPED}; so r2c1 is 3 or r2c4 is 4, and only r2c2 is left for all but one of 1 and 2 in row 2: "
        "r2c2 cannot be 3, 4, 5, 6, 7, 8 or 9"
    )


def test_type_4_keeps_the_digit_that_has_no_other_place() -> None:
    ones = "".join(f" r2c{column}=23456789" for column in (2, 3, 5, 6, 7, 8, 9))
    assert told("r1c1=12 r1c4=12 r2c1=12345 r2c4=12567" + ones)[Technique.UNIQUE_RECTANGLE_4] == (
        f"{SWAPPED}; so r2c1 is 3, 4 or 5 or r2c4 is 5, 6 or 7; the other one is 1, which has no other place in row 2: "
        "r2c1 and r2c4 cannot be 2"
    )


def test_loops_may_be_longer() -> None:
    assert told(LOOP + "r3c1=128")[Technique.UNIQUE_LOOP_1] == (
        "if r1c1, r1c5, r2c5, r2c9, r3c1 and r3c9 held only 1 and 2, these could be swapped, and the board would have "
        "two solutions; so r3c1 is 8: r3c1 cannot be 1 or 2"
    )


def test_a_rectangle_in_four_boxes_is_none() -> None:
    assert not told("r1c1=12 r1c4=12 r4c1=12 r4c4=1234")


@pytest.mark.parametrize(
    ("words", "tenths"),
    [
        ("r1c1=12 r1c4=12 r2c1=12 r2c4=1234", {0}),
        ("r1c1=12 r1c4=12 r2c1=123 r2c4=124" + NINE, {0, 1}),
        (LOOP + "r3c1=128" + others(LOOP + "r3c1=128"), {1}),
    ],
)
def test_the_step_that_comes_first_is_rated_lowest(words: str, tenths: set[int]) -> None:
    """The middle one is a hidden pair, which version 1.2.1 rates below a naked one."""
    rated = set()
    for record in (*families(), family(0)):
        found = new_found(1)
        find_steps(record, position_of(EMPTY, all_but(words)), found)
        rated.add(int(surcharge(record, found)))
    assert rated == tenths


def test_no_loop_is_wrong() -> None:
    assert check_soundness("loops", BANK) > 3
