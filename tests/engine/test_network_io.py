"""Logarithms of probabilities: against a softmax by hand, with moves of the same effect, and with infinite scores."""

import numpy as np
import pytest

from puzzlelab import load
from puzzlelab.core.views import scale_of
from puzzlelab.engine.batch_rules import canonical_moves
from puzzlelab.engine.network_io import MIN_PROBABILITY, log_probabilities, merged_logits, one_hot


def by_hand(named, scores, sums):
    """The same for one state, with a dictionary of groups."""
    groups = {}
    for move, group in enumerate(named.tolist()):
        if group >= 0:
            groups.setdefault(group, []).append(scores[move])
    merged = {g: np.logaddexp.reduce(each) if sums else max(each) for g, each in groups.items()}
    likely = {g: max(np.exp(each - max(merged.values())), MIN_PROBABILITY) for g, each in merged.items()}
    logarithms = np.full(len(scores), -np.inf)
    for group, each in likely.items():
        logarithms[group] = np.log(each / sum(likely.values()))
    return logarithms


@pytest.mark.parametrize("sums", [True, False])
@pytest.mark.parametrize("name", ["tiles-3x3", "dust-4x3x3"])
def test_it_is_a_softmax_over_the_legal_moves(name, sums) -> None:
    puzzle, random = load(name), np.random.default_rng(0)
    states = np.stack([scale_of(puzzle)[1].sample(random, None, 1)[0] for _ in range(9)])
    scores, named = 9 * random.normal(size=(9, puzzle.move_count)), canonical_moves(puzzle, states)
    logarithms = log_probabilities(puzzle, states, scores, sums)
    expected = [by_hand(*each, sums) for each in zip(named, scores, strict=True)]
    assert logarithms == pytest.approx(np.array(expected), abs=1e-12)
    assert np.exp(logarithms).sum(axis=1) == pytest.approx(1)


def test_scores_that_are_not_finite_have_no_probability() -> None:
    puzzle = load("tiles-3x3")
    state = puzzle.read("1 2 3 4 0 5 6 7 8").state[None]
    nan, inf = np.nan, np.inf
    for scores, expected in [
        ([0.0, nan, -inf, 0.0], [0.5, 0, 0, 0.5]),
        ([inf, 1.0, nan, nan], [0, 1, 0, 0]),
        ([nan, nan, -inf, -inf], [0, 0, 0, 0]),
        ([0.0, -90.0, -inf, -inf], [1, MIN_PROBABILITY, 0, 0]),
    ]:
        logarithms = log_probabilities(puzzle, state, np.array([scores]), sums=True)
        assert np.exp(logarithms[0]) == pytest.approx(expected, rel=1e-6)
    assert log_probabilities(puzzle, state[:0], np.zeros((0, 4)), sums=True).shape == (0, 4)


def test_a_group_with_a_score_that_is_not_a_number_has_no_probability() -> None:
    puzzle = load("dust-4x3x3")
    state = np.zeros((1, puzzle.cells), np.uint8)
    state[0, :6] = 1, 1, 1, 2, 2, 2
    scores = np.zeros((1, puzzle.cells))
    scores[0, 1] = np.nan
    assert np.exp(log_probabilities(puzzle, state, scores, sums=True)[0, :6]).tolist() == [0, 0, 0, 1, 0, 0]


def test_merged_logits_have_the_same_softmax() -> None:
    puzzle, random = load("dust-4x3x3"), np.random.default_rng(1)
    states = np.stack([scale_of(puzzle)[1].sample(random, None, 1)[0] for _ in range(5)])
    scores = random.normal(size=(5, puzzle.move_count))
    merged = merged_logits(puzzle, states, scores, sums=True)
    logarithms, legal = log_probabilities(puzzle, states, scores, sums=True), np.isfinite(merged)
    assert (legal == (canonical_moves(puzzle, states) == np.arange(puzzle.cells))).all()
    for row in range(5):
        difference = merged[row, legal[row]] - logarithms[row, legal[row]]
        assert difference == pytest.approx(difference[0])  # a constant
    tiles = load("tiles-3x3")  # has no equivalent moves
    assert np.array_equal(merged_logits(tiles, tiles.goals(), scores[:1, :4], sums=True), scores[:1, :4])


@pytest.mark.parametrize("first", [0, 1])
def test_each_cell_has_a_one_at_its_number(first) -> None:
    states = np.random.default_rng(0).integers(0, 6, (7, 4)).astype(np.uint8)
    encoded = one_hot(states, first, 5)
    assert encoded.dtype == np.float32
    expected = (states[:, :, None] == np.arange(first, 6)).reshape(7, -1)
    assert np.array_equal(encoded, expected)
    assert np.array_equal(one_hot(states[0], first, 5), expected[0])
    assert one_hot(states[:0], first, 5).shape == (0, 4 * (6 - first))
