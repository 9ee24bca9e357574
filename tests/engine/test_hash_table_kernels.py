import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.engine import kernels
from puzzlelab.engine.hash_table_kernels import (
    MAX_LOAD,
    find_or_add,
    has_room,
    insert_rows,
    mix,
    rehash,
    remove_rows,
    slot_of,
    slot_of_hash,
)
from puzzlelab.engine.kernels import compiled, inlined

KEYS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 1, 2**63, 2**64 - 1])), max_size=36)


@inlined
def add_all(table, keys, given, limit):
    """Add keys one after the other; the number of different ones."""
    count = 0
    for i in range(limit):
        if find_or_add(table, keys, given[i], mix(given[i]), count) < 0:
            kernels.copy(given[i], keys[count])
            count += 1
    return count


@compiled
def add_them(table, keys, given, limit):
    return add_all(table, keys, given, limit)


@given(KEYS)
def test_the_hash_table_knows_exactly_what_was_added(pairs: list[tuple[int, int]]) -> None:
    given_keys = np.array(pairs, np.uint64).reshape(-1, 2)
    for add, size in ((add_them, 64), (add_all, 64), (add_them, 4096)):
        table, keys = np.zeros(size, np.int32), np.zeros((40, 2), np.uint64)
        count = add(table, keys, given_keys, len(pairs))
        assert [tuple(key) for key in keys[:count].tolist()] == list(dict.fromkeys(pairs))
        again = np.zeros(32, np.int32)
        rehash(again, keys, count)
        assert add(again, keys, given_keys, len(pairs)) == 0 or not pairs
        for row in range(count):
            assert find_or_add(again, keys, keys[row], mix(keys[row]), 99) == row


def test_the_hash_is_the_same_compiled_or_not() -> None:
    keys = np.random.default_rng(1).integers(0, 2**63, (200, 3)).astype(np.uint64)
    with np.errstate(over="ignore"):
        assert [mix(key) for key in keys] == [int(mix.py_func(key)) for key in keys]


def test_the_hash_spreads_keys_that_differ_little() -> None:
    keys = np.arange(1 << 16, dtype=np.uint64).reshape(-1, 1)
    hashes = np.array([mix(key) for key in keys], np.uint64)
    assert np.unique(hashes).size == hashes.size
    filled = np.unique(hashes & np.uint64(0xFFFF)).size / hashes.size
    assert abs(filled - (1 - np.exp(-1))) < 0.01  # as many low bits as if drawn by chance


@given(KEYS, st.integers(0, 36))
def test_rows_that_were_inserted_last_can_be_removed(pairs: list[tuple[int, int]], kept: int) -> None:
    table = np.zeros(64, np.int32)
    distinct = np.array(list(dict.fromkeys(pairs)), np.uint64).reshape(-1, 2)
    kept = min(kept, len(distinct))
    insert_rows.py_func(table, distinct, 0, kept)
    before = table.copy()
    insert_rows.py_func(table, distinct, kept, len(distinct))
    remove_rows.py_func(table, distinct, kept, len(distinct))
    assert table.tolist() == before.tolist()


@given(KEYS)
def test_the_last_of_several_rows_of_a_state_counts(pairs: list[tuple[int, int]]) -> None:
    keys, table = np.array(pairs, np.uint64).reshape(-1, 2), np.zeros(64, np.int32)
    insert_rows.py_func(table, keys, 0, len(keys))
    last = {pair: row for row, pair in enumerate(pairs)}
    for row, pair in enumerate(pairs):
        assert table[slot_of(table, keys, keys[row], mix(keys[row]))] - 1 == last[pair]


@given(st.sets(st.integers(1, 2**64 - 1), max_size=38))
def test_a_table_of_hashes_knows_exactly_what_was_added(hashes: set[int]) -> None:
    table = np.zeros(64, np.uint64)
    for h in map(np.uint64, hashes):
        assert table[slot_of_hash(table, h)] == 0
        table[slot_of_hash(table, h)] = h
    assert {int(h) for h in table if h} == hashes
    assert all(table[slot_of_hash(table, np.uint64(h))] == h for h in hashes)


def test_there_is_room_within_the_load_and_the_keys() -> None:
    table, keys = np.zeros(64, np.int32), np.zeros((30, 1), np.uint64)
    assert has_room(table, keys, 20, 10)
    assert not has_room(table, keys, 20, 11)  # no more keys
    keys = np.zeros((64, 1), np.uint64)
    most = int(MAX_LOAD * 64)
    assert has_room(table, keys, most - 1, 1)
    assert not has_room(table, keys, most, 1)
