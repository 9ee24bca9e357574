"""Returns of several steps, worked out by hand, and against a slow count of whole games."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.core import registry
from puzzlelab.experience.curriculum import CurriculumSettings, StartSampler
from puzzlelab.experience.returns import Returns
from puzzlelab.experience.vector_game import VectorGame

BACK = 0
"""The move of the corridor towards the goal."""


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


def test_a_game_that_goes_on_gives_each_move_when_enough_came_after_it(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [9], games=1)
    returns = Returns.of(3, 0.5, play.states)
    assert rows(returns.completed(turn(play, BACK), np.float32([1]))) == []
    assert rows(returns.completed(turn(play, BACK), np.float32([2]))) == []
    assert rows(returns.completed(turn(play, BACK), np.float32([4]))) == [(9, 1 + 1 + 1, 6, 0.125)]
    assert rows(returns.completed(turn(play, BACK), np.float32([8]))) == [(8, 2 + 2 + 2, 5, 0.125)]


def test_a_game_that_is_seenup_counts_what_could_have_come(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [9, 5], games=1, most=4)
    returns = Returns.of(3, 0.5, play.states)
    for reward in (1, 2, 4):
        returns.completed(turn(play, BACK), np.float32([reward]))
    found = rows(returns.completed(turn(play, BACK), np.float32([8])))
    assert found == [(8, 6.0, 5, 0.125), (7, 4 + 4, 5, 0.25), (6, 8.0, 5, 0.5)]
    for _ in range(2):  # the new game knows nothing of the old one
        assert rows(returns.completed(turn(play, BACK), np.float32([1]))) == []
    assert rows(returns.completed(turn(play, BACK), np.float32([1]))) == [(5, 1.75, 2, 0.125)]


def test_one_step_is_what_each_move_brought(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [2, 9, 1], games=3)
    returns = Returns.of(1, 0.9, play.states)
    found = returns.completed(turn(play, BACK, BACK, BACK), np.float32([-1, -2, 10]))
    assert found["state"][:, 0].tolist() == [2, 9, 1]
    assert found["next"][:, 0].tolist() == [1, 8, 0]
    assert found["reward"].tolist() == [-1, -2, 10]
    assert found["factor"] == pytest.approx([0.9, 0.9, 0.0])


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


def test_moves_are_told_with_their_states(corridor, dealt, turn) -> None:
    play = dealt(corridor(9), [5], games=1)
    returns = Returns.of(2, 1.0, play.states)
    seen = [returns.completed(turn(play, move), np.float32([0])) for move in (0, 1, 1, 0)]
    told = [(int(found["state"][0, 0]), int(found["move"][0])) for found in seen if len(found["move"])]
    assert told == [(5, 0), (4, 1), (5, 1)]


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
