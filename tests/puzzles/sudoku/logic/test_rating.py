"""Ratings: what the numbers are of, and that boards which no technique solves have none."""

from __future__ import annotations

import numpy as np
from logic_positions import BANK, solution_of
from numpy.typing import NDArray

from puzzlelab import load
from puzzlelab.puzzles.sudoku.generate import random_images
from puzzlelab.puzzles.sudoku.logic.position import ALL
from puzzlelab.puzzles.sudoku.logic.rating import rate
from puzzlelab.puzzles.sudoku.logic.scales import SCALES, rate_on
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

EASY = "003020600900305001001806400008102900700000008006708200002609500800203009005010300"
BANK_RATINGS = (6.8, 6.8, 8.4, 6.8, 1.2, 1.2, 1.2, 4.4, 4.5, 3.2, 2.3, 1.5)
"""Those of `BANK` on the scale `118`, as the file has them."""


def boards(*texts: str) -> NDArray[np.uint8]:
    """Return boards as `uint8[B, 81]`."""
    return np.stack([load("sudoku-9x9").read(text).state for text in texts])


def test_a_board_of_hidden_singles_in_boxes() -> None:
    (rating,) = rate_on(boards(EASY))
    assert (rating.rating, rating.pearl, rating.diamond) == (1.2, 1.2, 1.2)
    assert rating.hardest == Technique.HIDDEN_SINGLE
    assert rating.is_complete
    assert set(rating.techniques) == {Technique.FULL_HOUSE, Technique.HIDDEN_SINGLE}
    assert sum(rating.techniques.values()) == EASY.count("0")


def test_the_rating_is_that_of_the_hardest_step_and_the_pearl_that_before_the_first_digit() -> None:
    solution = "".join(map(str, solution_of(EASY)))
    (rating,) = rate_on(boards("0" + solution[1:]))
    assert (rating.rating, rating.pearl, rating.diamond) == (1.0, 1.0, 1.0)


def test_a_full_board_has_no_hardest_step() -> None:
    (rating,) = rate_on(boards("".join(map(str, solution_of(EASY)))))
    assert (rating.rating, rating.hardest, rating.is_complete) == (0.0, None, True)


def test_a_board_that_no_technique_solves_is_not_rated() -> None:
    singles = [entry for entry in SCALES["121"](True) if Technique.HIDDEN_SINGLE in entry.ratings]
    assert [
        rating.is_complete for rating in rate(boards(EASY, BANK[1]), np.full((2, 81), ALL, np.uint16), singles)
    ] == [True, False]


def test_images_have_equal_ratings() -> None:
    images = random_images(boards(*BANK * 3), np.random.default_rng(1))
    ratings = [(each.rating, each.pearl, each.diamond, each.is_complete) for each in rate_on(images)]
    assert ratings == ratings[: len(BANK)] * 3


def test_boards_of_the_bank_have_the_ratings_of_its_scale() -> None:
    for text, expected, rating in zip(BANK, BANK_RATINGS, rate_on(boards(*BANK), "118"), strict=True):
        assert (rating.rating, rating.is_complete) == (expected, True), text
