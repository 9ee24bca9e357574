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


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """`told(reports, **settings)`: the lines for reports, each a second of the clock and the arguments."""

    def call(reports, variable: str = "", **settings) -> list[str]:
        monkeypatch.setenv(progress.PROGRESS_VARIABLE, variable)
        clock = SimpleNamespace(seconds=0.0)
        monkeypatch.setattr(progress, "time", SimpleNamespace(perf_counter=lambda: clock.seconds))
        with progress.progress(**settings):
            for clock.seconds, *arguments in reports:
                report.progress(*arguments)
        return capsys.readouterr().err.splitlines()

    return call


def test_training_is_told_in_lines_where_there_is_no_terminal(told) -> None:
    lines = told([(0.0, "training", step, 2000, f"loss {1 / step:.3f}") for step in range(1, 2001)], by_share=True)
    assert lines[:3] == [
        "training: 1 of 2,000 (0%): loss 1.000",
        "training: 2 of 2,000 (0%): loss 0.500",
        "training: 4 of 2,000 (0%): loss 0.250",
    ]
    assert lines[-1] == "training: 2,000 of 2,000 (100%): loss 0.001"
    assert 100 <= len(lines) <= 110


@pytest.mark.parametrize("by_share", [False, True], ids=["another command", "training"])
def test_there_are_no_lines_where_the_variable_is_0(told, by_share: bool) -> None:
    reports = [(60.0 * step, "training", step, 2, "loss 1") for step in (0, 1, 2)]
    assert told(reports, "0", by_share=by_share) == []
    assert len(told(reports, by_share=by_share)) >= 2


def test_without_an_end_each_further_one_has_a_line(told) -> None:
    reports = [(0.0, "self-play", minutes, None, "12 games") for minutes in (0.1, 0.5, 1.2, 1.9, 2.3)]
    assert told(reports, by_share=True) == [f"self-play: {minutes}: 12 games" for minutes in (0.1, 1.2, 2.3)]


def test_a_line_says_how_long_the_rest_takes(told) -> None:
    reports = [(1.2 * step, "training", step, 200, "loss 1") for step in (0, 50, 100)]
    assert told(reports, by_share=True)[1:] == [
        "training: 50 of 200 (25%, some 3 min left): loss 1",
        "training: 100 of 200 (50%, some 2 min left): loss 1",
    ]


def test_other_commands_have_a_line_after_ten_seconds_and_then_rarely(told) -> None:
    lines = told([(number, "solving", number, 1000) for number in range(1001)])
    assert lines[:2] == [
        "solving: 10 of 1,000 (1%, some 16 min left)",
        "solving: 20 of 1,000 (2%, some 16 min left)",
    ]
    assert 25 < len(lines) < 45


@pytest.mark.parametrize(("errors", "count"), [(StringIO(), 1), (Terminal(), 0)], ids=["file", "terminal"])
def test_a_command_whose_output_is_its_progress_has_lines_in_a_file_only(
    told, monkeypatch: pytest.MonkeyPatch, errors: StringIO, count: int
) -> None:
    monkeypatch.delenv(progress.PROGRESS_VARIABLE)
    monkeypatch.setattr("sys.stderr", errors)
    told([(0.0, "counting", 0, None), (11.0, "counting", 1200, None)], bars=False)
    assert errors.getvalue() == "counting: 1,200\n" * count


@pytest.mark.parametrize(("level", "count"), [("error", 0), ("warning", 1), ("info", 2), ("debug", 3)])
def test_the_level_says_what_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], level: str, count: int
) -> None:
    monkeypatch.setenv(console.LEVEL_VARIABLE, level)
    with progress.progress():
        report.note("a note")
        report.waiting("a delay")
        report.progress("boards", 1, 2)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == count
    assert all(words in line for words, line in zip(["a note", "a delay", "1 of 2"], lines, strict=False))


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
        ("solve", "x\x1b[31mred", "867254301"),
        ("solve", "tiles-3x3", "867254301", "x\x1b[31mred"),
        ("solve", "tiles-3x3", "867254301", "--x\x1b[31mred"),
        ("verify", "x\x1b[31mred"),
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
