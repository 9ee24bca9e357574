"""The rules of the pocket cube, one cube at a time in plain NumPy: the truth that `verify` uses.

The corner at the lower back left is held fixed. Turning the lower face is the same as turning the upper face and then
the whole cube, so that turns of U, R and F reach everything: 7! * 3^6 = 3,674,160 cubes, all of which can be solved.

Shapes: M = 9 moves, P = 7 places and corners.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocket_cube import drawing, notation
from puzzlelab import BadBoard, Instance, KernelRules, Presentation
from puzzlelab.core.errors import BadOption, shorten
from puzzlelab.core.puzzle import Drawings, View, Views, find_view, itself
from puzzlelab.core.views import BatchRules, Estimates, Planes, Reversible, Samples

Cube = NDArray[np.uint8]

FACES = "URF"
TURNS = ("", "2", "'")
"""A quarter turn clockwise, a half turn, a quarter turn counterclockwise."""
MOVES = tuple(face + turn for face in FACES for turn in TURNS)
PLACES = len(notation.CORNERS)

QUARTER_TURNS = {
    "U": ((3, 0, 1, 2, 4, 5, 6), (0, 0, 0, 0, 0, 0, 0)),
    "R": ((4, 1, 2, 0, 6, 5, 3), (2, 0, 0, 1, 1, 0, 2)),
    "F": ((1, 5, 2, 3, 0, 4, 6), (1, 2, 0, 0, 2, 1, 0)),
}
"""Of a clockwise quarter turn of each face: the place from which the corner at each place comes, and its twist."""


def _all_turns() -> tuple[NDArray[np.int64], Cube]:
    """`PERMUTATION` and `TWIST`, by making each quarter turn once, twice and three times."""
    permutations, twists = [], []
    for source, twist in (map(np.array, QUARTER_TURNS[face]) for face in FACES):
        permutation, sum_of_twists = np.arange(PLACES), np.zeros(PLACES, int)
        for _ in TURNS:
            permutation, sum_of_twists = permutation[source], (sum_of_twists[source] + twist) % 3
            permutations.append(permutation)
            twists.append(sum_of_twists)
    return np.array(permutations), np.array(twists, np.uint8)


PERMUTATION, TWIST = _all_turns()
"""`int64[M, P]`: the place from which each move takes the corner at each place; `uint8[M, P]`: how it twists it."""


@dataclass(frozen=True)
class PocketCube:
    """The pocket cube in the half-turn metric: a half turn is one move.

    Names: `cube-2x2x2`; to compare with it, `cube-2x2x2:batch`, which has the rules for batches instead of the compiled
        ones, and `cube-2x2x2:plain`, which has neither.
    State: `uint8[14]`: the corner (0 to 6) at each of the seven places, then its twist: how many thirds of a turn
        clockwise its U or D colour is away from the U or D face. Places and corners are in the order of
        `notation.CORNERS`.
    Moves: U, U2, U', R, R2, R', F, F2, F', all of them always legal.
    """

    rules: str = "compiled"
    """The fastest rules that it has: `compiled`, `batch` or `plain`."""

    @property
    def name(self) -> str:
        return "cube-2x2x2" if self.rules == "compiled" else f"cube-2x2x2:{self.rules}"

    @property
    def move_count(self) -> int:
        return len(MOVES)

    # --- rules ---

    def legal(self, state: Cube) -> NDArray[np.bool_]:
        """`bool[9]`."""
        return np.ones(len(MOVES), bool)

    def apply(self, state: Cube, move: int) -> Cube:
        """One cube `[14]` after a move, or many `[B, 14]` after the same one."""
        child = np.empty_like(state)
        child[..., :PLACES] = state[..., PERMUTATION[move]]
        child[..., PLACES:] = (state[..., PLACES + PERMUTATION[move]] + TWIST[move]) % 3
        return child

    def solved(self, state: Cube) -> bool:
        return np.array_equal(state, notation.SOLVED)

    def objection(self, state: Cube) -> str | None:
        """The twists by a turn of a face add up to whole turns, so that their sum modulo 3 never changes."""
        thirds = int(state[PLACES:].sum()) % 3
        if thirds == 0:
            return None
        return (
            f"twisted corner: the twists of all corners add up to {thirds}/3 of a turn, which no move changes; "
            "a corner was twisted by hand"
        )

    # --- notation and drawing ---

    def read(self, text: str) -> Instance:
        """24 colours, face by face; turns from the solved cube, such as `R U2 F'`; the name of an example."""
        name = text.strip().lower()
        if name in notation.EXAMPLES:
            text = notation.EXAMPLES[name].board
        words = text.split()
        if words and set(words) <= set(MOVES):
            state = notation.SOLVED
            for word in words:
                state = self.apply(state, MOVES.index(word))
            return Instance(self, state)
        return Instance(self, notation.read(text))

    def write(self, state: Cube) -> str:
        """The colours of the faces U, R, F, D, L and B."""
        return notation.write(state)

    def draw(self, state: Cube, mark: int | None = None) -> str:
        return drawing.draw(notation.colours(state))

    def svg(self, state: Cube) -> str:
        return drawing.svg(notation.colours(state))

    def write_move(self, move: int) -> str:
        return MOVES[move]

    def read_move(self, text: str) -> int:
        if text not in MOVES:
            raise BadBoard(f"'{shorten(text)}' is no move; moves are {', '.join(MOVES)}")
        return MOVES.index(text)

    # --- views ---

    def goals(self) -> Cube:
        """`uint8[1, 14]`."""
        return notation.SOLVED[None].copy()

    def inverse(self, move: int) -> int:
        face, turn = divmod(move, len(TURNS))
        return len(TURNS) * face + len(TURNS) - 1 - turn

    def view(self, kind: type[View]) -> View | None:
        if (kind is KernelRules and self.rules != "compiled") or (kind is BatchRules and self.rules == "plain"):
            return None
        return find_view(self, kind, VIEWS)


VIEWS: Views = {
    BatchRules: "pocket_cube.batch:rules",
    Drawings: lambda cube: Drawings(cube.svg),
    Estimates: "pocket_cube.estimates:CubeEstimates",
    KernelRules: "pocket_cube.kernels:rules",
    Planes: "pocket_cube.planes:CubePlanes",
    Presentation: "pocket_cube.presentation:presentation",
    Reversible: itself,
    Samples: "pocket_cube.sampling:CubeSamples",
}
"""The module of a view is imported when the view is first asked for."""


def from_name(rest: str) -> PocketCube:
    """The puzzle whose name is `cube-` and this."""
    if rest not in ("2x2x2", "2x2x2:batch", "2x2x2:plain"):
        raise BadOption(f"there is no 'cube-{shorten(rest)}'; write cube-2x2x2, cube-2x2x2:batch or cube-2x2x2:plain")
    return PocketCube(rest.partition(":")[2] or "compiled")


def from_text(text: str, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield the puzzle and the board of a text of 24 letters of the six faces."""
    letters = "".join(text.split())
    if len(letters) == 24 and not set(letters) - set(notation.COLOURS):
        yield PocketCube().name, text
