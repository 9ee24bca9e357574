"""What a move is worth, by each scheme: small examples by hand, and what the potential must leave as it is."""

from typing import ClassVar

import numpy as np
import pytest

from puzzlelab import BadInput, UnknownName, load
from puzzlelab.core.views import Estimate, Estimates, Rewards
from puzzlelab.engine.batch_rules import apply_moves, canonical_moves, estimated
from puzzlelab.experience.rewards import available, make

NEARLY = "1 2 3 4 5 6 7 0 8"
"""One move from the goal: U cannot be made, D and R lead away, L solves."""


def worth(puzzle, name, board, discount=1.0):
    """What each move on this board is worth, those that cannot be made too."""
    states = np.repeat(puzzle.read(board).state[None], puzzle.move_count, axis=0)
    found = make(puzzle, name, discount)(states, apply_moves(puzzle, states, np.arange(puzzle.move_count)))
    assert found.dtype == np.float32
    return found.tolist()


@pytest.fixture
def guided(corridor):
    """A corridor of plain rules that can guess: half the way that is left."""

    class Guided(corridor):
        def view(self, kind):
            return self if kind is Estimates else super().view(kind)

        estimates: ClassVar = {"half": "half the way that is left"}

        def estimate(self, name=None):
            if name not in self.estimates:
                raise UnknownName(f"estimate of {self.name}", name, self.estimates)
            return Estimate(name, True, scores=lambda states: states[:, 0] / 2)

    return Guided(5)


@pytest.fixture
def rewarding(corridor):
    """A corridor that brings a scheme of its own: the square of the place that was left."""

    class Rewarded(corridor):
        def view(self, kind):
            return self if kind is Rewards else super().view(kind)

        rewards: ClassVar = {"squared": "the square of the place that was left"}

        def reward(self, name, before, after):
            return before[:, 0].astype(float) ** 2

    return Rewarded(5)


# --- schemes for every puzzle ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "discount", "worths"),
    [
        ("moves", 1.0, [-1, -1, -1, -1]),
        ("moves", 0.5, [-1, -1, -1, -1]),
        ("goal", 1.0, [-10, -1, 10, -1]),
        ("win", 1.0, [0, 0, 10, 0]),
        ("illegal", 1.0, [-10, 0, 0, 0]),
        ("moves + win + illegal", 1.0, [-11, -1, 9, -1]),
        ("goal + 0.5*in-place", 1.0, [-11.5, -2.5, 10, -2.5]),
        ("-1*moves", 1.0, [1, 1, 1, 1]),
        ("potential:manhattan", 1.0, [-1, -2, 0, -2]),
        ("potential:manhattan", 0.5, [-0.5, -1, 0, -1]),
        ("potential:misplaced", 1.0, [-1, -2, 0, -2]),
    ],
)
def test_each_move_is_worth_what_its_scheme_says(eight, name: str, discount: float, worths: list[float]) -> None:
    assert worth(eight, name, NEARLY, discount) == worths


def test_plain_rules_alone_are_enough(corridor, guided) -> None:
    assert worth(corridor(5), "moves", "5") == [-1, -1]
    assert worth(corridor(5), "goal", "5") == [-1, -10]
    assert worth(corridor(5), "goal", "1") == [10, -1]
    assert worth(guided, "potential:half", "4") == [-0.5, -1.5]
    assert worth(guided, "potential:half", "5", 0.5) == [0.5, -1 + 2.5 / 2]


@pytest.mark.parametrize("name", ["tiles-3x3", "dust-4x3x3"])
def test_a_move_that_cannot_be_made_solves_nothing(name: str) -> None:
    """At the goal the board stays solved, but no move has solved it."""
    puzzle = load(name)
    goal = puzzle.goals() if name.startswith("tiles") else np.zeros((1, 12), np.uint8)
    moves = np.flatnonzero(canonical_moves(puzzle, goal)[0] < 0)
    states = np.repeat(goal, moves.size, axis=0)
    assert moves.size >= 2
    assert set(make(puzzle, "goal")(states, apply_moves(puzzle, states, moves)).tolist()) == {-10.0}


# --- potentials -----------------------------------------------------------------------------------------------------


def game(puzzle, start, seed, most=40):
    """States `[T + 1, S]` and moves `[T]` of a game with any moves at all, up to the end or `most` moves."""
    random, states, moves = np.random.default_rng(seed), [start], []
    while len(moves) < most and not puzzle.solved(states[-1]):
        moves.append(int(random.integers(puzzle.move_count)))
        states.append(apply_moves(puzzle, states[-1][None], np.array(moves[-1:])).states[0])
    return np.array(states), np.array(moves)


def total(puzzle, name, discount, states, moves):
    """The discounted sum of a game."""
    worths = make(puzzle, name, discount)(states[:-1], apply_moves(puzzle, states[:-1], moves)).astype(float)
    return float((worths * discount ** np.arange(len(moves))).sum())


@pytest.mark.parametrize("discount", [1.0, 0.9, 0.5])
@pytest.mark.parametrize(
    ("name", "board", "estimate"),
    [
        ("tiles-3x3", "8 6 7 2 5 4 3 0 1", "manhattan"),
        ("tiles-3x3", NEARLY, "conflicts"),
        ("tiles-2x2", "0 1 3 2", "misplaced"),
        ("dust-4x3x3", "331233122213", "clusters+2colours"),
        ("dust-4x3x3", "331233122213", "colours"),
    ],
)
def test_a_potential_adds_what_start_and_end_say_and_no_more(name, board, estimate, discount) -> None:
    """So that no way from here to there gains by it, whatever the estimate is (Ng, Harada and Russell, 1999)."""
    puzzle = load(name)
    for seed in range(10):
        states, moves = game(puzzle, puzzle.read(board).state, seed)
        first, last = estimated(puzzle, puzzle.view(Estimates).estimate(estimate), states[[0, -1]])
        plain, shaped = (
            total(puzzle, scheme, discount, states, moves) for scheme in ("moves", f"potential:{estimate}")
        )
        assert shaped - plain == pytest.approx(first - discount ** len(moves) * last, abs=1e-4)


# --- schemes that a puzzle brings along -----------------------------------------------------------------------------


def test_a_move_that_cannot_be_made_costs_one_more(rewarding) -> None:
    assert worth(rewarding, "squared", "5") == [25, 24]
    assert worth(rewarding, "squared", "0") == [-1, 0]


# --- by name --------------------------------------------------------------------------------------------------------


def test_what_is_offered_goes_by_puzzle(corridor, guided, rewarding) -> None:
    always = ["moves", "goal", "win", "illegal"]
    assert list(available(corridor(5))) == always
    assert list(available(load("sudoku-9x9"))) == always
    assert list(available(guided)) == [*always, "potential:ESTIMATE"]
    assert list(available(rewarding)) == [*always, "squared"]
    guided_by_estimates = [*always, "potential:ESTIMATE"]
    assert list(available(load("tiles-4x4"))) == [*guided_by_estimates, "level", "manhattan", "in-place"]
    assert list(available(load("dust-8x6x5"))) == [*guided_by_estimates, "cleared", "cleared-squared"]


@pytest.mark.parametrize("name", ["tiles-3x3", "dust-4x3x3", "sudoku-4x4"])
def test_everything_offered_is_made_and_explained(name: str) -> None:
    puzzle = load(name)
    view = puzzle.view(Estimates)
    for scheme, about in available(puzzle).items():
        assert about
        assert callable(make(puzzle, scheme.replace("ESTIMATE", next(iter(view.estimates if view else [""])))))


@pytest.mark.parametrize(
    ("puzzle", "name", "words"),
    [
        ("tiles-3x3", "move", "there is no reward for tiles-3x3 'move'; did you mean 'moves'?"),
        ("tiles-3x3", "cleared", "there is no reward for tiles-3x3 'cleared'; "),
        ("dust-8x6x5", "zzz", "reward for dust-8x6x5 'zzz'; known are cleared, cleared-squared, goal, illegal, moves"),
        ("sudoku-4x4", "", "there is no reward for sudoku-4x4 ''; known are goal, illegal, moves, win"),
        ("tiles-3x3", "potential", "there is no reward for tiles-3x3 'potential'; did you mean 'potential:ESTIMATE'?"),
        ("tiles-3x3", "potential:manhatan", "there is no estimate of tiles-3x3 'manhatan'; did you mean 'manhattan'?"),
        ("tiles-5x5", "potential:exact", "there is no estimate of tiles-5x5 'exact'"),
        ("sudoku-4x4", "potential:cells", "for sudoku-4x4 'potential:cells'; known are goal, illegal, moves, win"),
    ],
)
def test_an_unknown_scheme_is_told_the_nearest(puzzle: str, name: str, words: str) -> None:
    with pytest.raises(UnknownName) as caught:
        make(load(puzzle), name)
    assert isinstance(caught.value, BadInput)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("goal + ", "there is no reward for dust-4x3x3 ''"),
        ("goal + 0.1*clear", "there is no reward for dust-4x3x3 'clear'; did you mean 'cleared'?"),
        ("goal + x*cleared", "'x' in the reward 'x\\*cleared' is no number"),
        ("inf*cleared", "'inf' in the reward 'inf\\*cleared' is no number"),
    ],
)
def test_a_sum_that_cannot_be_made_gets_a_sentence(name: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        make(load("dust-4x3x3"), name)
