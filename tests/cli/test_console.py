"""Where what the library tells of its work is shown."""

from io import StringIO

import pytest

from puzzlelab.cli import console
from puzzlelab.engine import report


class Terminal(StringIO):
    """A standard error that somebody looks at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("errors", [StringIO(), Terminal()], ids=["file", "terminal"])
def test_why_nothing_happens_is_told_on_a_terminal_and_in_a_file(monkeypatch, errors: StringIO) -> None:
    monkeypatch.setattr("sys.stderr", errors)
    with console.progress():
        report.waiting("this takes long")
        report.note("this is worth knowing")
    assert "this takes long" in errors.getvalue()
    assert "this is worth knowing" in errors.getvalue()
