"""Templates: they find all that follows from the places of one digit."""

from __future__ import annotations

from logic_patterns import cell_number, possible_cells, random_pattern, steps_of_pattern
from logic_positions import BANK, check_soundness

from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

DRAWING = "X........ ...X..... ......X.. .X....... ....X.... .......X. ..X...... .....X... X.......X"


def test_templates_place_and_remove_all_that_follows() -> None:
    placed, removed, *others = steps_of_pattern("templates", DRAWING)
    assert (placed.technique, removed.technique) == (Technique.TEMPLATE_SET, Technique.TEMPLATE_DELETE)
    assert len(others) == 8, "the other digits lose the cells of this one"
    assert list(map(cell_number, placed.placed)) == [11, 24, 37, 42, 55, 68, 73, 86, 99]
    assert list(map(cell_number, removed.removed)) == [91]
    assert sentence(placed, "templates") == (
        "all ways to place 1 that leave the other digits their cells use "
        "r1c1, r2c4, r3c7, r4c2, r5c5, r6c8, r7c3, r8c6 and r9c9"
    )
    assert sentence(removed, "templates") == (
        "no way to place 1 that leaves the other digits their cells is left here: r9c1 cannot be 1"
    )


def test_templates_leave_what_is_in_a_placement_of_the_digit() -> None:
    for number in range(20):
        drawing = random_pattern(number)
        removed = {
            candidate // 9
            for step in steps_of_pattern("templates", drawing)
            for candidate in step.removed
            if candidate % 9 == 0
        }
        assert removed == {cell for cell in range(81) if drawing[cell] == "X"} - possible_cells(drawing)


def test_no_template_is_wrong() -> None:
    assert check_soundness("templates", BANK[-2:]) > 10
