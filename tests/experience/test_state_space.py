"""Whole spaces of states: every state once, with its true distance and all moves that lead nearer."""

from dataclasses import dataclass

import numpy as np
import pytest
from sample_folders import samples_in

from puzzlelab import BadInput, Unsupported, load
from puzzlelab.core.views import KernelRules
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience import state_space
from puzzlelab.experience.schema import joined
from puzzlelab.experience.state_space import StateSpace, label_states
from puzzlelab.experience.teachers import samples_of, teach
from puzzlelab.puzzles.tiles import exact_distances_kernels

pytest.importorskip("pyarrow")


def everything(space):
    return joined([samples for samples, _ in samples_of(space, ThisProcess())])


@pytest.fixture(scope="module")
def all_eight(eight):
    return everything(StateSpace(eight))


def test_every_state_of_the_8_puzzle_but_the_goal_is_there_once(eight, all_eight):
    assert len(all_eight) == StateSpace(eight).count == 181_439
    assert len(np.unique(all_eight.state, axis=0)) == 181_439
    assert not (all_eight.state == eight.goals()[0]).all(axis=1).any()
    assert np.array_equal(all_eight.game, np.arange(181_439))
    assert all_eight.proven.all()
    by_distance = np.bincount(all_eight.remaining)
    assert by_distance[:8].tolist() == [0, 2, 4, 8, 16, 20, 39, 62]
    assert (by_distance.size, by_distance[-1]) == (32, 2)


def test_distances_are_those_of_the_perfect_table(eight, all_eight):
    table, working = exact_distances_kernels.distances(eight).distance, eight.view(KernelRules).encode(all_eight.state)
    ranks = [exact_distances_kernels.rank_of(state) for state in working[:20_000]]
    assert np.array_equal(table[ranks], all_eight.remaining[:20_000])


def test_all_moves_that_lead_nearer_are_named(eight, all_eight):
    known = {state.tobytes(): int(n) for state, n in zip(all_eight.state, all_eight.remaining, strict=True)}
    known[eight.goals()[0].tobytes()] = 0
    masks = all_eight.masks(4)
    for place in range(500):
        state = all_eight.state[place]
        legal = np.flatnonzero(eight.legal(state))
        nearer = [m for m in legal if known[eight.apply(state, int(m)).tobytes()] < all_eight.remaining[place]]
        assert np.flatnonzero(masks[place]).tolist() == nearer
    assert masks.any(axis=1).all()
    assert (masks.sum(axis=1) > 1).any()


def test_the_seed_decides_the_order(eight):
    first, again, other = (next(samples_of(StateSpace(eight, seed), ThisProcess()))[0] for seed in (0, 0, 1))
    assert np.array_equal(first.state, again.state)
    assert not np.array_equal(first.state, other.state)
    assert 20 < first.remaining[:1_000].mean() < 24  # whatever part is taken: of all states it is 21.97


def test_samples_can_be_entered_anywhere(eight, all_eight):
    samples, following = next(samples_of(StateSpace(eight), ThisProcess(), 100_000))
    assert np.array_equal(samples.state, all_eight.state[100_000:following])
    assert list(samples_of(StateSpace(eight), ThisProcess(), 181_439)) == []


# --- toys: a corridor with plain rules alone, with its goal at one end or at both -----------------------------------


def test_a_puzzle_with_plain_rules(corridor):
    states, distance, masks = label_states(corridor(9))
    assert states[:, 0].tolist() == distance.tolist() == list(range(10))
    assert masks.tolist() == [[False, False], *[[True, False]] * 9]


def test_what_cannot_reach_a_goal_is_no_sample(corridor):
    samples = everything(StateSpace(corridor(9, wall=4)))
    assert sorted(samples.state[:, 0].tolist()) == [1, 2, 3]


def test_several_goals(corridor):
    @dataclass(frozen=True)
    class Both(corridor):
        def solved(self, state):
            return int(state[0]) in (0, self.length)

        def goals(self):
            return np.array([[0], [self.length]], np.int16)

    states, distance, masks = label_states(Both(8))
    place = states[:, 0].astype(int)
    assert sorted(place.tolist()) == list(range(9))
    assert np.array_equal(distance, np.minimum(place, 8 - place))
    assert masks[place == 4].tolist() == [[True, True]]
    assert masks[place == 3].tolist() == [[True, False]]
    assert masks[place == 5].tolist() == [[False, True]]
    assert not masks[(place == 0) | (place == 8)].any()


# --- folders, and what is refused ------------------------------------------------------------------------------------


def test_a_folder_of_a_whole_space(tmp_path):
    space = StateSpace(load("tiles-2x3"))
    for folder, counts in (("a", (10_000,)), ("b", (100, 250, 10_000))):
        for count in counts:
            shards = teach(space, tmp_path / folder, count, 150, ThisProcess())
    assert shards.rows == 359
    assert [path.read_bytes() for path in sorted((tmp_path / "a").iterdir())] == [
        path.read_bytes() for path in sorted((tmp_path / "b").iterdir())
    ]
    whole = samples_in(tmp_path / "a")
    assert np.array_equal(whole.state, everything(space).state)


def test_puzzles_that_cannot_be_taken_as_a_whole(monkeypatch, corridor):
    with pytest.raises(Unsupported, match="the states of dust-8x6x5 cannot be found from its goals"):
        label_states(load("dust-8x6x5"))
    monkeypatch.setattr(state_space, "MAX_STATES", 1_000)
    with pytest.raises(BadInput, match="tiles-4x4 has too many states to take all of them: at most 1,000"):
        label_states(load("tiles-4x4"))
    monkeypatch.setattr(state_space, "LONGEST", 5)
    with pytest.raises(BadInput, match="some states of corridor-9 are 9 moves from a goal"):
        label_states(corridor(9))
