"""Skyscrapers, two-string kites, turbot fish and empty rectangles: what each removes, and how it is explained."""

from __future__ import annotations

import pytest
from logic_patterns import possible_cells, random_pattern, removed_by, steps_of_pattern
from logic_positions import BANK, check_soundness

from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.strong_links import TWO
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

FAMILIES = ("strong_links", "dual_kites", "empty_rectangle")
SKYSCRAPER = """
    .X....X..
    .......X.
    .........
    .........
    .X.....X.
    ......X..
    .........
    .........
    .X..X..X."""
KITE = """
    .X....X..
    X..X.....
    .........
    .........
    .........
    X.....X..
    .........
    .........
    ........."""
TURBOT_FISH = """
    .X....X..
    .........
    .........
    .X.......
    .........
    .........
    .X.......
    ..X...X..
    ........."""
DUAL_KITE = """
    .X....X..
    X......X.
    .........
    .X.....X.
    .........
    X.....X..
    .........
    .........
    ........."""
EMPTY_RECTANGLE = """
    .X.......
    XXX...X..
    .X.......
    .........
    .X....X..
    .........
    .........
    .........
    ........."""


@pytest.mark.parametrize(
    ("technique", "drawing", "removed"),
    [
        (Technique.SKYSCRAPER, SKYSCRAPER, (28, 67)),
        (Technique.TWO_STRING_KITE, KITE, (67,)),
        (Technique.TURBOT_FISH, TURBOT_FISH, (87,)),
        (Technique.DUAL_TWO_STRING_KITE, DUAL_KITE, (48, 67)),
        (Technique.EMPTY_RECTANGLE, EMPTY_RECTANGLE, (52,)),
        (Technique.DUAL_EMPTY_RECTANGLE, EMPTY_RECTANGLE, (27, 52)),
    ],
)
def test_a_pattern_removes_exactly(technique: Technique, drawing: str, removed: tuple[int, ...]) -> None:
    steps = [step for family in FAMILIES for step in steps_of_pattern(family, drawing)]
    assert removed in removed_by(steps, technique)


def test_single_ones_are_found_and_remove_what_is_in_no_placement_of_the_digit() -> None:
    names = set()
    for number in range(100):
        drawing = random_pattern(number)
        possible = possible_cells(drawing)
        for step in (each for family in FAMILIES for each in steps_of_pattern(family, drawing)):
            assert not possible & {candidate // 9 for candidate in step.removed}, step
            names.add(step.technique)
    assert names == {
        Technique.SKYSCRAPER,
        Technique.TWO_STRING_KITE,
        Technique.TURBOT_FISH,
        Technique.STRONG_LINKS,
        Technique.EMPTY_RECTANGLE,
    }


@pytest.mark.parametrize(
    ("family", "most", "least"), [("strong_links", len(TWO), 20), ("dual_kites", 1, 1), ("empty_rectangle", 2, 20)]
)
def test_no_step_is_wrong(family: str, most: int, least: int) -> None:
    assert check_soundness(family, BANK[-3:], most) > least


@pytest.mark.parametrize(
    ("family", "technique", "drawing", "words"),
    [
        (
            "dual_kites",
            Technique.DUAL_TWO_STRING_KITE,
            DUAL_KITE,
            "r1c2 and r2c1 cannot both be 1, and row 1, column 1, row 2 and column 2 have one other place each; "
            "so r1c7 or r6c1 is 1, and r2c8 or r4c2: r4c8 and r6c7 cannot be 1",
        ),
        (
            "empty_rectangle",
            Technique.EMPTY_RECTANGLE,
            EMPTY_RECTANGLE,
            "box 1 has all its 1s in row 2 and column 2; if r5c7 is not 1, r2c7 is, the other place in column 7, and "
            "then box 1 has its 1 in column 2: r5c2 cannot be 1",
        ),
    ],
)
def test_a_sentence_explains_a_step(family: str, technique: Technique, drawing: str, words: str) -> None:
    step = next(step for step in steps_of_pattern(family, drawing) if step.technique == technique)
    assert sentence(step, family) == words
