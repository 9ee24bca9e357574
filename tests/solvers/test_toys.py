"""Every general solver on small puzzles of plain rules alone, whose answers are known by hand."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.solvers.known import Digits, Plain, Roads

from puzzlelab import (
    BadBoard,
    BadOption,
    Estimate,
    Limit,
    Solver,
    UnknownName,
    Unsupported,
    check_puzzle,
    check_solver,
    solve,
)
from puzzlelab.core.views import Estimates, Reversible
from puzzlelab.solvers.astar import Astar
from puzzlelab.solvers.beam import Beam
from puzzlelab.solvers.bfs import Bfs, count_by_depth
from puzzlelab.solvers.depth_first import DepthFirst
from puzzlelab.solvers.discrepancy import Discrepancy
from puzzlelab.solvers.greedy import Greedy
from puzzlelab.solvers.ida import Ida
from puzzlelab.solvers.uct import Uct

pytestmark = pytest.mark.usefixtures("toy_networks")

PEGS = 3


@dataclass(frozen=True)
class Hanoi(Plain):
    """The Towers of Hanoi: `state[d]` is the peg of disk d, the smallest first; all belong on the last peg."""

    disks: int = 3
    views: ClassVar[tuple[type, ...]] = (Estimates, Reversible)

    @property
    def name(self) -> str:
        return f"hanoi-{self.disks}"

    @property
    def move_count(self) -> int:
        return len(WAYS)

    def holds(self, numbers: list[int]) -> bool:
        return len(numbers) == self.disks and max(numbers) < PEGS

    def top(self, state: Digits, peg: int) -> int:
        return min(np.flatnonzero(state == peg).tolist(), default=self.disks)

    def legal(self, state: Digits) -> NDArray[np.bool_]:
        return np.array([self.top(state, start) < self.top(state, end) for start, end in WAYS])

    def apply(self, state: Digits, move: int) -> Digits:
        after = state.copy()
        after[self.top(state, WAYS[move][0])] = WAYS[move][1]
        return after

    def solved(self, state: Digits) -> bool:
        return bool((state == PEGS - 1).all())

    def write_move(self, move: int) -> str:
        return "{}{}".format(*WAYS[move])

    def read_move(self, text: str) -> int:
        names = [self.write_move(move) for move in range(self.move_count)]
        if text not in names:
            raise BadBoard(f"'{text}' is no move")
        return names.index(text)

    def goals(self) -> Digits:
        return np.full((1, self.disks), PEGS - 1, np.uint8)

    def inverse(self, move: int) -> int:
        return WAYS.index(WAYS[move][::-1])

    @property
    def estimates(self) -> Mapping[str, str]:
        return {"astray": "disks that are not on the last peg"}

    def estimate(self, name: str | None = None) -> Estimate:
        if name not in (None, "astray"):
            raise UnknownName(f"estimate of {self.name}", str(name), self.estimates)
        return Estimate("astray", admissible=True, scores=lambda states: (states != PEGS - 1).sum(axis=1))


WAYS = list(permutations(range(PEGS), 2))


class Blind(Hanoi):
    """The Towers of Hanoi without its estimate and without the way back."""

    views: ClassVar[tuple[type, ...]] = ()


TREE = Roads(((1, 2), (3, 4), (5,), (), (), (), ()), goal=6)
"""Every walk from 0 ends after two steps, and none at 6."""
RING = Roads(((1,), (2,), (0,), ()), goal=3)
"""One can walk from 0 for ever, and never come to 3."""
TRAP = Roads(((1, 2), (), (3,), ()), goal=3, guess=(2, 0, 1, 0))
"""Place 1 looks best and leads nowhere; the way is 0, 2, 3."""
DETOUR = Roads(((1, 2), (5,), (3,), (4,), (5,), ()), goal=5, guess=(0, 9, 0, 0, 0, 0), admissible=False)
"""The way 0, 1, 5 is the shortest; the estimate holds 1 to be far away."""
LONGER = Roads(((1, 2), (3,), (5,), (4,), (6,), (6,), ()), goal=6, guess=(1, 1, 2, 1, 1, 1, 0))
"""Place 1 looks best, and the way by it takes one step more than 0, 2, 5, 6."""
LATTICE = Roads(
    tuple(
        tuple(6 * row + column for row, column in ((y + 1, x), (y, x + 1)) if row < 6 and column < 6)
        for y in range(6)
        for x in range(6)
    ),
    goal=35,
)
"""A square of 6 x 6 places, with 252 shortest ways from 0 to 35, all of length 10."""

EXACT = [
    Bfs(),
    Bfs(bidirectional=True),
    Astar(),
    Astar(batch=1),
    Astar(order="breadth"),
    Ida(),
    Ida(jobs=2),
    Beam(),
    Beam(width=10_000),
    Beam(prior="net"),
    Beam(prior="net", estimate="net"),
    Beam(prior="net", estimate="net", width=10_000),
    Discrepancy(),
    Discrepancy(most=1000),
    DepthFirst(depth=7),
]
ANY = [
    *EXACT,
    Astar(weight=5),
    Astar(order="greedy"),
    Astar(estimate="net"),
    Beam(width=2),
    Beam(estimate="net", width=2),
    Beam(prior="net", width=2),
    Beam(prior="net", estimate="net", width=1),
    Discrepancy(most=0),
    Discrepancy(most=2, max_moves=5),
    Greedy(),
    Greedy(avoid_repeats=True),
    Greedy(prior="net"),
    Greedy(prior="net", avoid_repeats=True, max_moves=3),
    Uct(),
    Uct(playouts=3, parallel_leaves=2, finish=False, dirichlet_fraction=0.3, temperature=1.0),
    Uct(policy="values", playouts=4, max_moves=6),
]
EXHAUSTIVE = [
    Bfs(),
    Astar(),
    Astar(weight=5),
    Astar(order="greedy"),
    Astar(order="breadth"),
    Beam(),
    Beam(width=10_000),
    Beam(prior="net"),
    Beam(prior="net", width=10_000),
    Discrepancy(),
    Discrepancy(most=1000),
]
PLAYERS = [
    Greedy(),
    Greedy(avoid_repeats=True),
    Greedy(prior="net"),
    Greedy(prior="net", avoid_repeats=True),
    Uct(playouts=5),
    Uct(playouts=2, policy="values"),
]


def named(solver: Solver) -> str:
    options = ",".join(f"{name}={value}" for name, value in solver.options().items() if value is not None)
    return f"{solver.name}:{options}"


@pytest.mark.parametrize("puzzle", [Hanoi(), Hanoi(5), TREE, RING, LATTICE], ids=lambda puzzle: puzzle.name)
def test_toys_are_puzzles(puzzle):
    check_puzzle(puzzle, [puzzle.read("0 0 0 0 0"[: 2 * getattr(puzzle, "disks", 1) - 1])])


@pytest.mark.parametrize("solver", EXACT, ids=named)
def test_three_disks_need_seven_moves(solver):
    result = solve(Hanoi().read("0 0 0"), solver)
    assert (result.length, result.proof, result.lower_bound, result.stop) == (7, "optimal", 7, "done")


@pytest.mark.parametrize("solver", ANY, ids=named)
def test_solvers_keep_their_promises_on_plain_rules(solver):
    puzzle = Hanoi()
    lengths = {"0 0 0": 7, "1 0 0": 7, "0 1 2": 2, "0 2 2": 1, "2 2 2": 0}
    check_solver(solver, [(puzzle.read(text), length) for text, length in lengths.items()])


def test_disks_from_one_corner_by_depth():
    # 2 to the power of the ones in the binary form of the depth: Hinz, Klavzar and Petr, "The Tower of Hanoi" (2018)
    assert count_by_depth(Hanoi().read("2 2 2")) == [1, 2, 2, 4, 2, 4, 4, 8]


@pytest.mark.parametrize(
    "solver", [Bfs(), DepthFirst(depth=7), Beam(prior="net"), Beam(estimate="net"), Discrepancy()], ids=named
)
def test_a_puzzle_without_estimates_is_solved_by_those_that_need_none(solver):
    result = solve(Blind().read("0 0 0"), solver)
    assert (result.length, result.proof) == (7, "optimal")


@pytest.mark.parametrize("solver", [Astar(), Ida(), Beam()], ids=named)
def test_a_puzzle_without_estimates_does_not_suit_those_that_need_one(solver):
    with pytest.raises(Unsupported, match=f"^{solver.name} cannot solve hanoi-3, which offers no view 'Estimates'$"):
        solve(Blind().read("0 0 0"), solver)


def test_a_puzzle_without_a_way_back_cannot_be_searched_from_its_goal():
    with pytest.raises(Unsupported, match="cannot search hanoi-3 from the goal"):
        solve(Blind().read("0 0 0"), Bfs(bidirectional=True))


@pytest.mark.parametrize("solver", [*EXHAUSTIVE, Ida(), Ida(jobs=2), DepthFirst()], ids=named)
def test_where_every_walk_ends_all_prove_that_there_is_no_solution(solver):
    result = solve(TREE.at(0), solver)
    assert (result.moves, result.proof, result.stop) == (None, "unsolvable", "done")
    assert "searched" in result.reason


@pytest.mark.parametrize("solver", EXHAUSTIVE, ids=named)
def test_where_walks_are_endless_those_that_know_repeats_prove_that_there_is_no_solution(solver):
    result = solve(RING.at(0), solver)
    assert (result.moves, result.proof, result.stop) == (None, "unsolvable", "done")
    assert result.expanded == 3


@pytest.mark.parametrize("solver", [Ida(), Ida(jobs=2), DepthFirst()], ids=named)
def test_where_walks_are_endless_the_others_go_on_to_their_limit(solver):
    result = solve(RING.at(0), solver, limit=Limit(nodes=500))
    assert (result.moves, result.proof, result.stop) == (None, "none", "nodes")
    assert result.expanded <= 500


@pytest.mark.parametrize("puzzle", [TREE, RING], ids=["tree", "ring"])
@pytest.mark.parametrize("solver", [*EXHAUSTIVE, *PLAYERS, Ida(), DepthFirst(depth=3)], ids=named)
def test_solvers_keep_their_promises_where_there_is_no_solution(solver, puzzle):
    check_solver(solver, [(puzzle.at(0), None)], Limit(nodes=200))


def test_a_limited_depth_proves_nothing_beyond_it():
    result = solve(RING.at(0), DepthFirst(depth=5))
    assert (result.moves, result.proof, result.stop) == (None, "none", "done")
    assert result.reason == "there is no solution of at most 5 moves"


@pytest.mark.parametrize(
    "solver", [Astar(), Astar(weight=3), Astar(order="greedy"), Ida(), Beam(width=2), *PLAYERS], ids=named
)
def test_a_misleading_estimate_is_never_called_a_proof(solver):
    check_solver(solver, [(DETOUR.at(0), 2)])


@pytest.mark.parametrize("solver", [Astar(batch=1), Ida()], ids=named)
def test_an_inadmissible_estimate_proves_nothing(solver):
    result = solve(DETOUR.at(0), solver)
    assert (result.length, result.proof, result.lower_bound) == (4, "none", 0)


@pytest.mark.parametrize(
    "solver", [Bfs(), Astar(order="breadth"), Beam(), Beam(prior="net"), Discrepancy(), DepthFirst(depth=5)], ids=named
)
def test_those_who_try_everything_find_the_shortest_way_all_the_same(solver):
    assert solve(DETOUR.at(0), solver).length == 2


def test_a_beam_of_one_walks_into_the_trap_and_says_so():
    result = solve(TRAP.at(0), Beam(width=1))
    assert (result.moves, result.proof, result.stop) == (None, "none", "dead end")
    assert result.reason
    assert solve(TRAP.at(0), Beam(width=2)).moves == (2, 3)


def test_a_widening_beam_gets_past_a_trap_unless_its_limit_ends_it_there():
    # 64 places look better than the 65th, which alone leads on; the first width is 64
    wide = Roads((tuple(range(1, 66)), *[()] * 64, (66,), ()), goal=66, guess=(0, *[0] * 64, 1, 0))
    assert solve(wide.at(0), Beam(width=64)).stop == "dead end"
    assert solve(wide.at(0), Beam()).moves == (65, 66)
    result = solve(wide.at(0), Beam(), Limit(nodes=65))
    assert (result.moves, result.proof, result.expanded) == (None, "none", 65)


def test_a_wider_beam_finds_a_solution_that_is_one_move_shorter():
    assert solve(LONGER.at(0), Beam(width=1)).length == 4
    result = solve(LONGER.at(0), Beam(first_width=1))
    assert (result.length, result.proof) == (3, "optimal")


@pytest.mark.parametrize(
    "solver", [Beam(width=1000), Beam(prior="net", width=1000), Discrepancy(most=1000), Astar()], ids=named
)
def test_a_state_that_is_reached_in_many_ways_is_expanded_and_scored_once(solver):
    result = solve(LATTICE.at(0), solver)
    assert result.length == 10
    assert result.expanded <= 35
    assert result.evaluations <= 36


def test_depth_first_search_must_be_told_how_deep_where_moves_can_be_undone():
    with pytest.raises(BadOption, match="depth-first needs a limit on the depth: moves of hanoi-3 can be undone"):
        solve(Hanoi().read("0 0 0"), DepthFirst())


def test_walks_may_be_longer_than_the_arrays_of_a_search_at_first():
    length = 200
    roads = [(place + 1,) for place in range(length)]
    line = Roads((*roads, ()), goal=length, guess=tuple(range(length, -1, -1)))
    by_priors = Beam(prior="net", width=1), Discrepancy(), *PLAYERS
    for solver in (Bfs(), Astar(), Ida(), Beam(width=1), DepthFirst(), DepthFirst(depth=length), *by_priors):
        assert solve(line.at(0), solver).length == length, solver
