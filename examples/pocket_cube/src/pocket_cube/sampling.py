"""Random cubes of a given difficulty, on three scales."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pocket_cube import notation
from pocket_cube.distances import FARTHEST, cubes_at, distances, table
from pocket_cube.kernels import CUBES
from pocket_cube.rules import FACES, TURNS, Cube
from puzzlelab import Scale
from puzzlelab.core.errors import BadOption

if TYPE_CHECKING:
    from pocket_cube.rules import PocketCube

LONGEST_WALK = 1000
USUAL_WALK = 20
"""Moves of a walk when none are asked for: more than any cube needs."""


@dataclass(frozen=True)
class CubeSamples:
    """The view `Samples` of the pocket cube."""

    puzzle: PocketCube

    @property
    def scales(self) -> Mapping[str, Scale]:
        return {
            "distance": Scale("true distance from the solved cube", at_distance, (0, FARTHEST), distances),
            "uniform": Scale("all cubes alike", lambda random, level: uniform(random)),
            "walk": Scale(
                "random turns from the solved cube, no two of one face in a row", self.walk, (0, LONGEST_WALK)
            ),
        }

    def difficulty(self, state: Cube) -> Mapping[str, int]:
        return {} if self.puzzle.objection(state) else {"distance": int(distances(state[None])[0])}

    def walk(self, random: np.random.Generator, level: int | None) -> Cube:
        """The cube after so many random turns."""
        state, last = notation.SOLVED, len(FACES)
        for _ in range(USUAL_WALK if level is None else level):
            last = int(random.choice([face for face in range(len(FACES)) if face != last]))
            state = self.puzzle.apply(state, len(TURNS) * last + int(random.integers(len(TURNS))))
        return state.copy()


def at_distance(random: np.random.Generator, level: int | None) -> Cube:
    """A cube at this true distance; without a level, one at a random distance."""
    level = int(random.integers(FARTHEST + 1)) if level is None else level
    if not 0 <= level <= FARTHEST:
        raise BadOption(f"no pocket cube is {level} moves from the solved one; the farthest are {FARTHEST}")
    cube: Cube = cubes_at(random.choice(_places(level), size=1))[0]
    return cube


@cache
def _places(level: int) -> NDArray[np.int64]:
    """The places in the table of all cubes at this distance."""
    return np.flatnonzero(table() == level)


def uniform(random: np.random.Generator) -> Cube:
    """Any cube."""
    cube: Cube = cubes_at(random.integers(CUBES, size=1))[0]
    return cube
