"""Basic fish: what they remove, and how they are explained."""

from __future__ import annotations

from logic_positions import BANK, check_soundness, keep, steps_in

from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

EMPTY = "." * 81


def row(number: int) -> list[tuple[int, int]]:
    """Return the cells of a row."""
    return [(number, column) for column in range(1, 10)]


def test_an_x_wing_removes_from_its_columns() -> None:
    removed = f"{keep('4', row(2), [(2, 1), (2, 7)])} {keep('4', row(6), [(6, 1), (6, 7)])}"
    (step,) = steps_in("basic_fish", EMPTY, removed)
    assert step.technique == Technique.X_WING
    assert len(step.removed) == 14
    assert sentence(step, "basic_fish").startswith(
        "in row 2 and row 6 all places of 4 are in column 1 and column 7: as many lines, so each of these has its 4 "
        "there, and r1c1, r1c7, r3c1"
    )


def test_a_swordfish_may_lack_places() -> None:
    places = [(2, 1), (2, 4)], [(5, 4), (5, 7)], [(8, 7), (8, 1)]
    (step,) = steps_in("basic_fish", EMPTY, " ".join(keep("4", row(each[0][0]), each) for each in places))
    assert step.technique == Technique.SWORDFISH
    assert len(step.removed) == 18


def test_a_jellyfish_has_four_lines() -> None:
    columns = (1, 4, 7, 8)
    removed = " ".join(keep("4", row(number), [(number, column) for column in columns]) for number in (1, 2, 5, 8))
    (step,) = steps_in("basic_fish", EMPTY, removed)
    assert step.technique == Technique.JELLYFISH
    assert len(step.removed) == 20


def test_no_fish_is_wrong() -> None:
    assert check_soundness("basic_fish", BANK) > 0
