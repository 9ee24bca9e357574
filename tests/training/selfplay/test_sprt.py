"""Scores of matches, and the sequential test of who is better."""

import numpy as np
import pytest

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
