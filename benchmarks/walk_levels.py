"""How far boards of a level are from the goal: `python benchmarks/walk_levels.py [--boards N] [--jobs N]`.

For the 8- and the 15-puzzle, the mean optimum of boards of the scale `walk-to-level`, which end a random walk, beside
that of uniform boards of the same level (the scale `level`), each with the half width of its 95 % interval by Student's
t; then the moves of the walks, which may undo their last move or not. Every optimum is proven by `ida`.
"""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np

from puzzlelab import load
from puzzlelab.bench.summaries import Mean, mean
from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.registry import make_solver
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import KernelRules, scale_of
from puzzlelab.engine.parallel import ordered_map
from puzzlelab.engine.solving import solve
from puzzlelab.puzzles.tiles import sampling

LEVELS = {"tiles-3x3": (5, 10, 15, 20, 21), "tiles-4x4": (5, 10, 15, 18, 20, 25, 30)}


def optimum(puzzle: Puzzle, state: State) -> int:
    """The fewest moves from this state."""
    result = solve(make_solver("ida", {}), Instance(puzzle, state), Limit())
    assert result.proof == "optimal"
    assert result.length is not None
    return result.length


def optima(puzzle: Puzzle, scale: str, level: int, boards: int, jobs: int) -> Mean:
    """The mean optimum of boards of this level."""
    sample = scale_of(puzzle, scale)[1].sample
    states = [sample(generator(level, number), level, 1)[0] for number in range(boards)]
    return mean(list(ordered_map(partial(optimum, puzzle), states, jobs)))


def walk_length(puzzle: Puzzle, level: int, seed: int, may_undo: bool) -> int:
    """The moves of a random walk from the goal until its level is greater than this one."""
    random, rules = generator(level, seed), puzzle.view(KernelRules)
    assert rules is not None
    state, last, moves = np.array(puzzle.goal, np.uint8), -1, 0
    while sampling.level(puzzle, state[None])[0] <= level:
        legal = [move for move in np.flatnonzero(puzzle.legal(state)).tolist() if may_undo or move != last ^ 1]
        last = int(random.choice(legal))
        state, moves = puzzle.apply(state, last), moves + 1
    return moves


def text(value: Mean) -> str:
    """The mean and the half width of its interval."""
    return f"{value.value:.1f} ± {value.half_width:.1f}"


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=200, help="boards of each level")
    parser.add_argument("--jobs", type=int, default=2, help="searches at once")
    arguments = parser.parse_args()
    print("| puzzle | level | boards | `walk-to-level`: optimum | `level`: optimum |")
    print("| --- | --- | --- | --- | --- |")
    for name, levels in LEVELS.items():
        puzzle = load(name)
        for level in levels:
            walks, uniform = (
                optima(puzzle, scale, level, arguments.boards, arguments.jobs) for scale in ("walk-to-level", "level")
            )
            print(f"| `{name}` | {level} | 2 x {arguments.boards} | {text(walks)} | {text(uniform)} |", flush=True)
    puzzle = load("tiles-4x4")
    for may_undo in (True, False):
        lengths = [walk_length(puzzle, 30, seed, may_undo) for seed in range(arguments.boards)]
        shares = ", ".join(f"{np.quantile(lengths, share):.0f}" for share in (0.5, 0.9, 1.0))
        print(f"\n15-puzzle, level 30, undoing {may_undo}: median, 90 % and greatest number of moves {shares}")


if __name__ == "__main__":
    main()
