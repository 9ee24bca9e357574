"""Chains of almost locked sets: what they remove in known positions, and that no step is wrong."""

from __future__ import annotations

import pytest
from logic_positions import BANK, check_soundness, position_of, steps_in

from puzzlelab.puzzles.sudoku.logic.almost_locked import collect, new_almost_locked
from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.steps import Evidence
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

PAIR = "004000583580347209003805407869732145145000372327154896938271654400569708050483901"
CASES = {
    Technique.ALS_XZ: (PAIR, "112 132 183"),
    Technique.ALS_XY_WING: (
        "050060200403000056006005001835006090647020500219800060500600400900000603004000010",
        "727 737 747 749 765 766 769 797",
    ),
    Technique.ALS_CHAIN: (
        "050060200403000056006005001835006192647020500219850064500600400900000603004000010",
        "316 354 356 367 376 396",
    ),
}


def removed(step: Evidence) -> str:
    """Return the removed candidates as words such as '537': the digit, row and column."""
    return " ".join(f"{each % 9 + 1}{each // 81 + 1}{each // 9 % 9 + 1}" for each in step.removed)


@pytest.mark.parametrize("technique", CASES)
def test_each_kind_is_found(technique: Technique) -> None:
    board, expected = CASES[technique]
    assert expected in [removed(step) for step in steps_in("als", board) if step.technique == technique]


def test_a_set_has_one_digit_more_than_cells() -> None:
    sets = new_almost_locked()
    collect(sets, position_of(PAIR))
    assert sets.total[0] > 20
    for number in range(sets.total[0]):
        cells = sum(int(band).bit_count() for band in sets.cells[number])
        assert int(sets.digits[number]).bit_count() == cells + 1


def test_sets_are_named_in_their_order() -> None:
    (step, *_) = [step for step in steps_in("als", PAIR) if removed(step) == "112 132 183"]
    assert sentence(step, "als") == (
        "each of these sets of cells can lack one of its digits only; 6 cannot be both in r2c3 and in r8c2 and r9c3; "
        "so r2c3 or r8c2 and r9c3 must have 1: r1c2, r3c2 and r8c3 cannot be 1"
    )


def test_no_step_is_wrong() -> None:
    assert check_soundness("als", BANK[::6]) > 100
