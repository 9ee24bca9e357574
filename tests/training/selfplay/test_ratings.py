"""Ratings from the results of matches."""

import numpy as np
import pytest

from puzzlelab.training.selfplay.ratings import ratings, verdict


def test_ratings_are_those_of_the_odds() -> None:
    found = ratings([("b", "a", 1000, 100, 0), ("c", "b", 1000, 100, 0)], ["a"])
    assert found["a"] == 0
    assert found["b"] == pytest.approx(400, abs=5)
    assert found["c"] == pytest.approx(800, abs=10)


def test_draws_bring_players_together_and_who_never_lost_has_a_rating() -> None:
    assert ratings([("b", "a", 0, 0, 50)], ["a"])["b"] == pytest.approx(0, abs=1e-3)
    assert 400 < ratings([("b", "a", 50, 0, 0)], ["a"])["b"] < 2000
    assert ratings([], ["a"]) == {"a": 0.0}


# --- the sequential test ---


def test_few_games_decide_nothing_and_many_do() -> None:
    assert verdict(2, 1, 0.6, 0.05) == ""
    assert verdict(17, 0, 0.6, 0.05) == "better"
    assert verdict(0, 17, 0.6, 0.05) == "worse"
    assert verdict(300, 300, 0.6, 0.05) == "neither"


@pytest.mark.parametrize(("chance", "expected"), [(0.6, "better"), (0.4, "worse"), (0.5, "neither")])
def test_it_is_wrong_as_seldom_as_it_is_told_to_be(chance, expected) -> None:
    random = np.random.default_rng(7)
    right = 0
    for _ in range(300):
        wins, games, found = 0, 0, ""
        while not found:
            wins, games = wins + (random.random() < chance), games + 1
            found = verdict(wins, games - wins, 0.6, 0.05)
        right += found == expected
    assert right / 300 > 0.87
