"""A* and its relatives: optimal, within the weight, greedy, by breadth; estimates that are inconsistent or wrong."""

import numpy as np
import pytest
from tests.solvers.known import FARTHEST, TILES, board, manhattan

from puzzlelab import Estimate, Limit, PuzzlelabError, check_solver, solve
from puzzlelab.solvers.astar import Astar


def patchy(states):
    """Manhattan distance on about half of the boards, 0 on the others: admissible, far from consistent."""
    code = (states.astype(np.int64) * np.arange(1, 10) ** 3).sum(axis=1)
    return np.where(code % 2 == 0, manhattan(states), 0)


MANHATTAN = Estimate("by NumPy", admissible=True, scores=manhattan)
PATCHY = Estimate("patchy", admissible=True, scores=patchy)


@pytest.mark.parametrize("weight", [1.2, 2, 5])
def test_a_weight_costs_at_most_its_factor_and_says_so(weight):
    lengths = []
    for distance in range(4, 31):
        result = solve(board(distance), Astar(estimate="manhattan", weight=weight))
        assert distance <= result.length <= weight * distance
        assert result.lower_bound <= distance
        assert result.length <= weight * result.lower_bound
        assert (result.proof == "optimal") == (result.length == result.lower_bound)
        lengths.append(result.length)
    if weight == 5:
        assert sum(lengths) > sum(range(4, 31))


@pytest.mark.parametrize("weight", [0, 0.5])
def test_a_weight_below_one_stays_optimal(weight):
    check_solver(Astar(estimate="manhattan", weight=weight), [(board(distance), distance) for distance in (1, 9, 17)])
    assert solve(board(17), Astar(estimate="manhattan", weight=weight)).proof == "optimal"


@pytest.mark.parametrize("batch", [1, 7, 64, 4096])
@pytest.mark.parametrize("estimate", [MANHATTAN, PATCHY], ids=["consistent", "inconsistent"])
def test_scores_from_outside_give_shortest_solutions_whatever_the_batch(estimate, batch):
    solver = Astar(estimate=estimate, batch=batch)
    check_solver(solver, [(board(distance), distance) for distance in (0, 1, 2, 8, 15, 20)])
    if batch > 1:
        result = solve(TILES.read(FARTHEST[0]), solver)
        assert (result.length, result.proof) == (31, "optimal")


def test_states_are_opened_again_where_an_inconsistent_estimate_came_to_them_by_a_detour():
    for distance in range(10, 25):
        result = solve(board(distance, seed=3), Astar(estimate=PATCHY, batch=1))
        assert (result.length, result.proof) == (distance, "optimal")


def test_a_batch_of_one_asks_about_the_successors_of_one_state_at_a_time():
    asked = []

    def counting(states):
        asked.append(len(states))
        return manhattan(states)

    estimate = Estimate("counting", admissible=True, scores=counting)
    result = solve(board(20), Astar(estimate=estimate, batch=1))
    assert max(asked) <= 4
    assert sum(asked) == result.evaluations
    assert len(asked) >= result.expanded / 2


def test_every_state_is_scored_once():
    seen = set()

    def once(states):
        for state in states:
            assert state.tobytes() not in seen
            seen.add(state.tobytes())
        return manhattan(states)

    result = solve(board(24), Astar(estimate=Estimate("once", admissible=True, scores=once)))
    assert result.evaluations == len(seen)


@pytest.mark.parametrize(
    "scores",
    [
        lambda states: np.full(len(states), np.nan),
        lambda states: np.full(len(states), np.inf),
        lambda states: np.zeros(len(states) + 1),
        lambda states: np.zeros((len(states), 2)),
    ],
    ids=["not a number", "infinite", "one too many", "two each"],
)
def test_scores_that_are_none_end_the_search_with_a_sentence(scores):
    with pytest.raises(PuzzlelabError, match="the estimate 'odd' must give one finite number for each state"):
        solve(board(9), Astar(estimate=Estimate("odd", admissible=True, scores=scores)))


def test_negative_scores_count_as_nothing():
    estimate = Estimate("negative", admissible=True, scores=lambda states: manhattan(states) - 5.0)
    result = solve(board(14), Astar(estimate=estimate))
    assert (result.length, result.proof) == (14, "optimal")


def test_the_lower_bound_grows_while_it_searches():
    bounds = []
    for nodes in (1, 100, 1_000, 5_000):
        result = solve(TILES.read(FARTHEST[0]), Astar(estimate="manhattan"), Limit(nodes=nodes))
        assert (result.moves, result.stop, result.expanded) == (None, "nodes", nodes)
        bounds.append(result.lower_bound)
    assert bounds == sorted(bounds)
    assert manhattan(TILES.read(FARTHEST[0]).state[None])[0] == bounds[0] < bounds[-1] <= 31
