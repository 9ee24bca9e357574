import time
from functools import partial
from queue import SimpleQueue
from threading import Event

import pytest

from puzzlelab.engine.executor import PieceLost
from puzzlelab.engine.parallel import ThisProcess, cancellation
from puzzlelab.engine.streams import Piece, _Stream, ordered, unordered


def double(number):
    if number < 0:
        raise ValueError(f"{number} is negative")
    return 2 * number


def count_to(number):
    yield from range(number)


def pieces(*numbers, function=double, **values):
    return [Piece(f"piece {number}", partial(function, number), **values) for number in numbers]


def values_in(stream):
    return [value for _, value in stream]


def test_values_come_in_their_order_or_as_they_are_there(executor_of):
    executor = executor_of(slots=3, newest_first=True)
    assert values_in(unordered(executor, pieces(1, 2, 3))) == [6, 4, 2]
    assert values_in(ordered(executor, pieces(*range(20)))) == [2 * number for number in range(20)]
    assert values_in(ordered(executor, pieces(2, 0, 3, function=count_to))) == [0, 1, 0, 1, 2]
    assert executor.status().startswith("1 node, 0 tasks, ")


def test_a_future_has_the_value_and_the_time(executor_of):
    executor = executor_of()
    future = executor.submit(double, 3)
    assert executor.running == {future}
    assert executor.wait([future], 0.0) == {future}
    assert (future.result().value, future.result().seconds) == (6, 0.5)
    assert not executor.running


def test_pieces_are_taken_only_when_there_is_room(executor_of):
    executor, taken = executor_of(), []

    def stream():
        for number in range(100):
            taken.append(number)
            yield from pieces(number)

    values = ordered(executor, stream())
    next(values)
    assert len(taken) <= 4
    values.close()
    assert not executor.running
    assert executor.cancelled


def test_a_slow_piece_holds_back_others_after_some(executor_of):
    executor, taken = executor_of(slots=1, newest_first=True), []

    def stream():
        for number in range(100):
            taken.append(number)
            yield from pieces(number)

    executor.check = lambda: executor.begun[-1][1].args != (0,) and executor_of.check(executor)
    begun, values = time.monotonic(), ordered(executor, stream(), watch=lambda: _after(begun, 0.5))
    with pytest.raises(TimeoutError):
        next(values)
    assert len(taken) == 16


def _after(begun, seconds):
    if time.monotonic() - begun > seconds:
        raise TimeoutError


def test_a_piece_without_work_keeps_its_turn(executor_of):
    stream = ordered(executor_of(), [*pieces(1), Piece("stored", None, context=5), *pieces(2)])
    assert [(piece.context, value) for piece, value in stream] == [(None, 2), (5, None), (None, 4)]


def test_a_piece_that_ends_its_workers_is_named_and_the_others_are_done(executor_of):
    one, bad, two = ordered(executor_of(lost=(10,)), pieces(4, 5, 6))
    assert (one[1], two[1]) == (8, 12)
    assert bad[0].name == "piece 5"
    assert isinstance(bad[1], PieceLost)
    assert "ended 5 workers (the test ended it)" in str(bad[1])


def test_a_piece_that_was_lost_is_split(executor_of):
    def split(piece):
        return pieces(4, 5, 6) if piece.name == "piece 50" else ()

    values = values_in(ordered(executor_of(lost=(100, 10)), pieces(1, 50, 2), split))
    assert [value if isinstance(value, int) else None for value in values] == [2, 8, None, 12, 4]
    assert sorted(values_in(unordered(executor_of(lost=(100,)), pieces(1, 50, 2), split))) == [2, 4, 8, 10, 12]


def test_an_error_of_a_piece_comes_in_its_turn_and_ends_the_others(executor_of):
    executor = executor_of(slots=1)
    stream = ordered(executor, pieces(1, -1, *range(2, 50)))
    assert next(stream)[1] == 2
    with pytest.raises(ValueError, match="-1 is negative"):
        next(stream)
    assert not executor.running
    assert values_in(ordered(executor, pieces(7))) == [14]


def test_an_error_of_the_stream_comes_after_the_pieces_before_it(executor_of):
    def stream():
        yield from pieces(1, 2)
        raise ValueError("no more")

    values = ordered(executor_of(), stream())
    assert [next(values)[1], next(values)[1]] == [2, 4]
    with pytest.raises(ValueError, match="no more"):
        next(values)


def test_a_piece_is_told_its_time(executor_of):
    told = []
    list(ordered(executor_of(), pieces(1, 2, took=told.append)))
    assert told == [0.5, 0.5]


def test_ctrl_c_keeps_what_is_done(executor_of):
    executor, calls = executor_of(), []

    def watch():
        calls.append(0)
        if len(calls) == 4:
            raise KeyboardInterrupt

    values = ordered(executor, pieces(*range(9)), watch=watch)
    assert [next(values)[1], next(values)[1]] == [0, 2]
    with pytest.raises(KeyboardInterrupt):
        list(values)
    assert executor.cancelled


@pytest.mark.parametrize("lost", range(1, 9))
def test_ctrl_c_leaves_no_gap_in_the_values(lost):
    """It may come when the queue has given an event, before anything is done with it."""

    class Losing(SimpleQueue):
        number = 0

        def get(self, *, timeout):
            event = super().get(timeout=timeout)
            self.number += 1
            if self.number == lost:
                raise KeyboardInterrupt
            return event

    rest, found = iter(pieces(*range(9))), []
    with ThisProcess(2) as threads:
        stream = _Stream(threads, rest, lambda piece: (), lambda: None, is_ordered=True, events=Losing())
        with pytest.raises(KeyboardInterrupt):
            found.extend(value for _, value in stream.values())
    assert found == [0, 2, 4, 6, 8, 10, 12, 14, 16][: len(found)]


def test_after_a_piece_that_ctrl_c_has_cut_no_later_value_comes():
    later, found = Event(), []

    def cut():
        over = cancellation()
        yield "first"
        while not over():
            later.wait(0.001)
        yield "second"
        yield "third"

    def watch():
        if later.is_set():
            raise KeyboardInterrupt

    with ThisProcess(2) as threads:
        stream = ordered(threads, [Piece("cut", cut), Piece("later", later.set)], watch=watch)
        with pytest.raises(KeyboardInterrupt):
            found.extend(value for _, value in stream)
    assert found == ["first", "second"]


def test_large_clusters_get_larger_pieces(executor_of):
    assert executor_of(slots=2).piece_seconds == 2.0
    assert executor_of(slots=3200).slots / executor_of(slots=3200).piece_seconds <= 200
