"""BUG+1 to BUG+n: what they remove, and how they are explained."""

from __future__ import annotations

import pytest
from logic_positions import BANK, check_soundness, position_of, steps_in

from puzzlelab.puzzles.sudoku.logic.bug import families
from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.steps import evidence_of, find_steps, new_found, surcharge
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

RULE = (
    "with some candidates fewer, each blank cell would have two, and each digit two places in each unit, and no such "
    "board has exactly one solution"
)
CASES = {
    Technique.BUG_1: (
        "523617489741985362869243571394761825150092630602350910000530096935126748006079053",
        "",
        f"{RULE}; so r7c2 is 8: r7c2 cannot be 1 or 7",
    ),
    Technique.BUG_2: (
        "435628179020190350090053260003546890000879530958231746302910685060085923589362417",
        "141 151 153",
        f"{RULE}; so one of r2c1, r3c1 and r8c3 is 7, and r2c3, r3c3 and r8c1 cannot be 7",
    ),
    Technique.BUG_3: (
        "321060958794000613658913247143090720279001830586030194467529381915300402832100509",
        "786 796",
        f"{RULE}; so r2c6 is 8 or r4c6 is 6, and with r8c6 it takes 6 and 8 in column 6: r9c6 cannot be 6",
    ),
    Technique.BUG_4: (
        "001294830040758160800316000057002300134907500208035070419623758020879614786541293",
        "239 939",
        f"{RULE}; so r4c9 is 6 or r6c9 is 9; the other one is 1, which has no other place in column 9: "
        "r4c9 cannot be 9, and r6c9 cannot be 6",
    ),
}


@pytest.mark.parametrize("technique", CASES, ids=lambda each: each.label)
def test_each_type_is_found_and_explained(technique: Technique) -> None:
    board, removed, told = CASES[technique]
    step = next(step for step in steps_in("bug", board, removed) if step.technique == technique)
    assert sentence(step, "bug") == told


def test_type_3_is_harder_with_more_cells() -> None:
    board, removed, _ = CASES[Technique.BUG_3]
    (record,) = families()
    rated, found = {}, new_found(20)
    find_steps(record, position_of(board, removed), found)
    for step, head in zip(evidence_of(found), found.heads.copy(), strict=False):
        found.heads[0] = head
        rated[step.technique, len(step.by_role("cells", 1))] = int(surcharge(record, found))
    expected = {(Technique.BUG_3, cells): cells - 1 for cells in (1, 2, 3)}
    assert rated == {(Technique.BUG_4, 0): 0, **expected}


def test_one_more_candidate_is_no_grave() -> None:
    board, _, _ = CASES[Technique.BUG_2]
    assert not steps_in("bug", board, "141 151")


def test_a_grave_without_extras_has_no_steps() -> None:
    board, _, _ = CASES[Technique.BUG_1]
    assert not steps_in("bug", board, "872")


def test_no_step_is_wrong() -> None:
    assert check_soundness("bug", [board for board, _, _ in CASES.values()] + BANK) > 0
