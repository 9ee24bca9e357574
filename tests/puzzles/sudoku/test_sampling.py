"""Boards of an asked difficulty: each scale hits its level, and one seed gives one board."""

from itertools import islice

import numpy as np
import pytest
from scipy.stats import chisquare

from puzzlelab.core.errors import BadOption
from puzzlelab.core.registry import load
from puzzlelab.core.views import Samples, levels_of
from puzzlelab.puzzles.sudoku.generate import FEWEST_DUG, LEVELS, MOST_DUG, random_images

NINE = load("sudoku-9x9")
OTHERS = ("sudoku-4x4", "sudoku-6x6", "sudoku-16x16")


def drawn(scale, level, seed=0):
    return NINE.view(Samples).scales[scale].sample(np.random.default_rng(seed), level, 1)[0]


def check(board, harness):
    """A plain state with one solution."""
    assert (board.dtype, board.shape) == (np.uint8, (81,))
    assert NINE.objection(board) is None
    assert len(harness.solutions_of(harness.candidates_of(board))) == 1


def test_the_scales_and_their_levels() -> None:
    assert {name: scale.levels for name, scale in NINE.view(Samples).scales.items()} == {
        "level": (1, 5),
        "blind": (1, 5),
        "clues": (FEWEST_DUG, MOST_DUG),
        "rating": (1, 9),
        "minimal": None,
    }
    assert next(iter(NINE.view(Samples).scales)) == "level"
    assert all(scale.about for scale in NINE.view(Samples).scales.values())


def test_blind_boards_have_the_clues_of_their_level_and_mostly_several_solutions(harness) -> None:
    several = 0
    for level in LEVELS:
        for seed in range(5):
            board = drawn("blind", level, seed)
            assert NINE.objection(board) is None
            assert levels_of(NINE, board[None])[0]["level"] == level
            several += level == 4 and len(list(islice(harness.solutions_of(harness.candidates_of(board)), 2))) > 1
    assert several >= 3


def test_without_a_wish_all_levels_come_up(harness) -> None:
    levels = [levels_of(NINE, drawn("level", None, seed)[None])[0]["level"] for seed in range(60)]
    assert set(levels) == set(LEVELS)
    check(drawn("clues", None), harness)


def test_one_generator_gives_one_board_after_the_other() -> None:
    random = np.random.default_rng(1)
    assert len({NINE.write(NINE.view(Samples).scales["level"].sample(random, 4, 1)[0]) for _ in range(10)}) == 10


@pytest.mark.parametrize(
    ("scale", "level"),
    [("level", 0), ("level", -1), ("level", 6), ("clues", 0), ("clues", -1), ("clues", 16), ("clues", 82)],
)
def test_a_level_without_a_board_is_told_so(scale, level) -> None:
    with pytest.raises(BadOption):
        drawn(scale, level)


# --- many at once ----------------------------------------------------------------------------------------------------


def many(scale, level, count, seed=0):
    return NINE.view(Samples).scales[scale].sample(np.random.default_rng(seed), level, count)


def image_key(board):
    """Equal for two images of a board under the symmetries, and for few others."""
    grid = board.reshape(9, 9) > 0
    lines = [sorted(sorted(part.sum(axis=1).tolist()) for part in side.reshape(3, 3, 9)) for side in (grid, grid.T)]
    return str((sorted(lines), sorted(np.bincount(board, minlength=10)[1:].tolist())))


@pytest.mark.parametrize("level", LEVELS)
def test_many_boards_have_the_level_and_one_solution(level, harness) -> None:
    boards = many("level", level, 60)
    assert (boards.dtype, boards.shape) == (np.uint8, (60, 81))
    assert set(NINE.view(Samples).difficulty(boards)["level"].tolist()) == {level}
    for board in boards[:: 10 if level == 5 else 5]:
        check(board, harness)


@pytest.mark.parametrize(("scale", "level"), [("level", None), ("blind", 4), ("clues", 30), ("minimal", None)])
def test_one_seed_gives_the_same_boards(scale, level) -> None:
    one, again, other = (many(scale, level, 30, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not (one == other).all(axis=1).any()


def test_few_boards_are_new_puzzles_and_many_are_images_of_them() -> None:
    assert len({image_key(board) for board in many("minimal", None, 8)}) == 8
    boards = many("minimal", None, 320)
    assert len({board.tobytes() for board in boards}) == 320
    assert len({image_key(board) for board in boards}) == 20
    assert [image_key(board) for board in boards[:20]] == [image_key(board) for board in boards[300:]]


def test_minimal_boards_stay_minimal(harness) -> None:
    board = many("minimal", None, 100)[99]
    check(board, harness)
    for cell in np.flatnonzero(board):
        fewer = np.where(np.arange(81) == cell, 0, board)
        assert len(harness.solutions_of(harness.candidates_of(fewer))) == 2


def test_every_cell_and_digit_of_images_is_as_likely() -> None:
    board = many("level", 1, 1)
    images = random_images(np.repeat(board, 20_000, axis=0), np.random.default_rng(5))
    clues = np.count_nonzero(board)
    assert (np.count_nonzero(images, axis=1) == clues).all()
    assert min(chisquare(np.bincount(images[:, cell], minlength=10)[1:]).pvalue for cell in range(81)) > 1e-4
    blanks = (images == 0).sum(axis=0)
    assert np.abs(blanks / len(images) - (81 - clues) / 81).max() < 0.015


def test_images_of_one_small_pattern_are_all_equally_frequent() -> None:
    board = np.zeros((1, 81), np.uint8)
    board[0, [0, 10]] = 1  # two ones in one box, in different rows and columns: 9 boxes * 18 ways * 9 digits
    images = random_images(np.repeat(board, 29_160, axis=0), np.random.default_rng(6))
    counts = np.unique(images, axis=0, return_counts=True)[1]
    assert counts.size == 9 * 18 * 9
    assert chisquare(counts).pvalue > 0.001


def test_the_difficulty_of_many_boards_is_that_of_each() -> None:
    for name in ("sudoku-9x9", *OTHERS):
        puzzle = load(name)
        states = np.tril(np.ones((puzzle.cells + 1, puzzle.cells), np.uint8), -1)
        assert levels_of(puzzle, states) == [levels_of(puzzle, state[None])[0] for state in states]
        assert [levels["clues"] for levels in levels_of(puzzle, states)] == list(range(puzzle.cells + 1))
