"""Colouring and remote pairs: what each removes, and how it is explained."""

from __future__ import annotations

import pytest
from logic_patterns import drawing_of, possible_cells, random_pattern, removed_by, steps_of_pattern
from logic_positions import BANK, check_soundness, steps_in

from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.colouring import SENTENCES
from puzzlelab.puzzles.sudoku.logic.position import new_position
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

TRAP = drawing_of(12, 17, 22, 33, 53, 57, 82, 92, 93, 98)
WRAP = drawing_of(12, 17, 23, 31, 53, 57)
MULTI_1 = drawing_of(12, 17, 28, 39, 52, 58, 77, 87, 92, 95, 98)
MULTI_2 = drawing_of(12, 17, 29, 38, 49, 52, 58, 69, 77, 92, 95, 97, 99)


@pytest.mark.parametrize(
    ("technique", "drawing", "removed", "words"),
    [
        (
            Technique.SIMPLE_COLOURS_TRAP,
            TRAP,
            (33,),
            "units with two places put 1 either in r1c2 and r5c7 or in r1c7 and r5c3; "
            "what sees some of both cannot be 1: r3c3 cannot be 1",
        ),
        (
            Technique.SIMPLE_COLOURS_WRAP,
            WRAP,
            (12, 23, 57),
            "units with two places put 1 either in r1c2, r2c3 and r5c7 or in r1c7 and r5c3; "
            "two of the first see each other, so it is in the others: r1c2, r2c3 and r5c7 cannot be 1",
        ),
        (
            Technique.MULTI_COLOURS_1,
            MULTI_1,
            (28,),
            "units with two places put 1 either in r1c2 or in r1c7, and either in r5c2 or in r5c8; "
            "sets of which cells see each other do not both hold it, and in each case that is left, r2c8 cannot be 1",
        ),
        (
            Technique.MULTI_COLOURS_2,
            MULTI_2,
            (38, 52),
            "units with two places put 1 either in r1c2 or in r1c7, and in all of r3c8 and r5c2 or none; "
            "these see some of both sets: r3c8 and r5c2 cannot be 1",
        ),
    ],
)
def test_colours_remove_exactly(technique: Technique, drawing: str, removed: tuple[int, ...], words: str) -> None:
    steps = [step for step in steps_of_pattern("colouring", drawing) if step.technique == technique]
    assert removed_by(steps, technique) == {removed}
    assert sentence(steps[0], "colouring") == words


def test_what_colours_remove_is_in_no_placement_of_the_digit() -> None:
    names = set()
    for number in range(60):
        drawing = random_pattern(number)
        possible = possible_cells(drawing)
        for step in steps_of_pattern("colouring", drawing):
            assert not possible & {candidate // 9 for candidate in step.removed}, step
            names.add(step.technique)
    assert names == set(SENTENCES) - {Technique.SIMPLE_COLOURS_WRAP}


def test_a_remote_pair_removes_both_digits_from_what_sees_both_colours() -> None:
    position, chain = new_position(), (1, 6, 42, 38)
    one, other = chain[::2], chain[1::2]
    others = [f"{digit}{cell // 9 + 1}{cell % 9 + 1}" for digit in range(3, 10) for cell in chain]
    (step,) = steps_in("remote_pairs", "." * 81, " ".join(others))
    cells = {
        cell
        for cell in set(range(81)) - set(chain)
        if position.sees[cell, one].any() and position.sees[cell, other].any()
    }
    assert step.removed == tuple(sorted(9 * cell + digit for cell in cells for digit in (0, 1)))
    assert sentence(step, "remote_pairs").startswith(
        "r1c2, r1c7, r5c3 and r5c7 have only 1 and 2 and differ from those that they see, so r1c2 and r5c7 have one of "
        "the two and r1c7 and r5c3 the other; what sees some of both can be neither: "
    )


@pytest.mark.parametrize(("family", "least"), [("colouring", 500), ("remote_pairs", 1)])
def test_no_step_is_wrong(family: str, least: int) -> None:
    assert check_soundness(family, BANK[::2]) >= least
