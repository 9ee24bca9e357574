"""The compiled rules, points and estimates, and those for batches, equal the plain ones."""

# ruff: noqa: D103
import numpy as np
import pytest
from samegame import SameGame
from samegame.estimates import SameGameEstimates

from puzzlelab import UnknownName
from puzzlelab.core.views import KernelRules, Samples
from puzzlelab.engine.batch_rules import apply_moves, estimated, legal_moves

SIZES = [(5, 5, 3), (15, 15, 5), (20, 10, 5), (1, 1, 2), (1, 16, 2), (70, 1, 2), (3, 9, 9), (16, 16, 2)]


def games(puzzle, count):
    """The boards of random games, with the moves that were made."""
    random, scales = np.random.default_rng(1), puzzle.view(Samples).scales
    for number in range(count):
        state = scales["cells" if number % 2 else "uniform"].sample(random, None, 1)[0]
        while (moves := np.flatnonzero(puzzle.legal(state))).size:
            move = int(random.choice(moves))
            yield state, move
            state = puzzle.apply(state, move)
        yield state, None


@pytest.mark.parametrize("rules", ["compiled", "batch"])
@pytest.mark.parametrize("size", SIZES)
def test_other_rules_equal_the_plain_ones(size, rules):
    other, plain = SameGame(*size, rules=rules), SameGame(*size, rules="plain")
    for state, move in games(plain, 4):
        batch = state[None]
        assert np.array_equal(legal_moves(other, batch)[0], plain.legal(state))
        assert np.array_equal(other.canonical_moves(batch), plain.canonical_moves(batch))
        if move is not None:
            after, ahead = plain.apply(state, move), apply_moves(other, batch, np.array([move]))
            assert np.array_equal(ahead.states[0], after)
            assert (ahead.costs[0], ahead.solved[0]) == (-plain.points(state, move, after), plain.solved(after))


@pytest.mark.parametrize("name", SameGameEstimates.estimates)
@pytest.mark.parametrize("size", SIZES)
def test_estimates_are_the_same_in_all_forms(size, name):
    compiled, plain = SameGame(*size), SameGame(*size, rules="plain")
    states = np.array([state for state, _ in games(plain, 4)])
    puzzles = compiled, SameGame(*size, rules="batch"), plain
    values = [estimated(each, SameGameEstimates(each).estimate(name), states) for each in puzzles]
    assert np.array_equal(values[0], values[1])
    assert np.array_equal(values[0], values[2])
    assert not values[0][[plain.solved(state) for state in states]].any()


def test_an_unknown_estimate_is_named():
    with pytest.raises(UnknownName, match="did you mean 'colours'"):
        SameGameEstimates(SameGame()).estimate("colors")


def test_working_states_are_undone():
    puzzle = SameGame(15, 15, 9)
    states = np.array(
        [puzzle.view(Samples).scales["cells"].sample(np.random.default_rng(s), None, 1)[0] for s in range(20)]
    )
    rules = puzzle.view(KernelRules)
    assert np.array_equal(rules.decode(rules.encode(states)), states)
