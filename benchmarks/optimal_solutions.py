"""How many shortest solutions boards have, and how long it takes to find all: `python benchmarks/optimal_solutions.py`.

First the 8-puzzle: for every board, or every `--share`-th, the number of the solver `shortest` must be that of a
breadth-first search from the goal, which sums the numbers of the states one move nearer. Then `--boards` uniformly
random boards of the 15-puzzle, each in CPU seconds: the optimum is proven, and every solution is listed and verified.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from puzzlelab import count, generate, load, solutions
from puzzlelab.core.boards import Instance
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.views import Reversible
from puzzlelab.engine.batch_rules import successors


def numbers(puzzle: Puzzle) -> dict[bytes, int]:
    """Return the number of shortest solutions of every board that can be solved."""
    view = puzzle.view(Reversible)
    assert view is not None
    layer, totals = view.goals(), {goal.tobytes(): 1 for goal in view.goals()}
    while len(layer):
        sums: dict[bytes, int] = {}
        after = successors(puzzle, layer)
        for owner, state in zip(after.owner.tolist(), after.states, strict=True):
            if (key := state.tobytes()) not in totals:
                sums[key] = sums.get(key, 0) + totals[layer[owner].tobytes()]
        totals |= sums
        layer = np.array([np.frombuffer(key, layer.dtype) for key in sums])
    return totals


def compare(share: int) -> None:
    """Compare the numbers of boards of the 8-puzzle, and print how many differ."""
    puzzle = load("tiles-3x3")
    totals = numbers(puzzle)
    chosen, began = list(totals.items())[::share], time.process_time()
    found = [count(Instance(puzzle, np.frombuffer(key, np.uint8))).solutions for key, _ in chosen]
    seconds = time.process_time() - began
    wrong = sum(number != total for number, (_, total) in zip(found, chosen, strict=True))
    print(f"8-puzzle: {len(chosen):,} of {len(totals):,} boards counted, {wrong} differ from breadth-first search")
    print(f"  solutions: mean {np.mean(found):.2f}, most {max(found)}; {1000 * seconds / len(chosen):.2f} ms a board")


def list_all(boards: int, seed: int) -> None:
    """List all shortest solutions of boards of the 15-puzzle, and print their numbers and CPU seconds."""
    starts = list(generate("tiles-4x4", boards + 1, scale="uniform", seed=seed))
    list(solutions(starts.pop()))  # compiles
    totals, seconds = [], []
    for start in starts:
        began = time.process_time()
        listing = solutions(start)
        totals.append(len(list(listing)))
        seconds.append(time.process_time() - began)
        assert listing.stop == "done"
        assert totals[-1] == count(start).solutions
    print(f"15-puzzle: {boards} boards, all solutions listed, verified and proven shortest")
    print(f"  solutions: median {np.median(totals):g}, mean {np.mean(totals):.1f}, most {max(totals):,}")
    print(f"  CPU seconds: median {np.median(seconds):.3f}, mean {np.mean(seconds):.3f}, most {max(seconds):.2f}")


def main() -> None:
    """Read the options, and print both parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=int, default=1, help="count every so-many-th board of the 8-puzzle")
    parser.add_argument("--boards", type=int, default=100, help="boards of the 15-puzzle")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    list_all(options.boards, options.seed)
    compare(options.share)


if __name__ == "__main__":
    main()
