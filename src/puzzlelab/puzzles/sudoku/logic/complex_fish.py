"""Franken and mutant fish, which have boxes in their base or cover, or rows beside columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from puzzlelab.puzzles.sudoku.logic.finned_fish import fish_sentence
from puzzlelab.puzzles.sudoku.logic.fish import FRANKEN, MUTANT, Fish, new_fish
from puzzlelab.puzzles.sudoku.logic.steps import Sentence
from puzzlelab.puzzles.sudoku.logic.techniques import Technique


def families() -> Sequence[Fish]:
    """Return the records of the searches of this family."""
    return [new_fish(shape, size) for shape, most in ((FRANKEN, 4), (MUTANT, 6)) for size in range(2, most + 1)]


SENTENCES: Mapping[Technique, Sentence] = dict.fromkeys(
    (
        *map(Technique, range(Technique.FRANKEN_X_WING, Technique.FINNED_MUTANT_JELLYFISH + 1)),
        *map(Technique, range(Technique.MUTANT_SQUIRMBAG, Technique.FINNED_MUTANT_WHALE + 1)),
    ),
    fish_sentence,
)
