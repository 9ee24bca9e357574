"""Who is better: the sequential test, and ratings."""

import numpy as np
import pytest

from puzzlelab.training.selfplay.ratings import Pairing, ratings
from puzzlelab.training.selfplay.sprt import MatchScore


def test_the_shorter_solution_wins() -> None:
    score = MatchScore()
    for pair in [(5, 6), (7, 6), (4, 4), (None, 9), (3, None), (None, None)]:
        score = score.with_game(*pair)
    assert score == MatchScore(games=6, wins=2, losses=2, aborted=1, solved=4, solved_by_other=4)
    assert score.draws == 2


def test_games_without_a_winner_say_nothing() -> None:
    assert MatchScore(games=1000, wins=2, losses=1).verdict(0.6, 0.05) == ""
    assert MatchScore(games=17, wins=17).verdict(0.6, 0.05) == "better"
    assert MatchScore(games=17, losses=17).verdict(0.6, 0.05) == "worse"
    assert MatchScore(games=600, wins=300, losses=300).verdict(0.6, 0.05) == "neither"


@pytest.mark.parametrize(("chance", "verdict"), [(0.6, "better"), (0.4, "worse"), (0.5, "neither")])
def test_it_is_wrong_as_seldom_as_it_is_told_to_be(chance, verdict) -> None:
    random = np.random.default_rng(7)
    right = 0
    for _ in range(300):
        score, found = MatchScore(), ""
        while not found:
            score = score.with_game(1, 2) if random.random() < chance else score.with_game(2, 1)
            found = score.verdict(0.6, 0.05)
        right += found == verdict
    assert right / 300 > 0.87


def test_ratings_are_those_of_the_odds() -> None:
    found = ratings([Pairing("b", "a", 1000, 100, 0), Pairing("c", "b", 1000, 100, 0)], ["a"])
    assert found["a"] == 0
    assert found["b"] == pytest.approx(400, abs=5)
    assert found["c"] == pytest.approx(800, abs=10)


def test_draws_bring_players_together_and_who_never_lost_has_a_rating() -> None:
    assert ratings([Pairing("b", "a", 0, 0, 50)], ["a"])["b"] == pytest.approx(0, abs=1e-3)
    assert 400 < ratings([Pairing("b", "a", 50, 0, 0)], ["a"])["b"] < 2000
    assert ratings([], ["a"]) == {"a": 0.0}
