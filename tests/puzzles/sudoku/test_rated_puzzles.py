"""Puzzles of a wished rating or technique are rated again; each depends on the seed and its number alone."""

from __future__ import annotations

import numpy as np
import pytest

from puzzlelab.core.errors import BadOption, UnknownName
from puzzlelab.puzzles.sudoku import rated_puzzles
from puzzlelab.puzzles.sudoku.generate import SudokuGenerator
from puzzlelab.puzzles.sudoku.logic.scales import rate_on
from puzzlelab.puzzles.sudoku.logic.techniques import Technique


def made(count: int, first: int = 0, seed: int = 5, **wishes: object) -> tuple[np.ndarray, np.ndarray]:
    generator = SudokuGenerator.model_validate(wishes)
    puzzles, solutions = zip(*generator.batches(count, seed, first), strict=True)
    return np.concatenate(puzzles), np.concatenate(solutions)


@pytest.mark.parametrize("rating", ["1.5-2.3", "3.0-3.4"])
def test_puzzles_have_the_rating_and_the_solution(rating: str) -> None:
    least, most = map(float, rating.split("-"))
    puzzles, solutions = made(12, rating=rating)
    assert all(least <= each.rating <= most for each in rate_on(puzzles))
    assert ((puzzles == 0) | (puzzles == solutions)).all()
    assert len(np.unique(puzzles, axis=0)) == 12


def test_puzzles_need_the_technique() -> None:
    puzzles, _ = made(4, technique="naked-pair")
    assert all(Technique.NAKED_PAIR in each.techniques for each in rate_on(puzzles))


def test_wishes_go_together() -> None:
    puzzles, _ = made(3, rating="1.2", clues=(30, 34), symmetry="half-turn")
    assert all(each.rating == 1.2 for each in rate_on(puzzles))
    assert {int(count) for count in np.count_nonzero(puzzles, axis=1)} <= set(range(30, 35))
    assert ((puzzles > 0) == (puzzles[:, ::-1] > 0)).all()


def test_a_puzzle_depends_on_its_number_alone() -> None:
    whole, _ = made(6, rating="2.0-2.6")
    rest, _ = made(6, first=4, rating="2.0-2.6")
    assert rest.tolist() == whole[4:].tolist()
    assert made(2, seed=6, rating="2.0-2.6")[0].tolist() != whole[:2].tolist()


def test_a_wish_that_nothing_fits_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rated_puzzles, "SPAN", 40)
    with pytest.raises(BadOption, match="of 40 new puzzles none was as wished"):
        made(1, rating="0.1")


@pytest.mark.parametrize("rating", ["x", "4.0-", "-", "5-4", "1-2-3"])
def test_what_is_no_rating_is_refused(rating: str) -> None:
    with pytest.raises(BadOption, match="no rating"):
        SudokuGenerator(rating=rating)


def test_other_wrong_wishes_are_named() -> None:
    with pytest.raises(UnknownName, match="technique 'xwing'; did you mean 'x-wing'"):
        SudokuGenerator(technique="xwing")
    with pytest.raises(BadOption, match="do not allow several"):
        SudokuGenerator(rating="3.0", unique=False)


def test_levels_of_the_scale_are_whole_ratings() -> None:
    settings = SudokuGenerator.of_scale("rating", "2-3", {})
    assert (settings.rating, settings.level) == ("2.0-3.9", None)
