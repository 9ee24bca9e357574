"""Franken and mutant fish, which have boxes in their base or cover, or rows beside columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from puzzlelab.puzzles.sudoku.logic.finned_fish import fish_sentence
from puzzlelab.puzzles.sudoku.logic.fish import FRANKEN, MUTANT, Fish, new_fish
from puzzlelab.puzzles.sudoku.logic.steps import Sentence
from puzzlelab.puzzles.sudoku.logic.techniques import Technique


def families() -> Sequence[Fish]:
    """Return the records of the searches of this family."""
    return [new_fish(shape, size) for shape in (FRANKEN, MUTANT) for size in (2, 3, 4)]


SENTENCES: Mapping[Technique, Sentence] = {
    technique: fish_sentence
    for technique in Technique
    if Technique.FRANKEN_X_WING <= technique <= Technique.FINNED_MUTANT_JELLYFISH
}
