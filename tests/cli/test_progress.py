"""Lines of progress, by a clock of the test."""

import logging

import pytest

from puzzlelab.cli import progress as module


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands where the test sets it."""
    now = [0.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
    return now


def seconds_of_lines(reporter, clock, caplog):
    """The seconds, of a hundred, at which the reporter prints a line."""
    printed = []
    with caplog.at_level(logging.INFO, "puzzlelab"):
        for clock[0] in range(100):
            caplog.clear()
            reporter.progress("states", clock[0], None, "still searching")
            printed += [clock[0]] * len(caplog.records)
    return printed


def test_a_line_comes_after_ten_seconds_and_then_every_ten(clock, caplog):
    assert seconds_of_lines(module.LineReporter(10.0), clock, caplog) == list(range(10, 100, 10))


def test_the_search_of_one_board_has_lines_sooner_that_get_rarer(clock, caplog):
    reporter = module.LineReporter(module.SEARCH_PATIENCE, growth=module.SEARCH_GROWTH)
    assert seconds_of_lines(reporter, clock, caplog) == [1, 2, 3, 5, 8, 12, 18, 27, 41, 62, 93]
