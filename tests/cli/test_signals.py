"""SIGTERM, SIGHUP and Ctrl-C while the program works: what is done is kept, and each has its exit code."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of POSIX")

EASY = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15"
HARD = "12 10 6 0 9 8 13 15 11 7 3 2 5 4 14 1"
WORDS = ("solve", "tiles-4x4", EASY, HARD, "--with", "ida", "--estimate", "misplaced")
PROGRAM = (sys.executable, "-m", "puzzlelab", *WORDS)
HAS_NAMESPACES = (
    shutil.which("unshare") is not None
    and subprocess.run(["unshare", "-p", "-f", "--mount-proc", "true"], capture_output=True, check=False).returncode
    == 0
)


def listening() -> None:
    """Undo what a shell does to processes in the background."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def ended(out, *numbers, command=PROGRAM, prepare=listening, target=lambda process: process.pid):
    """Start the program, send it these signals after its first answer, and wait for its end."""
    with subprocess.Popen(
        [*command, "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        preexec_fn=prepare,
    ) as process:
        assert process.stdout is not None
        while not out.exists() or not out.read_text().endswith("\n"):
            assert process.poll() is None
            time.sleep(0.01)
        for number in numbers:
            os.kill(target(process), number)
        _, err = process.communicate(timeout=300)
    assert "Traceback" not in err
    return process.returncode, err


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), pytest.param(signal.SIGHUP, 129, marks=pytest.mark.slow)],
    ids=["SIGTERM", "SIGHUP"],
)
def test_a_signal_interrupts_and_keeps_the_rows(tmp_path, number, code) -> None:
    out = tmp_path / "rows.jsonl"
    assert ended(out, number)[0] == code
    assert [json.loads(row)["length"] for row in out.read_text().splitlines()] == [1]


@pytest.mark.slow
def test_nohup_is_respected(tmp_path) -> None:
    def nohup() -> None:
        listening()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    assert ended(tmp_path / "rows.jsonl", signal.SIGHUP, signal.SIGTERM, prepare=nohup)[0] == 143


@pytest.mark.slow
@pytest.mark.skipif(not HAS_NAMESPACES, reason="process namespaces need privileges")
def test_the_first_process_of_a_container_ends_at_sigterm(tmp_path) -> None:
    def child(process) -> int:
        return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])

    command = ("unshare", "-p", "-f", "--mount-proc", *PROGRAM)
    assert ended(tmp_path / "rows.jsonl", signal.SIGTERM, command=command, target=child)[0] == 143
