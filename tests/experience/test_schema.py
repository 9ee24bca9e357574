"""Samples in memory and in a table: nothing is lost on the way, and a stranger's file is told from ours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab import BadFile
from puzzlelab.experience.schema import TrainingSamples, card_of, from_table, joined, packed, to_table

pa = pytest.importorskip("pyarrow")


def made(count, size=5, moves=11, dtype=np.uint8, seed=0):
    """Random samples, and their masks."""
    random = np.random.default_rng(seed)
    masks = random.random((count, moves)) < 0.3
    return TrainingSamples(
        np.sort(random.integers(0, 1 << 40, count)),
        random.integers(0, 100, (count, size)).astype(dtype),
        packed(masks),
        random.integers(0, 2**16, count).astype(np.uint16),
        random.random(count) < 0.5,
    ), masks


def same(a, b):
    return all(
        np.array_equal(getattr(a, name), getattr(b, name)) and getattr(a, name).dtype == getattr(b, name).dtype
        for name in ("game", "state", "moves", "remaining", "proven")
    )


@given(st.integers(0, 40), st.integers(1, 9), st.integers(1, 40), st.sampled_from([np.uint8, np.int16, np.float32]))
def test_samples_survive_a_table(count, size, moves, dtype):
    samples, masks = made(count, size, moves, dtype, seed=count)
    table = to_table(samples, {"puzzle": "some"})
    assert same(from_table(table, TrainingSamples), samples)
    assert np.array_equal(from_table(table, TrainingSamples).masks(moves), masks)
    assert card_of(table.schema, "x")["puzzle"] == "some"


def test_a_part_of_a_table_is_read_where_it_begins():
    samples, _ = made(20)
    assert same(from_table(to_table(samples, {}).slice(7, 5), TrainingSamples), samples.rows(7, 12))


def test_the_columns_are_what_the_documents_say():
    schema = to_table(made(3, size=48, moves=48)[0], {}).schema
    assert {name: str(schema.field(name).type) for name in schema.names} == {
        "game": "int64",
        "state": "fixed_size_binary[48]",
        "moves": "fixed_size_binary[6]",
        "remaining": "uint16",
        "proven": "bool",
    }


def test_bits_are_moves_from_the_lowest_on():
    masks = np.zeros((1, 12), bool)
    masks[0, [0, 9]] = True
    assert packed(masks).tolist() == [[1, 2]]


def test_parts_are_joined_in_their_order():
    samples, _ = made(20)
    assert same(joined([samples.rows(0, 7), samples.rows(7, 7), samples.rows(7, 20)]), samples)


def test_a_table_of_something_else_is_refused():
    with pytest.raises(BadFile, match="this table holds no samples of puzzlelab"):
        from_table(pa.table({"game": [1, 2]}), TrainingSamples)
