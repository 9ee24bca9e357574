"""The rules for batches give what the compiled and the plain ones give, in every search."""

# ruff: noqa: D103
import pytest
from pocket_cube import PocketCube
from pocket_cube.distances import distances

from puzzlelab import Limit, check_puzzle, generate, solve
from puzzlelab.core.registry import parse_solver
from puzzlelab.solvers.bfs import count_by_depth

BATCH, KERNELS = PocketCube("batch"), PocketCube()


def test_it_is_a_puzzle():
    check_puzzle(BATCH, [BATCH.read("far"), BATCH.read("easy")])


def test_the_cubes_of_each_depth_are_as_many_as_published(published):
    assert count_by_depth(BATCH.read("U U'"), Limit(nodes=70_000))[:7] == published[:7]


@pytest.mark.parametrize("solver", ["bfs", "bfs:bidirectional=true", "astar", "ida", "ida:estimate=exact", "beam"])
def test_searches_prove_the_same_distances(solver):
    for level in (4, 7):
        [board] = generate(KERNELS, level=level, seed=level)
        state = BATCH.read(KERNELS.write(board.state))
        result = solve(state, parse_solver(solver))
        assert (result.length, result.proof) == (level, "optimal")
        assert distances(state.state[None]).tolist() == [level]


def test_a_search_in_a_fixed_order_expands_as_many_states():
    results = [solve(puzzle.read("easy"), parse_solver("bfs")) for puzzle in (BATCH, KERNELS)]
    assert results[0].length == results[1].length
    assert results[0].expanded == results[1].expanded
