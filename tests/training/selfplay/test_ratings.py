"""Ratings from the results of matches."""

import pytest

from puzzlelab.training.selfplay.ratings import ratings


def test_ratings_are_those_of_the_odds() -> None:
    found = ratings([("b", "a", 1000, 100, 0), ("c", "b", 1000, 100, 0)], ["a"])
    assert found["a"] == 0
    assert found["b"] == pytest.approx(400, abs=5)
    assert found["c"] == pytest.approx(800, abs=10)


def test_draws_bring_players_together_and_who_never_lost_has_a_rating() -> None:
    assert ratings([("b", "a", 0, 0, 50)], ["a"])["b"] == pytest.approx(0, abs=1e-3)
    assert 400 < ratings([("b", "a", 50, 0, 0)], ["a"])["b"] < 2000
    assert ratings([], ["a"]) == {"a": 0.0}
