from typing import NamedTuple

import numba
import numpy as np
import pytest

from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import compiled, implements


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
        found[count], pending = kernels.next_move(tables, row, pending)
        count += 1
    return count


def test_a_name_means_what_the_type_of_its_tables_says() -> None:
    assert kernels.inverse(Dial(7), 2) == undo(Dial(7), 2) == 5
    assert kernels.inverse(Blank(7), 2) == undo(Blank(7), 2) == -1  # what it means for other types
    with pytest.raises(NotImplementedError):
        kernels.solved(Blank(7), np.zeros(1, np.uint8))


@pytest.mark.parametrize("search", [offered, offered.py_func])
@pytest.mark.parametrize(
    ("last", "tried"), [(-1, [0, 1, 2, 3, 4]), (5, [1, 2, 3, 4]), (2, [0, 1, 2, 4]), (3, [0, 1, 3, 4])]
)
def test_all_moves_but_the_last_ones_inverse_are_tried_in_their_order(search, last: int, tried: list[int]) -> None:
    row, found = np.zeros(5, np.int32), np.zeros(5, np.int32)
    count = search(Dial(5), np.zeros(1, np.uint8), last, row, found)
    assert found[:count].tolist() == tried


def test_compiling_leaves_numbas_own_settings_alone() -> None:
    before = numba.config.CACHE_DIR

    @compiled
    def nothing():
        return 0

    assert nothing() == 0
    after = numba.config.CACHE_DIR
    assert after == before
