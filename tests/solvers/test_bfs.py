"""Breadth-first search, from one side and from both."""

from tests.solvers.known import TILES, board

from puzzlelab import Limit, solve
from puzzlelab.solvers.bfs import Bfs, count_by_depth


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


def test_the_goal_itself_needs_no_moves():
    for solver in (Bfs(), Bfs(bidirectional=True)):
        result = solve(TILES.read("1 2 3 4 5 6 7 8 0"), solver)
        assert (result.moves, result.proof, result.expanded) == ((), "optimal", 0)
