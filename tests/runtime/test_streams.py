"""Standard streams that are closed, and terminals that have ASCII alone."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from puzzlelab.runtime import startup

PROGRAM = f"{sys.executable} -m puzzlelab"


@pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")
@pytest.mark.parametrize(
    "closed", [">&-", *(pytest.param(each, marks=pytest.mark.slow) for each in ("2>&-", "<&-", "<&- >&- 2>&-"))]
)
def test_closed_streams_do_not_matter(tmp_path, closed) -> None:
    out = tmp_path / "rows.jsonl"
    solve = f"{PROGRAM} solve tiles-2x2 '1 2 0 3' --out {out}"
    done = subprocess.run(["sh", "-c", f"{solve} {closed}"], capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert [json.loads(row)["length"] for row in out.read_text().splitlines()] == [1]
    none = subprocess.run(["sh", "-c", f"{PROGRAM} solve tiles-2x2 1 {closed}"], capture_output=True, check=False)
    assert (none.returncode, b"Traceback" in none.stderr) == (2, False)


# One process for all of them. What needs a library that is not installed ends with a sentence, in ASCII too.
VERBS = """
import io, sys
from puzzlelab.cli.main import run
for words in {calls}:
    sys.argv = ["puzzlelab", *words]
    print("--", *words, flush=True)
    try:
        run()
    except SystemExit as ended:
        print("exit", ended.code, flush=True)
"""
HELP = [[], ["--help"], *([verb, "--help"] for verb in ("solve", "generate", "bench", "train", "selfplay", "plot"))]
CALLS = [
    *HELP,
    ["list"],
    ["list", "dust-4x3x3"],
    ["solve", "tiles-2x2", "1 2 0 3", "--steps"],
    ["solve", "tiles-2x2", "1 2 0 3", "3 2 1 0", "--json"],
    ["solve", "tiles-2x2", "\u00e4\udcff"],
    ["check", "tiles-2x2", "1 2 0 3"],
    ["hint", "tiles-2x2", "1 2 0 3"],
    ["generate", "tiles-2x2", "--count", "2"],
    ["solve", "tiles-2x2", "1 2 0 3", "--out", "rows.jsonl"],
    ["verify", "rows.jsonl"],
    ["bench", "tiles-2x2", "boards.txt", "--with", "ida", "--out", "table"],
    ["plot", "table"] if find_spec("matplotlib") else ["--version"],
    ["selfplay", "status", "nowhere"],
    ["train", "imitation", "--run", "nowhere"],
]


def test_every_verb_prints_ascii_where_there_is_nothing_else(tmp_path) -> None:
    (tmp_path / "boards.txt").write_text("1 2 0 3\n0 1 3 2\n3 1 2 0\n")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
    done = subprocess.run(
        [sys.executable, "-c", VERBS.format(calls=ascii(CALLS))],
        capture_output=True,
        cwd=tmp_path,
        env=environment,
        check=False,
    )
    out, err = (text.replace(b"\xff", b"?").decode("ascii") for text in (done.stdout, done.stderr))
    assert done.returncode == 0, err
    assert "Traceback" not in err
    assert "UnicodeEncodeError" not in out + err
    assert out.count("\nexit ") == len(CALLS)
    assert "+-" in out.partition("-- bench tiles-2x2")[2]  # the half width of an interval


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("7.5 ± 0.2", "ascii", b"7.5 +- 0.2"),
        ("7.5 ± 0.2", "latin-1", b"7.5 \xb1 0.2"),
        ("┏━┓│…é→漢", "ascii", b"+-+|...e->?"),
        ("name\udcff", "utf-8", b"name\xff"),
        ("\ud800", "utf-8", b"?"),
    ],
)
def test_characters_that_an_encoding_lacks(text, encoding, expected) -> None:
    startup.prepare_streams()
    assert text.encode(encoding, startup.REPLACE) == expected
