"""How the pocket cube is shown to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pocket_cube.notation import EXAMPLES
from puzzlelab import Presentation

if TYPE_CHECKING:
    from pocket_cube.rules import PocketCube


def presentation(puzzle: PocketCube) -> Presentation:
    """The usual solver needs no table of all cubes; plain rules make so few states a second that they need it."""
    return Presentation(
        usual_solver=("ida", {"estimate": "exact"} if puzzle.rules != "compiled" else {}),
        provers=(("bfs", {"bidirectional": True}), ("ida", {})),
        move_note="U, R, F: the upper, right or front face clockwise; U2 a half turn, U' counterclockwise",
        examples=EXAMPLES,
    )
