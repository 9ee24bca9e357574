"""Random full grids without bias, and the kernels that dig puzzles out of them."""

import math

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare

from puzzlelab.core.registry import load
from puzzlelab.engine.kernels import compiled
from puzzlelab.puzzles.sudoku import hole_digging_kernels

NINE = load("sudoku-9x9")
GRIDS = 6_670_903_752_021_072_936_960
"""All full grids (Felgenhauer and Jarvis, 2005)."""
FRAMES = math.factorial(9) * (56 * 6**6) ** 2
"""First bands and first stacks that share their first box."""


@compiled
def draw_below(random, most, drawn):
    for i in range(drawn.size):
        drawn[i] = hole_digging_kernels.below(random, most)


@compiled
def draw_orders(random, rows, start, count):
    for i in range(len(rows)):
        hole_digging_kernels.shuffle(random, rows[i], start, count)


@compiled
def draw_frames(random, digits, grids):
    for i in range(len(grids)):
        hole_digging_kernels.frame(random, digits, grids[i])


@compiled
def ask_other(puzzle, cell, digit, stack, control):
    return hole_digging_kernels.other_solution(puzzle, cell, digit, stack, control)


@compiled
def ask_guesses(puzzle, stack, control):
    return hole_digging_kernels.guesses(puzzle, stack, control)


@pytest.fixture(scope="module")
def grids(harness):
    """12,000 random full grids."""
    found = harness.full_grids(12_000, seed=2)
    assert (np.sort(found[:, NINE.units.all], axis=2) == np.arange(1, 10)).all()
    return found


# --- numbers at random ---


def splitmix(state):
    """The generator of Steele, Lea and Flood (2014), in Python's integers."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        x = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
        yield x ^ x >> 31


@pytest.mark.parametrize("most", [1, 2, 3, 7, 56, 2**17, 2**30])
def test_numbers_are_the_high_bits_of_splitmix(most) -> None:
    random, drawn = np.array([2**63 + 5], np.uint64), np.zeros(2000, np.int64)
    draw_below(random, most, drawn)
    numbers = splitmix(2**63 + 5)
    assert drawn.tolist() == [(next(numbers) >> 32) * most >> 32 for _ in range(2000)]
    assert 0 <= drawn.min() <= drawn.max() < most


def test_every_order_is_equally_likely() -> None:
    rows = np.tile(np.arange(6, dtype=np.uint8), (24_000, 1))
    draw_orders(np.array([1], np.uint64), rows, 1, 4)
    assert (rows[:, 0] == 0).all()
    assert (rows[:, 5] == 5).all()
    orders = np.unique(rows, axis=0, return_counts=True)[1]
    assert orders.size == 24
    assert chisquare(orders).pvalue > 0.001


# --- full grids ---


def shared(grids, one, two):
    """How many digits two mini-rows have in common; each is (row, box)."""
    a, b = (grids.reshape(-1, 9, 9)[:, row, 3 * box : 3 * box + 3] for row, box in (one, two))
    return (a[:, :, None] == b[:, None, :]).sum(axis=(1, 2))


def test_frames_are_uniform_bands_and_stacks() -> None:
    frames = np.zeros((20_000, 81), np.uint8)
    draw_frames(np.array([9], np.uint64), np.zeros(27, np.uint8), frames)
    squares = frames.reshape(-1, 9, 9)
    assert (squares[:, 3:, 3:] == 0).all()
    for image in (squares, squares.swapaxes(1, 2)):
        assert (np.sort(image[:, :3], axis=2) == np.arange(1, 10)).all()
        boxes = image[:, :3].reshape(-1, 3, 3, 3).swapaxes(1, 2).reshape(-1, 3, 9)
        assert (np.sort(boxes, axis=2) == np.arange(1, 10)).all()
        for row in range(3):
            kept = shared(image.reshape(-1, 81), (0, 0), (row, 1))
            expected = np.array([1, 27, 27, 1]) / 56 if row else np.array([1, 0, 0, 0])
            counts = np.bincount(kept, minlength=4)
            if row:
                assert chisquare(counts, expected * len(frames)).pvalue > 0.001
            else:
                assert counts[0] == len(frames)
        for row, column in ((0, 0), (1, 4), (2, 8)):
            assert chisquare(np.bincount(image[:, row, column], minlength=10)[1:]).pvalue > 0.001


def weights(count, seed):
    random, stack, control, _, digits, *_ = hole_digging_kernels.digging_room()
    random[0], found = seed, np.zeros(count)
    hole_digging_kernels.weigh(random, stack, control, digits, np.zeros(81, np.uint8), found)
    return found


def test_the_weights_tell_how_many_grids_there_are() -> None:
    found = weights(100_000, 12_345) * FRAMES
    error = found.std() / math.sqrt(found.size)
    assert abs(found.mean() - GRIDS) < 4 * error
    assert error < 0.006 * GRIDS


def test_hardly_any_mass_is_lost_to_grids_that_are_too_heavy() -> None:
    found = weights(100_000, 54_321)
    assert found.max() >= hole_digging_kernels.HEAVIEST / 8  # the bound is not without use
    assert np.maximum(found - hole_digging_kernels.HEAVIEST, 0).sum() < 0.002 * found.sum()


def test_every_digit_is_equally_often_in_every_cell(grids) -> None:
    counts = np.stack([(grids == digit).sum(axis=0) for digit in range(1, 10)])
    assert (counts.sum(axis=0) == len(grids)).all()
    assert chisquare(counts, axis=0).pvalue.min() > 0.001 / 81
    # together the 81 tests are a test too; a box or line leaves one cell less free
    assert abs(chisquare(counts, axis=0).statistic.mean() - 8) < 1


def test_cells_that_do_not_see_each_other_hold_the_same_digit_as_often_as_they_must(grids) -> None:
    """By exchange of rows and columns: 1 in 6 within a band or stack, 1 in 9 otherwise."""
    random = np.random.default_rng(0)
    checked = 0
    for one, two in random.integers(81, size=(400, 2)).tolist():
        if one == two or two in NINE.units.peers[one]:
            continue
        near = one // 27 == two // 27 or one % 9 // 3 == two % 9 // 3
        likely = 1 / 6 if near else 1 / 9
        same = int((grids[:, one] == grids[:, two]).sum())
        spread = math.sqrt(len(grids) * likely * (1 - likely))
        assert abs(same - len(grids) * likely) < 4.5 * spread, (one, two)
        checked += 1
    assert checked > 200


def test_pairs_of_digits_in_a_pair_of_cells_are_equally_likely(grids) -> None:
    for one, two in ((0, 1), (40, 80), (60, 70), (30, 50), (8, 72)):
        table = np.zeros((10, 10), int)
        np.add.at(table, (grids[:, one], grids[:, two]), 1)
        apart = table[1:, 1:][~np.eye(9, dtype=bool)]
        assert chisquare(apart).pvalue > 0.0005
        if two in NINE.units.peers[one]:
            assert np.trace(table) == 0
        else:
            assert chisquare(np.diag(table)[1:]).pvalue > 0.0005


def test_bands_that_were_drawn_first_are_like_those_that_were_filled_last(grids) -> None:
    tables = [
        np.bincount(shared(image, (3 * band, 0), (3 * band + 1, 1)), minlength=4)
        for image in (grids, grids.reshape(-1, 9, 9).swapaxes(1, 2).reshape(-1, 81))
        for band in range(3)
    ]
    assert chi2_contingency(np.array(tables)).pvalue > 0.0005


def test_one_seed_gives_one_stream_of_grids(harness) -> None:
    one = harness.full_grids(50, 3)
    assert np.array_equal(one, harness.full_grids(50, 3))
    assert np.array_equal(one[:20], harness.full_grids(20, 3))
    assert not np.array_equal(one, harness.full_grids(50, 4))
    assert len(np.unique(one, axis=0)) == 50


# --- puzzles ---


def test_another_solution_is_found_where_there_is_one(exchange, harness) -> None:
    _, stack, control, *_ = hole_digging_kernels.digging_room()
    random = np.random.default_rng(1)
    seen = set()
    for known in exchange:
        for extra in range(4):
            puzzle = known.puzzle.copy()
            puzzle[random.permutation(np.flatnonzero(puzzle))[:extra]] = 0
            for cell in random.permutation(np.flatnonzero(puzzle == 0))[:6].tolist():
                allowed = harness.candidates_of(puzzle)
                allowed[cell] &= ~(1 << int(known.solution[cell]) - 1)
                true = len(harness.solutions_of(allowed, 1)) == 1
                assert ask_other(puzzle, cell, int(known.solution[cell]), stack, control) == true
                seen.add(true)
    assert seen == {True, False}


def test_guesses_are_counted_as_in_a_batch(exchange) -> None:
    from puzzlelab.puzzles.sudoku.solvers.bands import solve_batch

    _, stack, control, *_ = hole_digging_kernels.digging_room()
    for known in exchange:
        wanted = solve_batch(known.puzzle[None], 2**40).guesses[0]
        assert ask_guesses(known.puzzle, stack, control) == wanted
