"""Dust, the game of clearing a board cluster by cluster, on boards from 1x1 to 16x16."""

from puzzlelab.puzzles.dust.files import guessed_size
from puzzlelab.puzzles.dust.rules import Dust, named

ABOUT = "Dust: click a cluster, the rest falls down and towards the centre; clear the board in the fewest clicks."
EXAMPLES = ("dust-8x6x5", "dust-6x5x4", "dust-7x6x5", "dust-8x8x5", "dust-10x8x5")
QUICK = ("colours",)
FAMILY = named


def guess(text: str) -> Dust | None:
    """The puzzle of which this text is most likely a board."""
    size = guessed_size(text)
    return Dust(*size) if size else None


__all__ = ["ABOUT", "EXAMPLES", "FAMILY", "QUICK", "Dust", "guess"]
