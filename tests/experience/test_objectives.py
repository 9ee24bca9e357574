"""Rewards and samples of puzzles whose moves have costs or points."""

import numpy as np
import pytest
from tests.objectives import Runs, Tolls

from puzzlelab.core.errors import UnknownName
from puzzlelab.core.objective import objective_of
from puzzlelab.engine.batch_rules import apply_moves, successors
from puzzlelab.experience import rewards

RUNS, TOLLS = Runs(), Tolls(((1, 9, 1), (1, 9, 1), (1, 1, 1)))


def test_the_reward_score_is_the_points_of_the_move() -> None:
    states = np.stack([RUNS.read(row).state for row in ("aabbb", "aabbb", "aabbb", "aaba")])
    after = apply_moves(RUNS, states, np.array([0, 2, 1, 0]))
    score = rewards.make(RUNS, "score")
    assert score(states, after).tolist() == [4, 9, -1, 4 - 2]
    assert "score" in rewards.available(RUNS)
    assert "cost" not in rewards.available(RUNS)


def test_the_reward_cost_is_minus_the_toll() -> None:
    states = np.array([[0], [0], [0]], np.int16)
    after = apply_moves(TOLLS, states, np.array([0, 2, 1]))
    assert rewards.make(TOLLS, "cost")(states, after).tolist() == [-9, -1, -1]
    with pytest.raises(UnknownName):
        rewards.make(TOLLS, "score")


def test_successors_have_their_costs() -> None:
    assert successors(TOLLS, np.array([[0]], np.int16)).costs.tolist() == [9, 1]
    assert sorted(successors(RUNS, RUNS.read("aabbb").state[None]).costs.tolist()) == [-9, -4]


def test_what_remains_of_a_path_is_in_points() -> None:
    states = [RUNS.read("aabbb").state]
    moves = [0, 0]
    for move in moves:
        states.append(RUNS.apply(states[-1], move))
    assert objective_of(RUNS).remaining(states, moves) == [13, 9]
