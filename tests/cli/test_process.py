"""The program as a process of its own: exit codes, no tracebacks, Ctrl-C, closed pipes."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typed_boards import FAR

EASY = [
    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15",
    "1 2 3 4 5 6 7 8 9 10 11 12 13 0 14 15",
    "1 2 3 4 5 6 7 8 9 10 11 0 13 14 15 12",
]
HARD = "12 10 6 0 9 8 13 15 11 7 3 2 5 4 14 1"


def program(*words, stdin=""):
    return subprocess.run(
        [sys.executable, "-m", "puzzlelab", *map(str, words)], input=stdin, capture_output=True, text=True, timeout=300
    )


def test_the_process_ends_with_the_code_of_the_program():
    done = program("solve", "tiles-3x3", "1 2 3")
    assert (done.returncode, done.stderr) == (2, "error: 3 numbers given; tiles-3x3 has 9, 0 for the blank\n")


def limited(megabytes, *words):
    """The program with an address space of so many megabytes, as by `ulimit -v`."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({megabytes} << 20, {megabytes} << 20))"
    run = "import sys; sys.argv[0] = 'puzzlelab'; from puzzlelab.cli.main import run; run()"
    return subprocess.run(
        [sys.executable, "-c", f"{limit}; {run}", *words],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # threads reserve much where there are many cores
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
@pytest.mark.slow
def test_a_search_reserves_what_the_limit_of_the_process_allows():
    done = limited(2000, "solve", "tiles-3x3", FAR, "--with", "bfs")
    assert "31 moves, proven optimal" in done.stdout, done.stderr
    assert done.returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
def test_a_process_that_gets_no_memory_says_so():
    done = limited(150, "solve", "tiles-3x3", FAR, "--with", "bfs")
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1)
    assert "memory" in (done.stdout + done.stderr).lower() or done.returncode == 0


def test_a_reader_that_goes_away_ends_the_program_quietly():
    words = ("generate", "tiles-3x3", "--scale", "walk", "--level", "9", "--count", "1000000")
    with subprocess.Popen(
        [sys.executable, "-m", "puzzlelab", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout.readline()
        child.stdout.close()
        err = child.stderr.read()
        child.wait(timeout=300)
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    assert child.returncode != 0


@pytest.mark.slow
def test_an_interrupted_run_keeps_its_rows_and_goes_on_from_there(tmp_path):
    boards, out = tmp_path / "boards.txt", tmp_path / "rows.jsonl"
    boards.write_text("\n".join([*EASY, HARD, HARD]) + "\n")
    words = ("solve", "tiles-4x4", "--file", boards, "--with", "ida", "--estimate", "misplaced", "--out", out)
    with subprocess.Popen(
        [sys.executable, "-m", "puzzlelab", *map(str, words), "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        deadline = time.monotonic() + 300
        while not out.exists() or len(out.read_text().splitlines()) < len(EASY):
            assert time.monotonic() < deadline
            assert child.poll() is None
            time.sleep(0.05)
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=300)
    assert child.returncode == 130
    assert "Traceback" not in err
    assert "interrupted" in err
    kept = out.read_text()
    assert [json.loads(row)["length"] for row in kept.splitlines()] == [1, 2, 1]
    done = program(*words, "--nodes", 1000)
    assert done.returncode == 1
    rows = [json.loads(row) for row in out.read_text().splitlines()]
    assert out.read_text().startswith(kept)
    assert [row["stop"] for row in rows] == ["done"] * 3 + ["nodes"] * 2
    assert [row["board"] for row in rows] == [*EASY, HARD, HARD]
    last = program("verify", out).stdout.splitlines()[-1]
    assert last.startswith("5 of 5 hold: moves replayed: 3; without a solution: 2; ")


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of POSIX")
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), pytest.param(signal.SIGHUP, 129, marks=pytest.mark.slow)],
    ids=["SIGTERM", "SIGHUP"],
)
def test_a_signal_interrupts_and_keeps_the_rows(tmp_path, number, code):
    out = tmp_path / "rows.jsonl"
    words = ("solve", "tiles-4x4", EASY[0], HARD, "--with", "ida", "--estimate", "misplaced", "--out", str(out))
    with subprocess.Popen(
        [sys.executable, "-m", "puzzlelab", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    ) as process:
        while not out.exists() or not out.read_text().endswith("\n"):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        _, err = process.communicate(timeout=300)
    assert process.returncode == code
    assert "Traceback" not in err
    assert [json.loads(row)["length"] for row in out.read_text().splitlines()] == [1]
