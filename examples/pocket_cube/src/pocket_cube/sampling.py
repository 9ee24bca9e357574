"""Random cubes of a given difficulty, on three scales."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from pocket_cube import notation
from pocket_cube.distances import FARTHEST, cubes_at, distances, table
from pocket_cube.kernels import CUBES
from pocket_cube.rules import FACES, TURNS, Cube
from puzzlelab import Scale
from puzzlelab.core.errors import BadOption
from puzzlelab.core.views import NO_LEVEL, singly

if TYPE_CHECKING:
    from pocket_cube.rules import PocketCube

LONGEST_WALK = 1000
USUAL_WALK = 20
"""Moves of a walk when none are asked for: more than any cube needs."""


@dataclass(frozen=True)
class CubeSamples:
    """The view `Samples` of the pocket cube."""

    puzzle: PocketCube
    generator: ClassVar[None] = None

    @property
    def scales(self) -> Mapping[str, Scale]:
        return {
            "distance": Scale("true distance from the solved cube", at_distance, (0, FARTHEST), distances),
            "uniform": Scale("all cubes alike", uniform),
            "walk": Scale(
                "random turns from the solved cube, no two of one face in a row", singly(self.walk), (0, LONGEST_WALK)
            ),
        }

    def difficulty(self, states: Cube) -> Mapping[str, NDArray[np.int64]]:
        can_be_solved = np.array([self.puzzle.objection(state) is None for state in states])
        levels = np.full(len(states), NO_LEVEL)
        levels[can_be_solved] = distances(states[can_be_solved])
        return {"distance": levels}

    def walk(self, random: np.random.Generator, level: int | None) -> Cube:
        """The cube after so many random turns."""
        state, last = notation.SOLVED, len(FACES)
        for _ in range(USUAL_WALK if level is None else level):
            last = int(random.choice([face for face in range(len(FACES)) if face != last]))
            state = self.puzzle.apply(state, len(TURNS) * last + int(random.integers(len(TURNS))))
        return state.copy()


def at_distance(random: np.random.Generator, level: int | None, count: int) -> Cube:
    """So many cubes `[B, 14]` at this true distance; without a level, each at a random distance."""
    levels = random.integers(FARTHEST + 1, size=count) if level is None else [level] * count
    if level is not None and not 0 <= level <= FARTHEST:
        raise BadOption(f"no pocket cube is {level} moves from the solved one; the farthest are {FARTHEST}")
    return cubes_at(np.array([random.choice(_places(int(each))) for each in levels]))


@cache
def _places(level: int) -> NDArray[np.int64]:
    """The places in the table of all cubes at this distance."""
    return np.flatnonzero(table() == level)


def uniform(random: np.random.Generator, level: int | None, count: int) -> Cube:
    """So many cubes `[B, 14]`, all alike."""
    return cubes_at(random.integers(CUBES, size=count))
