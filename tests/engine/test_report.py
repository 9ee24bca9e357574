import logging
import threading

import pytest

from puzzlelab.engine import report


def test_who_listens_hears_sentences_and_progress(listener) -> None:
    report.note("something happened")
    report.progress("building", 1, 4)
    assert listener.notes == ["something happened"]
    assert listener.parts == [("building", 1, 4)]


def test_the_last_listener_alone_hears(listener) -> None:
    inner = type(listener)()
    with report.listening(inner):
        report.note("for the inner one")
    report.note("for the outer one")
    assert (inner.notes, listener.notes) == (["for the inner one"], ["for the outer one"])


def test_without_a_listener_sentences_go_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "puzzlelab"):
        report.note("something happened")
        report.waiting("it takes long")
        report.progress("building", 1, 4)
    assert [(record.levelname, record.message) for record in caplog.records] == [("WARNING", "something happened")]


@pytest.mark.parametrize("level", [logging.NOTSET, logging.WARNING], ids=["nothing is set", "a level is set"])
def test_a_delay_is_told_on_standard_error_where_the_log_is_not_set_up(
    level: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(report.LOGGER, "propagate", False)  # as if there were no handler
    monkeypatch.setattr(report.LOGGER, "level", level)
    report.waiting("it takes long")
    assert capsys.readouterr().err == ("" if level else "it takes long\n")


def test_what_takes_long_is_told_once_and_what_does_not_is_not(listener) -> None:
    told = threading.Event()
    listener.waiting = lambda sentence: (listener.waits.append(sentence), told.set())
    with report.after(0.01, "this takes long"):
        assert told.wait(300)
    with report.after(60, "this does not"):
        pass
    assert (listener.waits, listener.notes) == (["this takes long"], [])


def test_listeners_that_are_equal_are_not_confused(listener) -> None:
    class Equal(type(listener)):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None

    outer, inner = Equal(), Equal()
    with report.listening(outer):
        with pytest.raises(KeyError), report.listening(inner):
            raise KeyError  # a listener goes even after an error
        report.note("for the outer one")
    assert (outer.notes, inner.notes) == (["for the outer one"], [])
