"""Boards of a given difficulty, on scales that are read off the board: its clues, and the level that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.core.views import Scale
from puzzlelab.puzzles.sudoku.generate import LEVELS, SudokuGenerator, level_of

if TYPE_CHECKING:
    from puzzlelab.puzzles.sudoku.rules import Board, Sudoku

FEWEST, MOST = 20, 80
"""Clues of boards that digging finds."""


def scales(puzzle: Sudoku) -> Mapping[str, Scale]:
    """The scales on which boards can be made; none except for 9x9."""
    if puzzle.name != "sudoku-9x9":
        return {}
    return {
        "level": Scale("1 (57 to 67 clues) to 5 (at most 26)", _by_level, (min(LEVELS), max(LEVELS))),
        "blind": Scale(
            "the same levels, dug blindly: mostly several solutions at 4 and 5", _blindly, (min(LEVELS), max(LEVELS))
        ),
        "clues": Scale("how many cells are given", _by_clues, (FEWEST, MOST)),
        "minimal": Scale("no clue can be left out", _minimal),
    }


def difficulty(puzzle: Sudoku, state: Board) -> Mapping[str, int]:
    """The number of clues and, for 9x9, the level that they make."""
    clues = int(np.count_nonzero(state))
    return {"level": level_of(clues), "clues": clues} if puzzle.name == "sudoku-9x9" else {"clues": clues}


def _by_level(random: np.random.Generator, level: int | None) -> Board:
    return _first(random, SudokuGenerator(level=level) if level is not None else SudokuGenerator(mix="even"))


def _blindly(random: np.random.Generator, level: int | None) -> Board:
    return _first(random, SudokuGenerator(level=level, mix=None if level else "even", unique=False))


def _by_clues(random: np.random.Generator, level: int | None) -> Board:
    return _first(random, SudokuGenerator(clues=level) if level is not None else SudokuGenerator())


def _minimal(random: np.random.Generator, level: int | None) -> Board:
    return _first(random, SudokuGenerator())


def _first(random: np.random.Generator, generator: SudokuGenerator) -> Board:
    puzzles, _ = next(generator.batches(1, int(random.integers(2**62)), jobs=1))
    board: Board = puzzles[0]
    return board


@dataclass(frozen=True)
class SudokuSamples:
    """The view `Samples` of Sudoku."""

    puzzle: Sudoku

    @cached_property
    def scales(self) -> Mapping[str, Scale]:
        return scales(self.puzzle)

    def difficulty(self, state: Board) -> Mapping[str, int]:
        return difficulty(self.puzzle, state)
