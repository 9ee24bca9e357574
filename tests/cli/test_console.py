"""Where what the library tells of its work is shown."""

import sys
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest

from puzzlelab.cli import console, progress
from puzzlelab.engine import report


class Terminal(StringIO):
    """A standard error that somebody looks at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("errors", [StringIO(), Terminal()], ids=["file", "terminal"])
def test_why_nothing_happens_is_told_on_a_terminal_and_in_a_file(monkeypatch, errors: StringIO) -> None:
    monkeypatch.setattr("sys.stderr", errors)
    with progress.progress():
        report.waiting("this takes long")
        report.note("this is worth knowing")
    assert "this takes long" in errors.getvalue()
    assert "this is worth knowing" in errors.getvalue()


def test_bars_on_a_terminal_leave_the_output_of_a_command_to_its_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    errors = Terminal()
    monkeypatch.setattr("sys.stderr", errors)
    with progress.progress():
        report.progress("solving", 1, 2)
        console.say("an answer")
    assert capsys.readouterr().out == "an answer\n"
    assert "an answer" not in errors.getvalue()
    assert "solving" in errors.getvalue()


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


@pytest.fixture
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "time", SimpleNamespace(perf_counter=lambda: 0.0))


def test_training_is_told_in_lines_where_there_is_no_terminal(
    standing_clock: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress.progress(by_share=True):
        for step in range(1, 2001):
            report.progress("training", step, 2000, f"loss {1 / step:.3f}")
    told = lines(capsys)
    assert told[:3] == [
        "training: 1 of 2,000 (0%): loss 1.000",
        "training: 2 of 2,000 (0%): loss 0.500",
        "training: 4 of 2,000 (0%): loss 0.250",
    ]
    assert told[-1] == "training: 2,000 of 2,000 (100%): loss 0.001"
    assert 100 <= len(told) <= 110


def test_without_an_end_each_further_one_has_a_line(standing_clock: None, capsys: pytest.CaptureFixture[str]) -> None:
    with progress.progress(by_share=True):
        for minutes in (0.1, 0.5, 1.2, 1.9, 2.3):
            report.progress("self-play", minutes, None, "12 games")
    assert lines(capsys) == [
        "self-play: 0.1: 12 games",
        "self-play: 1.2: 12 games",
        "self-play: 2.3: 12 games",
    ]


def test_a_line_says_how_long_the_rest_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(perf_counter=lambda: clock.seconds))
    with progress.progress(by_share=True):
        for step in (0, 50, 100):
            clock.seconds = 1.2 * step
            report.progress("training", step, 200, "loss 1")
    assert lines(capsys)[1:] == [
        "training: 50 of 200 (25%, some 3 min left): loss 1",
        "training: 100 of 200 (50%, some 2 min left): loss 1",
    ]


def test_other_commands_have_a_line_after_ten_seconds_and_then_rarely(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(progress.PROGRESS_VARIABLE)
    clock = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(perf_counter=lambda: clock.seconds))
    with progress.progress():
        for number in range(1001):
            clock.seconds = number
            report.progress("solving", number, 1000)
    told = lines(capsys)
    assert told[:2] == [
        "solving: 10 of 1,000 (1%, some 16 min left)",
        "solving: 20 of 1,000 (2%, some 16 min left)",
    ]
    assert 25 < len(told) < 45


@pytest.mark.parametrize(("errors", "count"), [(StringIO(), 1), (Terminal(), 0)], ids=["file", "terminal"])
def test_a_command_whose_output_is_its_progress_has_lines_in_a_file_only(
    monkeypatch: pytest.MonkeyPatch, errors: StringIO, count: int
) -> None:
    monkeypatch.delenv(progress.PROGRESS_VARIABLE)
    monkeypatch.setattr("sys.stderr", errors)
    clock = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(perf_counter=lambda: clock.seconds))
    with progress.progress(bars=False):
        report.progress("counting", 0, None)
        clock.seconds = 11.0
        report.progress("counting", 1200, None)
        report.note("a note")
    told = errors.getvalue().splitlines()
    assert told == [*["counting: 1,200"] * count, "a note"]


def test_lines_of_progress_can_be_turned_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(progress.PROGRESS_VARIABLE, "0")
    clock = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(perf_counter=lambda: clock.seconds))
    with progress.progress():
        report.progress("boards", 0, 10)
        clock.seconds = 100.0
        report.progress("boards", 1, 10)
    assert not lines(capsys)


@pytest.mark.parametrize(
    ("level", "told"),
    [
        ("error", []),
        ("warning", ["a note"]),
        ("info", ["a note", "a delay"]),
        ("debug", ["a note", "a delay", "1 of 2"]),
    ],
)
def test_the_level_says_what_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], level: str, told: list[str]
) -> None:
    monkeypatch.setenv(console.LEVEL_VARIABLE, level)
    with progress.progress():
        report.note("a note")
        report.waiting("a delay")
        report.progress("boards", 1, 2)
    found = lines(capsys)
    assert len(found) == len(told)
    assert all(words in line for words, line in zip(told, found, strict=True))


# --- names with control characters ---

NAME = "x\x1b[31mred\nerror: none\r[/bold]\u202e\udcff"
SHOWN = r"x\x1b[31mred\nerror: none\r[/bold]\u202e\udcff"


def test_control_characters_of_names_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    console.fail(f"cannot read {NAME}: no such file")
    with progress.progress():
        report.note(f"{NAME} is made again")
    assert capsys.readouterr().err == f"error: cannot read {SHOWN}: no such file\n{SHOWN} is made again\n"


def test_control_characters_of_names_are_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = Terminal()
    monkeypatch.setattr("sys.stderr", errors)
    with progress.progress():
        report.note(f"{NAME} is made again")
        report.waiting(f"waiting for {NAME}")
    assert f"{SHOWN} is made again" in errors.getvalue()
    assert f"waiting for {SHOWN}" in errors.getvalue()


def test_control_characters_of_names_are_shown_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    report.note(f"{NAME} is made again")
    assert [record.getMessage() for record in caplog.records] == [f"{SHOWN} is made again"]


@pytest.mark.parametrize(
    "words",
    [
        ("train", "imitation", "--config", "x\x1b[31mred"),
        ("solve", "tiles-3x3", "--file", "x\x1b[31mred"),
        ("solve", "x\x1b[31mred", "867254301"),
        ("solve", "tiles-3x3", "867254301", "x\x1b[31mred"),
        ("solve", "tiles-3x3", "867254301", "--x\x1b[31mred"),
        ("verify", "x\x1b[31mred"),
        ("bench", "tiles-3x3", "x\x1b[31mred"),
        ("x\x1b[31mred",),
    ],
)
def test_no_command_echoes_control_characters(program, words: tuple[str, ...]) -> None:
    code, out, errors = program(*words)
    assert code
    assert "\x1b[31m" not in out + errors


# --- arguments that are no Unicode ---

NO_UNICODE = "\udcff"
"""What Python makes of the byte 255 in an argument."""


def test_a_row_of_a_board_that_is_no_unicode_can_be_read_again(program, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    first = program("solve", "tiles-3x3", NO_UNICODE, "--out", out)
    assert first == (2, "", "error: '\ufffd' has 1 digits; tiles-3x3 has 9, 0 for the blank\n")
    assert program("solve", "tiles-3x3", NO_UNICODE, "--out", out) == first
    assert program("verify", out)[0] == 2
    assert "holds no answer" in program("verify", out)[2]


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "tiles-3x3", "867254301", "--set", f"estimate={NO_UNICODE}"),
        ("solve", "tiles-3x3", "867254301", "--with", "portfolio", "--set", 'of=["\\ud800"]'),
        ("teach", "tiles-2x2", "--count", "9", "--out", NO_UNICODE),
        ("bench", "tiles-3x3", f"{NO_UNICODE}.txt"),
        ("train", "imitation", "--config", "tiles-3x3", "--run", NO_UNICODE),
    ],
)
def test_what_is_no_unicode_is_refused_where_it_cannot_be_written(program, words: tuple[str, ...]) -> None:
    code, _, errors = program(*words)
    assert code == 2
    assert errors.startswith("error: ")


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems have no such names")
def test_boards_in_a_file_whose_name_is_no_unicode_are_measured(program, tmp_path: Path) -> None:
    suite = tmp_path / f"{NO_UNICODE}.txt"
    suite.write_text("1 2 3 4 5 6 7 0 8\n")
    out = tmp_path / "out"
    assert program("bench", "tiles-3x3", suite, "--with", "bfs", "--out", out)[0] == 0
    assert program("bench", "tiles-3x3", suite, "--with", "bfs", "--out", out)[0] == 0
