"""Subsets: what they remove, their direct forms, and how they are explained."""

from __future__ import annotations

from logic_positions import BANK, check_soundness, keep, position_of, steps_in

from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.steps import evidence_of, find_steps, new_found
from puzzlelab.puzzles.sudoku.logic.subsets import subsets
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

EMPTY = "." * 81
ROW = [(1, column) for column in range(1, 10)]


def test_a_naked_pair_removes_from_the_rest_of_its_unit() -> None:
    removed = " ".join(f"{digit}1{column}" for digit in range(3, 10) for column in (1, 9))
    (step,) = steps_in("subsets", EMPTY, removed)
    assert step.technique == Technique.NAKED_PAIR
    assert sentence(step, "subsets") == (
        "r1c1 and r1c9 have no other candidates than 1 and 2, so these digits are in these cells of row 1: r1c2, r1c3, "
        "r1c4, r1c5, r1c6, r1c7 and r1c8 cannot be 1 or 2"
    )


def test_a_hidden_pair_removes_from_its_cells() -> None:
    removed = " ".join(keep(digit, ROW, [(1, 1), (1, 9)]) for digit in "12")
    (step,) = steps_in("subsets", EMPTY, removed)
    assert step.technique == Technique.HIDDEN_PAIR
    assert sentence(step, "subsets") == (
        "1 and 2 have no other places in row 1 than r1c1 and r1c9, so these cells hold nothing else: r1c1 and r1c9 "
        "cannot be 3, 4, 5, 6, 7, 8 or 9"
    )


def test_sets_may_lack_some_of_the_elements() -> None:
    cycle = f"{keep('1', ROW, [(1, 1), (1, 4)])} {keep('2', ROW, [(1, 4), (1, 9)])} {keep('3', ROW, [(1, 9), (1, 1)])}"
    (step,) = steps_in("subsets", EMPTY, cycle)
    assert step.technique == Technique.HIDDEN_TRIPLE
    assert len(step.removed) == 18


def test_a_quadruple_has_four_cells() -> None:
    removed = " ".join(f"{digit}1{column}" for digit in range(5, 10) for column in (1, 4, 7, 9))
    (step,) = steps_in("subsets", EMPTY, removed)
    assert step.technique == Technique.NAKED_QUADRUPLE
    assert len(step.removed) == 20


def test_a_direct_pair_places_a_digit_and_removes_nothing() -> None:
    pair = " ".join(keep(digit, ROW, [(1, 1), (1, 9)]) for digit in "12")
    position, found = position_of(EMPTY, f"{pair} {keep('5', ROW, [(1, 4), (1, 9)])}"), new_found(9)
    find_steps(subsets(Technique.DIRECT_HIDDEN_PAIR), position, found)
    (step,) = evidence_of(found)
    assert step.removed == ()
    assert sentence(step, "subsets").endswith("; then r1c4 is the last place of 5 in row 1")


def test_no_subset_is_wrong() -> None:
    assert check_soundness("subsets", BANK) > 50
