"""Dust, the game of clearing a board cluster by cluster, on boards from 1x1 to 16x16."""

from puzzlelab.core.puzzle import Family
from puzzlelab.puzzles.dust.files import guessed_size
from puzzlelab.puzzles.dust.rules import Dust, from_name


def guess(text: str) -> Dust | None:
    """The puzzle of which this text is most likely a board."""
    size = guessed_size(text)
    return Dust(*size) if size else None


FAMILY = Family(
    about="Dust: click a cluster, the rest falls down and towards the centre; clear the board in the fewest clicks.",
    make=from_name,
    names=("dust-8x6x5", "dust-6x5x4", "dust-7x6x5", "dust-8x8x5", "dust-10x8x5"),
    guess=guess,
)

__all__ = ["FAMILY", "Dust"]
