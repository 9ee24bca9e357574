"""Games that a player plays for itself: what they are labelled with, and when they are given up."""

import numpy as np
import pytest

from puzzlelab import Estimate, load
from puzzlelab.core.views import Estimates
from puzzlelab.engine.batch_rules import estimated
from puzzlelab.experience.curriculum import scrambled
from puzzlelab.experience.uct_episodes import ABORTED, play_episodes
from puzzlelab.experience.uct_session import UctSession

TILES = load("tiles-3x3")
TRUE = Estimate("true", False, scores=lambda states: estimated(TILES, TILES.view(Estimates).estimate("exact"), states))
"""Asked like a network."""


def test_by_the_true_distances_every_position_says_how_far_it_is() -> None:
    player = UctSession(TILES, 12, estimate=TRUE, prior="uniform", playouts=20)
    boards = scrambled(TILES, np.full(12, 14), np.random.default_rng(1))
    samples, moves = play_episodes(player, boards, np.full(12, 30))
    depths = estimated(TILES, TRUE, samples.state).astype(int).tolist()
    assert samples.remaining.tolist() == depths
    assert moves.tolist() == estimated(TILES, TRUE, boards).astype(int).tolist()
    assert samples.shares.sum(axis=1) == pytest.approx(np.ones(len(depths)), abs=2e-3)
    assert [samples.game.tolist().count(game) for game in range(12)] == moves.tolist()


def test_each_position_leads_to_the_next_by_the_move_with_most_playouts() -> None:
    player = UctSession(TILES, estimate=TRUE, prior="uniform", playouts=20)
    samples, moves = play_episodes(player, scrambled(TILES, np.array([9]), np.random.default_rng(3)), np.array([18]))
    assert samples.remaining.tolist() == list(range(moves[0], 0, -1))
    for state, shares, after in zip(samples.state, samples.shares, samples.state[1:], strict=False):
        assert np.array_equal(TILES.apply(state, int(shares.argmax())), after)


def test_a_solved_board_is_a_game_of_no_moves() -> None:
    player = UctSession(TILES, estimate=TRUE, prior="uniform", playouts=5)
    samples, moves = play_episodes(player, TILES.goals()[:1], np.array([9]))
    assert (len(samples), moves.tolist()) == (0, [0])


def test_a_game_that_takes_too_long_is_aborted(corridor) -> None:
    puzzle = corridor(30)
    far = Estimate("far", False, scores=lambda states: 40.0 - states[:, 0])
    player = UctSession(puzzle, 3, estimate=far, prior="uniform", playouts=3)
    samples, moves = play_episodes(player, np.array([[20], [1], [0]], np.int16), np.array([4, 4, 4]))
    assert moves.tolist() == [ABORTED, 1, 0]
    assert samples.game.tolist() == [1]
    assert samples.remaining.tolist() == [1]


def test_of_an_aborted_game_positions_stay_from_which_a_way_was_seen(corridor) -> None:
    puzzle = corridor(30)
    places = Estimate("place", False, scores=lambda states: states[:, 0].astype(float))
    player = UctSession(puzzle, 1, estimate=places, prior="uniform", playouts=20)
    samples, moves = play_episodes(player, np.array([[9]], np.int16), np.array([3]))
    assert moves.tolist() == [ABORTED]
    assert samples.state[:, 0].tolist() == [9, 8, 7]
    assert samples.remaining.tolist() == [9, 8, 7]


def test_what_is_asked_between_moves_may_end_it() -> None:
    player = UctSession(TILES, 1, estimate=TRUE, prior="uniform", playouts=5)

    def watch() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_episodes(player, scrambled(TILES, np.array([9]), np.random.default_rng(1)), np.array([30]), watch)
