"""Runs the fault trials: all of them, or with the word `commit` the share that the hash of the commit chooses."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTEST = ("-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "-m", "faults", "tests/faults")
SHARES = 32


def main(words: list[str]) -> int:
    """Run the trials, and print the command that repeats them."""
    if words == ["commit"]:
        told = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True)
        words = ["--share", f"{int(told, 16) % SHARES}/{SHARES}", "--fault-seed", str(int(told[:6], 16))]
    print(f"python {shlex.join((*PYTEST, *words))}", flush=True)
    return subprocess.run([sys.executable, *PYTEST, *words], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
