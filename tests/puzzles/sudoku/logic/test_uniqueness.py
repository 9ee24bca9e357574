"""Unique rectangles of all types, hidden and avoidable ones: what they remove, and how they are explained."""

from __future__ import annotations

import numpy as np
from logic_positions import BANK, all_but, check_soundness, position_of, steps_in

from puzzlelab.puzzles.sudoku.logic.catalog import sentence, steps_of
from puzzlelab.puzzles.sudoku.logic.position import play
from puzzlelab.puzzles.sudoku.logic.steps import new_found
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

EMPTY = "0" * 81
SWAPPED = (
    "if r1c1, r1c4, r2c1 and r2c4 held only 1 and 2, these could be swapped, and the board would have two solutions"
)


def without_ones(*places: tuple[int, int]) -> str:
    """Return words that keep 1 from cells (row, column)."""
    return "".join(f" r{row}c{column}=23456789" for row, column in places)


def told(words: str) -> dict[Technique, str]:
    """Return the sentence of the first step of each technique."""
    steps = steps_in("uniqueness", EMPTY, all_but(words))
    return {step.technique: sentence(step, "uniqueness") for step in reversed(steps)}


def told_of_placed(placed: dict[tuple[int, int], int], words: str) -> dict[Technique, str]:
    """Return the sentences in a position with placed digits, by row and column."""
    position = position_of(EMPTY, all_but(words))
    moves = [81 * row + 9 * column + digit - 91 for (row, column), digit in placed.items()]
    play(position, np.array(moves), np.array([], np.int64))
    return {step.technique: sentence(step, "uniqueness") for step in steps_of("uniqueness", position, new_found(50))}


def test_a_corner_may_lack_a_digit() -> None:
    assert told("r1c1=12 r1c4=1 r2c1=2 r2c4=134")[Technique.UNIQUE_RECTANGLE_1] == (
        f"{SWAPPED}; so r2c4 is 3 or 4: r2c4 cannot be 1"
    )


def test_type_3_removes_from_a_line_and_a_box() -> None:
    assert told("r1c1=12 r2c1=12 r1c4=123 r2c4=124 r3c4=34")[Technique.UNIQUE_RECTANGLE_3] == (
        f"{SWAPPED}; so r1c4 is 3 or r2c4 is 4, and with r3c4 it takes 3 and 4 in column 4: r1c5, r1c6, r2c5, r2c6, "
        "r3c5, r3c6, r4c4, r5c4, r6c4, r7c4, r8c4 and r9c4 cannot be 3 or 4"
    )


def test_type_4_locks_a_digit() -> None:
    words = "r1c1=12 r1c4=12 r2c1=13 r2c4=124" + without_ones(*((2, column) for column in (2, 3, 5, 6, 7, 8, 9)))
    assert told(words)[Technique.UNIQUE_RECTANGLE_4] == (
        f"{SWAPPED}; so r2c1 is 3 or r2c4 is 4; the other one is 1, which has no other place in row 2: r2c4 cannot be 2"
    )


def test_type_5_has_its_extra_digit_in_opposite_corners() -> None:
    assert told("r1c1=12 r1c4=123 r2c1=123 r2c4=12")[Technique.UNIQUE_RECTANGLE_5] == (
        f"{SWAPPED}; so one of r1c4 and r2c1 is 3, and r1c2, r1c3, r2c5 and r2c6 cannot be 3"
    )


def test_type_6_locks_a_digit_in_two_lines() -> None:
    others = [(row, column) for row in (1, 2) for column in (2, 3, 5, 6, 7, 8, 9)]
    assert told("r1c1=12 r1c4=123 r2c1=124 r2c4=12" + without_ones(*others))[Technique.UNIQUE_RECTANGLE_6] == (
        f"{SWAPPED}; 1 has no other place in row 1 and row 2, so they would if r1c4 or r2c1 were 1: "
        "r1c4 and r2c1 cannot be 1"
    )


def test_a_hidden_rectangle_locks_a_digit_in_the_lines_of_a_corner() -> None:
    others = [*((2, column) for column in (2, 3, 5, 6, 7, 8, 9)), *((row, 4) for row in range(3, 10))]
    assert told("r1c1=12" + without_ones(*others))[Technique.HIDDEN_RECTANGLE] == (
        f"{SWAPPED}; 1 has no other place in row 2 and column 4, so they would if r2c4 were 2: r2c4 cannot be 2"
    )


def test_placed_digits_make_a_rectangle_avoidable() -> None:
    three = {(1, 1): 1, (1, 4): 2, (2, 1): 2}
    assert told_of_placed(three, "r2c4=134") == {
        Technique.AVOIDABLE_RECTANGLE_1: (
            f"none of r1c1, r1c4, r2c1 and r2c4 is a clue, and {SWAPPED}; so r2c4 is 3 or 4: r2c4 cannot be 1"
        )
    }
    two = {(1, 1): 1, (1, 4): 2}
    assert told_of_placed(two, "r2c1=23 r2c4=13")[Technique.AVOIDABLE_RECTANGLE_2].endswith(
        "; so one of r2c1 and r2c4 is 3, and r2c2, r2c3, r2c5, r2c6, r2c7, r2c8 and r2c9 cannot be 3"
    )


def test_clues_make_no_rectangle() -> None:
    board = "100200000" + "200000000" + "0" * 63
    assert not steps_in("uniqueness", board, all_but("r2c4=134"))


def test_no_step_is_wrong() -> None:
    assert check_soundness("uniqueness", BANK[::4]) > 5
