"""What the tests share."""

from collections.abc import Callable

import numpy as np
import pytest
from samegame import SameGame

from puzzlelab.core.puzzle import State


@pytest.fixture(scope="session")
def best_score() -> Callable[[SameGame, State], int]:
    """The highest score from a board, by all ways to play it."""

    def search(puzzle: SameGame, state: State, known: dict[bytes, int]) -> int:
        key = state.tobytes()
        if key not in known:
            scores = []
            for move in np.flatnonzero(puzzle.legal(state)).tolist():
                after = puzzle.apply(state, move)
                scores.append(puzzle.points(state, move, after) + search(puzzle, after, known))
            known[key] = max(scores, default=0)
        return known[key]

    return lambda puzzle, state: search(puzzle, state, {})
