import pytest

from puzzlelab.engine.executor import DRIVER_SECONDS
from puzzlelab.engine.streams import MOST_ITEMS, PieceSize


def test_pieces_grow_while_they_take_less_time_than_they_should(executor_of):
    size = PieceSize(executor_of())
    assert size.items == 1
    sizes = []
    for _ in range(12):
        size.took(size.items, 0.001 * size.items)
        sizes.append(size.items)
    assert sizes == [4, 16, 64, 256, 1024, *[2000] * 7]
    size.took(2000, 20.0)
    assert size.items == 200
    for _ in range(12):
        size.took(size.items, 0.0)
    assert size.items == MOST_ITEMS


def test_items_are_divided_among_the_slots(executor_of):
    executor = executor_of(slots=5)
    size = PieceSize(executor)
    size.took(1000, 100.0)
    assert size.of(100) == 100 // 20
    assert size.of(3) == 1
    assert PieceSize(executor, together=250).of(100) == 20
    assert PieceSize(executor, together=250).of(10_000) == 250


def test_quick_items_stay_together(executor_of):
    executor = executor_of(slots=5)
    size = PieceSize(executor)
    size.took(20_000, 0.02)
    assert size.of(100) == 1_000_000 * 5 * DRIVER_SECONDS


def test_an_error_comes_after_the_items_before_it(executor_of):
    def items():
        yield from range(5)
        raise ValueError("damaged")

    size = PieceSize(executor_of(), together=3)
    pieces = size.cut(items())
    assert [next(pieces), next(pieces)] == [[0, 1, 2], [3, 4]]
    with pytest.raises(ValueError, match="damaged"):
        next(pieces)
    assert list(size.cut(iter(range(4)))) == [[0, 1, 2], [3]]
