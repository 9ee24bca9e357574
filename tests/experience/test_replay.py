"""Rings and the replay buffer: what they hold, what is drawn of it, and what is restored."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from puzzlelab import BadInput
from puzzlelab.core.errors import BadOption
from puzzlelab.experience import sumtree_kernels
from puzzlelab.experience.replay import MIN_PRIORITY, DrawnBatch, ReplayBuffer, ReplaySettings, Ring, leaves, new_tree


def prioritised(capacity, alpha=0.6):
    return Ring(capacity, alpha)


BOTH = pytest.mark.parametrize("make", [Ring, prioritised])
sizes = st.lists(st.integers(0, 12), max_size=12)


def samples(first, end):
    """Sample n says its number in every column."""
    number = np.arange(first, end)
    return {
        "number": number,
        "state": (number[:, None] + np.arange(3)).astype(np.uint8),
        "told": (number % 2 == 0),
    }


def filled(ring, count):
    ring.append(samples(ring.total, ring.total + count))
    return ring


def remembering(count, **settings):
    """A replay buffer with this number of transitions."""
    memory = ReplayBuffer(ReplaySettings(**settings))
    memory.append(samples(0, count))
    return memory


def random(seed=0):
    return np.random.default_rng(seed)


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) and a[k].dtype == b[k].dtype for k in a)


# --- rings ---


@BOTH
@given(capacity=st.integers(1, 9), counts=sizes)
def test_a_ring_holds_the_newest_samples_in_their_places(make, capacity, counts):
    ring, total = make(capacity), 0
    for count in counts:
        places = ring.append(samples(total, total + count))
        total += count
        assert places.tolist() == [n % capacity for n in range(total - count, total)][-capacity:]
    assert ring.total == total
    assert len(ring) == min(total, capacity)
    held = {n % capacity: n for n in range(max(0, total - capacity), total)}
    assert ring.columns.get("number", np.zeros(0)).tolist() == [held[place] for place in range(len(ring))]
    places = np.arange(len(ring))
    if counts:
        assert same(ring.at(places), {name: column[places] for name, column in ring.columns.items()})


def test_what_is_drawn_is_what_stands_there():
    ring = filled(Ring(10), 5)
    assert set(ring.sample(random(), 300).columns["number"].tolist()) == set(range(5))  # before it is full
    places, drawn, _ = filled(filled(ring, 2), 9).sample(random(), 500)
    assert set(places.tolist()) == set(range(10))
    assert set(drawn["number"].tolist()) == set(range(6, 16))
    assert (drawn["number"] % 10 == places).all()
    assert np.array_equal(drawn["state"][:, 2], drawn["number"] + 2)
    assert np.array_equal(drawn["told"], drawn["number"] % 2 == 0)
    drawn["number"][:] = -1
    assert ring.columns["number"].min() == 6


def test_uniform_draws_are_uniform():
    places = filled(Ring(40), 100).sample(random(1), 40_000).indices
    assert chisquare(np.bincount(places, minlength=40)).pvalue > 0.01


# --- the sum tree ---


@given(st.integers(1, 20), st.data())
def test_a_tree_adds_up(capacity, data):
    tree, oracle = new_tree(capacity), np.zeros(capacity)
    for _ in range(data.draw(st.integers(0, 4))):
        places = data.draw(st.lists(st.integers(0, capacity - 1), max_size=6))
        weights = data.draw(st.lists(st.integers(0, 9), min_size=len(places), max_size=len(places)))
        sumtree_kernels.set_weights(tree, np.array(places, np.int64), np.array(weights, np.float64))
        for place, weight in zip(places, weights, strict=True):  # one after the other: of two the last one counts
            oracle[place] = weight
    assert np.array_equal(leaves(tree)[:capacity], oracle)
    assert tree[1] == oracle.sum()
    again = tree.copy()
    sumtree_kernels.sum_up(again)
    assert np.array_equal(again, tree)


def drawn_by_hand(weights, points):
    """The place at each point of the running total."""
    total, places = np.cumsum(weights), []
    for part, point in enumerate(points):
        wanted = total[-1] * ((part + point) / len(points))
        places.append(next(place for place, end in enumerate(total) if wanted < end))
    return places


@given(st.lists(st.integers(0, 6), min_size=1, max_size=33), st.integers(1, 40), st.integers(0, 99))
def test_draws_are_those_of_a_running_total(weights, count, seed):
    """Small whole numbers, whose sums are exact."""
    if not any(weights):
        weights[-1] = 1
    tree, places = new_tree(len(weights)), np.empty(count, np.int64)
    sumtree_kernels.set_weights(tree, np.arange(len(weights)), np.array(weights, np.float64))
    points = random(seed).random(count)
    sumtree_kernels.draw(tree, points, places)
    assert places.tolist() == drawn_by_hand(weights, points)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_no_rounding_error_leads_to_a_weight_of_nothing(scale):
    tree, chance, places = new_tree(1_000), random(3), np.empty(10_000, np.int64)
    weights = chance.random(1_000) * scale * (chance.random(1_000) < 0.1)
    sumtree_kernels.set_weights(tree, np.arange(1_000), weights)
    for points in (chance.random(10_000), np.full(10_000, np.nextafter(1.0, 0.0)), np.zeros(10_000)):
        sumtree_kernels.draw(tree, points, places)
        assert (weights[places] > 0).all()


# --- priorities ---


def test_draws_follow_the_priorities():
    chance = random(5)
    ring, priorities = filled(prioritised(50, alpha=0.7), 50), chance.exponential(size=50)
    ring.update(np.arange(50), priorities)
    places = np.concatenate([ring.sample(chance, 100, beta=0.5)[0] for _ in range(400)])
    expected = priorities**0.7 / (priorities**0.7).sum()
    counts = np.bincount(places, minlength=50)
    # Each hundredth of the sum gives one sample a batch, so that counts scatter less than those of plain draws.
    assert np.abs(counts / 40_000 - expected).max() < 0.002


@pytest.mark.parametrize("beta", [0.0, 0.4, 1.0])
def test_weights_make_up_for_the_priorities(beta):
    ring = filled(prioritised(4, alpha=0.5), 4)
    ring.update(np.arange(4), [1.0, 4.0, 9.0, 16.0])
    places, _, weights = ring.sample(random(2), 200, beta)
    probable = np.array([1, 2, 3, 4])[places] / 10
    plain = (4 * probable) ** -beta
    assert set(places.tolist()) == {0, 1, 2, 3}
    assert weights.dtype == np.float32
    assert np.allclose(weights, plain / plain.max(), rtol=1e-6)


def test_new_samples_have_the_greatest_priority_so_far():
    ring = filled(prioritised(8, alpha=0.5), 2)
    weights = leaves(ring._tree)
    assert weights.tolist() == [1, 1, 0, 0, 0, 0, 0, 0]
    ring.update(np.array([0, 1]), [0.25, 9.0])
    filled(ring, 2)
    ring.update(np.array([1, 2]), [0.0, 4.0])
    filled(ring, 5)  # one of them takes the place of the first
    assert weights.tolist() == [3, 0, 2, 3, 3, 3, 3, 3]
    assert ring.max_priority == 9.0


@BOTH
@given(capacity=st.integers(1, 9), counts=sizes, seed=st.integers(0, 9))
def test_a_restored_ring_gives_the_same_stream(make, capacity, counts, seed):
    chance, extra, ring = random(seed), {} if make is Ring else {"beta": 0.5}, make(capacity)
    for count in counts:
        filled(ring, count)
        if len(ring) and extra:
            ring.update(chance.integers(0, len(ring), 3), 3 * chance.random(3))
    state = {name: array.copy() for name, array in ring.state().items()}
    assert all(isinstance(array, np.ndarray) and array.dtype != object for array in state.values())
    again = make(capacity)
    again.restore(state)
    assert same(again.state(), state)
    for each in (ring, again):
        filled(each, 2)
    for turn in range(3):
        first, second = (each.sample(random(turn), 20, **extra) for each in (ring, again))
        assert np.array_equal(first[0], second[0])
        assert same(first[1], second[1])
        assert all(np.array_equal(a, b) for a, b in zip(first[2:], second[2:], strict=True))


# --- what is refused ---


@BOTH
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"state": np.zeros((2, 3), np.int16)}, r"the column 'state' of the ring is uint8\[3\], not int16\[3\]"),
        ({"state": np.zeros((2, 4), np.uint8)}, r"the column 'state' of the ring is uint8\[3\], not uint8\[4\]"),
        ({"told": np.zeros(5, bool)}, "the column 'number' has 2 samples, and 'told' has 5"),
        ({"told": np.array(True)}, "the column 'told' is a single number, not one for each sample"),
        ({"told": None}, "the ring has a column 'told', and these samples have none"),
        ({"more": np.zeros(2)}, "the ring has no column 'more'"),
    ],
)
def test_columns_that_do_not_fit_are_named(make, change, sentence):
    ring = filled(make(5), 4)
    before = {name: array.copy() for name, array in ring.state().items()}
    columns = {name: column for name, column in {**samples(4, 6), **change}.items() if column is not None}
    with pytest.raises(BadInput, match=sentence):
        ring.append(columns)
    assert same(ring.state(), before)


@BOTH
def test_a_ring_without_samples(make):
    ring = make(5)
    with pytest.raises(BadInput, match="samples need at least one column"):
        ring.append({})
    for _ in range(2):
        with pytest.raises(BadInput, match="nothing to draw from a ring without samples"):
            ring.sample(random(), 3)
        ring.append(samples(0, 0))
    with pytest.raises(BadInput, match="a ring holds at least 1 sample, not 0"):
        make(0)


def test_priorities_that_cannot_be_used():
    ring = filled(prioritised(5, alpha=2.0), 3)
    for priority in (np.nan, np.inf, -np.inf, -1e-9):
        with pytest.raises(BadInput, match=r"a priority is finite and at least 0, not -?(nan|inf|1e-09) \(number 1 of"):
            ring.update(np.array([2, 1]), [1.0, priority])
    assert np.array_equal(ring.state()["weights"], np.ones(3))
    with pytest.raises(BadInput, match=r"not 1e\+300"):
        ring.update(np.array([0]), [1e300])
    with pytest.raises(BadInput, match="2 indices need as many priorities, not 3"):
        ring.update(np.array([0, 1]), [1.0, 1.0, 1.0])
    for place in (-1, 3):
        with pytest.raises(BadInput, match="the ring has 3 samples"):
            ring.update(np.array([0, place]), [1.0, 1.0])
    ring.update(np.zeros(0, np.int64), [])
    ring.update(np.arange(3), [0.0, 0.0, 0.0])
    with pytest.raises(BadInput, match="none of the 3 samples can be drawn: every priority is 0"):
        ring.sample(random(), 1, beta=1.0)
    with pytest.raises(BadInput, match="the exponent of the weights is 0 or more, not nan"):
        ring.sample(random(), 1, beta=float("nan"))
    with pytest.raises(BadInput, match="the exponent of the priorities is 0 or more, not -1"):
        prioritised(5, alpha=-1)


# --- the replay buffer ---


def test_errors_say_what_is_drawn_next() -> None:
    memory = remembering(16, size=10, alpha=1.0)  # the first six are forgotten, so that no number is its place
    batch = memory.sample(200, 0, random())
    memory.update_priorities(batch, np.where(batch.columns["number"] == 12, 5.0, 0.0))
    drawn = memory.sample(1_000, 0, random(1)).columns["number"]
    assert np.mean(drawn == 12) == pytest.approx((5 + MIN_PRIORITY) / (5 + 10 * MIN_PRIORITY), abs=0.002)
    memory.update_priorities(DrawnBatch(np.arange(10), {}), np.zeros(10))
    assert set(memory.sample(30, 0, random()).columns["number"].tolist()) == set(range(6, 16))


@pytest.mark.parametrize(("step", "beta"), [(0, 0.4), (50, 0.7), (100, 1.0), (1_000, 1.0)])
def test_weights_make_up_for_it_more_and_more(step, beta) -> None:
    memory = remembering(4, size=4, alpha=1.0, beta=0.4, beta_steps=100)
    memory.update_priorities(DrawnBatch(np.arange(4), {}), np.array([1.0, 2.0, 3.0, 4.0]) - MIN_PRIORITY)
    batch = memory.sample(100, step, random())
    assert batch.weights == pytest.approx((batch.columns["number"] + 1.0) ** -beta, rel=1e-5)


def test_without_a_memory_only_the_last_is_learned_from() -> None:
    memory = remembering(7, size=0)
    assert memory.sample(100, 0, random()).columns["number"].tolist() == list(range(7))
    memory.append(samples(7, 10))
    batch = memory.sample(100, 0, random())
    assert batch.columns["number"].tolist() == [7, 8, 9]
    assert batch.weights is None
    memory.update_priorities(batch, np.ones(3))
    assert len(memory) == 0


@pytest.mark.parametrize("settings", [{"size": 10}, {"size": 10, "alpha": 0.7}, {"size": 0}])
@pytest.mark.parametrize("count", [0, 6, 16])
def test_a_restored_memory_goes_on_as_it_would_have(settings, count) -> None:
    one = remembering(count, **settings) if count else ReplayBuffer(ReplaySettings(**settings))
    if count:
        one.update_priorities(one.sample(5, 0, random()), random().random(5 if one.settings.size else count))
    other = ReplayBuffer(one.settings)
    other.restore({name: array.copy() for name, array in one.state().items()})
    for turn in range(4):
        for memory in (one, other):
            memory.append(samples(20 + 3 * turn, 23 + 3 * turn))
        first, second = (memory.sample(20, turn, random(turn)) for memory in (one, other))
        assert same(first.columns, second.columns)
        assert np.array_equal(first.weights, second.weights)
        for memory, batch in ((one, first), (other, second)):
            memory.update_priorities(batch, random(turn).random(len(batch.columns["number"])))
    assert len(one) == len(other)


@pytest.mark.parametrize("values", [{"size": -1}, {"alpha": -0.1}, {"beta": 1.1}, {"beta_steps": 0}])
def test_settings_that_make_no_sense(values) -> None:
    with pytest.raises(BadOption, match=f"replay: the option '{next(iter(values))}' cannot be"):
        ReplaySettings(**values)
