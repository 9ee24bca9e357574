"""Limited-discrepancy search: what so many departures reach, and what it may claim when it ends."""

from dataclasses import replace

import numpy as np
import pytest
from tests.solvers.known import TILES, board, left, manhattan, random_dust

from puzzlelab import Instance, Limit, Result, attempts, check_solver, load, solve
from puzzlelab.core.views import KernelRules, Samples
from puzzlelab.puzzles.tiles.exact_distances_kernels import distances, rank_of
from puzzlelab.solvers import _layers
from puzzlelab.solvers.discrepancy import Discrepancy
from puzzlelab.solvers.greedy import Greedy

DUST = load("dust-4x3x3")


def reached(start, prior, most, moves):
    """Every state with the fewest departures to it in exactly so many moves, by the rules alone, and where the goal is.

    Returns the least number of moves to the goal with at most `most` departures, None where `moves` are not enough.
    """
    puzzle, layer = start.puzzle, {start.state.tobytes(): (start.state, 0)}
    for depth in range(moves + 1):
        if any(puzzle.solved(state) for state, _ in layer.values()):
            return depth
        after = {}
        for state, spent in layer.values():
            legal = np.flatnonzero(puzzle.legal(state))
            says = np.asarray(prior.scores(state[None]))[0, legal]
            for place, move in enumerate(legal[np.argsort(-says, kind="stable")].tolist()):
                child = puzzle.apply(state, move)
                known = after.get(child.tobytes(), (child, most + 1))[1]
                if spent + place < known:
                    after[child.tobytes()] = child, spent + place
        layer = after
    return None


# --- what it reaches --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [0, 1, 2, 4, 7])
def test_so_many_departures_reach_what_the_rules_say(toy, most):
    prior = toy(TILES, manhattan).prior()
    for distance in (1, 5, 9, 12, 14):
        result = solve(board(distance), Discrepancy(prior=prior, most=most, max_moves=20))
        assert result.length == reached(board(distance), prior, most, 20)


@pytest.mark.parametrize("rules", ["plain", pytest.param("kernels", marks=pytest.mark.slow)])
def test_without_a_departure_it_plays_like_the_prior(toy, bare, rules):
    prior = toy(DUST, left).prior()
    for start in random_dust(6):
        start = Instance(bare(DUST), start.state) if rules == "plain" else start
        played, searched = solve(start, Greedy(prior=prior)), solve(start, Discrepancy(prior=prior, most=0))
        assert (searched.moves, searched.expanded) == (played.moves, played.expanded)


def test_a_prior_that_knows_the_way_needs_no_departure(toy):
    table = distances(TILES).distance

    def true(states):
        return [float(table[rank_of(state)]) for state in TILES.view(KernelRules).encode(states)]

    result = solve(board(14), Discrepancy(prior=toy(TILES, true).prior(), most=0))
    assert (result.length, result.expanded) == (14, 14)


def test_a_state_that_is_come_to_later_with_fewer_departures_leads_on(ways):
    # 0 -> 2 is a departure, 0 -> 1 -> 2 is none; from 2 the way to 4 is one too.
    roads = ways({0: (1, 2), 1: (2,), 2: (3, 4), 3: (), 4: ()}, goal=4)
    result = solve(roads.at(0), Discrepancy(prior=roads.first(), most=1))
    assert result.moves == (1, 2, 4)
    assert solve(roads.at(0), Discrepancy(prior=roads.first(), most=2)).moves == (2, 4)


@pytest.mark.parametrize("rows", [1, 7])
def test_a_layer_may_be_asked_about_in_parts(toy, monkeypatch, rows):
    whole, parts = toy(TILES, manhattan), toy(TILES, manhattan)
    expected = solve(board(14), Discrepancy(prior=whole.prior(), most=6))
    monkeypatch.setattr(_layers, "SCORE_BATCH", rows)
    result = solve(board(14), Discrepancy(prior=parts.prior(), most=6))
    assert result.moves == expected.moves
    assert result.evaluations <= expected.evaluations
    assert max(parts.asked) == rows < max(whole.asked)
    assert len(whole.asked) <= expected.length


# --- what it claims ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [0, 3, 8, None])
def test_it_keeps_the_promises_of_a_solver(toy, most):
    prior = toy(TILES, manhattan).prior()
    boards = [(board(distance), distance) for distance in (0, 1, 2, 6, 9)]
    check_solver(Discrepancy(prior=prior, most=most), boards)


@pytest.mark.slow
@pytest.mark.parametrize("most", [0, 3, 8, None])
def test_it_keeps_the_promises_of_a_solver_on_dust(toy, most):
    prior = toy(DUST, left).prior()
    known = [(board, solve(board, "bfs").length) for board in random_dust(4)]
    check_solver(Discrepancy(prior=prior, most=most), known, Limit(nodes=3000))


def test_it_gets_better_until_it_is_proven(toy):
    weights = 3 * np.random.default_rng(1).normal(size=9)
    prior = toy(TILES, lambda states: np.cos(states @ weights)).prior()  # a poor adviser
    start = Instance(TILES, TILES.view(Samples).scales["distance"].sample(np.random.default_rng((1, 8)), 8, 1)[0])
    seen = [each for each in attempts(start, Discrepancy(prior=prior, max_moves=16)) if isinstance(each, Result)]
    lengths = [result.length for result in seen if result.length is not None]
    assert list(dict.fromkeys(lengths)) == [12, 8]
    assert (seen[-1].length, seen[-1].proof, seen[-1].stop) == (8, "optimal", "done")


def test_what_so_many_departures_do_not_reach_is_no_proof(toy):
    result = solve(board(16), Discrepancy(prior=toy(TILES, manhattan).prior(), most=3))
    assert (result.moves, result.proof, result.stop) == (None, "none", "dead end")
    assert result.reason == "no solution of at most 1000 moves has at most 3 departures from the best guesses"
    assert 1 <= result.lower_bound <= 16


@pytest.mark.parametrize("most", [None, 10_000])
def test_too_few_moves_are_told_and_prove_nothing_beyond_them(toy, most):
    result = solve(board(9), Discrepancy(prior=toy(TILES, manhattan).prior(), most=most, max_moves=6))
    assert (result.moves, result.proof, result.stop) == (None, "none", "done")
    assert result.reason == "there is no solution of at most 6 moves"
    assert result.lower_bound == 7
    assert solve(board(6), Discrepancy(prior=toy(TILES, manhattan).prior(), most=most, max_moves=6)).length == 6


def test_where_all_was_searched_there_is_no_solution(ways):
    roads = ways({0: (1, 2), 1: (2, 0), 2: (1, 0), 3: ()}, goal=3)
    for solver in (Discrepancy(prior=roads.first()), Discrepancy(prior=roads.first(), most=50)):
        result = solve(roads.at(0), solver)
        assert (result.moves, result.proof, result.stop) == (None, "unsolvable", "done")
    result = solve(roads.at(0), Discrepancy(prior=roads.first(), most=0))
    assert (result.proof, result.stop) == ("none", "dead end")


def test_limits_end_it_with_what_it_has(toy):
    solver = Discrepancy(prior=toy(TILES, manhattan).prior())
    few = solve(board(25, seed=1), solver, Limit(nodes=300))
    assert (few.moves, few.stop, few.expanded) == (None, "nodes", 300)
    more = solve(board(25, seed=1), solver, Limit(nodes=8000))
    assert (more.stop, more.proof, more.expanded) == ("nodes", "none", 8000)
    assert more.length >= 25
    assert more.lower_bound <= 25
    assert solve(board(25, seed=1), solver, Limit(seconds=0.02)).stop == "time"
    assert solve(board(25, seed=1), solver, Limit(memory=1)).stop == "memory"


def test_the_memory_ends_it_when_there_is_no_room_for_more_states(toy, monkeypatch):
    solver = Discrepancy(prior=toy(TILES, manhattan).prior(), most=12)
    monkeypatch.setattr(_layers, "reserved", lambda size, limit: 500)
    result = solve(board(25), solver)
    assert (result.moves, result.proof, result.stop) == (None, "none", "memory")
    assert 100 < result.expanded < 500


def test_a_table_that_is_full_grows_and_changes_nothing(toy, monkeypatch):
    solver = Discrepancy(prior=toy(TILES, manhattan).prior(), most=5)
    roomy = solve(board(16), solver)
    monkeypatch.setattr(_layers, "FIRST_TABLE", 16)
    tight = solve(board(16), solver)
    assert replace(tight, seconds=0.0) == replace(roomy, seconds=0.0)
