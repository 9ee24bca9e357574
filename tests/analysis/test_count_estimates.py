"""Estimates of the number of solutions: near known numbers, exact for few, and the same for the same seed."""

import math

import numpy as np
import pytest

import puzzlelab
from puzzlelab.analysis.count_estimates import _estimate


def thinned():
    """A board of 9x9 with 2,709 solutions."""
    puzzle = puzzlelab.load("sudoku-9x9")
    solved = puzzlelab.solve(puzzle.read("many")).final.state
    kept = np.random.default_rng(0).choice(81, 25, replace=False)
    return puzzlelab.Instance(puzzle, np.where(np.isin(np.arange(81), kept), solved, 0).astype(np.uint8))


def test_a_known_number_is_in_the_interval():
    board = thinned()
    assert puzzlelab.count(board).solutions == 2709
    found = puzzlelab.estimate_count(board, probes=100)
    assert found.low < 2709 < found.high
    assert (found.probes, found.stop, found.is_exact) == (100, "done", False)
    assert 0 < found.standard_error < 0.2 * found.solutions


def test_the_number_of_all_grids_is_in_the_interval():
    """Its probes are at other boards from the fourth cell on: there they must be independent."""
    empty = puzzlelab.load("sudoku-9x9").read("." * 81)
    for seed in range(2):
        found = puzzlelab.estimate_count(empty, probes=60, seed=seed)
        assert found.low < 6_670_903_752_021_072_936_960 < found.high
        assert found.standard_error < 0.2 * found.solutions


def test_probes_that_are_alike_have_no_error():
    found = puzzlelab.estimate_count(puzzlelab.load("sudoku-4x4").read("." * 16), probes=20)
    assert (found.solutions, found.standard_error, found.low, found.high) == (288, 0, 288, 288)


def test_few_solutions_are_counted():
    puzzle = puzzlelab.load("sudoku-9x9")
    for board, count in (("easy", 1), ("11" + "." * 79, 0)):
        found = puzzlelab.estimate_count(puzzle.read(board))
        assert (found.solutions, found.standard_error, found.is_exact) == (count, 0, True)


def test_equal_seeds_give_equal_estimates():
    board = thinned()
    one, same, other = (puzzlelab.estimate_count(board, probes=20, seed=seed) for seed in (1, 1, 2))
    assert one == same != other


def test_a_limit_ends_the_probes():
    board = puzzlelab.load("sudoku-6x6").read("." * 36)
    found = puzzlelab.estimate_count(board, limit=puzzlelab.Limit(nodes=1))
    assert (found.stop, found.probes, found.is_exact) == ("nodes", 0, False)
    assert math.isnan(found.solutions)


def test_the_interval_of_skewed_values_is_moved_up():
    values = np.array([1.0] * 90 + [100.0] * 10)
    found = _estimate(values, "done")
    assert found.solutions == pytest.approx(10.9)
    assert found.high - found.solutions > found.solutions - found.low


def test_wrong_arguments():
    board = puzzlelab.load("sudoku-4x4").read("." * 16)
    with pytest.raises(puzzlelab.BadOption, match="the number of probes"):
        puzzlelab.estimate_count(board, probes=1)
    with pytest.raises(puzzlelab.Unsupported, match="has no cells with candidates"):
        puzzlelab.estimate_count(puzzlelab.load("tiles-2x2").read("1 2 0 3"))
