"""Nets with chains inside: boards that need them are rated, and no step is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from logic_positions import position_of, solution_of

from puzzlelab import load
from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.forcing_nested import NESTED_CHAINS, nested_nets
from puzzlelab.puzzles.sudoku.logic.scales import rate_on
from puzzlelab.puzzles.sudoku.logic.steps import evidence_of, find_steps, new_found
from puzzlelab.puzzles.sudoku.logic.techniques import Technique
from puzzlelab.puzzles.sudoku.logic.tester import SOUND, first_wrong

ESCARGOT = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."
"""A board by Arto Inkala, which forums rate 10.5."""


@pytest.mark.slow
def test_a_board_that_needs_chains_inside_nets_is_rated() -> None:
    (result,) = rate_on(np.array([load("sudoku-9x9").read(ESCARGOT).state], np.uint8))
    assert result.is_complete
    assert result.rating == pytest.approx(10.5, abs=0.11)
    assert result.hardest == Technique.NESTED_CONTRADICTION_FORCING_CHAIN


@pytest.mark.slow
def test_steps_are_right_and_their_sentences_tell_of_the_chains() -> None:
    found, position = new_found(200), position_of(ESCARGOT)
    find_steps(nested_nets(NESTED_CHAINS), position, found)
    assert first_wrong(position, found, solution_of(ESCARGOT)) == SOUND
    steps = evidence_of(found)
    assert len(steps) > 10
    for step in steps:
        assert step.nodes
        assert sentence(step, "forcing_nested").startswith("With forcing chains on the way")
