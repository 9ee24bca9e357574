"""What the end of a game says of its states: each of them once, and no bound below the true distance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab.core import registry
from puzzlelab.experience.curriculum import UNKNOWN, CurriculumSettings, StartSampler
from puzzlelab.experience.trajectories import Trajectories
from puzzlelab.experience.vector_game import VectorGame

BACK, ON = 0, 1
"""The moves of the corridor: towards the goal, and away from it."""


def told(columns):
    """(state, bound, moves to the end) of each, in the order of the game."""
    lists = (columns["state"][:, 0].tolist(), columns["bound"].tolist(), columns["moves_to_end"].tolist())
    return list(zip(*lists, strict=True))


def play_on(play, histories, turn, *moves):
    """A turn, and what the histories give after it."""
    lengths = play.lengths + 1
    histories.record(play)
    return histories.completed(turn(play, *moves), lengths)


# --- by hand ---------------------------------------------------------------------------------------------------------


def test_a_game_that_is_won_bounds_each_of_its_states(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [2, 9], games=1)
    histories = Trajectories.of(play)
    for move in (ON, BACK, BACK):
        assert told(play_on(play, histories, turn, move)) == []
    found = play_on(play, histories, turn, BACK)
    assert told(found) == [(2, 4, 4), (3, 3, 3), (2, 2, 2), (1, 1, 1)]


def test_the_walk_that_made_a_board_bounds_it_too(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [2, 9], games=1, known=[2, UNKNOWN])
    histories = Trajectories.of(play)
    for move in (ON, BACK, BACK):
        play_on(play, histories, turn, move)
    assert told(play_on(play, histories, turn, BACK)) == [(2, 2, 4), (3, 3, 3), (2, 2, 2), (1, 1, 1)]


def test_a_game_that_is_given_up_knows_its_walk_alone(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [4, 7], games=2, most=2, known=[6, UNKNOWN])
    histories = Trajectories.of(play)
    assert told(play_on(play, histories, turn, ON, ON)) == []
    found = play_on(play, histories, turn, BACK, BACK)
    assert sorted(told(found)) == [(4, 6, UNKNOWN), (5, 7, UNKNOWN), (7, UNKNOWN, UNKNOWN), (8, UNKNOWN, UNKNOWN)]


def test_the_next_game_of_a_place_knows_nothing_of_the_last(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [3, 1, 2], games=1, known=[3, UNKNOWN, 5])
    histories = Trajectories.of(play)
    found = [told(play_on(play, histories, turn, BACK)) for _ in range(6)]
    assert found == [[], [], [(3, 3, 3), (2, 2, 2), (1, 1, 1)], [(1, 1, 1)], [], [(2, 2, 2), (1, 1, 1)]]


def test_games_of_different_lengths_end_together(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [1, 2, 9, 1], games=3)
    histories = Trajectories.of(play)
    assert told(play_on(play, histories, turn, BACK, BACK, BACK)) == [(1, 1, 1)]
    found = play_on(play, histories, turn, BACK, BACK, BACK)
    assert sorted(told(found)) == [(1, 1, 1), (1, 1, 1), (2, 2, 2)]


def test_bounds_are_short_numbers(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [1], games=1)
    found = play_on(play, Trajectories.of(play), turn, BACK)
    assert {name: column.dtype for name, column in found.items()} == {
        "state": np.int16,
        "bound": np.int32,
        "moves_to_end": np.int32,
    }


# --- many games ------------------------------------------------------------------------------------------------------


def new(walks, most, seed, games=8):
    puzzle = registry.load("tiles-2x3")
    start_sampler = StartSampler.of(
        puzzle, CurriculumSettings(random_walk_share=walks, initial_difficulty=5, scale="distance")
    )
    return VectorGame.of(puzzle, start_sampler, most, games, np.random.default_rng(seed))


def one_turn(play, histories, random):
    """A turn of random moves; the turn, and what the histories give."""
    moves = (random.random(play.legal().shape) * play.legal()).argmax(axis=1)
    lengths = play.lengths + 1
    histories.record(play)
    turn = play.step(moves, np.ones(len(moves), bool), random)
    return turn, histories.completed(turn, lengths)


@settings(max_examples=50)
@given(walks=st.sampled_from([0.5, 1.0]), most=st.integers(1, 20), seed=st.integers(0, 999))
def test_every_state_of_a_finished_game_is_given_once_and_bounded_truly(distances, walks, most, seed) -> None:
    play, random = new(walks, most, seed), np.random.default_rng(seed)
    histories, running = Trajectories.of(play), [[] for _ in play.states]
    for _ in range(25):
        turn, found = one_turn(play, histories, random)
        expected = []
        for place, game in enumerate(running):
            game.append(turn.states[place].tolist())
            if turn.ended[place]:
                won = turn.successors.solved[place]
                expected += [(state, len(game) - t if won else UNKNOWN) for t, state in enumerate(game)]
                running[place] = []
        assert sorted(zip(found["state"].tolist(), found["moves_to_end"].tolist(), strict=True)) == sorted(expected)
        distance = distances(play.puzzle)(found["state"])
        assert (found["bound"] >= distance).all()
        assert (found["bound"] <= found["moves_to_end"]).all()
        if walks == 1:
            assert found["bound"].max(initial=0) < 5 + most


def test_many_bounds_are_close(distances) -> None:
    """Bounds that nothing is learned from would hold as well."""
    play, random = new(1.0, 10, 0, games=100), np.random.default_rng(0)
    histories, off = Trajectories.of(play), []
    for _ in range(30):
        _, found = one_turn(play, histories, random)
        off += (found["bound"] - distances(play.puzzle)(found["state"])).tolist()
    assert len(off) > 1_000
    assert np.mean(np.array(off) == 0) > 0.2


@pytest.mark.parametrize("turns", [0, 9])
def test_restored_histories_go_on_as_they_would_have(turns) -> None:
    play, random = new(0.5, 7, 0), np.random.default_rng(0)
    histories = Trajectories.of(play)
    for _ in range(turns):
        one_turn(play, histories, random)
    again, other = new(0.5, 7, 1), Trajectories.of(new(0.5, 7, 1))
    again.restore(play.state())
    other.restore(histories.state())
    for number in range(15):
        _, first = one_turn(play, histories, np.random.default_rng(number))
        _, second = one_turn(again, other, np.random.default_rng(number))
        assert first.keys() == second.keys()
        assert all(np.array_equal(first[name], second[name]) for name in first)
