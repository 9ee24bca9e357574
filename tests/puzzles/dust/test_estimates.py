"""Every estimate against what it is said to count, and the admissible ones against the true remaining moves.

The half-board bound takes long to compile, and is left to the slow tests; the quick ones of `halves` lean on it too.
"""

import numpy as np
import pytest

from puzzlelab import Estimate, Instance, UnknownName, load, solve
from puzzlelab.core.views import Estimates, KernelRules, Planes, Rewards
from puzzlelab.engine import kernels
from puzzlelab.engine.batch_rules import apply_moves
from puzzlelab.engine.kernels import compiled
from puzzlelab.experience.rewards import make
from puzzlelab.puzzles.dust.rules import Dust
from puzzlelab.solvers.bfs import Bfs

NAMES = ("fitted", "colours", "clusters", "clusters+2colours", "cells", "cells-largest", "halves")
ADMISSIBLE = ("colours", "halves")
SIZES = ((4, 3, 3, 20), (5, 3, 4, 10), (6, 3, 3, 10), (4, 4, 4, 5), (6, 3, 4, 4), (1, 9, 3, 15), (9, 1, 4, 30))
MORE = ((5, 4, 5, 20), (3, 5, 4, 60), (2, 8, 3, 60), (7, 2, 5, 30), (8, 3, 3, 8), (1, 16, 5, 30), (16, 1, 5, 30))
LARGE = (
    (8, 6, 5),
    (7, 6, 5),
    *(pytest.param(size, marks=pytest.mark.slow) for size in ((10, 8, 5), (5, 9, 3), (16, 16, 9))),
)
"""Boards of one word a plane, and of two and four, for which every kernel is compiled anew."""


@compiled
def begin_all(estimate, states, memo, values):
    """The estimate of each of `states: uint64[B, S]`."""
    for i in range(len(states)):
        values[i] = kernels.evaluate(estimate, states[i], memo)


def estimated(puzzle: Dust, name: str, states: np.ndarray) -> np.ndarray:
    """The estimate of each plain state."""
    estimate = puzzle.view(Estimates).estimate(name)
    if estimate.kernel is None:
        return np.asarray(estimate.scores(states))
    values = np.zeros(len(states), np.int64)
    begin_all(estimate.kernel(), puzzle.view(KernelRules).encode(states), np.zeros(estimate.memo, np.int64), values)
    return values


def games(plainly, size: tuple[int, ...], count: int) -> np.ndarray:
    """The boards of random games from their full board to the empty one."""
    puzzle, states = Dust(*size[:3]), []
    for seed in range(count):
        random, state = np.random.default_rng(seed), plainly.board(puzzle, seed)
        while state.any():
            states.append(state)
            state = puzzle.apply(state, int(random.choice(np.flatnonzero(puzzle.legal(state)))))
        states.append(state)
    return np.stack(states)


def children(puzzle: Dust, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(parents, children): every pair of a board and what a move makes of it, as plain states of equal length."""
    pairs = [
        (state, puzzle.apply(state, move)) for state in states for move in np.flatnonzero(puzzle.legal(state)).tolist()
    ]
    return np.stack([parent for parent, _ in pairs]), np.stack([child for _, child in pairs])


def check_admissible(plainly, size: tuple[int, int, int, int], names: tuple[str, ...]) -> None:
    puzzle = Dust(*size[:3])
    states = np.unique(games(plainly, size, size[3]), axis=0)
    truth = np.array([solve(Instance(puzzle, state), Bfs()).length for state in states])
    for name in names:
        values = estimated(puzzle, name, states)
        over = np.flatnonzero(values > truth)
        assert over.size == 0, (name, puzzle.write(states[over[0]]), values[over[0]], truth[over[0]])
        assert ((values == 0) == (truth == 0)).all()


@pytest.mark.parametrize("size", [*SIZES[:-1], pytest.param(SIZES[-1], marks=pytest.mark.slow)])
def test_the_colours_left_never_exceed_the_true_remaining_moves(plainly, size: tuple[int, int, int, int]) -> None:
    check_admissible(plainly, size, ("colours",))


@pytest.mark.slow
@pytest.mark.parametrize("size", [*((*size[:3], 8 * size[3]) for size in SIZES), *MORE])
def test_no_admissible_estimate_exceeds_the_true_remaining_moves(plainly, size: tuple[int, int, int, int]) -> None:
    check_admissible(plainly, size, ADMISSIBLE)


@pytest.mark.slow
@pytest.mark.parametrize(
    "size", [(4, 3, 3, 80), (4, 4, 4, 60), (5, 4, 5, 40), (7, 3, 4, 40), (1, 9, 3, 40), (8, 6, 5, 2)]
)
def test_the_half_board_bound_falls_by_one_move_at_most(plainly, size: tuple[int, int, int, int]) -> None:
    check_consistent(plainly, size)


def check_consistent(plainly, size: tuple[int, int, int, int]) -> None:
    puzzle = Dust(*size[:3])
    parents, after = children(puzzle, games(plainly, size, size[3])[:-1])
    before, later = estimated(puzzle, "halves", parents), estimated(puzzle, "halves", after)
    bad = np.flatnonzero(before > later + 1)
    assert bad.size == 0, (puzzle.write(parents[bad[0]]), puzzle.write(after[bad[0]]), before[bad[0]], later[bad[0]])


@pytest.mark.slow
@pytest.mark.parametrize("size", [(6, 4, 3), (4, 4, 5), (2, 6, 4), (8, 6, 5), (10, 4, 3)])
def test_the_half_board_bound_is_the_same_in_the_mirror_and_in_other_colours(plainly, size: tuple[int, ...]) -> None:
    puzzle = Dust(*size)
    states = games(plainly, size, 6)
    values = estimated(puzzle, "halves", states)
    assert estimated(puzzle, "halves", puzzle.settled(np.eye(1, puzzle.cells, dtype=np.uint8)[0])[None]).tolist() == [1]
    names = np.array([0, *(np.random.default_rng(3).permutation(puzzle.colours) + 1)], np.uint8)
    for images in (names[states], puzzle.view(Planes).symmetries(states)[1][0]):
        assert np.array_equal(estimated(puzzle, "halves", images), values)


@pytest.mark.parametrize("size", LARGE)
def test_the_simple_estimates_count_what_they_say(plainly, size: tuple[int, int, int]) -> None:
    puzzle = Dust(*size)
    states = games(plainly, size, 2)[:: 1 + puzzle.cells // 50]
    colours = np.array([np.unique(state[state != 0]).size for state in states])
    clusters = np.array([puzzle.legal(state).sum() for state in states])
    cells = np.count_nonzero(states, axis=1)
    firsts = [puzzle.clusters(state) for state in states]
    largest = np.array([np.bincount(first[first >= 0], minlength=1).max() for first in firsts])
    assert np.array_equal(estimated(puzzle, "colours", states), colours)
    assert np.array_equal(estimated(puzzle, "clusters", states), clusters)
    assert np.array_equal(estimated(puzzle, "clusters+2colours", states), clusters + 2 * colours)
    assert np.array_equal(estimated(puzzle, "cells", states), cells)
    assert np.array_equal(estimated(puzzle, "cells-largest", states), cells - largest)


def fitted(board: np.ndarray) -> int:
    """What `fitted` says it is, of `board: uint8[W, H]`, by counting pairs of equal cells."""

    def pairs(first: np.ndarray, second: np.ndarray, *between: np.ndarray) -> np.ndarray:
        same = (first == second) & (first != 0)
        for middle in between:
            same &= middle != first
        return same

    upon, beside = pairs(board[:, 1:], board[:, :-1]), pairs(board[1:], board[:-1])
    squares = upon[1:] & upon[:-1] & beside[:, 1:]
    clusters = np.count_nonzero(board) - upon.sum() - beside.sum() + squares.sum()
    column = pairs(board[:, 2:], board[:, :-2], board[:, 1:-1]).sum()
    row = pairs(board[2:], board[:-2], board[1:-1]).sum()
    corner = pairs(board[1:, 1:], board[:-1, :-1]).sum() + pairs(board[1:, :-1], board[:-1, 1:]).sum()
    colours = np.unique(board[board != 0]).size
    return int(16 * clusters + 36 * colours + 3 * np.count_nonzero(board) - 2 * column - row - 3 * corner)


@pytest.mark.parametrize("size", [*LARGE, (8, 8, 3), (1, 8, 2), (9, 1, 4), (16, 8, 4)])
def test_the_fitted_guide_is_the_sum_that_it_is_said_to_be(plainly, size: tuple[int, int, int]) -> None:
    puzzle, states = Dust(*size), games(plainly, size, 3)
    wanted = [fitted(state.reshape(puzzle.width, puzzle.height)) for state in states]
    assert estimated(puzzle, "fitted", states).tolist() == wanted


# --- by name ---


@pytest.mark.parametrize("size", [(1, 1, 2), (8, 6, 5), (16, 16, 9)])
def test_everything_offered_is_made_and_explained(size: tuple[int, int, int]) -> None:
    puzzle = Dust(*size)
    assert set(puzzle.view(Estimates).estimates) == set(NAMES if puzzle.cells <= 64 else NAMES[:-1])
    for name, about in puzzle.view(Estimates).estimates.items():
        estimate = puzzle.view(Estimates).estimate(name)
        assert isinstance(estimate, Estimate)
        assert (estimate.name, estimate.admissible) == (name, name in ADMISSIBLE)
        assert about
    assert puzzle.view(Estimates).estimate().name in puzzle.view(Estimates).estimates


def test_an_unknown_estimate_is_told_the_nearest() -> None:
    with pytest.raises(UnknownName) as caught:
        load("dust-8x6x5").view(Estimates).estimate("cluster")
    assert str(caught.value) == "there is no estimate of dust-8x6x5 'cluster'; did you mean 'clusters'?"
    with pytest.raises(UnknownName, match="there is no estimate of dust-16x16x9 'halves'"):
        load("dust-16x16x9").view(Estimates).estimate("halves")


# --- rewards ---


def worth(puzzle, name, board, *moves):
    """What each of these clicks is worth on a board."""
    states = np.repeat(puzzle.with_gravity().read(board).state[None], len(moves), axis=0)
    clicks = np.array([puzzle.read_move(move) for move in moves])
    return make(puzzle, name)(states, apply_moves(puzzle, states, clicks)).tolist()


def test_a_click_is_worth_the_cells_that_it_clears() -> None:
    """Below a 2, three cells of colour 1; any of them takes all three away."""
    puzzle = load("dust-2x2x2")
    clicks = ("0,0", "0,1", "1,0", "1,1")
    assert worth(puzzle, "cleared", "1112", *clicks) == [3, 3, 3, 1]
    assert worth(puzzle, "cleared-squared", "1112", *clicks) == [9, 9, 9, 1]


def test_a_click_on_nothing_costs_one() -> None:
    puzzle = load("dust-2x2x2")
    assert worth(puzzle, "cleared", "1122", "0,1") == [2]
    assert worth(puzzle, "cleared", "1022", "0,1", "0,0") == [-1, 1]
    assert worth(puzzle, "cleared-squared", "1022", "0,1", "1,1") == [-1, 4]


@pytest.mark.parametrize("seed", range(5))
def test_every_solution_clears_the_same_sum_but_not_of_squares(plainly, seed: int) -> None:
    puzzle, random = load("dust-5x4x3"), np.random.default_rng(seed)
    states, moves = [plainly.board(puzzle, seed)], []
    while states[-1].any():
        moves.append(int(random.choice(np.flatnonzero(states[-1]))))
        states.append(puzzle.apply(states[-1], moves[-1]))
    sizes = -np.diff([np.count_nonzero(state) for state in states])
    before, clicks = np.array(states[:-1]), np.array(moves)
    cleared, squared = (
        make(puzzle, name)(before, apply_moves(puzzle, before, clicks)) for name in puzzle.view(Rewards).rewards
    )
    assert cleared.tolist() == sizes.tolist()
    assert cleared.sum() == puzzle.cells
    assert squared.tolist() == (sizes**2).tolist()
