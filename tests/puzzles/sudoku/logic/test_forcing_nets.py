"""Forcing chains with several branches: the ratings of boards that need them, and that no step is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from logic_positions import check_soundness, steps_in

from puzzlelab import load
from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.forcing_closure import DYNAMIC, PATTERNS
from puzzlelab.puzzles.sudoku.logic.forcing_nets import nets_of
from puzzlelab.puzzles.sudoku.logic.scales import rate_on
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

RATED = (
    ("..5...6...8.926.4..2..5..8..92...16.4...9...5...8.2.....9...3...4..6..5...15.98..", 7.7),
    ("....61.9.5.6...1.3......5.23...54....1.326.5....71...64.9......1.3...7.9.7.29....", 8.3),
    ("..67.49......5.....7.613.5...2.9.5....5...3...3.5.2.6.6..1.7..59.......7.1..4..3.", 8.9),
)


@pytest.mark.slow
@pytest.mark.parametrize(("board", "rating"), RATED)
def test_the_rating_of_a_board_that_needs_branches(board: str, rating: float) -> None:
    (result,) = rate_on(np.array([load("sudoku-9x9").read(board).state], np.uint8))
    assert (result.rating, result.is_complete) == (rating, True)


def test_no_net_is_wrong() -> None:
    assert check_soundness("forcing_nets", [RATED[0][0]]) > 50


def test_sentences_name_what_the_branches_begin_with() -> None:
    steps = steps_in("forcing_nets", RATED[2][0])
    kinds = {step.technique: sentence(step, "forcing_nets") for step in steps}
    assert {*nets_of(DYNAMIC), *nets_of(PATTERNS)} & set(kinds) >= {Technique.DYNAMIC_CONTRADICTION_FORCING_CHAIN}
    for technique, words in kinds.items():
        beginning = {"CELL": "Whichever candidate", "REGION": "Whichever place", "DOUBLE": "Whether"}
        start = next((text for key, text in beginning.items() if key in technique.name), "If")
        prefix = "With locked candidates, pairs and X-wings on the way: " if technique in nets_of(PATTERNS) else ""
        assert words.startswith(prefix + start)
