"""How dust is shown to people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from puzzlelab.core.puzzle import Presentation
from puzzlelab.core.registry import PATIENCE
from puzzlelab.puzzles.dust import examples

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Dust


def presentation(puzzle: Dust) -> Presentation:
    """Return the presentation: the usual solver proves its answers up to 64 cells, and finds good ones soon beyond."""
    return Presentation(
        usual_solver=("halves", {}) if puzzle.cells <= 64 else ("beam", {"patience": PATIENCE}),
        provers=_provers(puzzle.cells),
        move_note="6,1: click column 6, row 1, counted from 0 at the lower left",
        examples=examples.of(puzzle.name),
    )


def _provers(cells: int) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return the methods of proof: a bound by colours, which shares nothing with `halves`, is enough for small boards
    only.
    """
    bounds = ("colours",) if cells <= 30 or cells > 64 else ("halves", "colours")
    return (("halves", {}), *(("astar", {"estimate": bound}) for bound in bounds))
