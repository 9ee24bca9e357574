"""Play by a policy alone: what it solves, where it stops, and what a curriculum learns from it."""

import numpy as np
import pytest

pytest.importorskip("torch")

from puzzlelab.core.registry import load
from puzzlelab.core.views import Samples, Scale
from puzzlelab.engine.batch_rules import solved, successors
from puzzlelab.puzzles.tiles import sampling
from puzzlelab.training.policy_play import mean_level, play_policy

PUZZLE = load("tiles-3x3")
LEVEL = PUZZLE.view(Samples).scales["walk-to-level"]
NEARLY, FAR = (PUZZLE.read(board).state for board in ("1 2 3 4 5 6 7 0 8", "8 6 7 2 5 4 3 0 1"))
L, R = 2, 3


def nearest(states, legal):
    """The move to the successor of the least level."""
    ahead = successors(PUZZLE, states)
    levels = np.full(legal.shape, 99)
    levels[ahead.owner, ahead.move] = sampling.levels_of_boards(PUZZLE, ahead.states)
    assert np.array_equal(levels < 99, legal)
    return levels.argmin(axis=1)


def always(move):
    return lambda states, legal: np.full(len(states), move)


def test_boards_that_are_solved_are_left() -> None:
    states = np.array([NEARLY, FAR, PUZZLE.goals()[0]])
    is_solved, last = play_policy(PUZZLE, states, nearest, 5)
    assert is_solved.tolist() == [True, False, True]
    assert solved(PUZZLE, last).tolist() == [True, False, True]
    assert states.tolist() == [NEARLY.tolist(), FAR.tolist(), PUZZLE.goals()[0].tolist()]


def test_an_illegal_move_leaves_the_board_to_the_end() -> None:
    games = play_policy(PUZZLE, NEARLY[None], always(R), 50)
    assert games[1][0].tolist() == [1, 2, 3, 4, 5, 6, 0, 7, 8]
    assert mean_level(LEVEL, *games) == 2


@pytest.mark.parametrize(("max_moves", "is_solved"), [(0, False), (1, True)])
def test_the_move_limit_is_kept(max_moves: int, is_solved: bool) -> None:
    assert play_policy(PUZZLE, NEARLY[None], always(L), max_moves)[0].tolist() == [is_solved]


def test_games_without_a_legal_move_end() -> None:
    dust = load("dust-4x3x3")
    state = dust.read("100200300000").state
    games = play_policy(dust, state[None], lambda states, legal: legal.argmax(axis=1), 10)
    assert games[0].tolist() == [True]


def test_the_level_is_measured_only_on_scales_that_can() -> None:
    games = play_policy(PUZZLE, np.array([NEARLY, FAR]), always(R), 1)
    assert mean_level(LEVEL, *games) == sampling.levels_of_boards(PUZZLE, games[1]).mean()
    assert mean_level(Scale("none", lambda random, level, count: NEARLY[None]), *games) is None
