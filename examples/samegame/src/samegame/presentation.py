"""How SameGame is shown to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlelab import Presentation
from puzzlelab.core.registry import PATIENCE
from samegame.notation import examples_of

if TYPE_CHECKING:
    from samegame.rules import SameGame

MOST_PROVEN = 49
"""Cells of the largest boards whose best score a search proves soon."""


def presentation(puzzle: SameGame) -> Presentation:
    """The usual solver proves the best score of small boards, and finds better and better ones beyond."""
    is_small = puzzle.cells <= MOST_PROVEN
    return Presentation(
        usual_solver=("astar", {"estimate": "colours"}) if is_small else ("beam", {"patience": PATIENCE}),
        provers=(("astar", {"estimate": "colours"}),),
        move_note="6,1: click column 6, row 1, counted from 0 at the lower left",
        examples=examples_of(puzzle),
    )
