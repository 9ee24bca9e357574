"""What tests of solvers share: networks that are plain functions, and a puzzle whose every way is written down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.solvers.known import Roads

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Estimate, Estimates, Prior, PriorAndEstimate
from puzzlelab.storage import networks

Guess = Callable[[State], NDArray[Any]]


def chances(puzzle: Puzzle, guess: Guess, states: State) -> NDArray[np.float64]:
    """`[B, M]`: the logarithm of a probability for each move, the greater, the less `guess` says of what it leads to.

    What stands at moves that cannot be made is nonsense on purpose.
    """
    found = np.full((len(states), puzzle.move_count), np.nan)
    for row, state in enumerate(states):
        legal = np.flatnonzero(puzzle.legal(state))
        if legal.size:
            says = -np.asarray(guess(np.stack([puzzle.apply(state, int(move)) for move in legal])), float)
            found[row, legal] = says - np.log(np.exp(says - says.max()).sum()) - says.max()
    return found


@dataclass(frozen=True)
class Toy:
    """In the place of a network: what `guess` says, and a prior that follows from it. It keeps what it was asked."""

    puzzle: Puzzle
    guess: Guess
    asked: list[int]
    """How many states at each call."""
    name: str = "0123456789abcdef"
    heads: tuple[str, ...] = ("policy", "cost_to_go")

    def estimate(self, averaged: bool = False) -> Estimate:
        def scores(states: State) -> NDArray[Any]:
            self.asked.append(len(states))
            return self.guess(states)

        return Estimate("toy", admissible=False, scores=scores)

    def prior(self, averaged: bool = False) -> Prior:
        def scores(states: State) -> NDArray[np.float64]:
            self.asked.append(len(states))
            return chances(self.puzzle, self.guess, states)

        return Prior("toy", scores)

    def both(self, averaged: bool = False) -> PriorAndEstimate:
        return PriorAndEstimate(self.prior(averaged), self.estimate(averaged))


def usual_guess(puzzle: Any) -> Guess:
    """The puzzle's own estimate, if it is no kernel; the same everywhere if it has none."""
    view = puzzle.view(Estimates)
    own = view.estimate().scores if view else None
    return own or (lambda states: np.zeros(len(states)))


@pytest.fixture
def toy() -> Callable[[Puzzle, Guess], Toy]:
    """Makes a network of a function."""
    return lambda puzzle, guess: Toy(puzzle, guess, [])


@pytest.fixture
def toy_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """For every puzzle `net` is what its own estimate says."""
    monkeypatch.setattr(networks, "find", lambda puzzle, name=None: Toy(puzzle, usual_guess(puzzle), []))


@pytest.fixture(scope="session")
def ways() -> Callable[..., Roads]:
    """Makes a puzzle of the places that each place leads to, the best first, and of a goal."""
    return lambda ways, goal: Roads(tuple(ways.values()), goal)


class Bare:
    """A puzzle that hides its kernels, and all other views: what is played with it is not compiled."""

    def view(self, kind: type) -> None:
        return None

    def __init__(self, puzzle: Any) -> None:
        self.name, self.move_count = puzzle.name, puzzle.move_count
        self.legal, self.apply, self.solved = puzzle.legal, puzzle.apply, puzzle.solved
        self.objection, self.write, self.write_move = puzzle.objection, puzzle.write, puzzle.write_move


@pytest.fixture(scope="session")
def bare() -> type[Bare]:
    """Hides all of a puzzle but its plain rules."""
    return Bare
