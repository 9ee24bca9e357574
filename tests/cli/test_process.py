"""The program as a process of its own: exit codes, no tracebacks, Ctrl-C, closed pipes."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

ONE, FAR, ODD = "1 2 3 4 5 6 7 0 8", "8 6 7 2 5 4 3 0 1", "1 2 3 4 5 6 8 7 0"
EASY = [
    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15",
    "1 2 3 4 5 6 7 8 9 10 11 12 13 0 14 15",
    "1 2 3 4 5 6 7 8 9 10 11 0 13 14 15 12",
]
HARD = "12 10 6 0 9 8 13 15 11 7 3 2 5 4 14 1"
# A shell that starts the tests in the background has its children ignore Ctrl-C; this takes that back.
LISTENING = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from puzzlelab.cli.main import run; run()"
)


def program(*words, stdin=""):
    return subprocess.run(
        [sys.executable, "-m", "puzzlelab", *map(str, words)], input=stdin, capture_output=True, text=True, timeout=300
    )


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("solve", "tiles-3x3", "1 2 3"), 2),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (
                (("solve", "tiles-3x3", FAR), 0),
                (("solve", "tiles-3x3", ODD), 1),
                (("--version",), 0),
                (("solve", "tiles-3x3", FAR, "--nodes", 5), 1),
                (("solve", "tiles-3x3", ONE, "--with", "nobody"), 2),
                (("check", "tiles-3x3", ODD), 1),
                (("verify", "/nowhere/rows.jsonl"), 2),
                (("generate", "tiles-3x3", "--out", "/dev/null/boards.txt"), 2),
                (("nonsense",), 2),
            )
        ),
    ],
    ids=lambda value: " ".join(map(str, value[:3])) if isinstance(value, tuple) else str(value),
)
def test_exit_codes_without_tracebacks(words, code):
    done = program(*words)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert bool(done.stderr) == (code == 2)


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
@pytest.mark.parametrize(
    "words",
    [("bfs",), pytest.param(("astar", "--estimate", "manhattan"), marks=pytest.mark.slow)],
    ids=["bfs", "astar"],
)
def test_a_search_reserves_what_the_limit_of_the_process_allows(words):
    done = limited(2000, "solve", "tiles-3x3", FAR, "--with", *words)
    assert "31 moves, proven optimal" in done.stdout, done.stderr
    assert done.returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
@pytest.mark.parametrize("megabytes", [150, *(pytest.param(each, marks=pytest.mark.slow) for each in (40, 60, 300))])
def test_a_process_that_gets_no_memory_says_so(megabytes):
    done = limited(megabytes, "solve", "tiles-3x3", FAR, "--with", "bfs")
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1)
    assert "memory" in (done.stdout + done.stderr).lower() or done.returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ("tiles-3x3", "--scale", "walk", "--level", "9"),
        pytest.param(("sudoku-9x9", "--level", "1"), marks=pytest.mark.slow),
    ],
    ids=["tiles", "sudoku"],
)
def test_a_reader_that_goes_away_ends_the_program_quietly(words):
    with subprocess.Popen(
        [sys.executable, "-m", "puzzlelab", "generate", *words, "--count", "1000000"],
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
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupted_run_keeps_its_rows_and_goes_on_from_there(tmp_path, jobs):
    boards, out = tmp_path / "boards.txt", tmp_path / "rows.jsonl"
    boards.write_text("\n".join([*EASY, HARD, HARD]) + "\n")
    words = ("solve", "tiles-4x4", "--file", boards, "--with", "ida", "--estimate", "misplaced", "--out", out)
    with subprocess.Popen(
        [sys.executable, "-c", LISTENING, *map(str, words), "--jobs", str(jobs)],
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
