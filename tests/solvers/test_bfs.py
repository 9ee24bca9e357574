"""Breadth-first search, from one side and from both."""

import numpy as np
import pytest

from puzzlelab import Instance, Limit, check_solver, load, solve
from puzzlelab.core.views import Samples
from puzzlelab.solvers.bfs import Bfs, count_by_depth

TILES = load("tiles-3x3")
FARTHEST = ("8 6 7 2 5 4 3 0 1", "6 4 7 8 5 0 3 2 1")


def board(distance, name="tiles-3x3", seed=0):
    """A random board that is so many moves from the goal."""
    puzzle = load(name)
    return Instance(
        puzzle, puzzle.view(Samples).scales["distance"].sample(np.random.default_rng((seed, distance)), distance, 1)[0]
    )


@pytest.mark.parametrize("solver", [Bfs(), Bfs(bidirectional=True)], ids=["one side", "both sides"])
@pytest.mark.parametrize("name", ["tiles-3x3", "tiles-3x3:blank-first", "tiles-2x4", "tiles-5x2"])
def test_finds_the_true_distance(solver, name):
    check_solver(solver, [(board(distance, name), distance) for distance in (0, 1, 2, 9, 16)])


@pytest.mark.parametrize("solver", [Bfs(), Bfs(bidirectional=True)], ids=["one side", "both sides"])
@pytest.mark.parametrize("text", FARTHEST)
def test_the_farthest_boards_need_31_moves(solver, text):
    result = solve(TILES.read(text), solver)
    assert (result.length, result.proof) == (31, "optimal")


def test_both_ways_give_the_same_lengths_and_two_sides_expand_less():
    one = [solve(board(distance, seed=7), Bfs()) for distance in range(30)]
    two = [solve(board(distance, seed=7), Bfs(bidirectional=True)) for distance in range(30)]
    assert [result.length for result in one] == [result.length for result in two] == list(range(30))
    assert {result.proof for result in one + two} == {"optimal"}
    assert sum(result.expanded for result in two) < sum(result.expanded for result in one) / 10


def test_states_of_the_eight_puzzle_by_depth():
    counts = count_by_depth(TILES.read("1 2 3 4 5 6 7 8 0"))
    # Reinefeld, "Complete solution of the eight-puzzle" (1993); blank in the corner
    assert counts[:10] == [1, 2, 4, 8, 16, 20, 39, 62, 116, 152]
    assert counts[-2:] == [221, 2]
    assert (len(counts), sum(counts)) == (32, 181_440)


def test_a_count_that_reaches_its_limit_gives_the_depths_that_it_finished():
    counts = count_by_depth(TILES.read("1 2 3 4 5 6 7 8 0"), Limit(nodes=1 + 2 + 4 + 8 + 16 + 20 + 1))
    assert counts == [1, 2, 4, 8, 16, 20, 39]


def test_each_finished_layer_is_a_lower_bound():
    start = TILES.read(FARTHEST[0])
    counts = count_by_depth(start)
    for depth in (1, 5, 12):
        result = solve(start, Bfs(), Limit(nodes=sum(counts[:depth]) + 1))
        assert (result.moves, result.proof, result.stop) == (None, "none", "nodes")
        assert result.lower_bound == depth + 1


def test_the_goal_itself_needs_no_moves():
    for solver in (Bfs(), Bfs(bidirectional=True)):
        result = solve(TILES.read("1 2 3 4 5 6 7 8 0"), solver)
        assert (result.moves, result.proof, result.expanded) == ((), "optimal", 0)
