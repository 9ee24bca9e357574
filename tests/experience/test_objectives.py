"""Rewards and samples of puzzles whose moves have costs or points."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sample_folders import samples_in
from tests.objectives import Runs, Tolls

from puzzlelab.core.errors import BadOption, UnknownName, Unsupported
from puzzlelab.core.objective import objective_of
from puzzlelab.core.registry import make_solver
from puzzlelab.core.views import Samples, Scale, singly
from puzzlelab.engine.batch_rules import apply_moves
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience import rewards
from puzzlelab.experience.rollouts import samples_of
from puzzlelab.experience.state_space import StateSpace
from puzzlelab.experience.teachers import Teacher, teach
from puzzlelab.experience.walks import Walks

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


def test_what_remains_of_a_path_is_in_points() -> None:
    states = [RUNS.read("aabbb").state]
    moves = [0, 0]
    for move in moves:
        states.append(RUNS.apply(states[-1], move))
    assert objective_of(RUNS).remaining(states, moves) == [13, 9]


@dataclass(frozen=True)
class Dealt(Runs):
    """`Runs` with boards of its own: one letter of each kind and a pair in between."""

    def view(self, kind: type) -> Any:
        if kind is Samples:
            scale = Scale("a pair among single letters", singly(lambda random, level: self.read("abbcdefg").state))
            return SimpleNamespace(scales={"uniform": scale}, generator=None, difficulty=lambda states: {})
        return super().view(kind)


def test_samples_hold_points_below_0(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    teach(Teacher(Dealt(), make_solver("astar", {})), tmp_path, 3, 10, ThisProcess())
    samples = samples_in(tmp_path)
    assert set(samples.remaining.tolist()) == {4 - 6}
    assert samples.remaining.dtype == np.int32


def test_a_sample_that_its_column_cannot_hold_is_named() -> None:
    for kind, number, sentence in [
        ("moves", 70_000, r"a solution of 70,000 moves cannot be a sample \(0 to 65,535\)"),
        ("cost", 70_000, r"a solution of 70,000 of cost cannot be a sample \(0 to 65,535\)"),
        ("score", -(3 * 10**9), r"a solution of -3,000,000,000 points cannot be a sample \(-2,147,483,648 to "),
    ]:
        start = RUNS.read("aabbb")
        path = [(start.state, [0], number, False), (start.state, [0], 5, False)]
        with pytest.raises(BadOption, match=sentence):
            samples_of(0, start, path, kind)


def test_teachers_that_count_moves_refuse_points_and_costs() -> None:
    with pytest.raises(
        Unsupported, match="the table of all states counts moves, and the moves of runs-12 have a score"
    ):
        StateSpace(RUNS)
    with pytest.raises(Unsupported, match="a random walk as a teacher counts moves, and the moves of tolls have costs"):
        Walks(TOLLS, 5)


@pytest.mark.parametrize("discount", [1.0, 0.5])
def test_a_potential_adds_to_the_points_what_the_estimate_says_of_the_start_and_the_end(discount: float) -> None:
    """Of points an estimate is the greater, the better: so it is added where that of moves is subtracted."""
    states = np.stack([RUNS.read(row).state for row in ("aabbbc", "bbbc", "aaba")])
    after = apply_moves(RUNS, states, np.array([0, 0, 2]))
    worth = rewards.make(RUNS, "potential:letters", discount)(states, after)
    assert worth.tolist() == [4 - 13 + 9 * discount, 9 - 1 - 9 + 0, -1 - 9 + 9 * discount]
    assert rewards.available(RUNS)["potential:ESTIMATE"].startswith("the points of the move")


def test_a_potential_keeps_the_costs_of_moves() -> None:
    states = np.array([[0], [0], [0]], np.int16)
    after = apply_moves(TOLLS, states, np.array([0, 2, 1]))
    assert rewards.make(TOLLS, "potential:none")(states, after).tolist() == [-9, -1, -1]
    assert rewards.available(TOLLS)["potential:ESTIMATE"].startswith("minus the cost of the move")
