"""What the tests of the command line share."""

import io
import sys

import pytest

from puzzlelab.cli.main import run


@pytest.fixture
def program(monkeypatch, capsys):
    """Runs the program with these words; returns (exit code, standard output, standard error)."""

    def call(*words, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["puzzlelab", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            run()
        said = capsys.readouterr()
        return ended.value.code, said.out, said.err

    return call
