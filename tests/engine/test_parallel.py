import _thread
import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import pytest

from puzzlelab.engine import parallel
from puzzlelab.engine.parallel import ThisProcess, cancellation, ordered_map
from puzzlelab.engine.streams import Piece, ordered


def flat_map(
    function: Callable[[int], Iterator[Any]], items: Iterable[int], jobs: int | None, on_cancel: Any = lambda: None
) -> Iterator[Any]:
    """The values of all items, in order."""
    with ThisProcess(jobs, on_cancel=on_cancel) as executor:
        for _, value in ordered(executor, (Piece("", partial(function, item)) for item in items)):
            yield value


def test_what_watches_may_end_a_wait() -> None:
    stop = threading.Event()

    def watch() -> None:
        raise KeyboardInterrupt

    for jobs in (1, 2):
        stop.clear()
        with pytest.raises(KeyboardInterrupt):
            list(ordered_map(lambda number: stop.wait(), range(3), jobs, on_interrupt=stop.set, watch=watch))
        assert stop.is_set()


def test_what_takes_long_to_end_is_not_waited_for(monkeypatch) -> None:
    monkeypatch.setattr(parallel, "PATIENCE", 0.0)
    begun, end = threading.Event(), threading.Event()

    def work(number: int) -> None:
        begun.set()
        end.wait()

    def watch() -> None:
        if begun.is_set():
            raise KeyboardInterrupt

    try:
        with pytest.raises(KeyboardInterrupt):
            list(ordered_map(work, range(9), jobs=2, watch=watch))
    finally:
        end.set()


def test_ctrl_c_that_does_not_end_a_wait_is_seen_all_the_same() -> None:
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("Ctrl-C reaches the main thread alone")
    stop = threading.Event()

    def press(number: int) -> bool:
        time.sleep(0.2)  # until the main thread waits
        _thread.interrupt_main()  # says that Ctrl-C was pressed, and wakes nobody
        return stop.wait(300)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            list(ordered_map(press, range(1), jobs=2, on_interrupt=stop.set))
    finally:
        signal.signal(signal.SIGINT, before)
    assert stop.is_set()


# --- several values of each item ---


@pytest.mark.parametrize("jobs", [1, 2, 3, None])
def test_the_values_of_all_items_come_in_order(jobs: int | None) -> None:
    def values(number: int) -> Iterator[tuple[int, int]]:
        for place in range(number % 4):
            time.sleep(0.001 * (number % 3))
            yield number, place

    expected = [(number, place) for number in range(30) for place in range(number % 4)]
    assert list(flat_map(values, range(30), jobs)) == expected
    assert list(flat_map(values, [], jobs)) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_value_comes_before_the_next_one_of_its_item_exists(jobs: int) -> None:
    go_on = threading.Event()

    def values(number: int) -> Iterator[int]:
        yield number
        assert go_on.wait(300)
        yield -number

    answers = flat_map(values, [1, 2], jobs)
    assert next(answers) == 1
    go_on.set()
    assert list(answers) == [-1, 2, -2]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_among_values_comes_in_its_place(jobs: int) -> None:
    def values(number: int) -> Iterator[int]:
        yield number
        if number == 2:
            raise ArithmeticError("two")

    answers = flat_map(values, range(5), jobs)
    assert [next(answers), next(answers), next(answers)] == [0, 1, 2]
    with pytest.raises(ArithmeticError, match="two"):
        next(answers)
    assert list(answers) == []


def test_with_one_job_values_are_made_on_request() -> None:
    made = []

    def values(number: int) -> Iterator[int]:
        for place in range(3):
            made.append((number, place))
            yield place

    answers = flat_map(values, itertools.count(), jobs=1)
    for _ in range(4):
        next(answers)
    assert made == [(0, 0), (0, 1), (0, 2), (1, 0)]


def test_closing_ends_iterators_at_their_next_value_and_drops_the_rest() -> None:
    begun, closed, stop = [], [], threading.Event()

    def values(number: int) -> Iterator[int]:
        begun.append(number)
        try:
            yield number
            stop.wait(300)
            while True:
                yield number
        finally:
            closed.append(number)

    answers = flat_map(values, itertools.count(), 2, stop.set)
    assert next(answers) == 0
    answers.close()  # type: ignore[attr-defined]
    assert stop.is_set()
    assert sorted(closed) == sorted(begun)
    assert len(begun) <= 2


# --- pieces ---


def test_pieces_of_one_job_are_done_when_they_are_waited_for() -> None:
    calls: list[int] = []
    with ThisProcess() as executor:
        futures = [executor.submit(calls.append, number) for number in (1, 2)]
        assert executor.wait(futures, 0.0) == set()
        assert calls == []
        assert executor.wait(futures) == {futures[0]}
        executor.cancel()
        assert calls == [1]


def test_threads_prepare_themselves_once() -> None:
    from puzzlelab.engine.executor import Setup

    calls: list[int] = []
    with ThisProcess(2) as executor:
        piece = Piece("one", lambda: len(calls), Setup("tables", lambda: calls.append(0)))
        assert [value for _, value in ordered(executor, [piece] * 9)] == [1] * 9


def test_a_piece_sees_that_it_is_cancelled_and_its_last_value_is_kept() -> None:
    begun = threading.Event()

    def values() -> Iterator[str]:
        over = cancellation()
        yield "first"
        begun.set()
        while not over():
            time.sleep(0.001)
        yield "last"

    def watch() -> None:
        if begun.is_set():
            raise KeyboardInterrupt

    with ThisProcess(2) as executor:
        stream = ordered(executor, [Piece("one", values)], watch=watch)
        assert [next(stream)[1], next(stream)[1]] == ["first", "last"]
        with pytest.raises(KeyboardInterrupt):
            next(stream)


def test_a_published_value_is_the_value_itself() -> None:
    value = b"weights"
    assert ThisProcess().publish("abc", value).value() is value


class Process:
    def number(self) -> int:
        return os.getpid()


def test_a_program_is_in_a_process_of_its_own_which_ends_with_the_executor() -> None:
    with ThisProcess() as executor:
        number = executor.start(Process, ()).call("number").result()
        assert number != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_the_time_in_which_values_are_used_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds, told = [0.0], list[float]()
    monkeypatch.setattr("puzzlelab.engine.executor.time.perf_counter", lambda: seconds[0])
    for _ in ordered(ThisProcess(), [Piece("letters", lambda: (each for each in "ab"), took=told.append)]):
        seconds[0] += 100
    assert told == [0.0]
