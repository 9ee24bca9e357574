"""Where games begin: what was asked for, never harder, and harder only when that is due."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from puzzlelab.core import registry
from puzzlelab.core.errors import BadInput, BadOption, UnknownName, Unsupported
from puzzlelab.experience.curriculum import UNKNOWN, CurriculumSettings, StartSampler

NARROW = registry.load("tiles-2x3")


def starts(puzzle=NARROW, **settings):
    return StartSampler.of(puzzle, CurriculumSettings(**settings))


def random(seed=0):
    return np.random.default_rng(seed)


# --- boards ----------------------------------------------------------------------------------------------------------


@given(first=st.integers(1, 30), seed=st.integers(0, 999))
def test_no_walk_leads_farther_than_it_is_long(distances, first, seed) -> None:
    states, known = starts(random_walk_share=1, initial_difficulty=first).boards(50, random(seed))
    distance = distances(NARROW)(states)
    assert known.dtype == np.int32
    assert known.min() >= 1
    assert known.max() <= first
    assert (distance <= known).all()
    assert ((known - distance) % 2 == 0).all()  # a move changes the parity of the distance


def test_walks_are_of_all_lengths_alike() -> None:
    _, known = starts(random_walk_share=1, initial_difficulty=5).boards(5_000, random())
    assert chisquare(np.bincount(known)[1:], np.full(5, 1_000)).pvalue > 0.01


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_so_many_boards_are_walks(share) -> None:
    first = 4 if share else 0
    states, known = starts(random_walk_share=share, initial_difficulty=first).boards(2_000, random())
    assert states.shape == (2_000, 6)
    walks = known != UNKNOWN
    assert abs(walks.mean() - share) < 0.03
    assert (np.sort(states, axis=1) == np.arange(6)).all()


def test_boards_that_are_no_walks_come_from_everywhere(distances) -> None:
    states, known = starts(random_walk_share=0.5, initial_difficulty=2, scale="uniform").boards(400, random())
    distance = distances(NARROW)(states)
    assert distance[known != UNKNOWN].max() <= 2
    assert distance[known == UNKNOWN].mean() > 10


def test_boards_of_a_level(distances) -> None:
    states, known = starts(scale="distance", initial_difficulty=7).boards(20, random())
    assert distances(NARROW)(states).tolist() == [7] * 20
    assert (known == UNKNOWN).all()


# --- difficulty ------------------------------------------------------------------------------------------------------


def test_difficulty_that_grows_evenly() -> None:
    found = starts(random_walk_share=1, initial_difficulty=2, max_difficulty=10, growth="linear", growth_steps=80)
    levels = []
    for step in (0, 10, 40, 79, 80, 1_000):
        found.stepped(step)
        levels.append(found.difficulty)
    assert levels == [2, 3, 6, 10, 10, 10]
    found.ended(10_000, 10_000)
    assert found.difficulty == 10


def test_boards_are_as_hard_as_the_difficulty_has_become() -> None:
    found = starts(random_walk_share=1, initial_difficulty=1, max_difficulty=9, growth="linear", growth_steps=8)
    assert found.boards(100, random())[1].max() == 1
    found.stepped(8)
    assert found.boards(100, random())[1].max() == 9


def won(found, *games):
    """The difficulty after each part of games: how many ended, how many of them were won."""
    levels = []
    for ended, of_them in games:
        found.ended(ended, of_them)
        levels.append(found.difficulty)
    return levels


@pytest.mark.parametrize(
    ("settings", "games", "levels"),
    [
        ({"increment": 2}, [(10, 9), (10, 8), (10, 9), (10, 10), (10, 10)], [3, 3, 5, 6, 6]),
        ({"factor": 2}, [(10, 9), (10, 8), (10, 9), (10, 10)], [3, 3, 6, 6]),
        ({"factor": 1.5, "max_difficulty": 90}, [(10, 9)] * 5, [2, 4, 7, 11, 17]),
        # 5 of the first 10 are not more than half; 9 of the next 12 are.
        ({"win_rate": 0.5}, [(4, 4), (5, 0), (1, 1), (9, 9), (3, 0)], [1, 1, 1, 1, 2]),
        ({"checks_in_a_row": 3}, [(10, w) for w in (9, 9, 8, 9, 9, 9, 9, 9, 9)], [1, 1, 1, 1, 1, 2, 2, 2, 3]),
        ({"growth": "never"}, [(10_000, 10_000), (10_000, 10_000)], [1, 1]),
    ],
)
def test_difficulty_that_grows_with_games_that_are_won(settings, games, levels) -> None:
    usual = {"growth": "wins", "win_rate": 0.8, "games_per_check": 10, "checks_in_a_row": 1, "max_difficulty": 6}
    found = starts(random_walk_share=1, initial_difficulty=1, **{**usual, **settings})
    assert won(found, *games) == levels
    found.stepped(10**6)
    assert found.difficulty == levels[-1]


def evaluated(**settings):
    return starts(
        scale="distance",
        initial_difficulty=1,
        max_difficulty=3,
        growth="evaluations",
        evaluation_interval=5,
        **settings,
    )


def test_difficulty_that_grows_with_evaluations() -> None:
    found, levels = evaluated(checks_in_a_row=3, win_rate=0.8), []
    for solved in (9, 9, 8, 10, 9, 10, 10, 10, 10, 10, 10, 10):
        found.judge(10, solved)
        levels.append(found.difficulty)
    assert levels == [1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3]


def test_games_that_are_won_do_not_count_where_evaluations_do() -> None:
    found = evaluated(checks_in_a_row=1, games_per_check=2)
    assert won(found, (2, 2), (2, 2)) == [1, 1]
    assert not found.evaluation_due
    found.ended(1, 0)
    assert found.evaluation_due
    other = evaluated(checks_in_a_row=1, games_per_check=2)
    other.restore(found.state())
    assert other.evaluation_due
    found.judge(10, 10)
    assert (found.difficulty, found.evaluation_due) == (2, False)


@pytest.mark.parametrize("growth", ["never", "linear", "wins"])
def test_evaluations_are_due_only_where_difficulty_grows_with_them(growth: str) -> None:
    found = starts(scale="distance", initial_difficulty=1, max_difficulty=3, growth=growth, evaluation_interval=1)
    found.ended(100, 100)
    assert not found.evaluation_due


@given(st.lists(st.tuples(st.integers(1, 12), st.floats(0, 1)), max_size=20), st.integers(0, 20))
def test_restored_starts_go_on_as_they_would_have(games, cut) -> None:
    parts = [(ended, round(ended * share)) for ended, share in games]
    settings = {"random_walk_share": 1, "initial_difficulty": 1, "max_difficulty": 9}
    settings |= {"growth": "wins", "games_per_check": 10, "checks_in_a_row": 2, "win_rate": 0.4}
    one, other = starts(**settings), starts(**settings)
    won(one, *parts[:cut])
    other.restore(one.state())
    assert won(one, *parts[cut:]) == won(other, *parts[cut:])
    assert one == other


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"random_walk_share": 0.5}, "random walks need an initial_difficulty of 1 or more, the length of the longest"),
        ({"initial_difficulty": 9, "max_difficulty": 5}, "max_difficulty, 5, is less than initial_difficulty, 9"),
        ({"random_walk_share": 1, "initial_difficulty": 9, "growth": "linear"}, "that grows needs max_difficulty"),
        ({"random_walk_share": 1, "initial_difficulty": 9, "growth": "wins"}, "that grows needs max_difficulty"),
        ({"random_walk_share": 1.5}, "curriculum: the option 'random_walk_share' cannot be '1.5'"),
        ({"growth": "win"}, "curriculum: the option 'growth' cannot be 'win'"),
        ({"incremen": 1}, "curriculum has no option 'incremen'; did you mean 'increment'"),
    ],
)
def test_settings_that_make_no_sense(values, words) -> None:
    with pytest.raises(BadOption, match=words):
        CurriculumSettings(**values)


def test_what_a_puzzle_cannot_make_is_said_at_the_beginning(corridor) -> None:
    with pytest.raises(Unsupported, match=r"moves of dust-4x3x3 cannot be undone, so that no walk leads from its goal"):
        starts(registry.load("dust-4x3x3"), random_walk_share=0.5, initial_difficulty=3)
    with pytest.raises(Unsupported, match="moves of sudoku-4x4 cannot be undone"):
        starts(registry.load("sudoku-4x4"), random_walk_share=1, initial_difficulty=3)
    with pytest.raises(Unsupported, match="corridor-9 cannot make new boards"):
        starts(corridor(9), random_walk_share=0.5, initial_difficulty=3)
    with pytest.raises(UnknownName, match="there is no scale of tiles-2x3 'distanc'; did you mean 'distance'"):
        starts(scale="distanc")


@pytest.mark.parametrize(
    "settings", [{"initial_difficulty": 22}, {"initial_difficulty": 3, "max_difficulty": 22, "growth": "linear"}]
)
def test_a_level_that_is_not_on_the_scale(settings) -> None:
    with pytest.raises(BadInput, match="goes from 0 to 21, not to 22"):
        starts(scale="distance", **settings)


def test_walks_may_be_longer_than_the_scale_of_the_other_boards() -> None:
    _, known = starts(scale="distance", random_walk_share=0.5, initial_difficulty=40).boards(200, random())
    assert known[known != UNKNOWN].max() > 21
