"""Depth-first branch and bound: the shortest solution within a depth."""

from itertools import pairwise

import numpy as np
import pytest

from puzzlelab import BadOption, Estimate, Instance, Limit, Result, attempts, check_solver, load, solve
from puzzlelab.solvers.depth_first import DepthFirst

TILES = load("tiles-3x3")
FARTHEST = ("8 6 7 2 5 4 3 0 1", "6 4 7 8 5 0 3 2 1")


def board(distance, name="tiles-3x3", seed=0):
    """A random board that is so many moves from the goal."""
    puzzle = load(name)
    return Instance(puzzle, puzzle.scales["distance"].sample(np.random.default_rng((seed, distance)), distance))


def test_tiles_need_a_limit_on_the_depth():
    with pytest.raises(BadOption, match="depth-first needs a limit on the depth: moves of tiles-3x3 can be undone"):
        solve(board(3), DepthFirst())


@pytest.mark.parametrize("estimate", ["manhattan", "conflicts", "walking", "pdb", "exact"])
def test_finds_the_true_distance_with_every_estimate(estimate):
    solver = DepthFirst(estimate=estimate, depth=24)
    check_solver(solver, [(board(distance), distance) for distance in (0, 1, 2, 8, 15, 22)])


@pytest.mark.parametrize("name", ["tiles-3x3:blank-first", "tiles-2x4", "tiles-5x2"])
def test_finds_the_true_distance_on_other_boards(name):
    check_solver(DepthFirst(depth=22), [(board(distance, name), distance) for distance in (0, 1, 5, 18)])


@pytest.mark.parametrize("text", FARTHEST)
def test_the_farthest_boards_need_31_moves(text):
    result = solve(TILES.read(text), DepthFirst(estimate="walking", depth=31))
    assert (result.length, result.proof, result.lower_bound) == (31, "optimal", 31)


def test_each_solution_is_shorter_than_the_one_before():
    seen = list(attempts(board(16), DepthFirst(estimate="manhattan", depth=30)))
    found = [attempt for attempt in seen if isinstance(attempt, Result) and attempt.moves is not None]
    lengths = [
        result.length for before, result in pairwise([None, *found]) if not before or result.moves != before.moves
    ]
    assert len(lengths) >= 2
    assert all(shorter < longer for longer, shorter in pairwise(lengths))
    assert (found[-1].length, found[-1].proof) == (16, "optimal")
    assert all(result.proof == "none" for result in found if result.length > 16)


def test_no_solution_within_the_depth_is_no_proof_that_there_is_none():
    result = solve(board(18), DepthFirst(estimate="manhattan", depth=17))
    assert (result.moves, result.proof, result.stop) == (None, "none", "done")
    assert result.reason == "there is no solution of at most 17 moves"
    assert solve(board(18), DepthFirst(estimate="manhattan", depth=18)).length == 18


def test_a_search_that_stops_early_keeps_its_best_solution():
    result = solve(board(20), DepthFirst(estimate="manhattan", depth=60), Limit(nodes=3_000))
    assert (result.proof, result.stop, result.expanded) == ("none", "nodes", 3_000)
    assert result.length > 20
    assert result.lower_bound <= 20


def test_an_inadmissible_estimate_cuts_nothing_off_and_proves_nothing_wrong():
    wrong = Estimate("wrong", admissible=False, scores=lambda states: np.full(len(states), 50.0))
    check_solver(DepthFirst(estimate=wrong, depth=9), [(board(distance), distance) for distance in (0, 1, 5, 8)])
    assert solve(board(8), DepthFirst(estimate=wrong, depth=9)).length == 8


@pytest.mark.parametrize("depth", [0, -3, "deep"])
def test_depths_that_are_none(depth):
    with pytest.raises(BadOption, match="depth.*cannot be"):
        DepthFirst(depth=depth)
