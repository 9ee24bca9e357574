"""Games on boards that a test chooses, and true distances."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest

from puzzlelab.experience.curriculum import UNKNOWN
from puzzlelab.experience.state_space import label_states
from puzzlelab.experience.vector_game import VectorGame


@dataclass
class Dealt:
    """Deals these boards, one after the other and then again from the first; hears how the games went."""

    states: np.ndarray
    known: np.ndarray
    dealt: int = 0
    heard: list[tuple[int, int]] = field(default_factory=list)

    def boards(self, count, random):
        rows = np.arange(self.dealt, self.dealt + count) % len(self.states)
        self.dealt += count
        return self.states[rows], self.known[rows]

    def ended(self, games, won):
        self.heard.append((games, won))

    def state(self):
        return [self.dealt]

    def restore(self, state):
        (self.dealt,) = state


def _dealt(puzzle, boards, games, most=100, known=None):
    states = np.stack([puzzle.read(str(board)).state for board in boards])
    bounds = np.full(len(states), UNKNOWN, np.int32) if known is None else np.array(known, np.int32)
    return VectorGame.of(puzzle, Dealt(states, bounds), most, games, np.random.default_rng(0))


def _turn(play, *moves, guessed=()):
    random = np.random.default_rng(0)
    return play.step(np.array(moves), np.isin(np.arange(len(moves)), guessed), random)


@cache
def _distances(puzzle):
    states, distance, _ = label_states(puzzle)
    found = {state.tobytes(): int(moves) for state, moves in zip(states, distance, strict=True)}
    return lambda boards: np.array([found[board.tobytes()] for board in boards])


@pytest.fixture(scope="session")
def dealt():
    """`dealt(puzzle, boards, games, most=100, known=None)`: games on these boards in turn, and bounds for each."""
    return _dealt


@pytest.fixture(scope="session")
def turn():
    """`turn(play, *moves, guessed=())`: a move in every game; `guessed` names the games whose move was random."""
    return _turn


@pytest.fixture(scope="session")
def distances():
    """`distances(puzzle)`: a function from `states[B, S]` to how far each truly is from the goal."""
    return _distances
