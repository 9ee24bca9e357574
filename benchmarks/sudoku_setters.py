"""What setters of Sudoku ask, compared with brute force: `python benchmarks/sudoku_setters.py COUNTS.csv`.

COUNTS.csv has lines `puzzle,number of solutions`. Each line of the output says what was compared, on how many boards,
how many differ, and the time of a board. `--share 0.01` takes a hundredth of the boards.

Exit code: 0 nothing differs, 1 something does.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import puzzlelab
from puzzlelab.analysis.count_estimates import estimate_count
from puzzlelab.analysis.needless_clues import needless_clues
from puzzlelab.analysis.true_candidates import true_candidates
from puzzlelab.puzzles.sudoku.canonical import least_images
from puzzlelab.puzzles.sudoku.generate import random_images
from puzzlelab.puzzles.sudoku.solvers.bands import solve_batch

PUZZLE = puzzlelab.load("sudoku-9x9")
SOLVER = puzzlelab.solver("bands")
NO_LIMIT = puzzlelab.Limit()
Boards = NDArray[np.uint8]


def report(what: str, boards: int, wrong: int, seconds: Sequence[float]) -> int:
    """Print a line; return how many are wrong."""
    middle = f"median {1000 * statistics.median(seconds):.3f} ms a board" if seconds else ""
    print(f"{what}: {boards:,} boards, {wrong} differ; {middle}", flush=True)
    return wrong


def timed(boards: Boards, size: int, ask) -> tuple[list, list[float]]:
    """Ask about so many boards at a time; return the answers and the seconds of each board."""
    answers, seconds = [], []
    list(ask(puzzlelab.Boards(PUZZLE, boards[:2])))  # compiles the kernels
    for begin in range(0, len(boards), size):
        part, began = puzzlelab.Boards(PUZZLE, boards[begin : begin + size]), time.perf_counter()
        answers += ask(part)
        seconds += [(time.perf_counter() - began) / len(part)] * len(part)
    return answers, seconds


def compare_candidates(boards: Boards, numbers: Sequence[int]) -> int:
    """Compare true candidates with those of all solutions."""
    found, seconds = timed(boards, 100, lambda part: true_candidates(part, SOLVER, NO_LIMIT))
    wrong = 0
    for state, number, answer in zip(boards, numbers, found, strict=True):
        expected, count = np.zeros((81, 9), bool), 0
        for count, moves in enumerate(puzzlelab.solutions(puzzlelab.Instance(PUZZLE, state)), start=1):  # noqa: B007
            expected.reshape(-1)[list(moves)] = True
        if count:
            clues = np.flatnonzero(state)
            expected[clues, state[clues].astype(int) - 1] = True
        wrong += not (np.array_equal(answer.possible, expected) and count == number)
    return report("true candidates", len(boards), wrong, seconds)


def brute_needless(state: NDArray[np.uint8]) -> tuple[int, ...]:
    """Return the moves of the clues without which a board still has one solution, by counting without each."""
    clues = np.flatnonzero(state)
    without = np.repeat(state[None], len(clues), axis=0)
    without[np.arange(len(clues)), clues] = 0
    counts = [puzzlelab.count(puzzlelab.Instance(PUZZLE, each), "dancing-links", most=2).solutions for each in without]
    return tuple(int(9 * cell + state[cell] - 1) for cell, count in zip(clues, counts, strict=True) if count == 1)


def compare_needless(count: int) -> int:
    """Compare needless clues with brute force by another solver."""
    boards = np.array([board.state for board in puzzlelab.generate(PUZZLE, count, level="4-5", seed=1)])
    found, seconds = timed(boards, 100, lambda part: needless_clues(part, SOLVER, NO_LIMIT))
    wrong = sum(answer.clues != brute_needless(state) for state, answer in zip(boards, found, strict=True))
    return report("needless clues", count, wrong, seconds)


def compare_minimality(count: int) -> int:
    """Compare whether boards are minimal with counts of all boards with one clue less; half of them have one more."""
    boards = np.array([board.state for board in puzzlelab.generate(PUZZLE, count, seed=2)])
    solutions = solve_batch(boards).solutions
    more = np.random.default_rng(2).integers(81, size=count)
    boards[::2][np.arange(len(boards[::2])), more[::2]] = solutions[::2][np.arange(len(boards[::2])), more[::2]]
    found, seconds = timed(boards, 1000, lambda part: needless_clues(part, SOLVER, NO_LIMIT))
    owners, cells = np.nonzero(boards)
    without = boards[owners]
    without[np.arange(len(owners)), cells] = 0
    is_unique = solve_batch(without).counts == 1
    expected = np.bincount(owners, is_unique, count) == 0
    wrong = int((np.array([answer.minimal for answer in found]) != expected).sum())
    print(f"  {int(expected.sum()):,} of them are minimal")
    return report("minimality", count, wrong, seconds)


def compare_canonical(images: int, others: int, kept: int = 20) -> int:
    """Compare the forms of random images of some boards, and those of other boards."""
    random = np.random.default_rng(3)
    boards = np.array([board.state for board in puzzlelab.generate(PUZZLE, kept + others, seed=3)])
    forms = least_images(boards[:kept], 3, 3)
    wrong = 0
    for board, form in zip(boards[:kept], forms, strict=True):
        made = random_images(np.repeat(board[None], images, axis=0), random)
        wrong += int((least_images(made, 3, 3) != form).any(axis=1).sum())
    total = report("canonical forms of images", kept * images, wrong, [])
    began = time.perf_counter()
    every = np.concatenate([forms, least_images(boards[kept:], 3, 3)])
    each = (time.perf_counter() - began) / others
    equal = len(every) - len(np.unique(every, axis=0))
    return total + report("equal canonical forms of other boards", others, equal, [each])


def thinned(count: int, most: int) -> tuple[Boards, list[int]]:
    """Return boards of 18 to 26 random cells of solved boards, and the numbers of their solutions: 100 to `most`."""
    random, boards, numbers = np.random.default_rng(4), [], []
    while len(boards) < count:
        [board] = puzzlelab.generate(PUZZLE, seed=int(random.integers(2**40)))
        [solved] = solve_batch(board.state[None]).solutions
        is_clue = np.isin(np.arange(81), random.choice(81, random.integers(18, 27), replace=False))
        state = np.where(is_clue, solved, 0).astype(np.uint8)
        found = puzzlelab.count(puzzlelab.Instance(PUZZLE, state), most=most)
        if found.complete and found.solutions >= 100:
            boards.append(state)
            numbers.append(found.solutions)
    return np.array(boards), numbers


def compare_estimates(count: int, most: int = 5_000_000, probes: int = 500) -> int:
    """Count how many intervals of 95 % hold the number; fewer than 93 of 100 are wrong."""
    boards, numbers = thinned(count, most)
    inside, seconds, errors = 0, [], []
    for seed, (state, number) in enumerate(zip(boards, numbers, strict=True)):
        began = time.perf_counter()
        found = estimate_count(SOLVER, puzzlelab.Instance(PUZZLE, state), NO_LIMIT, probes, seed)
        seconds.append(time.perf_counter() - began)
        inside += found.low <= number <= found.high
        errors.append(found.standard_error / found.solutions)
    print(f"  numbers from {min(numbers):,} to {max(numbers):,}; median standard error {statistics.median(errors):.1%}")
    report("estimates outside their 95 % interval", count, count - inside, seconds)
    return int(inside < 0.93 * count)


def read_counts(path: Path) -> tuple[Boards, list[int]]:
    """Return the boards of a file, and the numbers of their solutions."""
    rows = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines() if line]
    return np.array([PUZZLE.read(row[0]).state for row in rows]), [int(row[1]) for row in rows]


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare all, and return 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts", type=Path)
    parser.add_argument("--share", type=float, default=1.0)
    options = parser.parse_args(arguments)

    def some(number: int) -> int:
        return max(1, round(number * options.share))

    boards, numbers = read_counts(options.counts)
    wrong = compare_candidates(boards[: some(len(boards))], numbers[: some(len(boards))])
    wrong += compare_needless(some(1000)) + compare_minimality(some(10_000))
    wrong += compare_canonical(some(1000), some(10_000))
    return int(wrong + compare_estimates(some(100)) > 0)


if __name__ == "__main__":
    sys.exit(main())
