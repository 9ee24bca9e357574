"""How sliding tiles are shown to people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from puzzlelab.core.puzzle import Presentation
from puzzlelab.core.registry import PATIENCE

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles


def presentation(puzzle: Tiles) -> Presentation:
    """Return the presentation: the usual solver proves its answers up to 4x4, and finds better and better ones
    beyond.
    """
    return Presentation(
        usual_solver=("ida", {}) if puzzle.cells <= 16 else ("beam", {"patience": PATIENCE}),
        move_note="U, D, L, R: the way the tile slides",
        provers=_provers(puzzle.cells),
    )


def _provers(cells: int) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return the methods of proof: small boards have few states; on others, bounds from tables prove most within a
    minute.
    """
    if cells <= 10:
        return (("bfs", {"bidirectional": True}), ("astar", {"estimate": "manhattan"}))
    bounds = ("pdb", "walking") if cells <= 16 else ("pdb", "conflicts")
    return (*(("ida", {"estimate": bound}) for bound in bounds), ("astar", {"estimate": "conflicts"}))
