"""Solvers that prove their answers optimal: true distances, by every estimate, on boards of other sizes and goals."""

import pytest
from tests.solvers.known import FARTHEST, TILES, board, manhattan

from puzzlelab import Limit, check_solver, solve
from puzzlelab.solvers.astar import Astar
from puzzlelab.solvers.beam import Beam
from puzzlelab.solvers.bfs import Bfs, count_by_depth
from puzzlelab.solvers.depth_first import DepthFirst
from puzzlelab.solvers.ida import Ida


def slow(solver):
    """A solver for which a search is compiled that no quick test needs."""
    return pytest.param(solver, marks=pytest.mark.slow)


def named(solver):
    """The name of a solver with its options."""
    return " ".join([solver.name, *(str(value) for value in solver.options().values() if value is not None)])


UNINFORMED = [Bfs(), Bfs(bidirectional=True)]
INFORMED = [
    Astar(estimate="manhattan"),
    Astar(estimate="conflicts"),
    slow(Astar(estimate="pdb")),
    Ida(estimate="manhattan"),
    Ida(estimate="conflicts"),
    slow(Ida(estimate="walking")),
    slow(Ida(estimate="pdb")),
    slow(Ida(estimate="exact")),
]
DEPTH_FIRST = [
    DepthFirst(estimate="manhattan", depth=24),
    slow(DepthFirst(estimate="walking", depth=24)),
    slow(DepthFirst(estimate="pdb", depth=24)),
]


@pytest.mark.parametrize("solver", [*UNINFORMED, *INFORMED, *DEPTH_FIRST, slow(Ida(estimate="misplaced"))], ids=named)
def test_the_true_distance_is_found(solver):
    distances = (0, 1, 2, 9, 16, 20) if solver == Ida(estimate="misplaced") else (0, 1, 2, 8, 15, 22)
    check_solver(solver, [(board(distance), distance) for distance in distances])


@pytest.mark.parametrize("solver", [*UNINFORMED, *INFORMED, slow(DepthFirst(estimate="walking", depth=31))], ids=named)
@pytest.mark.parametrize("text", FARTHEST)
def test_the_farthest_boards_need_31_moves(solver, text):
    result = solve(TILES.read(text), solver)
    assert (result.length, result.proof, result.lower_bound, result.stop) == (31, "optimal", 31, "done")


def test_a_layer_that_is_searched_is_a_lower_bound(toy):
    start = TILES.read(FARTHEST[0])
    sizes = count_by_depth(start)
    for solver in (Bfs(), Beam(prior=toy(TILES, manhattan).prior(), width=10_000)):
        for depth in (1, 5, 9):
            result = solve(start, solver, Limit(nodes=sum(sizes[:depth]) + 1))
            assert (result.moves, result.stop, result.lower_bound) == (None, "nodes", depth + 1)


@pytest.mark.parametrize(
    "solver",
    [*UNINFORMED, Astar(), Ida(), Beam(), DepthFirst(estimate="manhattan", depth=22), slow(DepthFirst(depth=22))],
    ids=named,
)
@pytest.mark.parametrize(
    "name", ["tiles-3x3:blank-first", "tiles-2x4", "tiles-5x2", "tiles-3x3:goal=1,2,3,8,0,4,7,6,5"]
)
def test_the_true_distance_is_found_on_other_boards(solver, name):
    check_solver(solver, [(board(distance, name), distance) for distance in (0, 1, 5, 18)])
