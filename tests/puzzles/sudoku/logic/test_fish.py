"""Fish with fins, of all kinds of units: what each removes, what it rests on, and how it is explained."""

from __future__ import annotations

import pytest
from logic_patterns import cell_number, possible_cells, random_pattern, removed_by, steps_of_pattern
from logic_positions import BANK, check_soundness

from puzzlelab.puzzles.sudoku.logic.basic_fish import BASE, COVER
from puzzlelab.puzzles.sudoku.logic.catalog import family_of, sentence
from puzzlelab.puzzles.sudoku.logic.finned_fish import BODY, ENDO_FIN, FIN
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

FAMILIES = ("finned_fish", "complex_fish")
FINNED = """
    X.....X..
    .........
    .........
    .X....X.X
    X.....XX.
    .........
    .X....X.X
    .........
    ........."""
SASHIMI = FINNED.replace("X.....XX.", "X......X.")


def test_a_finned_x_wing_removes_what_sees_its_fin() -> None:
    steps = steps_of_pattern("finned_fish", FINNED)
    assert removed_by(steps, Technique.FINNED_X_WING) == {(47,)}
    (step,) = (step for step in steps if step.technique == Technique.FINNED_X_WING)
    assert (step.by_role("units", BASE), step.by_role("units", COVER)) == ([0, 4], [9, 15])
    assert [cell_number(each) for each in step.by_role("candidates", BODY)] == [11, 17, 51, 57]
    assert [cell_number(each) for each in step.by_role("candidates", FIN)] == [58]
    assert step.by_role("candidates", ENDO_FIN) == []
    assert sentence(step, "finned_fish") == (
        "if the fin r5c8 is not 1, row 1 and row 5 have their 1s in column 1 and column 7, which are then full; "
        "what else lies there and sees the fin is wrong in any case: r4c7 cannot be 1"
    )


@pytest.mark.parametrize(
    ("technique", "drawing", "removed"),
    [
        (Technique.SASHIMI_X_WING, SASHIMI, {(47,)}),
        (Technique.SASHIMI_SWORDFISH, FINNED, {(58,)}),
        (Technique.FRANKEN_JELLYFISH, SASHIMI, {(58,), (58, 72)}),
    ],
)
def test_a_fish_removes_exactly(technique: Technique, drawing: str, removed: set[tuple[int, ...]]) -> None:
    assert removed_by([step for family in FAMILIES for step in steps_of_pattern(family, drawing)], technique) == removed


def test_a_fish_without_fins_needs_no_cases() -> None:
    steps = steps_of_pattern("complex_fish", SASHIMI)
    assert sentence(next(step for step in steps if step.technique == Technique.FRANKEN_JELLYFISH), "complex_fish") == (
        "column 1, column 2, column 7 and column 9 have all their 1s in row 1, row 7, box 4 and box 6, which have no "
        "room for another 1: r5c8 cannot be 1"
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_what_fish_remove_is_in_no_placement_of_the_digit(family: str) -> None:
    names = set()
    for number in range(60):
        drawing = random_pattern(number)
        possible = possible_cells(drawing)
        for step in steps_of_pattern(family, drawing):
            assert not possible & {candidate // 9 for candidate in step.removed}, step
            names.add(step.technique)
    missing = set(family_of(family).SENTENCES) - names
    assert missing <= {Technique.MUTANT_X_WING, Technique.MUTANT_WHALE}, "the one is impossible, the other rare"


@pytest.mark.parametrize("family", FAMILIES)
def test_no_fish_is_wrong(family: str) -> None:
    assert check_soundness(family, BANK[-2:]) > 20
