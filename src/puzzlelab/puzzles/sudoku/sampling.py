"""Boards of a given difficulty, on scales that are read off the board: its clues, and the level that they make.

Many boards at once are a few new puzzles, and random images of them under the symmetries of Sudoku.

Shapes: B = boards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import OwnGenerator, Scale
from puzzlelab.puzzles.sudoku.generate import LEVELS, SudokuGenerator, level_of, own_generator
from puzzlelab.puzzles.sudoku.symmetries import random_images

if TYPE_CHECKING:
    from puzzlelab.puzzles.sudoku.rules import Board, Sudoku

FEWEST, MOST = 20, 80
"""Clues of boards that digging finds."""
UNRELATED, IMAGES = 8, 16
"""The fewest new puzzles among many boards at once, and the most images of one puzzle."""


def scales(puzzle: Sudoku) -> Mapping[str, Scale]:
    """Return the scales on which boards can be made; none except for 9x9."""
    if puzzle.name != "sudoku-9x9":
        return {}
    levels = min(LEVELS), max(LEVELS)
    return {
        "level": _scale("1 (57 to 67 clues) to 5 (at most 26)", _by_level, levels),
        "blind": _scale("the same levels, dug blindly: mostly several solutions at 4 and 5", _blindly, levels),
        "clues": _scale("how many cells are given", _by_clues, (FEWEST, MOST)),
        "minimal": _scale("no clue can be left out", _minimal, None),
    }


def _scale(about: str, settings: Callable[[int | None], SudokuGenerator], levels: tuple[int, int] | None) -> Scale:
    """Return the scale of the boards that the generator with these settings of a level makes."""
    return Scale(about, partial(_sample, settings), levels)


def difficulty(puzzle: Sudoku, states: Board) -> Mapping[str, NDArray[np.int64]]:
    """Return `int64[B]`: the number of clues of each of the boards `[B, N]` and, for 9x9, the level that they make."""
    clues = np.count_nonzero(states, axis=1)
    if puzzle.name != "sudoku-9x9":
        return {"clues": clues}
    return {"level": np.array([level_of(count) for count in range(82)])[clues], "clues": clues}


def _by_level(level: int | None) -> SudokuGenerator:
    return SudokuGenerator(level=level) if level is not None else SudokuGenerator(mix="even")


def _blindly(level: int | None) -> SudokuGenerator:
    return SudokuGenerator(level=level, mix=None if level else "even", unique=False)


def _by_clues(level: int | None) -> SudokuGenerator:
    return SudokuGenerator(clues=level) if level is not None else SudokuGenerator()


def _minimal(level: int | None) -> SudokuGenerator:
    return SudokuGenerator()


def _sample(
    settings: Callable[[int | None], SudokuGenerator], random: np.random.Generator, level: int | None, count: int
) -> Board:
    """Return `count` boards `[B, 81]`: new puzzles and, where they are many, images of these under random symmetries.

    The generator treats all images of a puzzle alike, so each board by itself is as likely as a new puzzle.
    """
    puzzles = _new(settings(level), random, max(min(count, UNRELATED), -(-count // IMAGES)))
    return puzzles if len(puzzles) == count else random_images(puzzles[np.arange(count) % len(puzzles)], random)


def _new(generator: SudokuGenerator, random: np.random.Generator, count: int) -> Board:
    """Return `count` new puzzles `[B, 81]`."""
    return np.concatenate([puzzles for puzzles, _ in generator.batches(count, int(random.integers(2**62)))])


@dataclass(frozen=True)
class SudokuSamples:
    """The view `Samples` of Sudoku."""

    puzzle: Sudoku

    @cached_property
    def scales(self) -> Mapping[str, Scale]:
        return scales(self.puzzle)

    @property
    def generator(self) -> OwnGenerator | None:
        """The generator of 9x9; other sizes have none."""
        return own_generator(self.puzzle)

    def difficulty(self, states: Board) -> Mapping[str, NDArray[np.int64]]:
        return difficulty(self.puzzle, states)
