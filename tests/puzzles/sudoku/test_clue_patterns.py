"""The symmetric patterns of clues: those that the generator makes are recognised."""

from typing import get_args

import numpy as np
import pytest

import puzzlelab
from puzzlelab.puzzles.sudoku.clue_patterns import Symmetry, orbits_of, patterns_of


@pytest.mark.parametrize("size", [4, 9, 12])
@pytest.mark.parametrize("name", get_args(Symmetry)[1:])
def test_a_pattern_of_orbits_has_its_symmetry(name, size):
    orbits = orbits_of(name, size)
    cells = orbits[np.random.default_rng(1).random(len(orbits)) < 0.4]
    is_clue = np.zeros((1, size * size), bool)
    is_clue[0, cells[cells >= 0]] = True
    assert name in patterns_of(is_clue, size)[0]
    is_clue[0, cells[0, 0]] = False
    assert name not in patterns_of(is_clue, size).get(0, ()) or (cells[0] >= 0).sum() == 1


def test_check_names_the_pattern():
    [board] = puzzlelab.generate("sudoku-9x9", symmetry="half-turn", seed=4)
    assert "half-turn" in puzzlelab.check(board).patterns
    assert puzzlelab.check(board.puzzle.read("1" + "." * 80)).patterns == ("diagonal",)
    assert puzzlelab.check(board.puzzle.read("." * 81)).patterns == ()
