"""Cubes for networks: a one for each corner at each place, by its twist; and the symmetries that keep the fixed corner.

A rotation about the axis through the fixed corner takes the faces U, R, F to each other, as does a reflection; every
permutation of these three letters is one of the six. (Others move the fixed corner; turned back as a whole, their
images have moves whose names depend on the cube, so that they are no symmetries in the sense of the view.)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pocket_cube.notation import CORNERS, OPPOSITE
from pocket_cube.rules import FACES, PLACES, TURNS, Cube
from puzzlelab.engine.network_io import one_hot

if TYPE_CHECKING:
    from pocket_cube.rules import PocketCube


class Symmetry(NamedTuple):
    """A symmetry of the cube; P places, M moves."""

    place: NDArray[np.int64]
    """[P]: where each place goes, and with it the corner that belongs there."""
    shift: NDArray[np.int64]
    """[P]: which facelet of the new place the U or D facelet of each place becomes."""
    sign: int
    """-1 for a reflection, in which clockwise becomes counterclockwise."""
    moves: NDArray[np.int64]
    """[M]: what becomes of each move."""


def symmetry(faces: tuple[str, ...]) -> Symmetry:
    """The symmetry that takes U, R and F to these faces."""
    image = dict(zip(FACES, faces, strict=True))
    image |= {OPPOSITE[face]: OPPOSITE[to] for face, to in image.items()}
    corners = ["".join(image[face] for face in corner) for corner in CORNERS]
    place = [next(i for i, other in enumerate(CORNERS) if set(other) == set(corner)) for corner in corners]
    shift = [CORNERS[to].index(corner[0]) for to, corner in zip(place, corners, strict=True)]
    sign = 1 if corners[0] in ("URF", "RFU", "FUR") else -1
    turns = range(len(TURNS))[::sign]
    moves = [len(TURNS) * FACES.index(image[face]) + turn for face in FACES for turn in turns]
    return Symmetry(np.array(place), np.array(shift), sign, np.array(moves))


SYMMETRIES = tuple(symmetry(faces) for faces in permutations(FACES))
"""The identity first, two rotations, three reflections."""


@dataclass(frozen=True)
class CubePlanes:
    """The view `Planes` of the pocket cube."""

    puzzle: PocketCube
    grid: ClassVar[None] = None
    symbols: ClassVar[None] = None
    isomorphism: ClassVar[None] = None

    @property
    def input_size(self) -> int:
        """7 places with 7 corners in 3 twists each."""
        return PLACES * PLACES * 3

    def planes(self, states: Cube) -> NDArray[np.float32]:
        """`float32[B, 147]` from `states[B, 14]`: place by place, a 1 at 3 * corner + twist."""
        return one_hot(3 * states[..., :PLACES] + states[..., PLACES:], 0, 3 * PLACES - 1)

    def symmetries(self, states: Cube) -> tuple[tuple[Cube, NDArray[np.int64]], ...]:
        """The six images, each with what the moves are called there; all are as far from the goal."""
        return tuple((_image(states, each), each.moves) for each in SYMMETRIES)


def _image(states: Cube, symmetry: Symmetry) -> Cube:
    """The plain states `[B, 14]` as they are after a symmetry."""
    place, shift, sign, _ = symmetry
    corners, twists = states[..., :PLACES], states[..., PLACES:].astype(np.int64)
    image = np.empty_like(states)
    image[..., place] = place[corners]
    image[..., PLACES + place] = (sign * twists + shift - shift[corners]) % 3
    return image
