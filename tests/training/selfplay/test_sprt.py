"""The sequential test of who is better."""

import numpy as np
import pytest

from puzzlelab.training.selfplay.sprt import verdict


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
