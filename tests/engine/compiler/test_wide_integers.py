"""Integers of one, two and four words in kernels, against Python's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.engine.compiler import load, lowest, ones, prefetch, store
from puzzlelab.engine.kernels import compiled

WORDS = (1, 2, 4)
PLACES = 8
"""Numbers that `algebra` writes."""


@compiled
def algebra(source, like, by, target, told):
    """Every operation on the two numbers of `source`, one after the other into `target`."""
    words = len(like)
    a, b = load(source, np.int64(0), like), load(source, np.int64(words), like)
    prefetch(source, np.int64(0))
    store(a & b, target, np.int64(0))
    store(a | b, target, np.int64(words))
    store(a ^ b, target, np.int64(2 * words))
    store(~a, target, np.int64(3 * words))
    store(a << by, target, np.int64(4 * words))
    store(a >> by, target, np.int64(5 * words))
    store(a, target, np.int64(6 * words))
    told[0], told[1] = a == b, a != b
    told[2] = ones(a)
    told[3] = lowest(b)


def split(numbers: list[int], words: int) -> np.ndarray:
    """The words of the numbers, the lowest first."""
    return np.array([number >> 64 * word & (2**64 - 1) for number in numbers for word in range(words)], np.uint64)


def joined(found: np.ndarray, words: int) -> list[int]:
    rows = found.reshape(-1, words).tolist()
    return [sum(int(word) << 64 * place for place, word in enumerate(row)) for row in rows]


@pytest.mark.parametrize("words", WORDS)
@given(data=st.data())
def test_every_operation_is_that_of_python(words: int, data: st.DataObject) -> None:
    bits = 64 * words
    a = data.draw(st.integers(0, 2**bits - 1))
    b = data.draw(st.one_of(st.just(a or 1), st.integers(1, 2**bits - 1)))
    by = data.draw(st.integers(0, bits - 1))
    target, told = np.zeros(PLACES * words, np.uint64), np.zeros(4, np.int64)
    algebra(split([a, b], words), (0,) * words, np.uint64(by), target, told)
    whole = 2**bits - 1
    wanted = [a & b, a | b, a ^ b, a ^ whole, a << by & whole, a >> by, a, 0]
    assert joined(target, words) == wanted
    assert told.tolist() == [a == b, a != b, a.bit_count(), (b & -b).bit_length() - 1]


@compiled
def total(table):
    """The sum of a table, whose entries are prefetched."""
    result = 0.0
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            prefetch(table, (np.int64(row), np.int64(column)))
            result += table[row, column]
    return result


def test_entries_of_tables_are_prefetched_whatever_their_layout() -> None:
    table = np.arange(12.0).reshape(3, 4)
    columns = np.zeros((3, 4), [("number", np.int32), ("value", np.float64)])
    columns["value"] = table
    assert [total(each) for each in (table, table.T, columns["value"])] == [66.0] * 3
