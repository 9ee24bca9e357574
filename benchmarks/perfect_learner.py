"""What perfect Q-learning would solve: `python benchmarks/perfect_learner.py [--discounts 0.9,0.95,0.99] [--moves N]`.

Q-learning converges to the values of all moves of all boards of the 8-puzzle that value iteration finds here, for the
rewards of the document 002 (lines 241 to 245) and several discounts; its own is 0.9. Impossible moves leave the board
as it is, and cost 1 more; by the document's first reward, `in-place + -0.1*illegal`, they do not. The table has the
share of the boards of each level (line 237) that are solved by the moves of the greatest values, then how many more
moves than needed that takes.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab import load
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import scale_of
from puzzlelab.engine.batch_rules import Successors, apply_moves, canonical_moves
from puzzlelab.engine.network_io import state_codes
from puzzlelab.experience import rewards
from puzzlelab.experience.state_space import label_states

REWARDS = "in-place + -0.1*illegal", "in-place", "manhattan", "level"
TOLERANCE = 1e-9
"""The change of values at which they have converged, and the difference of values that counts as none."""


class Moves(NamedTuple):
    """All moves of all boards. Shapes: N = boards, M = moves, S = length of a state."""

    states: State
    """[N, S]."""
    distances: NDArray[np.int32]
    """[N]: the fewest moves to a goal."""
    successors: list[Successors]
    """For each move the boards after it."""
    rows: NDArray[np.int64]
    """[N, M]: the rows of these boards in `states`."""


def moves_of(puzzle: Puzzle) -> Moves:
    """All moves of all boards of a small puzzle."""
    states, distances, _ = label_states(puzzle)
    canonical, codes = canonical_moves(puzzle, states), state_codes(states)
    order = np.argsort(codes)
    successors = [
        apply_moves(puzzle, states, np.full(len(states), move), canonical) for move in range(puzzle.move_count)
    ]
    rows = np.stack([order[np.searchsorted(codes[order], state_codes(each.states))] for each in successors], axis=1)
    return Moves(states, distances, successors, rows)


def converged_values(puzzle: Puzzle, moves: Moves, reward: str, discount: float) -> NDArray[np.float64]:
    """The values of all moves, `float64[N, M]`, that the Bellman update leaves as they are."""
    function = rewards.make(puzzle, reward, discount)
    immediate = np.stack([function(moves.states, each) for each in moves.successors], axis=1).astype(np.float64)
    best = np.zeros(len(moves.states))
    while True:
        values = immediate + discount * best[moves.rows]
        after = np.where(moves.distances == 0, 0.0, values.max(axis=1))
        change, best = np.abs(after - best).max(), after
        if change < TOLERANCE:
            return values


def played(moves: Moves, values: NDArray[np.float64], max_moves: int) -> NDArray[np.int64]:
    """The moves that play by the greatest value takes from each board, `int64[N]`; -1 if it does not solve it."""
    best = (values >= values.max(axis=1, keepdims=True) - TOLERANCE).argmax(axis=1)
    after = moves.rows[np.arange(len(best)), best]
    taken, rows = np.full(len(best), -1), np.arange(len(best))
    for made in range(max_moves + 1):
        taken[(taken < 0) & (moves.distances[rows] == 0)] = made
        rows = after[rows]
    return taken


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--puzzle", default="tiles-3x3", help="sliding tiles with few boards")
    parser.add_argument("--rewards", default=",".join(REWARDS), help="rewards of the puzzle")
    parser.add_argument("--discounts", default="0.9,0.95,0.99", help="the factors of the value of the next board")
    parser.add_argument("--moves", type=int, default=50, help="the move limit of a game (line 450)")
    arguments = parser.parse_args()
    puzzle, discounts = load(arguments.puzzle), [float(number) for number in arguments.discounts.split(",")]
    if not all(0 <= discount <= 1 for discount in discounts):
        parser.error("a discount is between 0 and 1")
    moves, measure = moves_of(puzzle), scale_of(puzzle, "walk-to-level")[1].measure
    assert measure is not None
    learners = [(reward, discount) for discount in discounts for reward in arguments.rewards.split(",")]
    taken = [played(moves, converged_values(puzzle, moves, *each), arguments.moves) for each in learners]
    levels = measure(moves.states)
    groups = {str(level): levels == level for level in np.unique(levels)} | {"all": levels >= 0}
    row("level", "boards", *(f"{reward}, {discount:g}" for reward, discount in learners))
    row(*["---"] * (2 + len(learners)))
    for name, here in groups.items():
        row(name, f"{here.sum():,}", *(f"{(each[here] >= 0).mean():.1%}" for each in taken))
    row("moves too many", "", *(f"{(each - moves.distances)[each >= 0].mean():.2f}" for each in taken))


def row(*cells: str) -> None:
    """Print a row of the table."""
    print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
