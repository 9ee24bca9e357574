"""Aligned pair exclusion: what it removes, and how it is explained."""

from __future__ import annotations

from logic_positions import BANK, all_but, check_soundness, steps_in

from puzzlelab.puzzles.sudoku.logic.catalog import sentence

EMPTY = "0" * 81


def test_what_is_in_no_pair_that_is_left_goes() -> None:
    step, *_ = steps_in("aligned", EMPTY, all_but("r1c1=123 r1c4=13 r1c5=134 r1c6=14"))
    assert sentence(step, "aligned") == (
        "r1c1 and r1c5 cannot hold the same digit, because they share row 1, or the two candidates of r1c4 (1 and 3) "
        "or r1c6 (1 and 4), which both see; none of the pairs of digits that are left has what goes: r1c1 cannot be 1"
    )


def test_a_pair_without_a_common_unit_is_excluded_by_others_alone() -> None:
    [step] = [
        each
        for each in steps_in("aligned", EMPTY, all_but("r1c1=123 r1c4=13 r2c5=34 r1c6=14 r2c2=13"))
        if each.cells[:2] == ((0, 0), (0, 13))
    ]
    assert sentence(step, "aligned") == (
        "r1c1 and r2c5 cannot hold the two candidates of r1c4 (1 and 3), r1c6 (1 and 4) or r2c2 (1 and 3), which both "
        "see; none of the pairs of digits that are left has what goes: r1c1 cannot be 1"
    )


def test_a_cell_whose_two_candidates_both_go_is_told() -> None:
    step, *_ = steps_in("aligned", EMPTY, all_but("r1c1=123 r1c4=13 r1c5=13"))
    assert sentence(step, "aligned") == (
        "r1c1 and r1c4 cannot hold the same digit, because they share row 1, or the two candidates of r1c5 (1 and 3), "
        "which both see; none of the pairs of digits that are left has what goes: r1c1 cannot be 1 or 3"
    )


def test_no_step_is_wrong() -> None:
    assert check_soundness("aligned", BANK) > 0
