"""Every board of a played game with a lower bound on its cost-to-go, for stepping through the game.

The bounds are cheap: they come from estimates with small tables or none, never from a pattern database.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.analysis.game_analysis import positions_of
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadInput
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Candidates, Estimate, Estimates
from puzzlelab.engine.batch_rules import estimated

ROUNDING = 1e-9
"""The rounding error of a bound that is not an integer."""


def frames(instance: Instance, moves: Sequence[int], lower_bound: int = 0) -> list[dict[str, Any]]:
    """Return the boards of a game as plain data, one more than there are moves; the first has a known `lower_bound`.

    Each has its `board` in canonical notation, the `move` that led there, None at the start, a lower `bound` on the
    moves of every solution from there, and whether it is `solved`. Bounds never fall by more than one a move, because a
    move lowers the cost-to-go by at most one; there are none where moves have costs or points.

    Raises:
        BadBoard: if a move is illegal, with its number.
    """
    puzzle, positions = instance.puzzle, list(positions_of(instance, moves))
    counts_moves = objective_of(puzzle).kind == "moves"
    states = np.stack([position.state for position in positions])
    bounds, propagated = _bounds(puzzle, states) if counts_moves else [0] * len(states), lower_bound
    results = []
    for number, (position, bound) in enumerate(zip(positions, bounds, strict=True)):
        solved = puzzle.solved(position.state)
        propagated = 0 if solved else max(bound, propagated, 1)
        move = puzzle.write_move(moves[number - 1]) if number else None
        known = {"bound": propagated} if counts_moves else {}
        results.append({"board": puzzle.write(position.state), "move": move, **known, "solved": solved})
        propagated -= 1
    return results


def _bounds(puzzle: Puzzle, states: State) -> list[int]:
    """Return the best cheap bound of each of the plain `states[B, S]`; 0 if there is none."""
    if (view := puzzle.view(Candidates)) is not None:  # each move fills a cell
        return [int(np.count_nonzero(view.digits(state) < 0)) for state in states]
    best: NDArray[np.float64] = np.zeros(len(states))
    for estimate in _cheap_estimates(puzzle):
        best = np.maximum(best, estimated(puzzle, estimate, states))
    return [int(bound) for bound in np.ceil(best - ROUNDING)]


def _cheap_estimates(puzzle: Puzzle) -> Iterator[Estimate]:
    """Yield the lower bounds of a puzzle that have small tables or none."""
    view = puzzle.view(Estimates)
    if view is None:
        return
    estimates = []
    for name in view.estimates:
        with suppress(BadInput):  # a name may need an option behind it
            estimates.append(view.estimate(name))
    cheap = [estimate for estimate in estimates if estimate.is_cheap]
    yield from cheap or (each for each in estimates if each.admissible and each.scores is not None)
