"""Depth-first branch and bound: the shortest solution within a depth."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from tests.solvers.known import board

from puzzlelab import BadOption, Estimate, Instance, Limit, Result, UnknownName, attempts, check_solver, solve
from puzzlelab.solvers.depth_first import DepthFirst

SLOW = pytest.mark.slow
"""For what compiles the search for a pair of puzzle and estimate that no quick test needs."""


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


# --- another order --------------------------------------------------------------------------------

MIXED = [
    (False, False, False),
    (False, True, True),
    pytest.param(True, False, True, marks=SLOW),
    pytest.param(True, True, True, marks=SLOW),
]
"""Which of the bound, the order and the deep order come from outside."""


def outside(name, sign=1):
    """An estimate of the 8-puzzle whose scores come from outside: that of a kernel, or its opposite."""
    home = np.arange(1, 10) % 9
    steps = np.abs(np.subtract.outer(np.arange(9) // 3, np.arange(9) // 3)) + np.abs(
        np.subtract.outer(np.arange(9) % 3, np.arange(9) % 3)
    )
    belongs = np.argsort(home)

    def scores(states):
        if name == "misplaced":
            return sign * ((states != home) & (states != 0)).sum(axis=1)
        return sign * np.where(states == 0, 0, steps[np.arange(9), belongs[states]]).sum(axis=1)

    return Estimate(f"{name} from outside, times {sign}", admissible=sign == 1, scores=scores)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"estimate": "manhattan", "order": "misplaced"},
        {"estimate": "pdb", "order": "conflicts", "deep_order": "misplaced", "plies": 3},
    ],
    ids=str,
)
def test_whatever_the_order_the_shortest_solution_is_found_and_proven(options):
    solver = DepthFirst(depth=24, **options)
    check_solver(solver, [(board(distance), distance) for distance in (0, 1, 2, 8, 15, 22)])


@pytest.mark.parametrize("sign", [1, -1], ids=["best first", "worst first"])
@pytest.mark.parametrize(("bound", "order", "deep"), MIXED)
def test_bound_and_orders_may_each_be_a_kernel_or_come_from_outside(bound, order, deep, sign):
    estimate = outside("manhattan") if bound else "manhattan"
    first = outside("misplaced", sign) if order else "misplaced"
    below = outside("manhattan", sign) if deep else "manhattan"
    solver = DepthFirst(estimate=estimate, order=first, deep_order=below, plies=4, depth=13)
    for distance in (0, 1, 6, 12):
        result = solve(board(distance), solver)
        assert (result.length, result.proof) == (distance, "optimal")


def test_an_order_from_outside_leads_through_the_same_states_as_its_kernel():
    inside = DepthFirst(estimate="manhattan", order="misplaced", deep_order="manhattan", plies=5, depth=22)
    aside = DepthFirst(
        estimate="manhattan", order=outside("misplaced"), deep_order=outside("manhattan"), plies=5, depth=22
    )
    for distance in (3, 10, 17):
        one, other = solve(board(distance), inside), solve(board(distance), aside)
        assert (one.moves, one.expanded, one.generated) == (other.moves, other.expanded, other.generated)
        assert (one.evaluations, other.evaluations) == (0, other.generated)


@pytest.mark.slow
def test_an_order_equal_to_the_bound_changes_nothing():
    plain = solve(board(16), DepthFirst(estimate="manhattan", depth=30))
    for order in ({"order": "manhattan"}, {"order": "manhattan", "deep_order": "manhattan", "plies": 2}):
        again = solve(board(16), DepthFirst(estimate="manhattan", depth=30, **order))
        assert (again.moves, again.expanded, again.generated) == (plain.moves, plain.expanded, plain.generated)


@dataclass(frozen=True)
class Fork:
    """Three ways at each of `deep` forks, and every leaf is a goal: a state is the ways taken, 0 for none yet."""

    deep: int = 4
    name: str = "fork"
    move_count: int = 3

    def view(self, kind):
        return None

    def legal(self, state):
        return np.full(3, not state.all())

    def apply(self, state, move):
        child = state.copy()
        child[np.flatnonzero(state == 0)[0]] = move + 1
        return child

    def solved(self, state):
        return bool(state.all())

    def objection(self, state):
        return None

    def write(self, state):
        return "".join(map(str, state.tolist()))

    def at_start(self):
        return Instance(self, np.zeros(self.deep, np.uint8))


def leaning(name, way):
    """An estimate that holds one way to be best, at whatever fork it was taken."""

    def scores(states):
        last = np.maximum((states != 0).sum(axis=1) - 1, 0)
        return np.where(states[np.arange(len(states)), last] == way + 1, -5.0, 5.0)

    return Estimate(name, admissible=False, scores=scores)


@pytest.mark.parametrize("plies", [1, 2, 3, 4, 9])
def test_the_deep_order_begins_below_the_first_plies(plies):
    solver = DepthFirst(order=leaning("middle", 1), deep_order=leaning("last", 2), plies=plies)
    first = next(a for a in attempts(Fork().at_start(), solver) if isinstance(a, Result))
    assert first.moves == tuple(1 if ply < plies else 2 for ply in range(4))


def test_an_order_alone_holds_at_every_ply():
    result = solve(Fork().at_start(), DepthFirst(order=leaning("last", 2)))
    assert (result.moves, result.proof) == ((2, 2, 2, 2), "optimal")
    assert solve(Fork().at_start(), DepthFirst()).moves == (0, 0, 0, 0)


@pytest.mark.parametrize(
    "options",
    [{"deep_order": "manhattan"}, {"plies": 3}, {"order": "manhattan", "plies": 3}, {"deep_order": "x", "plies": 1}],
)
def test_an_order_that_is_half_told(options):
    with pytest.raises(
        BadOption, match="by 'order' in the first 'plies' plies and by 'deep_order' below them: give all"
    ):
        DepthFirst(**options)


def test_an_order_that_nobody_knows():
    with pytest.raises(UnknownName, match="there is no estimate of tiles-3x3 'manhatan'; did you mean 'manhattan'"):
        solve(board(3), DepthFirst(order="manhatan", depth=5))
    with pytest.raises(UnknownName, match="there is no estimate of fork 'colours'"):
        solve(Fork().at_start(), DepthFirst(order="colours"))
