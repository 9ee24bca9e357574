"""The generator of all sizes: one solution, minimal, symmetric, the level asked for, and one stream for one seed."""

import numpy as np
import pytest
from tests.puzzles.sudoku.test_generate import IMAGES, SYMMETRIES

from puzzlelab import Instance, Limit, generate, load
from puzzlelab.core.errors import BadOption
from puzzlelab.core.views import Samples, levels_of, own_generator
from puzzlelab.engine.enumeration import count
from puzzlelab.puzzles.sudoku.any_size import AnySizeGenerator, level_clues
from puzzlelab.solvers.dancing_links import DancingLinks

SIZES = [f"sudoku-{size}" for size in ("4x4", "6x6", "6x6:boxes=3x2", "8x8", "9x9", "10x10:boxes=5x2", "12x12")]


def made(name, number=2, seed=0, first=0, **wishes):
    """(puzzles, solutions), all in one array each."""
    batches = list(AnySizeGenerator(puzzle=name, **wishes).batches(number, seed, first))
    return tuple(np.concatenate(each) for each in zip(*batches, strict=True))


def solutions(name, state):
    return count(DancingLinks(), Instance(load(name), state), Limit(nodes=100_000), 2).solutions


@pytest.mark.parametrize("name", SIZES)
def test_puzzles_have_one_solution_and_no_clue_too_many(name) -> None:
    for board, solution in zip(*made(name), strict=True):
        assert board.dtype == solution.dtype == np.uint8
        assert load(name).solved(solution)
        assert (board == solution)[board > 0].all()
        assert solutions(name, board) == 1
        for cell in np.flatnonzero(board):
            assert solutions(name, np.where(np.arange(board.size) == cell, 0, board)) == 2


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_the_pattern_is_symmetric_and_no_orbit_too_much(symmetry) -> None:
    for name in ("sudoku-6x6", "sudoku-8x8"):
        size, (board,) = load(name).size, made(name, 1, symmetry=symmetry)[0]
        pattern = board.reshape(size, size) > 0
        for image in IMAGES[symmetry]:
            assert np.array_equal(image(pattern), pattern)
        assert solutions(name, board) == 1


@pytest.mark.parametrize("name", ["sudoku-4x4", "sudoku-12x12", "sudoku-25x25"])
def test_levels_are_ranges_of_clues(name) -> None:
    ranges = level_clues(load(name).size)
    for level in range(1, 4 if name == "sudoku-25x25" else 6):
        boards, _ = made(name, level=level)
        assert [each["level"] for each in levels_of(load(name), boards)] == [level, level]
        least, most = ranges[level]
        assert all(least <= np.count_nonzero(board) <= most for board in boards)


@pytest.mark.parametrize("name", ["sudoku-4x4", "sudoku-6x6", "sudoku-8x8"])
def test_a_level_that_a_symmetry_cannot_hit_exactly_is_made_in_its_range(name) -> None:
    size = load(name).size
    for level in (1, 2, 3, 4):
        boards, _ = made(name, 4, level=level, symmetry="half-turn")
        least, most = level_clues(size)[level]
        for board in boards:
            assert least <= np.count_nonzero(board) <= most
            assert np.array_equal(board > 0, board[::-1] > 0)


def test_sixteen_rows() -> None:
    board, solution = (each[0] for each in made("sudoku-16x16", 1, clues=110, symmetry="half-turn"))
    assert np.count_nonzero(board) == 110
    assert load("sudoku-16x16").solved(solution)
    assert solutions("sudoku-16x16", board) == 1


def test_a_board_depends_on_the_seed_and_its_number_alone() -> None:
    whole, part = made("sudoku-6x6", 5, seed=7)[0], made("sudoku-6x6", 5, seed=7, first=3)[0]
    assert np.array_equal(whole[3:], part)
    assert len({board.tobytes() for board in [*whole, *made("sudoku-6x6", 5, seed=8)[0]]}) == 10


def test_full_grids_of_4x4_come_up() -> None:
    grids = made("sudoku-4x4", 1500, level=1, unique=False)[1]
    assert len({grid.tobytes() for grid in grids}) > 270  # of 288


def test_clues_taken_out_blindly() -> None:
    boards = made("sudoku-6x6", 20, clues=(6, 8), unique=False)[0]
    assert {np.count_nonzero(board) for board in boards} == {6, 7, 8}
    assert any(solutions("sudoku-6x6", board) == 2 for board in boards)


def test_names_and_scales_of_the_api() -> None:
    samples = load("sudoku-12x12").view(Samples)
    assert {name: scale.levels for name, scale in samples.scales.items()} == {
        "level": (1, 5),
        "clues": (51, 143),
        "minimal": None,
    }
    [board] = generate("sudoku-4x4", level=2, seed=3)
    assert levels_of(board.puzzle, board.state[None])[0]["level"] == 2
    sampled = samples.scales["clues"].sample(np.random.default_rng(0), 70, 2)
    assert np.count_nonzero(sampled, axis=1).tolist() == [70, 70]
    assert own_generator(load("sudoku-12x12")).tally([sampled]).counts[70] == 2


def test_a_number_of_clues_that_does_not_come_up_is_told() -> None:
    with pytest.raises(BadOption, match="no such board of sudoku-6x6 came up"):
        made("sudoku-6x6", 1, clues=8, symmetry="full")
