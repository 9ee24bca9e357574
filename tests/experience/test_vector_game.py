"""Many games at once: what a move leads to, when a game is over, and that a new one follows it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.core import registry
from puzzlelab.experience.curriculum import UNKNOWN, CurriculumSettings, StartSampler
from puzzlelab.experience.vector_game import VectorGame

BACK, ON = 0, 1
"""The moves of the corridor: towards the goal, and away from it."""


# --- a turn ----------------------------------------------------------------------------------------------------------


def test_a_game_that_is_won_is_followed_by_a_new_one(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [1, 5, 7, 8], games=2)
    found = turn(play, BACK, BACK)
    assert found.terminal.tolist() == found.ended.tolist() == [True, False]
    assert found.successors.states[:, 0].tolist() == [0, 4]
    assert play.states[:, 0].tolist() == [7, 4]
    assert play.lengths.tolist() == [0, 1]
    assert play.tally.tolist() == [1, 1, 1, 0]
    assert play.start_sampler.heard == [(1, 1)]
    assert found.states[:, 0].tolist() == [1, 5]
    turn(play, BACK, BACK)
    assert found.successors.states[:, 0].tolist() == [0, 4]  # what a turn says stays as it was


def test_a_game_is_given_up_after_too_many_moves(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [3, 9, 5], games=2, most=3)
    for _ in range(2):
        assert not turn(play, BACK, BACK).ended.any()
    found = turn(play, BACK, BACK)
    assert found.terminal.tolist() == [True, False]  # won by the last move that it had
    assert found.ended.tolist() == [True, True]
    assert play.states[:, 0].tolist() == [5, 3]
    assert play.tally.tolist() == [2, 1, 6, 0]
    assert (play.length_counts[3], play.length_counts.sum()) == (2, 2)
    assert play.start_sampler.heard == [(2, 1)]


def test_a_move_that_cannot_be_made_costs_a_move(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [9, 4], games=2)
    found = turn(play, ON, ON)
    assert found.successors.allowed.tolist() == [False, True]
    assert play.states[:, 0].tolist() == [9, 5]
    assert play.lengths.tolist() == [1, 1]
    assert not found.ended.any()


def test_what_is_known_grows_by_one_a_move(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [1, 9, 5, 3], games=3, known=[1, UNKNOWN, 7, 4])
    turn(play, BACK, BACK, ON)
    assert play.bounds.tolist() == [4, UNKNOWN, 8]
    turn(play, BACK, BACK, ON)
    assert play.bounds.tolist() == [5, UNKNOWN, 9]


# --- puzzles ---------------------------------------------------------------------------------------------------------


def at_random(play, random):
    """A turn of random moves that can be made."""
    moves = (random.random(play.legal().shape) * play.legal()).argmax(axis=1)
    return play.step(moves, np.ones(len(moves), bool), random)


@pytest.mark.parametrize(
    ("name", "board"),
    [("sudoku-4x4", "." * 16), ("dust-4x3x3", "121233213123"), ("tiles-2x2", "1 2 0 3")],
)
def test_a_game_is_over_when_it_is_solved_or_nothing_can_be_done(dealt, name, board) -> None:
    puzzle, random = registry.load(name), np.random.default_rng(0)
    play, dead = dealt(puzzle, [board], games=30), 0
    for _ in range(20):
        before = play.states
        found = at_random(play, random)
        solved = [puzzle.solved(state) for state in found.successors.states]
        stuck = [not puzzle.legal(state).any() for state in found.successors.states]
        after = [puzzle.apply(state, move) for state, move in zip(before, _named(puzzle, found), strict=True)]
        assert np.array_equal(found.successors.states, after)
        assert found.terminal.tolist() == found.ended.tolist() == np.logical_or(solved, stuck).tolist()
        assert (play.states[found.ended] == puzzle.read(board).state).all()
        dead += np.sum(stuck) - np.sum(np.logical_and(solved, stuck))
    assert play.tally[0] > 10
    assert play.tally[1] == play.tally[0] - dead
    assert (dead > 10) == (name == "sudoku-4x4")


def _named(puzzle, turn):
    """The legal moves that the moves come to."""
    from puzzlelab.engine.batch_rules import canonical_moves

    return canonical_moves(puzzle, turn.states)[np.arange(len(turn.moves)), turn.moves]


# --- all together ----------------------------------------------------------------------------------------------------


def new(settings, most=12, games=8, seed=0):
    puzzle = registry.load("tiles-2x3")
    return VectorGame.of(
        puzzle, StartSampler.of(puzzle, CurriculumSettings(**settings)), most, games, np.random.default_rng(seed)
    )


@given(seed=st.integers(0, 999), most=st.integers(1, 15))
def test_the_tally_is_that_of_all_games_that_ended(seed, most) -> None:
    play, random = (
        new({"random_walk_share": 0.7, "initial_difficulty": 4}, most, seed=seed),
        np.random.default_rng(seed),
    )
    games, wins, moves, guesses = 0, 0, 0, 0
    length, made_at_random = np.zeros(8, int), np.zeros(8, int)
    for _ in range(15):
        chosen = (random.random((8, 4)) * play.legal()).argmax(axis=1)
        guessed = random.random(8) < 0.5
        found = play.step(chosen, guessed, random)
        length, made_at_random = length + 1, made_at_random + guessed
        games, wins = games + found.ended.sum(), wins + found.successors.solved.sum()
        moves, guesses = moves + length[found.ended].sum(), guesses + made_at_random[found.ended].sum()
        length[found.ended] = made_at_random[found.ended] = 0
        assert np.array_equal(play.lengths, length)
        assert np.array_equal(play.random_moves, made_at_random)
        assert play.lengths.max() < most
        assert play.tally.tolist() == [games, wins, moves, guesses]


def test_restored_games_go_on_as_they_would_have() -> None:
    settings = {"random_walk_share": 0.5, "initial_difficulty": 1, "max_difficulty": 9}
    settings |= {"growth": "wins", "games_per_check": 5, "win_rate": 0.1, "checks_in_a_row": 1}
    one, other, random = new(settings), new(settings, seed=7), np.random.default_rng(3)
    for _ in range(20):
        at_random(one, random)
    other.restore({name: array.copy() for name, array in one.state().items()})
    for number in range(30):
        first, second = (at_random(play, np.random.default_rng(number)) for play in (one, other))
        assert np.array_equal(first.successors.states, second.successors.states)
        assert np.array_equal(first.ended, second.ended)
    assert one.state().keys() == other.state().keys()
    assert all(np.array_equal(other.state()[name], array) for name, array in one.state().items())
    assert one.start_sampler.difficulty == other.start_sampler.difficulty > 1
    assert one.length_counts.sum() == one.tally[0]


def test_games_of_a_version_that_did_not_count_their_moves_go_on() -> None:
    one, other = new({"scale": "level"}), new({"scale": "level"}, seed=7)
    earlier = {name: array for name, array in one.state().items() if name != "length_counts"}
    other.restore(earlier)
    resumed = VectorGame.resumed(one.puzzle, one.start_sampler, one.max_moves, earlier)
    for play in (other, resumed):
        assert np.array_equal(play.states, one.states)
        assert not play.length_counts.any()
