"""What the tests of the command line share."""

import io
import sys

import pytest

from puzzlelab.cli.main import run

OF_COMPILING = ("Compiling ", "Another process is compiling ")


@pytest.fixture
def program(monkeypatch, capsys):
    """Runs the program with these words; returns (exit code, standard output, standard error).

    What is said of compiling is left out: it depends on which kernels other tests have compiled.
    """

    def call(*words, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["puzzlelab", *map(str, words)])
        monkeypatch.setenv("PYTHONSAFEPATH", "")  # or the program would set it, for the tests after this one too
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            run()
        said = capsys.readouterr()
        errors = [line for line in said.err.splitlines(keepends=True) if not line.startswith(OF_COMPILING)]
        return ended.value.code, said.out, "".join(errors)

    return call


@pytest.fixture
def file(tmp_path):
    """Writes a file of boards."""

    def write(text, name="boards.txt"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write
