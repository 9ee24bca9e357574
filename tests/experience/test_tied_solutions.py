"""Moves of tied solutions: all equally good ones within a beam, the same however the games are split."""

import threading
from functools import cache

import numpy as np
import pytest

from puzzlelab import BadOption, Limit, Unsupported, load
from puzzlelab.core import registry
from puzzlelab.experience.fast_rollouts import fast_rollouts
from puzzlelab.experience.schema import joined
from puzzlelab.experience.teachers import Teacher, targets_of
from puzzlelab.solvers.beam import Beam

EIGHT, DUST = load("tiles-3x3"), load("dust-4x3x3")


@cache
def fewest(puzzle, board):
    """The fewest clicks of a board, by the plain rules."""
    state = np.frombuffer(board, np.uint8)
    if puzzle.solved(state):
        return 0
    return 1 + min(fewest(puzzle, puzzle.apply(state, move).tobytes()) for move in np.flatnonzero(puzzle.legal(state)))


def true(puzzle, state, distances):
    """The fewest moves of a board."""
    return fewest(puzzle, state.tobytes()) if puzzle is DUST else int(distances(puzzle)(state[None])[0])


@pytest.mark.parametrize(
    ("puzzle", "options"), [(DUST, {"branches": 2}), (EIGHT, {"scale": "distance", "levels": (3, 24), "branches": 1})]
)
def test_a_beam_that_drops_nothing_gives_all_best_moves(puzzle, options, distances):
    samples = Teacher(puzzle, Beam(width=1 << 20), "tied", **options).games(0, 12)
    masks = samples.masks(puzzle.move_count)
    for state, mask, remaining in zip(samples.state, masks, samples.remaining, strict=True):
        best = [
            bool(legal) and true(puzzle, puzzle.apply(state, move), distances) == remaining - 1
            for move, legal in enumerate(puzzle.legal(state))
        ]
        assert mask.tolist() == best
        assert true(puzzle, state, distances) == remaining
    assert (masks.sum(axis=1) > 1).any()
    assert set(samples.game) == set(range(12))


def test_a_narrow_beam_gives_moves_of_its_solutions(distances):
    samples = Teacher(EIGHT, Beam(width=20, estimate="manhattan"), "tied").games(0, 20)
    assert (samples.remaining >= distances(EIGHT)(samples.state)).all()
    assert not samples.proven.any()
    for state, mask, remaining in zip(samples.state, samples.masks(4), samples.remaining, strict=True):
        children = np.stack([EIGHT.apply(state, int(move)) for move in np.flatnonzero(mask)])
        assert (distances(EIGHT)(children) <= remaining - 1).all()


def test_a_layer_of_a_game_gives_few_samples():
    samples = Teacher(DUST, Beam(width=1 << 20), "tied").games(0, 12)
    for game in range(12):
        _, counts = np.unique(samples.remaining[samples.game == game], return_counts=True)
        assert set(counts) <= {1, 2}
        assert (np.diff(samples.remaining[samples.game == game].astype(int)) <= 0).all()


def test_a_game_does_not_depend_on_the_others():
    teacher = Teacher(load("dust-6x5x4"), Beam(width=10), "tied", branches=2, seed=3)
    together, apart = teacher.games(0, 40), joined([teacher.games(0, 7), teacher.games(7, 40)])
    for name, column in together.columns.items():
        assert np.array_equal(column, apart.columns[name])
    assert np.unique(together.game).size == 40


def test_a_game_that_the_beam_does_not_solve_gives_no_sample():
    samples = Teacher(EIGHT, Beam(width=1, estimate="manhattan"), "tied", branches=2).games(0, 40)
    assert 0 < np.unique(samples.game).size < 40


def test_a_game_without_a_branch_has_its_own_samples():
    one_cell = load("dust-1x1x2")
    samples = Teacher(one_cell, Beam(width=5), "tied", branches=2).games(0, 3)
    assert samples.game.tolist() == [0, 1, 2]
    assert samples.masks(1).all()


def test_it_can_be_stopped():
    stop = threading.Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        fast_rollouts(Teacher(DUST, Beam(width=5), "tied")).play(0, 4, stop)


@pytest.mark.parametrize(
    ("solver", "limit"),
    [
        (registry.solver("ida", EIGHT), Limit()),
        (Beam(), Limit()),
        (Beam(width=9, prior="net"), Limit()),
        (Beam(width=9), Limit(nodes=10)),
    ],
)
def test_only_a_beam_with_a_width_alone_has_tied_solutions(solver, limit):
    with pytest.raises(BadOption, match="moves of all tied solutions are those of a beam with a width"):
        Teacher(EIGHT, solver, "tied", limit=limit)


def test_tied_solutions_need_compiled_rules_and_counted_moves(corridor):
    with pytest.raises(Unsupported, match="need compiled rules, which corridor-.* does not have"):
        Teacher(corridor(), Beam(width=9), "tied")
    with pytest.raises(BadOption, match=r"either proven \(exact\), or those of tied solutions \(tied\)"):
        targets_of(True, True)
