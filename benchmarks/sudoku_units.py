"""Compares counts of solutions of Sudokus with further units by all exact solvers: `python benchmarks/sudoku_units.py`.

Each kind has random boards of small grids: solutions of the empty grid with many cells emptied, of which some are then
changed, so that boards have none, one or several solutions. SAT knows nothing of the units but the exact cover, and
backtracking and permutation search nothing of the cover.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from puzzlelab import Limit, count, load, solve
from puzzlelab.core.boards import Instance
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.views import Candidates

KINDS = {
    "diagonal": ("sudoku-4x4:diagonal", "sudoku-6x6:diagonal", "sudoku-6x6:boxes=3x2:diagonal"),
    "windoku": ("sudoku-4x4:windoku", "sudoku-4x4:diagonal:windoku"),
    "disjoint": ("sudoku-4x4:disjoint", "sudoku-6x6:disjoint", "sudoku-6x6:boxes=3x2:disjoint"),
    "jigsaw": (
        "sudoku-4x4:jigsaw=1112133233224444",
        "sudoku-5x5:jigsaw=1122211322143334435544555",
        "sudoku-6x6:jigsaw=111222111222333444333444555666555666:diagonal",
        "sudoku-6x6:jigsaw=122333112334152344152444152666555666",
        "sudoku-6x6:jigsaw=123123456456123123456456123123456456",
    ),
}
"""The puzzles of each kind; windows and boxes are square, so that 6x6 has no windows."""
EMPTY_SHARES = (0.3, 0.5, 0.6, 0.7)
"""The shares of cells that are emptied at random."""
MOST = 200
"""The most solutions that are counted."""
STEPS = Limit(nodes=1_000_000)
SOLVERS = ("dancing-links", "backtracking", "permutation")
REFERENCE = "sat"


@dataclass
class Comparison:
    """What the solvers count on the boards of one kind."""

    boards: int = 0
    solutions: Counter[str] = field(default_factory=Counter)
    """Boards with none, one or several solutions."""
    wrong: list[str] = field(default_factory=list)
    """The names of solvers and boards where a count is another one than that of SAT."""


def boards(puzzle: Puzzle, how_many: int, seed: int = 0) -> Iterator[Instance]:
    """Yield random boards; one in four has a digit that the solution does not have there."""
    random = np.random.default_rng(seed)
    view = puzzle.view(Candidates)
    assert view is not None
    first = solve(puzzle.read("." * len(view.units.peers)), "dancing-links").final
    for number in range(how_many):
        cells, digits = view.random_symmetry(random)
        state = (digits[first.state[cells].astype(int) - 1] + 1).astype(np.uint8)
        state[random.random(state.size) < EMPTY_SHARES[number % len(EMPTY_SHARES)]] = 0
        if random.integers(4) == 0:
            state[random.integers(state.size)] = random.integers(1, len(digits) + 1)
        yield Instance(puzzle, state)


def compare(names: tuple[str, ...], how_many: int, watch: bool = False) -> Comparison:
    """Count the solutions of that many boards of these puzzles together, by all solvers."""
    found, share = Comparison(), -(-how_many // len(names))
    instances = [board for name in names for board in boards(load(name), share)][:how_many]
    for board in track(instances, disable=not watch):
        expected = count(board, REFERENCE, most=MOST, limit=STEPS).solutions
        found.boards += 1
        found.solutions["several" if expected > 1 else ("none", "one")[expected]] += 1
        for solver in SOLVERS:
            if count(board, solver, most=MOST, limit=STEPS).solutions != expected:
                found.wrong.append(f"{solver}: {board}")
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=1000, help="Boards of each kind.")
    how_many = parser.parse_args().boards
    table = Table("kind", "boards", "none", "one", "several", "counts that differ", "seconds")
    for kind, names in KINDS.items():
        began = time.perf_counter()
        found = compare(names, how_many, watch=True)
        numbers = [found.boards, *(found.solutions[word] for word in ("none", "one", "several")), len(found.wrong)]
        table.add_row(kind, *map(str, numbers), f"{time.perf_counter() - began:.0f}")
        for wrong in found.wrong[:10]:
            print(wrong)
    Console().print(table)


if __name__ == "__main__":
    main()
