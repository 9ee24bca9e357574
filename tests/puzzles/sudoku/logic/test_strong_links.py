"""Chains of strong links of one digit: their shapes, what they remove, and how they are explained."""

from __future__ import annotations

import pytest
from logic_positions import BANK, check_soundness, keep, position_of

from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.steps import evidence_of, find_steps, new_found
from puzzlelab.puzzles.sudoku.logic.strong_links import strong_links
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

EMPTY = "." * 81


def first(technique: Technique, removed: str) -> str:
    """Return the sentence of the first step of a technique in the empty board without some candidates."""
    found = new_found(1)
    find_steps(strong_links(technique), position_of(EMPTY, removed), found)
    return sentence(evidence_of(found)[0], "strong_links")


def row(number: int) -> list[tuple[int, int]]:
    """Return the cells of a row."""
    return [(number, column) for column in range(1, 10)]


def column(number: int) -> list[tuple[int, int]]:
    """Return the cells of a column."""
    return [(row, number) for row in range(1, 10)]


def test_a_skyscraper_joins_two_rows_by_a_column() -> None:
    removed = f"{keep('4', row(2), [(2, 1), (2, 7)])} {keep('4', row(6), [(6, 1), (6, 8)])}"
    assert first(Technique.SKYSCRAPER, removed) == (
        "row 2 and row 6 need a 4 each, and only one of two can have it in column 1, so one of r2c7 and r6c8 is 4: "
        "r1c8, r3c8, r4c7 and r5c7 cannot be 4"
    )


def test_a_kite_joins_a_row_and_a_column_by_a_box() -> None:
    removed = f"{keep('4', row(2), [(2, 1), (2, 7)])} {keep('4', column(2), [(3, 2), (6, 2)])}"
    assert first(Technique.TWO_STRING_KITE, removed).endswith("so one of r2c7 and r6c2 is 4: r6c7 cannot be 4")


def test_a_turbot_fish_has_a_base_that_is_a_box() -> None:
    box = [(row, column) for row in (1, 2, 3) for column in (1, 2, 3)]
    removed = f"{keep('4', box, [(1, 1), (2, 2)])} {keep('4', row(6), [(6, 1), (6, 8)])}"
    assert first(Technique.TURBOT_FISH, removed).endswith("so one of r2c2 and r6c8 is 4: r2c8 cannot be 4")


def test_a_base_may_have_groups() -> None:
    box = [(row, column) for row in (1, 2, 3) for column in (1, 2, 3)]
    removed = f"{keep('4', box, [(1, 1), (2, 2), (2, 3), (3, 1)])} {keep('4', row(6), [(6, 1), (6, 8)])}"
    assert first(Technique.STRONG_LINKS, removed).endswith("so one of r2c2, r2c3 and r6c8 is 4: r2c8 cannot be 4")


@pytest.mark.slow
def test_no_chain_is_wrong() -> None:
    assert check_soundness("strong_links", BANK) > 20
