"""The past of games: returns and bounds worked out by hand, and against a slow count of whole games."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab.core import registry
from puzzlelab.experience.curriculum import UNKNOWN, CurriculumSettings, StartSampler
from puzzlelab.experience.histories import Returns, Trajectories
from puzzlelab.experience.vector_game import VectorGame

BACK, ON = 0, 1
"""The moves of the corridor: towards the goal, and away from it."""


def rows(columns):
    """(state, reward, next state, factor) of each transition."""
    names = "state", "reward", "next", "factor"
    return sorted(zip(*(np.asarray(columns[name]).reshape(-1).tolist() for name in names), strict=True), reverse=True)


# --- by hand ---------------------------------------------------------------------------------------------------------


def test_a_game_that_is_won_gives_all_its_moves_with_nothing_after_them(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [2, 9], games=1)
    returns = Returns.of(3, 0.5, play.states)
    assert rows(returns.completed(turn(play, BACK), np.float32([1]))) == []
    assert rows(returns.completed(turn(play, BACK), np.float32([10]))) == [(2, 6.0, 0, 0.0), (1, 10.0, 0, 0.0)]


def test_a_dead_end_has_nothing_after_it(dealt, turn) -> None:
    puzzle = registry.load("sudoku-4x4")
    board = dead_end(puzzle)
    play = dealt(puzzle, [puzzle.write(board)], games=1)
    (move,) = np.flatnonzero(puzzle.legal(board))[:1]
    found = Returns.of(4, 0.5, play.states).completed(turn(play, move), np.float32([-10]))
    assert found["factor"].tolist() == [0.0]
    assert found["reward"].tolist() == [-10.0]


def dead_end(puzzle):
    """A board whose first possible move leaves none, and does not solve it."""
    for seed in range(100):
        random, state = np.random.default_rng(seed), np.zeros(16, np.uint8)
        while (legal := np.flatnonzero(puzzle.legal(state))).size:
            after = puzzle.apply(state, legal[0])
            if not puzzle.legal(after).any() and not puzzle.solved(after):
                return state
            state = puzzle.apply(state, random.choice(legal))
    raise AssertionError


# --- whole games -----------------------------------------------------------------------------------------------------


def new(seed, most=6, games=5):
    puzzle = registry.load("tiles-2x2")
    start_sampler = StartSampler.of(puzzle, CurriculumSettings(random_walk_share=1, initial_difficulty=4))
    return VectorGame.of(puzzle, start_sampler, most, games, np.random.default_rng(seed))


def one_turn(play, random):
    """A turn of random moves, possible or not, with random rewards."""
    count = len(play.states)
    turn = play.step(random.integers(0, 4, count), np.zeros(count, bool), random)
    return turn, random.normal(size=count).astype(np.float32)


def counted(games, steps, discount):
    """The transitions of games, each (its moves, whether it ended); a move is (state, move, reward, next, over)."""
    for game, ended in games:
        for begin in range(len(game)):
            part = game[begin : begin + steps]
            if len(part) < steps and not ended:
                continue
            reward = sum(discount**age * step[2] for age, step in enumerate(part))
            factor = 0.0 if part[-1][4] else discount ** len(part)
            yield (*game[begin][:2], part[-1][3], factor, reward)


def in_order(transitions):
    """Everything as numbers `[N, ...]`, in an order that does not depend on when it was given."""
    flat = [[*state, move, *after, factor, reward] for state, move, after, factor, reward in transitions]
    return np.array(sorted(flat), np.float64).reshape(len(flat), -1)


@given(
    seed=st.integers(0, 9999),
    steps=st.integers(1, 8),
    discount=st.sampled_from([0.0, 0.5, 1.0]),
    most=st.integers(1, 9),
)
def test_every_move_of_every_game_is_given_once(seed, steps, discount, most) -> None:
    play, random = new(seed, most), np.random.default_rng(seed)
    returns, seen = Returns.of(steps, discount, play.states), []
    running, games = [[] for _ in play.states], []
    for _ in range(14):
        turn, rewards = one_turn(play, random)
        found = returns.completed(turn, rewards)
        seen += zip(*(found[name].tolist() for name in ("state", "move", "next", "factor", "reward")), strict=True)
        for place, game in enumerate(running):
            game.append(
                (
                    turn.states[place].tolist(),
                    int(turn.moves[place]),
                    float(rewards[place]),
                    turn.successors.states[place].tolist(),
                    bool(turn.terminal[place]),
                )
            )
            if turn.ended[place]:
                games.append((game, True))
                running[place] = []
    games += [(game, False) for game in running]
    expected = in_order(counted(games, steps, discount))
    assert len(seen) == len(expected)
    assert np.allclose(in_order(seen), expected, atol=1e-5)


@pytest.mark.parametrize("steps", [1, 3])
def test_restored_returns_go_on_as_they_would_have(steps) -> None:
    play, random = new(1, games=9), np.random.default_rng(1)
    one = Returns.of(steps, 0.9, play.states)
    for _ in range(7):
        one.completed(*one_turn(play, random))
    other = Returns.of(steps, 0.9, np.zeros_like(play.states))
    other.restore({name: array.copy() for name, array in one.state().items()})
    for _ in range(9):
        turn, rewards = one_turn(play, random)
        first, second = one.completed(turn, rewards), other.completed(turn, rewards)
        assert first.keys() == second.keys()
        assert all(np.array_equal(first[name], second[name]) for name in first)


# --- trajectories ---


def told(columns):
    """(state, bound, moves to the end) of each, in the order of the game."""
    lists = (columns["state"][:, 0].tolist(), columns["bound"].tolist(), columns["moves_to_end"].tolist())
    return list(zip(*lists, strict=True))


def play_on(play, histories, turn, *moves):
    """A turn, and what the histories give after it."""
    lengths = play.lengths + 1
    histories.record(play)
    return histories.completed(turn(play, *moves), lengths)


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


def walking(walks, most, seed, games=8):
    puzzle = registry.load("tiles-2x3")
    start_sampler = StartSampler.of(
        puzzle, CurriculumSettings(random_walk_share=walks, initial_difficulty=5, scale="distance")
    )
    return VectorGame.of(puzzle, start_sampler, most, games, np.random.default_rng(seed))


def recorded_turn(play, histories, random):
    """A turn of random moves; the turn, and what the histories give."""
    moves = (random.random(play.legal().shape) * play.legal()).argmax(axis=1)
    lengths = play.lengths + 1
    histories.record(play)
    turn = play.step(moves, np.ones(len(moves), bool), random)
    return turn, histories.completed(turn, lengths)


@settings(max_examples=50)
@given(walks=st.sampled_from([0.5, 1.0]), most=st.integers(1, 20), seed=st.integers(0, 999))
def test_every_state_of_a_finished_game_is_given_once_and_bounded_truly(distances, walks, most, seed) -> None:
    play, random = walking(walks, most, seed), np.random.default_rng(seed)
    histories, running = Trajectories.of(play), [[] for _ in play.states]
    for _ in range(25):
        turn, found = recorded_turn(play, histories, random)
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


@pytest.mark.parametrize("turns", [0, 9])
def test_restored_histories_go_on_as_they_would_have(turns) -> None:
    play, random = walking(0.5, 7, 0), np.random.default_rng(0)
    histories = Trajectories.of(play)
    for _ in range(turns):
        recorded_turn(play, histories, random)
    again, other = walking(0.5, 7, 1), Trajectories.of(walking(0.5, 7, 1))
    again.restore(play.state())
    other.restore(histories.state())
    for number in range(15):
        _, first = recorded_turn(play, histories, np.random.default_rng(number))
        _, second = recorded_turn(again, other, np.random.default_rng(number))
        assert first.keys() == second.keys()
        assert all(np.array_equal(first[name], second[name]) for name in first)
