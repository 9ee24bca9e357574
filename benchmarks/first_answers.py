"""Measures the time to the first solution of random boards by the usual solver, alone or beside a busy process.

Usage: python benchmarks/first_answers.py [BOARDS] [PUZZLE...]; by default 100 uniform boards of each square of tiles
from 4x4 to 8x8. The first board of a size is searched once before, so that kernels and tables are there. Both the
seconds that pass and those of the processor are printed.
"""

from __future__ import annotations

import statistics
import sys
import time

import puzzlelab

SQUARES = tuple(f"tiles-{side}x{side}" for side in range(4, 9))


def first_answer(board: puzzlelab.Instance) -> tuple[float, float, int]:
    """Return the seconds until a solution of the board is there, by the clock and of the processor, and its moves."""
    began, used = time.perf_counter(), time.process_time()
    for attempt in puzzlelab.attempts(board):
        if isinstance(attempt, puzzlelab.Result) and attempt.length is not None:
            return time.perf_counter() - began, time.process_time() - used, attempt.length
    raise SystemExit(f"no solution of {board!r}")


def main(count: int = 100, *names: str) -> None:
    """Print a line for each puzzle."""
    for name in names or SQUARES:
        boards = list(puzzlelab.generate(puzzlelab.load(name), count, scale="uniform", seed=56))
        first_answer(boards[0])
        *times, lengths = zip(*map(first_answer, boards), strict=True)
        shown = [f"median {1000 * statistics.median(each):.0f} ms, worst {1000 * max(each):.0f} ms" for each in times]
        length = f"{statistics.mean(lengths):.1f} moves on average"
        print(f"{name}: {count} first solutions: {shown[0]}; processor: {shown[1]}; {length}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:])
