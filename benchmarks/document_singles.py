"""What the accuracy of document 004 measures: `python benchmarks/document_singles.py NETWORK [--boards N]`.

A network fills the surest cell of a board again and again, as in the document. Its program looks for singles too, at
least before backtracking, and does not say when else. So each level is solved in several ways: without singles, with
them before the first digit of the network, and before each of its digits; by hidden singles alone (a digit with one
place in a row, column or box), which give the counts that the document prints (lines 59 to 64), and by naked singles
too. A board counts as solved if it is filled by the rules; in brackets, if it has the digits that it was dug from.

Shapes: B = boards.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from puzzlelab import load
from puzzlelab.bench import suites
from puzzlelab.core.views import Candidates
from puzzlelab.engine import candidate_logits
from puzzlelab.engine.batch_rules import legal_moves, solved
from puzzlelab.engine.search_rules import chosen_prior
from puzzlelab.puzzles.sudoku.generate import LEVELS, SudokuGenerator
from puzzlelab.puzzles.sudoku.solvers.bands import solve_batch

PUZZLE = load("sudoku-9x9")
VIEW = PUZZLE.view(Candidates)
UNITS = VIEW.units.all
Digits = NDArray[np.int64]
"""`int64[B, 81]`: the digits of boards from 0 on, -1 for blank cells."""
WAYS = {
    "the network alone": ("", ""),
    "hidden singles alone": ("hidden", "no network"),
    "hidden singles first, then the network": ("hidden", ""),
    "hidden singles before each of its digits": ("hidden", "hidden"),
    "naked and hidden singles alone": ("both", "no network"),
    "naked and hidden singles first, then the network": ("both", ""),
    "naked and hidden singles before each of its digits": ("both", "both"),
}


def with_singles(digits: Digits, rules: str) -> Digits:
    """The boards after all singles of these rules, round by round."""
    digits = digits.copy()
    while True:
        mask = legal_moves(PUZZLE, VIEW.written(digits)).reshape(*digits.shape, 9)
        single = np.zeros_like(mask)
        for unit in UNITS:
            single[:, unit] |= mask[:, unit] & (mask[:, unit].sum(axis=1, keepdims=True) == 1)
        if rules == "both":
            single |= mask & (mask.sum(axis=2, keepdims=True) == 1)
        found = single.any(axis=2)
        if not found.any():
            return digits
        digits[found] = single.argmax(axis=2)[found]


def filled(digits: Digits, first: str, between: str, score: Callable[[Digits], NDArray[np.float32]]) -> Digits:
    """The boards as this way leaves them."""
    digits = with_singles(digits, first) if first else digits.copy()
    while between != "no network" and len(rows := np.flatnonzero((digits < 0).any(axis=1))):
        share = candidate_logits.shares(np.ones((len(rows), 81, 9), bool), score(digits[rows]))
        cells = candidate_logits.most_certain_cell(share, digits[rows] < 0)
        digits[rows, cells] = share[np.arange(len(rows)), cells].argmax(axis=1)
        if between:
            digits[rows] = with_singles(digits[rows], between)
    return digits


def level_boards(count: int, grids: str) -> dict[str, tuple[Digits, Digits]]:
    """The boards and the full grids of each level."""
    boards = {}
    for level in LEVELS:
        generator = SudokuGenerator(level=level, unique=False, grids=grids)
        parts = zip(*generator.batches(count, seed=1000 + level), strict=True)
        clues, full = (np.concatenate(part).astype(np.int64) - 1 for part in parts)
        boards[str(level)] = clues, full
    suite = suites.find("sudoku17-1000")
    states = suite.boards(suite.entries[:count]).states
    return {**boards, "6": (VIEW.digits(states).astype(np.int64), VIEW.digits(solve_batch(states).solutions))}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", help="a network of the package, or the folder of a run")
    parser.add_argument("--boards", type=int, default=1000, help="boards of each level")
    parser.add_argument(
        "--grids", choices=("alike", "shuffled"), default="alike", help="the full grids of levels 1 to 5"
    )
    arguments = parser.parse_args()
    logits = candidate_logits.logits_of(chosen_prior(PUZZLE, f"net:{arguments.network}"), VIEW)

    def score(digits: Digits) -> NDArray[np.float32]:
        return logits(candidate_logits.all_candidates(digits, 9))

    boards = level_boards(arguments.boards, arguments.grids)
    table = Table("per cent of boards", *boards, "seconds")
    for way, (first, between) in WAYS.items():
        began, cells = time.perf_counter(), []
        for clues, full in boards.values():
            result = filled(clues, first, between, score)
            complete = (result >= 0).all(axis=1)
            right = np.zeros(len(result), bool)
            right[complete] = solved(PUZZLE, VIEW.written(result[complete]))
            cells.append(f"{right.mean():.1%} ({(result == full).all(axis=1).mean():.1%})")
        table.add_row(way, *cells, f"{time.perf_counter() - began:.0f}")
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
