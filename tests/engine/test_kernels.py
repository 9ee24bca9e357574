from typing import NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.engine import kernels
from puzzlelab.engine.hash_table_kernels import find_or_add, mix, rehash
from puzzlelab.engine.interpreted_kernels import plain_rules
from puzzlelab.engine.kernels import compiled, implements, inlined


class Dial(NamedTuple):
    """Tables of a puzzle that turns a dial; they give only some of the names a meaning."""

    size: int


class Blank(NamedTuple):
    """Tables that give no name a meaning."""

    size: int


@implements(kernels.inverse, Dial)
def dial_inverse(tables, move):
    return tables.size - move


@implements(kernels.legal, Dial)
def dial_legal(tables, state, moves):
    for i in range(tables.size):
        moves[i] = i
    return tables.size


@compiled
def undo(tables, move):
    return kernels.inverse(tables, move)


@compiled
def offered(tables, state, last, row, found):
    """What a depth-first search tries, in its order."""
    pending, count = kernels.pending_moves(tables, state, last, row), 0
    while pending != np.uint64(0):
        found[count] = kernels.next_move(tables, row, pending)
        pending = kernels.drop_first(tables, pending)
        count += 1
    return count


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


def test_a_name_means_what_the_type_of_its_tables_says() -> None:
    assert kernels.inverse(Dial(7), 2) == undo(Dial(7), 2) == 5


def test_a_type_without_a_meaning_gets_the_usual_one() -> None:
    assert kernels.inverse(Blank(7), 2) == undo(Blank(7), 2) == -1


def test_a_name_that_every_puzzle_must_give_has_no_usual_meaning() -> None:
    with pytest.raises(NotImplementedError):
        kernels.solved(Blank(7), np.zeros(1, np.uint8))


def test_names_keep_what_is_written_of_them() -> None:
    assert kernels.inverse.__name__ == "inverse"
    assert "undoes" in kernels.inverse.__doc__


@pytest.mark.parametrize("search", [offered, offered.py_func])
@pytest.mark.parametrize(
    ("last", "tried"), [(-1, [0, 1, 2, 3, 4]), (5, [1, 2, 3, 4]), (2, [0, 1, 2, 4]), (3, [0, 1, 3, 4])]
)
def test_all_moves_but_the_last_ones_inverse_are_tried_in_their_order(search, last: int, tried: list[int]) -> None:
    row, found = np.zeros(5, np.int32), np.zeros(5, np.int32)
    count = search(Dial(5), np.zeros(1, np.uint8), last, row, found)
    assert found[:count].tolist() == tried


@pytest.mark.parametrize(
    ("place", "last", "tried"), [(3, -1, [0, 1]), (3, 0, [0]), (3, 1, [1]), (9, 1, []), (0, 0, [])]
)
def test_plain_rules_are_searched_alike(corridor, place: int, last: int, tried: list[int]) -> None:
    state = np.array([place], np.int16)
    row, found = np.zeros(2, np.int32), np.zeros(2, np.int32)
    count = offered.py_func(plain_rules(corridor(), state).tables, state, last, row, found)
    assert found[:count].tolist() == tried


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 1, 2**63, 2**64 - 1])), max_size=40))
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


def test_compiling_leaves_numbas_own_settings_alone() -> None:
    before = numba.config.CACHE_DIR

    @compiled
    def nothing():
        return 0

    assert nothing() == 0
    after = numba.config.CACHE_DIR
    assert after == before
