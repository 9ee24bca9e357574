"""What a learner remembers: the last transitions, all alike, by their errors, or not at all."""

import numpy as np
import pytest
from scipy.stats import chisquare

from puzzlelab.core.errors import BadOption
from puzzlelab.experience.replay import MIN_PRIORITY, ReplayBuffer, ReplaySettings
from puzzlelab.experience.ring import DrawnBatch

KINDS = pytest.mark.parametrize("alpha", [0.0, 0.7])


def transitions(first, end):
    number = np.arange(first, end)
    return {"number": number, "state": (number[:, None] + np.arange(2)).astype(np.uint8)}


def filled(count, **settings):
    memory = ReplayBuffer(ReplaySettings(**settings))
    memory.append(transitions(0, count))
    return memory


def random(seed=0):
    return np.random.default_rng(seed)


# --- what is drawn ---------------------------------------------------------------------------------------------------


@KINDS
def test_the_last_transitions_are_remembered(alpha) -> None:
    memory = filled(7, size=10, alpha=alpha)
    assert len(memory) == 7
    memory.append(transitions(7, 16))
    assert len(memory) == 10
    batch = memory.sample(500, 0, random())
    assert set(batch.columns["number"].tolist()) == set(range(6, 16))
    assert np.array_equal(batch.columns["state"][:, 1], batch.columns["number"] + 1)


def test_without_priorities_all_are_drawn_alike() -> None:
    memory = filled(20, size=20)
    batch = memory.sample(20_000, 0, random())
    assert batch.weights is None
    memory.update_priorities(batch, random().random(20_000))
    drawn = memory.sample(20_000, 0, random(1)).columns["number"]
    assert chisquare(np.bincount(drawn)).pvalue > 0.01


def test_errors_say_what_is_drawn_next() -> None:
    memory = filled(4, size=4, alpha=0.5)
    batch = DrawnBatch(np.arange(4), {})
    memory.update_priorities(batch, np.array([1.0, 4.0, 9.0, 16.0]) - MIN_PRIORITY)
    drawn = memory.sample(10_000, 0, random()).columns["number"]
    assert np.allclose(np.bincount(drawn) / 10_000, [0.1, 0.2, 0.3, 0.4], atol=0.001)


def test_errors_go_to_the_transitions_that_were_drawn() -> None:
    memory = filled(16, size=10, alpha=1.0)  # the first six are forgotten, so that no number is its place
    batch = memory.sample(200, 0, random())
    memory.update_priorities(batch, np.where(batch.columns["number"] == 12, 5.0, 0.0))
    drawn = memory.sample(1_000, 0, random(1)).columns["number"]
    assert np.mean(drawn == 12) == pytest.approx((5 + MIN_PRIORITY) / (5 + 10 * MIN_PRIORITY), abs=0.002)


def test_what_was_no_surprise_is_not_forgotten_for_good() -> None:
    memory = filled(3, size=3, alpha=1.0)
    memory.update_priorities(DrawnBatch(np.arange(3), {}), np.zeros(3))
    assert set(memory.sample(30, 0, random()).columns["number"].tolist()) == {0, 1, 2}


def test_what_is_new_is_drawn_before_what_is_known() -> None:
    memory = filled(50, size=100, alpha=1.0)
    memory.update_priorities(DrawnBatch(np.arange(50), {}), np.full(50, 0.01))
    memory.append(transitions(50, 60))
    assert np.mean(memory.sample(1_000, 0, random()).columns["number"] >= 50) > 0.9


@pytest.mark.parametrize(("step", "beta"), [(0, 0.4), (50, 0.7), (100, 1.0), (1_000, 1.0)])
def test_weights_make_up_for_it_more_and_more(step, beta) -> None:
    memory = filled(4, size=4, alpha=1.0, beta=0.4, beta_steps=100)
    memory.update_priorities(DrawnBatch(np.arange(4), {}), np.array([1.0, 2.0, 3.0, 4.0]) - MIN_PRIORITY)
    batch = memory.sample(100, step, random())
    assert batch.weights == pytest.approx((batch.columns["number"] + 1.0) ** -beta, rel=1e-5)
    assert batch.weights.dtype == np.float32


def test_without_a_memory_only_the_last_is_learned_from() -> None:
    memory = filled(7, size=0)
    assert memory.sample(100, 0, random()).columns["number"].tolist() == list(range(7))
    memory.append(transitions(7, 10))
    batch = memory.sample(100, 0, random())
    assert batch.columns["number"].tolist() == [7, 8, 9]
    assert batch.weights is None
    memory.update_priorities(batch, np.ones(3))
    assert len(memory) == 0


# --- killed and started again ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{"size": 10}, {"size": 10, "alpha": 0.7}, {"size": 0}])
@pytest.mark.parametrize("count", [6, 16])
def test_a_restored_memory_goes_on_as_it_would_have(settings, count) -> None:
    one = filled(count, **settings)
    one.update_priorities(one.sample(5, 0, random()), random().random(5 if one.settings.size else count))
    other = ReplayBuffer(one.settings)
    other.restore({name: array.copy() for name, array in one.state().items()})
    for turn in range(4):
        first, second = (memory.sample(20, turn, random(turn)) for memory in (one, other))
        assert first.columns["number"].tolist() == second.columns["number"].tolist()
        assert np.array_equal(first.columns["state"], second.columns["state"])
        assert np.array_equal(first.weights, second.weights)
        for memory, batch in ((one, first), (other, second)):
            memory.update_priorities(batch, random(turn).random(len(batch.columns["number"])))
            memory.append(transitions(20 + 3 * turn, 23 + 3 * turn))
    assert len(one) == len(other)


def test_a_memory_that_remembers_nothing_yet_can_be_restored() -> None:
    for settings in ({"size": 5}, {"size": 5, "alpha": 1.0}, {"size": 0}):
        memory = ReplayBuffer(ReplaySettings(**settings))
        memory.restore(ReplayBuffer(ReplaySettings(**settings)).state())
        memory.append(transitions(0, 3))
        assert set(memory.sample(30, 0, random()).columns["number"].tolist()) == {0, 1, 2}


@pytest.mark.parametrize("values", [{"size": -1}, {"alpha": -0.1}, {"beta": 1.1}, {"beta_steps": 0}])
def test_settings_that_make_no_sense(values) -> None:
    with pytest.raises(BadOption, match=f"replay: the option '{next(iter(values))}' cannot be"):
        ReplaySettings(**values)
