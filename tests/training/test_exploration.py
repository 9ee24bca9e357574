"""How often a move is made at random: each rule by numbers that can be worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from puzzlelab.core.errors import BadOption
from puzzlelab.training.exploration import (
    ExplorationSettings,
    epsilon_after_games,
    epsilon_at_step,
    exploring_moves,
)

pytest.importorskip("torch")
from puzzlelab.core.registry import load
from puzzlelab.core.views import Samples, Scale
from puzzlelab.engine.batch_rules import solved, successors
from puzzlelab.puzzles.tiles import sampling
from puzzlelab.training.exploration import mean_level, play_policy


class Share:
    """The share of random moves of a run so far."""

    def __init__(self, **settings) -> None:
        self.settings = ExplorationSettings(**settings)
        self.epsilon = self.settings.initial_epsilon

    def at_step(self, step) -> None:
        self.epsilon = epsilon_at_step(self.settings, self.epsilon, step)

    def after_games(self, games, moves, random_moves) -> None:
        self.epsilon = epsilon_after_games(self.settings, self.epsilon, np.array([games, 0, moves, random_moves]))


# --- rules -----------------------------------------------------------------------------------------------------------


def test_a_constant_share_stays() -> None:
    found = Share(initial_epsilon=0.2, final_epsilon=0.05)
    found.at_step(10**6)
    found.after_games(1_000, 30_000, 5_000)
    assert found.epsilon == 0.2


def test_a_share_that_falls_evenly() -> None:
    found, shares = Share(rule="linear", initial_epsilon=0.9, final_epsilon=0.1, decay_steps=80), []
    for step in (0, 10, 40, 80, 1_000):
        found.at_step(step)
        found.after_games(10, 100, 10)
        shares.append(found.epsilon)
    assert shares == pytest.approx([0.9, 0.8, 0.5, 0.1, 0.1])


def test_a_share_that_falls_with_every_game() -> None:
    """Spence (2021): 0.9, times 0.999 a game, down to 0.3."""
    found, games = Share(rule="exponential", initial_epsilon=0.9, final_epsilon=0.3, decay_factor=0.999), 0
    for ended in (1, 0, 9, 90, 500):
        found.after_games(ended, 20 * ended, ended)
        found.at_step(10**6)
        games += ended
        assert found.epsilon == pytest.approx(0.9 * 0.999**games)
    found.after_games(498, 10_000, 0)  # 0.9 * 0.999^1098 is just above 0.3
    assert found.epsilon == pytest.approx(0.9 * 0.999**1098)
    found.after_games(1, 20, 0)
    assert found.epsilon == 0.3


@pytest.mark.parametrize(
    ("games", "moves", "guesses", "share"),
    [
        (10, 200, 20, 0.05 * (0.95 + 0.05 / 2)),  # twice too many guesses, and games of 20 moves
        (10, 200, 10, 0.05),
        (10, 200, 5, 0.05 * (0.95 + 0.05 * 2)),
        (4, 10, 1, 0.05 * (0.6 + 0.4 * 4)),
        (10, 200, 0, 0.05 * (0.95 + 0.05 * 2)),  # none counts as half of what is wanted
        (1, 1, 8, 0.05 / 8),
        (0, 0, 0, 0.05),
    ],
)
def test_a_share_that_follows_the_guesses_of_a_game(games, moves, guesses, share) -> None:
    """001: (1 - l) epsilon + l epsilon target / mean guesses, with l = 1 / mean moves."""
    found = Share(rule="adaptive", initial_epsilon=0.05)
    found.after_games(games, moves, guesses)
    found.at_step(10**6)
    assert found.epsilon == pytest.approx(share)


def test_the_wanted_number_of_random_moves_may_be_another() -> None:
    found = Share(rule="adaptive", initial_epsilon=0.1, random_moves_per_game=3.0)
    found.after_games(10, 100, 60)
    assert found.epsilon == pytest.approx(0.1 * (0.9 + 0.1 * 0.5))


def test_a_share_never_exceeds_all_moves() -> None:
    found = Share(rule="adaptive", initial_epsilon=0.9, random_moves_per_game=50.0)
    for _ in range(3):
        found.after_games(10, 20, 1)
        assert found.epsilon == 1.0


@pytest.mark.parametrize(
    "values",
    [
        {"initial_epsilon": 1.1},
        {"final_epsilon": -0.1},
        {"rule": "game"},
        {"decay_factor": 0},
        {"random_moves_per_game": 0},
        {"decay_steps": 0},
        {"temperature": -0.5},
    ],
)
def test_settings_that_make_no_sense(values) -> None:
    with pytest.raises(BadOption, match=f"exploration: the option '{next(iter(values))}' cannot be"):
        ExplorationSettings(**values)


# --- moves -----------------------------------------------------------------------------------------------------------


@given(
    epsilon=st.floats(0, 1),
    temperature=st.sampled_from([0.0, 1e-300, 0.5, 1e300]),
    seed=st.integers(0, 999),
    possible=st.lists(st.integers(1, 31), min_size=1, max_size=20),
)
def test_no_impossible_move_is_tried(epsilon, temperature, seed, possible) -> None:
    mask = (np.array(possible)[:, None] >> np.arange(5)) & 1 > 0
    values = np.where(mask, np.random.default_rng(seed).normal(size=mask.shape).astype(np.float32), -np.inf)
    moves, is_random = exploring_moves(values, mask, epsilon, temperature, np.random.default_rng(seed))
    best = values.argmax(axis=1)
    assert mask[np.arange(len(moves)), moves].all()
    assert np.array_equal(moves[~is_random], best[~is_random])
    if temperature:
        assert np.array_equal(is_random, moves != best)
    elif epsilon in (0, 1):
        assert (is_random == bool(epsilon)).all()


def test_so_many_moves_are_random_and_those_are_all_alike() -> None:
    possible = np.tile([True, False, True, True], (40_000, 1))
    values = np.tile([0, 0, 1, 0], (40_000, 1))
    moves, is_random = exploring_moves(values, possible, 0.3, 0.0, np.random.default_rng(0))
    assert is_random.mean() == pytest.approx(0.3, abs=0.01)
    counts = np.bincount(moves[is_random], minlength=4)
    assert counts[1] == 0
    assert chisquare(counts[[0, 2, 3]]).pvalue > 0.01


def test_moves_by_softmax_have_its_probabilities() -> None:
    possible, values = np.array([True, True, False, True]), np.array([0.0, 1.0, 5.0, -np.inf])
    games = 40_000
    moves, is_random = exploring_moves(
        *(np.tile(each, (games, 1)) for each in (np.where(possible, values, -np.inf), possible)),
        1.0,
        0.5,
        np.random.default_rng(0),
    )
    counts = np.bincount(moves, minlength=4)
    assert counts[[2, 3]].tolist() == [0, 0]
    weights = np.exp([0.0, 2.0])
    assert chisquare(counts[:2], games * weights / weights.sum()).pvalue > 0.01
    assert is_random.sum() == counts[0]


def test_a_share_of_the_moves_is_by_softmax() -> None:
    possible = np.ones((40_000, 2), bool)
    moves, is_random = exploring_moves(np.tile([0.0, 1.0], (40_000, 1)), possible, 0.3, 1.0, np.random.default_rng(0))
    assert is_random.mean() == pytest.approx(0.3 / (1 + np.e), abs=0.005)
    assert np.array_equal(is_random, moves == 0)


def test_the_best_move_is_made_even_where_the_rules_forbid_it() -> None:
    """Without the mask a network may try anything: what is best is not asked for again."""
    possible = np.array([[False, True]])
    moves, is_random = exploring_moves(np.array([[2.0, 1.0]]), possible, 0.0, 0.0, np.random.default_rng(0))
    assert (moves.tolist(), is_random.tolist()) == ([0], [False])


# --- the policy alone ---

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
