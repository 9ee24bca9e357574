"""Kills while many boards are solved: `python benchmarks/bulk_kills.py [--boards N] [--kills N] [--seed N]`.

For each form of a file of rows, `puzzlelab solve sudoku-9x9 --file ... --out` is killed (SIGKILL) at random moments and
started again, until the last start may come to its end. The rows must then be those of a run in one go, in their order,
but for seconds. The exit code is 1 if they are not.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import puzzlelab
from puzzlelab.storage.row_exports import source_of
from puzzlelab.storage.row_files import count_rows, read_rows

ENDINGS = (".jsonl", ".csv", ".parquet")


def command(boards: Path, out: Path) -> list[str]:
    """The command that solves all boards."""
    words = ["solve", "sudoku-9x9", "--file", str(boards), "--out", str(out), "--as", "line"]
    return [sys.executable, "-m", "puzzlelab", *words]


def solved(boards: Path, out: Path) -> float:
    """Solve all boards in one go; the seconds that this takes."""
    began = time.perf_counter()
    subprocess.run(command(boards, out), stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def killed(boards: Path, out: Path, seconds: float) -> bool:
    """Kill the command after this time; whether it was still at work."""
    with subprocess.Popen(command(boards, out), stdout=subprocess.DEVNULL) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            return True
    return False


def timeless(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file without their seconds."""
    for _, row in read_rows(path):
        yield row.model_dump(exclude={"seconds"})


def main() -> None:
    """Try each form, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=100_000, help="Sudokus to solve (100000)")
    parser.add_argument("--kills", type=int, default=10, help="kills of each form (10)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the moments (1)")
    arguments = parser.parse_args()
    choose = random.Random(arguments.seed)
    table = Table("form", "rows", "one go, s", "kills at work", "rows after each kill", "equal but for seconds")
    all_equal = True
    with tempfile.TemporaryDirectory() as folder:
        boards = Path(folder, "boards.txt")
        with boards.open("w", encoding="utf-8") as file:
            file.writelines(
                f"{board.puzzle.write(board.state)}\n" for board in puzzlelab.generate("sudoku-9x9", arguments.boards)
            )
        for ending in ENDINGS:
            whole, cut = Path(folder, f"whole{ending}"), Path(folder, f"cut{ending}")
            seconds, hits, counts = solved(boards, whole), 0, [0]
            again = solved(boards, whole)
            for _ in range(arguments.kills):  # later starts first read and verify what is stored
                reading = again * counts[-1] / arguments.boards
                hits += killed(boards, cut, reading + choose.uniform(0.2, 0.8) * seconds)
                counts.append(count_rows(cut) or 0 if source_of(cut).exists() else 0)
            solved(boards, cut)
            equal = all(one == other for one, other in zip_longest(timeless(whole), timeless(cut)))
            all_equal &= equal
            table.add_row(
                ending,
                f"{count_rows(cut):,}",
                f"{seconds:.1f}",
                f"{hits} of {arguments.kills}",
                " ".join(f"{count:,}" for count in counts[1:]),
                "yes" if equal else "NO",
            )
    Console().print(table)
    sys.exit(not all_equal)


if __name__ == "__main__":
    main()
