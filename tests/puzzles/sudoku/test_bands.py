"""The bit algebra: no formula ever loses a solution, each says what its definition says, and the search finds all."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from puzzlelab.core.registry import load
from puzzlelab.engine.compiler import LANES
from puzzlelab.puzzles.sudoku import bands, bands_kernels

NINE = load("sudoku-9x9")
SEEDS = st.integers(0, 2**32)
ORDERS = ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (1, 0, 2), (2, 1, 0))
"""Which box (or column of a stack) the rows of a band (or the bands) take: falling first, by where they begin."""


@pytest.fixture(scope="module")
def pool(exchange, harness):
    """Full grids that do not come from the code under test."""
    for known in exchange:
        assert NINE.solved(known.solution)
        assert harness.solutions_of(harness.candidates_of(known.puzzle)).tolist() == [known.solution.tolist()]
    return [known.solution for known in exchange]


def held(allowed, grids):
    """Whether each of the grids is still possible."""
    return bool((allowed & 1 << grids.astype(np.int64) - 1).all())


@st.composite
def mixtures(draw, most=4, densities=(0.0, 0.02, 0.1, 0.3, 0.7)):
    """A seed, how many grids, and how likely any other candidate is, for `mixed`."""
    return draw(SEEDS), draw(st.integers(1, most)), draw(st.sampled_from(densities))


def mixed(pool, harness, mixture):
    """Grids that have much in common, and candidates that hold them all and some more at random."""
    seed, count, density = mixture
    random = np.random.default_rng(seed)
    grids = [harness.shuffled(pool[random.integers(len(pool))], random)]
    while len(grids) < count:
        near = random.random() < 0.8
        grids.append((harness.neighbour if near else harness.shuffled)(grids[random.integers(len(grids))], random))
    allowed = np.zeros(81, np.int64)
    for grid in grids:
        allowed |= 1 << grid.astype(np.int64) - 1
    noise = random.random((81, 9)) < density
    return np.array(grids), allowed | (noise << np.arange(9)).sum(axis=1)


def told(harness, state):
    """What the formulas say of a state: `int64[number of vectors, 3, 3]`, by band and stack."""
    stack = np.zeros(40 * LANES, np.uint16)
    stack[: bands.WIDTH] = state
    count = harness.look(stack)
    lanes = stack.reshape(-1, LANES)[9 : 9 + count]
    return lanes[:, :12].reshape(-1, 3, 4)[:, :, :3].astype(np.int64)


# --- nothing is lost ---


@pytest.mark.parametrize("name", ["locked", "hidden singles", "naked singles", "infer", "infer triads", "propagate"])
@settings(max_examples=100)
@given(mixture=mixtures())
def test_no_formula_loses_a_solution_or_adds_a_candidate(name, mixture, pool, harness) -> None:
    grids, allowed = mixed(pool, harness, mixture)
    state = harness.state_of(allowed)
    for _ in range(4):
        status = harness.formulas[name](state)
        after = harness.allowed_in(state)
        assert status != bands.BROKEN
        assert held(after, grids)
        assert not (after & ~allowed).any()
        if status == bands.COMPLETE:
            assert {tuple(grid) for grid in grids.tolist()} == {tuple(grids[0].tolist())}
            assert np.array_equal(after, 1 << grids[0].astype(np.int64) - 1)


@settings(max_examples=60)
@given(seed=SEEDS, eliminated=st.floats(0, 1), rounds=st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_a_puzzle_keeps_its_solution_whatever_is_inferred_when(seed, eliminated, rounds, exchange, harness) -> None:
    random = np.random.default_rng(seed)
    known = exchange[random.integers(len(exchange))]
    stack = np.zeros(bands.WIDTH, np.uint16)
    harness.place_clues(known.puzzle, stack)
    solution = 1 << known.solution.astype(np.int64) - 1
    for which in rounds:
        keep = (random.random((81, 9)) > eliminated / 4) << np.arange(9)
        allowed = harness.allowed_in(stack) & (keep.sum(axis=1) | solution)
        stack[:] = harness.state_of(allowed)
        assert [*harness.formulas.values()][which](stack) != bands.BROKEN
        assert ((harness.allowed_in(stack) & solution) == solution).all()


def test_a_state_at_rest_stays_as_it_is(pool, harness) -> None:
    settled = 0
    for seed in range(200):
        _, allowed = mixed(pool, harness, (seed, 3, 0.1))
        state = harness.state_of(allowed)
        if harness.formulas["propagate"](state) != bands.UNCHANGED:
            continue
        settled += 1
        for name in ("locked", "hidden singles", "naked singles", "infer", "infer triads"):
            again = state.copy()
            assert harness.formulas[name](again) == bands.UNCHANGED
            assert np.array_equal(again, state), name
    assert settled > 50


# --- each formula says what its definition says ---


def bits(numbers):
    """`bool[..., 9]`, the first column first."""
    return (np.asarray(numbers)[..., None].astype(np.int64) >> np.arange(9) & 1).astype(bool)


def possible(allowed):
    """`bool[9, 9, 9]`: digit, row, column."""
    return (allowed.reshape(9, 9) >> np.arange(9)[:, None, None] & 1).astype(bool)


def mini_rows(allowed):
    """`bool[9, 9, 3]`: whether a digit may go somewhere in this row of this stack."""
    return possible(allowed).reshape(9, 9, 3, 3).any(axis=3)


def permutations(flags):
    """`bool[6]` in the order of `ORDERS`, from `bool[3, 3]`: [row, box]."""
    return [all(flags[row, box] for row, box in enumerate(order)) for order in ORDERS]


@settings(max_examples=60)
@given(mixture=mixtures(densities=(0.0, 0.2, 0.5, 0.8, 1.0)))
def test_permutations_of_bands_and_stacks_are_counted(mixture, pool, harness) -> None:
    _, allowed = mixed(pool, harness, mixture)
    ways = bits(told(harness, harness.state_of(allowed))[:4])  # [falling or rising, band, stack, digit]
    sums = bits(told(harness, harness.state_of(allowed))[4:10])
    rows, columns = mini_rows(allowed), mini_rows(allowed.reshape(9, 9).T.reshape(-1))
    for digit in range(9):
        for k in range(3):
            in_band = permutations(rows[digit, 3 * k : 3 * k + 3])
            assert [begins_at(ways[i, k, :, digit]) for i in (0, 1)] == begin(in_band)
            in_stack = permutations(columns[digit, 3 * k : 3 * k + 3])
            assert [begins_at(ways[i, :, k, digit]) for i in (2, 3)] == begin(in_stack)
            for other in range(3):  # the lane of any box of the band, and of the stack, has the sum
                assert sums[:3, k, other, digit] @ [1, 2, 4] == sum(in_band)
                assert sums[3:, other, k, digit] @ [1, 2, 4] == sum(in_stack)


def begins_at(flags):
    return np.flatnonzero(flags).tolist()


def begin(left):
    """Where the permutations that are left begin: [falling, rising]."""
    return [
        sorted(order[0] for order, is_left in zip(ORDERS, left, strict=True) if is_left and order in kind)
        for kind in (ORDERS[:3], ORDERS[3:])
    ]


def locked_by_definition(allowed):
    """Every candidate that is in a permutation of its band, and then of its stack."""
    left = possible(allowed)
    for turn in range(2):
        grid = left if turn == 0 else left.swapaxes(1, 2)
        kept = np.zeros_like(grid)
        flags = grid.reshape(9, 9, 3, 3).any(axis=3)
        for digit in range(9):
            for band in range(3):
                three = slice(3 * band, 3 * band + 3)
                for order, holds in zip(ORDERS, permutations(flags[digit, three]), strict=True):
                    for row, box in enumerate(order if holds else ()):
                        kept[digit, 3 * band + row, 3 * box : 3 * box + 3] = True
        left = (grid & kept) if turn == 0 else (grid & kept).swapaxes(1, 2)
    return (left << np.arange(9)[:, None, None]).sum(axis=0).reshape(-1)


@settings(max_examples=100)
@given(mixture=mixtures())
def test_locked_keeps_what_is_in_a_permutation(mixture, pool, harness) -> None:
    _, allowed = mixed(pool, harness, mixture)
    state = harness.state_of(allowed)
    harness.formulas["locked"](state)
    assert np.array_equal(harness.allowed_in(state), locked_by_definition(allowed))


@settings(max_examples=100)
@given(mixture=mixtures())
def test_places_are_counted_in_boxes(mixture, pool, harness) -> None:
    _, allowed = mixed(pool, harness, mixture)
    count = possible(allowed).reshape(9, 3, 3, 3, 3).sum(axis=(2, 4))  # [digit, band, stack]
    some, more = bits(told(harness, harness.state_of(allowed))[10:12])  # [band, stack, digit]
    assert np.array_equal(some, np.moveaxis(count >= 1, 0, 2))
    assert np.array_equal(more, np.moveaxis(count >= 2, 0, 2))


@settings(max_examples=100)
@given(mixture=mixtures(densities=(0.0, 0.1, 0.3, 0.6)), holes=st.integers(0, 40))
def test_triads_are_counted_across_digits(mixture, holes, pool, harness) -> None:
    _, allowed = mixed(pool, harness, mixture)
    random = np.random.default_rng(mixture[0] + 1)
    allowed[random.permutation(81)[:holes]] &= random.integers(512, size=holes)
    vectors, grid = told(harness, harness.state_of(allowed))[12:], allowed.reshape(9, 9)
    for (*left, wrong), lines in ((vectors[:4], grid), (vectors[4:].swapaxes(1, 2), grid.T)):
        triads = np.bitwise_or.reduce(lines.reshape(3, 3, 3, 3), axis=3)  # [band, line, stack]
        for band, stack in np.ndindex(3, 3):
            expected = three_by_definition(triads[band, :, stack].tolist())
            assert bool(wrong[band, stack]) == (expected is None)
            if expected is not None:
                assert [each[band, stack] & triads[band, i, stack] for i, each in enumerate(left)] == expected


def three_by_definition(triads):
    """What is left of the digits of a box's three triads when each holds three digits; None if that is impossible."""
    certain = [triads[i] & ~(triads[i - 1] | triads[i - 2]) for i in range(3)]
    if min(each.bit_count() for each in triads) < 3 or max(each.bit_count() for each in certain) > 3:
        return None
    left = [sure if sure.bit_count() == 3 else digits for sure, digits in zip(certain, triads, strict=True)]
    for i, digits in enumerate(triads):
        for other in range(3):
            if other != i and digits.bit_count() == 3:
                left[other] &= ~digits
    return left


@settings(max_examples=100)
@given(mixture=mixtures(densities=(0.0, 0.05, 0.1, 0.2)))
def test_hidden_singles_by_definition(mixture, pool, harness) -> None:
    _, allowed = mixed(pool, harness, mixture)
    left = possible(allowed)
    by_box = left[:, NINE.units.kinds["box"] // 9, NINE.units.kinds["box"] % 9]  # [digit, box, place]
    single = np.zeros_like(left)
    for digit, box in np.argwhere(by_box.sum(axis=2) == 1):
        cell = NINE.units.kinds["box"][box][by_box[digit, box].argmax()]
        single[digit, cell // 9, cell % 9] = True
    taken = single.sum(axis=0) - single > 0
    state = harness.state_of(allowed)
    status = harness.formulas["hidden singles"](state)
    assert (status == bands.BROKEN) == bool((by_box.sum(axis=2) == 0).any())
    assert np.array_equal(possible(harness.allowed_in(state)), left & ~taken)


@settings(max_examples=100)
@given(mixture=mixtures(densities=(0.0, 0.05, 0.1, 0.2)))
def test_naked_singles_by_definition(mixture, pool, harness) -> None:
    _, allowed = mixed(pool, harness, mixture)
    left = possible(allowed)
    naked = left & (left.sum(axis=0) == 1)
    boxes = naked.reshape(9, 3, 3, 3, 3).any(axis=(2, 4))  # [digit, band, stack]
    filled = boxes.repeat(3, axis=1).repeat(3, axis=2)
    state = harness.state_of(allowed)
    harness.formulas["naked singles"](state)
    assert np.array_equal(possible(harness.allowed_in(state)), (left & ~filled) | naked)


def test_a_triad_with_three_digits_keeps_them_from_the_rest_of_its_box_and_row(harness) -> None:
    allowed = np.full(81, 0o777).reshape(9, 9)
    allowed[0, :3] = 0b111
    state = harness.state_of(allowed.reshape(-1))
    assert harness.formulas["infer triads"](state) == bands.CHANGED
    left = harness.allowed_in(state).reshape(9, 9)
    assert not (left[1:3, :3] & 0b111).any()
    harness.formulas["locked"](state)
    assert not (harness.allowed_in(state).reshape(9, 9)[0, 3:] & 0b111).any()


def test_a_triad_whose_three_digits_are_certain_has_no_room_for_another(harness) -> None:
    allowed = np.full(81, 0o777).reshape(9, 9)
    allowed[3:, 8] &= ~0b111  # the digits 1, 2, 3 of the last column are in the third box ...
    state = harness.state_of(allowed.reshape(-1))
    for name in ("locked", "infer triads"):
        harness.formulas[name](state)
    left = harness.allowed_in(state).reshape(9, 9)
    assert (left[:3, 8] == 0b111).all()  # ... and fill it


@pytest.mark.parametrize("turned", [False, True])
def test_a_triad_with_two_digits_is_broken(turned, harness) -> None:
    allowed = np.full(81, 0o777).reshape(9, 9)
    allowed[4, 3:6] = 0b11
    state = harness.state_of((allowed.T if turned else allowed).reshape(-1))
    assert harness.formulas["infer triads"](state) == bands.BROKEN


@pytest.mark.parametrize("turned", [False, True])
def test_a_triad_that_must_hold_four_digits_is_broken(turned, harness) -> None:
    allowed = np.full(81, 0o777).reshape(9, 9)
    allowed[4, :3] &= ~0b1111
    allowed[4, 6:] &= ~0b1111
    state = harness.state_of((allowed.T if turned else allowed).reshape(-1))
    assert harness.formulas["locked"](state) == bands.UNCHANGED
    assert harness.formulas["infer triads"](state) == bands.BROKEN


# --- clues, branches, the search ---


@settings(max_examples=100)
@given(seed=SEEDS, clues=st.integers(0, 81))
def test_clues_leave_what_they_do_not_forbid(seed, clues, pool, harness) -> None:
    random = np.random.default_rng(seed)
    grid = harness.shuffled(pool[0], random)
    board = np.where(random.permutation(81) < clues, grid, 0).astype(np.uint8)
    stack = np.full(bands.WIDTH, 0xABCD, np.uint16)
    harness.place_clues(board, stack)
    allowed = harness.allowed_in(stack)
    assert held(allowed, grid[None])
    assert np.array_equal(allowed[board != 0], 1 << board[board != 0].astype(np.int64) - 1)
    least = (NINE.candidates(board) << np.arange(9)).sum(axis=1)
    assert not (least[board == 0] & ~allowed[board == 0]).any()


def left_by_definition(allowed):
    """Permutations left of [stack not band, its number, digit]."""
    rows, columns = mini_rows(allowed), mini_rows(allowed.reshape(9, 9).T.reshape(-1))
    left = np.zeros((2, 3, 9), np.int64)
    for kind, flags in enumerate((rows, columns)):
        for k in range(3):
            for digit in range(9):
                left[kind, k, digit] = sum(permutations(flags[digit, 3 * k : 3 * k + 3]))
    return left


def test_the_choice_is_the_tightest_band_or_stack_and_its_tightest_digit(pool, harness) -> None:
    kinds = set()
    for seed in range(300):
        _, allowed = mixed(pool, harness, (seed, 1 + seed % 4, (0.1, 0.3, 0.5)[seed % 3]))
        state = harness.state_of(allowed)
        if harness.formulas["propagate"](state) != bands.UNCHANGED:
            continue
        left = left_by_definition(harness.allowed_in(state))
        totals = np.where((left > 1).any(axis=2), left.sum(axis=2), 999)
        stack = np.concatenate([state, np.zeros(bands.WIDTH, np.uint16)])
        key = harness.choice(stack)
        kind, lane = key >> 4 & 1, key & 15
        k = lane % 4 if kind else lane // 4
        kinds.add(int(kind))
        assert totals[kind, k] == totals.min()
        digits = bits(stack[bands.WIDTH + kind * LANES + lane])
        assert np.array_equal(digits, left[kind, k] == left[kind, k][left[kind, k] > 1].min())
    assert kinds == {0, 1}


@settings(max_examples=60)
@given(mixture=mixtures(densities=(0.02, 0.05, 0.1)))
def test_a_branch_has_each_solution_on_one_side(mixture, pool, harness) -> None:
    _, allowed = mixed(pool, harness, mixture)
    stack = np.zeros(2 * bands.WIDTH, np.uint16)
    stack[: bands.WIDTH] = harness.state_of(allowed)
    assume(harness.formulas["propagate"](stack) == bands.UNCHANGED)
    before = harness.allowed_in(stack)
    others = harness.branch(stack)
    rest, taken = harness.allowed_in(stack), harness.allowed_in(stack[bands.WIDTH :])
    assert others in (1, 2)
    assert np.array_equal(rest | taken, before)
    assert (rest != before).any()
    assert (taken != before).any()
    true, one, two = ({*map(tuple, harness.solutions_of(each, 200).tolist())} for each in (before, taken, rest))
    assume(len(true) < 200)
    assert one | two == true
    assert not one & two


@settings(max_examples=100)
@given(mixture=mixtures(most=2, densities=(0.02, 0.05, 0.1)), holes=st.integers(0, 3))
def test_broken_and_complete_are_true(mixture, holes, pool, harness) -> None:
    _, allowed = mixed(pool, harness, mixture)
    random = np.random.default_rng(mixture[0] + 1)
    for cell in random.permutation(81)[:holes]:
        rest = allowed[cell] & random.integers(512)
        allowed[cell] = rest or allowed[cell]
    true = harness.solutions_of(allowed, 50)
    state = harness.state_of(allowed)
    status = harness.formulas["propagate"](state)
    if status == bands.BROKEN:
        assert len(true) == 0
    elif status == bands.COMPLETE:
        assert true.tolist() == [true[0].tolist()]
        assert np.array_equal(harness.allowed_in(state), 1 << true[0].astype(np.int64) - 1)
    found, _ = harness.search(allowed, 50)
    assert {*map(tuple, found.tolist())} == {*map(tuple, true.tolist())}


def test_a_search_that_is_cut_in_slices_finds_the_same(exchange, harness) -> None:
    from puzzlelab.engine.kernels import DONE, IMPROVED, RUNNING
    from puzzlelab.puzzles.sudoku.solvers.bands import machine

    board = exchange[0].puzzle.copy()
    board[np.flatnonzero(board)[:6]] = 0
    whole, _ = harness.search(harness.candidates_of(board), 5000)
    assert 10 < len(whole) < 5000
    work = set()
    for budget in (1, 2, 7, 1000):
        asked = machine(board)
        found, status = [], RUNNING
        while status != DONE:
            before = int(asked.control.expanded)
            status = asked.step(budget)
            assert asked.control.expanded - before <= budget
            if status == IMPROVED:
                found.append(asked.record.grid.tolist())
        assert found == whole.tolist()
        work.add((int(asked.control.expanded), int(asked.control.generated)))
    assert len(work) == 1


def test_no_vector_of_a_new_stack_lies_across_lines_of_the_cache() -> None:
    for _ in range(5):
        stack = bands_kernels.new_stack()
        assert stack.shape == (bands_kernels.LEVELS * bands.WIDTH,)
        assert not stack.any()
        assert stack.ctypes.data % 64 == 0
    assert 64 % stack[:LANES].nbytes == bands.WIDTH % LANES == 0


@settings(max_examples=60)
@given(seed=SEEDS, clues=st.integers(0, 24))
def test_the_stack_is_deep_enough_for_sparse_boards(seed, clues, pool, harness) -> None:
    random = np.random.default_rng(seed)
    grid = harness.shuffled(pool[random.integers(len(pool))], random)
    board = np.where(random.permutation(81) < clues, grid, 0).astype(np.uint8)
    found, levels = harness.search(harness.candidates_of(board), 300)
    assert levels <= bands_kernels.LEVELS
    assert len({*map(tuple, found.tolist())}) == len(found) >= 1
    assert all(NINE.solved(solution) for solution in found[:5])
    assert (found[:, board != 0] == board[board != 0]).all()


@settings(max_examples=60)
@given(seed=SEEDS, density=st.sampled_from([0.6, 0.75, 0.9]))
def test_the_stack_is_deep_enough_for_any_candidates(seed, density, harness) -> None:
    noise = np.random.default_rng(seed).random((81, 9)) < density
    found, levels = harness.search((noise << np.arange(9)).sum(axis=1), 100)
    assert levels <= bands_kernels.LEVELS
    assert all(NINE.solved(solution) for solution in found[:5])
