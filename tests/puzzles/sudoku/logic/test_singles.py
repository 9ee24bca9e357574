"""Singles: what is found, in which order, and how it is explained."""

from __future__ import annotations

import numpy as np
from logic_positions import BANK, check_soundness, position_of, solution_of, steps_in

from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.position import new_position, set_up
from puzzlelab.puzzles.sudoku.logic.singles import families
from puzzlelab.puzzles.sudoku.logic.steps import find_steps, new_found, take_step
from puzzlelab.puzzles.sudoku.logic.techniques import Technique
from puzzlelab.puzzles.sudoku.logic.tester import SOUND, first_wrong

EASY = "003020600900305001001806400008102900700000008006708200002609500800203009005010300"


def test_hidden_singles_of_boxes_come_first() -> None:
    told = [sentence(step, "singles") for step in steps_in("singles", EASY)]
    assert told[0] == "6 has one place left in box 1: r2c2"
    assert told[-1] == "r9c4 must be 4: no other candidate is left there"


def test_the_last_blank_cell_of_a_unit_is_a_full_house() -> None:
    solution = "".join(map(str, solution_of(EASY)))
    (row, *others) = steps_in("singles", "0" + solution[1:])
    assert row.technique == Technique.FULL_HOUSE
    assert {step.technique for step in others} <= {Technique.FULL_HOUSE, Technique.NAKED_SINGLE}
    assert sentence(row, "singles") == f"r1c1 must be {solution[0]}: it is the last blank cell of box 1"


def test_singles_solve_an_easy_board() -> None:
    position, found = position_of(EASY), new_found(1)
    for _ in range(np.count_nonzero(position.values == 0)):
        find_steps(families()[0], position, found)
        take_step(position, found, 0)
    assert position.values.tolist() == solution_of(EASY).tolist()
    assert not position.candidates.any()
    assert not position.places.any()


def test_no_single_is_wrong() -> None:
    assert check_soundness("singles", BANK) > 100


def test_the_tester_finds_a_wrong_step() -> None:
    position, found = position_of(EASY), new_found(1)
    find_steps(families()[0], position, found)
    solution = solution_of(EASY)
    assert first_wrong(position, found, solution) == SOUND
    assert first_wrong(position, found, solution % 9 + 1) == 0
    empty = new_position()
    set_up(empty, np.zeros(81, np.uint8), np.zeros(81, np.uint16))
    assert first_wrong(empty, found, solution) == 0, "the candidate is not there"
