"""Every board of a game that was played, with how many moves remain at least: what a player steps through.

The bounds come at once: from estimates without tables, or with tables that are small, and never from a database.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.analysis.game_analysis import positions_of
from puzzlelab.core.puzzle import Instance, Puzzle, State, presentation_of
from puzzlelab.core.views import Candidates, Estimate, Estimates
from puzzlelab.engine.batch_rules import estimated

ROUNDING = 1e-9
"""What a bound that is no whole number may be too high by."""


@dataclass(frozen=True)
class Frame:
    """One board of a game."""

    board: str
    """In canonical notation."""
    move: str | None
    """The move that led here; None at the start."""
    bound: int
    """No solution from here has fewer moves."""
    solved: bool


def frames(instance: Instance, moves: Sequence[int], lower_bound: int = 0) -> list[Frame]:
    """The boards of a game, one more than there are moves; `lower_bound` is what is known of the first one.

    Bounds never fall by more than one a move, because no move takes away more than one of those that are needed.

    Raises:
        BadBoard: if a move cannot be made, with its number.
    """
    puzzle, positions = instance.puzzle, list(positions_of(instance, moves))
    bounds, known = _bounds(puzzle, np.stack([position.state for position in positions])), lower_bound
    found = []
    for number, (position, bound) in enumerate(zip(positions, bounds, strict=True)):
        solved = puzzle.solved(position.state)
        known = 0 if solved else max(bound, known, 1)
        move = puzzle.write_move(moves[number - 1]) if number else None
        found.append(Frame(puzzle.write(position.state), move, known, solved))
        known -= 1
    return found


def frame_facts(frame: Frame) -> dict[str, Any]:
    """A board of a game as plain data."""
    return {"board": frame.board, "move": frame.move, "bound": frame.bound, "solved": frame.solved}


def _bounds(puzzle: Puzzle, states: State) -> list[int]:
    """The best bound of each of the plain `states[B, S]` that is to be had at once; 0 where there is none."""
    if (view := puzzle.view(Candidates)) is not None:  # each move fills a cell
        return [int(np.count_nonzero(view.digits(state) < 0)) for state in states]
    best: NDArray[np.float64] = np.zeros(len(states))
    for estimate in _quick(puzzle):
        best = np.maximum(best, estimated(puzzle, estimate, states))
    return [int(bound) for bound in np.ceil(best - ROUNDING)]


def _quick(puzzle: Puzzle) -> Iterator[Estimate]:
    """The bounds of a puzzle whose tables are made at once, or that have none."""
    view = puzzle.view(Estimates)
    if view is None:
        return
    cheap = presentation_of(puzzle).cheap_bounds
    for name in cheap or view.estimates:
        estimate = view.estimate(name)
        if estimate.admissible and (estimate.scores is not None or name in cheap):
            yield estimate
