"""Random moves: legal ones, the same for one seed, and limits that are kept."""

import numpy as np
import pytest

from puzzlelab import Instance, Limit, load
from puzzlelab.core.views import Samples, scale_of
from puzzlelab.engine.solving import solve, solve_all
from puzzlelab.solvers.random import Random


@pytest.mark.parametrize("name", ["tiles-2x3", "dust-4x3x3", "sudoku-9x9"])
def test_many_games_end_like_each_alone(name) -> None:
    puzzle = load(name)
    sample, random = scale_of(puzzle)[1].sample, np.random.default_rng(2)
    boards = [Instance(puzzle, sample(random, None, 1)[0]) for _ in range(6)]
    solver = Random(max_moves=3000, seed=4)
    together = solve_all(solver, boards, Limit())
    alone = [solve(solver, board, Limit()) for board in boards]
    assert [(result.moves, result.stop) for result in together] == [(result.moves, result.stop) for result in alone]
    assert any(result.moves for result in together) or name == "sudoku-9x9"


def test_another_seed_plays_other_moves() -> None:
    puzzle = load("dust-6x5x4")
    board = Instance(puzzle, scale_of(puzzle)[1].sample(np.random.default_rng(1), None, 1)[0])
    lines = {solve(Random(seed=seed), board, Limit()).moves for seed in range(3)}
    assert len(lines) == 3


def _board(name):
    puzzle = load(name)
    return Instance(puzzle, puzzle.view(Samples).scales["distance"].sample(np.random.default_rng(1), 6, 1)[0])


def test_it_says_why_it_stopped() -> None:
    board = _board("tiles-3x3")
    assert (
        solve(Random(max_moves=3), board, Limit()).reason == "it is not solved after the 3 moves that max_moves allows"
    )
    assert solve(Random(), board, Limit(nodes=2)).stop == "nodes"


def test_a_dead_end_is_told() -> None:
    puzzle = load("sudoku-4x4")
    results = [solve(Random(seed=seed), puzzle.read("1" + 15 * "."), Limit()) for seed in range(8)]
    stuck = [result for result in results if result.moves is None]
    assert stuck
    assert all(result.stop == "dead end" and "no move is left" in result.reason for result in stuck)
