"""How sliding tiles are shown to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlelab.core.puzzle import Presentation

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles


def presentation(puzzle: Tiles) -> Presentation:
    """The usual solver proves its answers up to 4x4, and finds good ones soon beyond."""
    beam = {"width": 2**14 if puzzle.cells <= 25 else 2**11}
    return Presentation(
        usual_solver=("ida", {}) if puzzle.cells <= 16 else ("beam", beam),
        move_note="U, D, L, R: the way the tile slides",
        cheap_bounds=("conflicts",),
    )
