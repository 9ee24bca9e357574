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

if TYPE_CHECKING:
    from puzzlelab.puzzles.sudoku.rules import Board, Sudoku

FEWEST, MOST = 20, 80
"""Clues of boards that digging finds."""
UNRELATED, IMAGES = 8, 16
"""The fewest new puzzles among many boards at once, and the most images of one puzzle."""


def _scale(about: str, settings: Callable[[int | None], SudokuGenerator], levels: tuple[int, int] | None) -> Scale:
    """Return the scale of the boards that the generator with these settings of a level makes."""
    return Scale(about, partial(_sample, settings), levels)


def _by_level(level: int | None) -> SudokuGenerator:
    return SudokuGenerator(level=level) if level is not None else SudokuGenerator(mix="even")


def _blindly(level: int | None) -> SudokuGenerator:
    return SudokuGenerator(level=level, mix=None if level else "even", unique=False)


def _by_clues(level: int | None) -> SudokuGenerator:
    return SudokuGenerator(clues=level) if level is not None else SudokuGenerator()


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
        """The scales on which boards can be made; none except for 9x9."""
        if self.puzzle.name != "sudoku-9x9":
            return {}
        levels = min(LEVELS), max(LEVELS)
        return {
            "level": _scale("1 (57 to 67 clues) to 5 (at most 26)", _by_level, levels),
            "blind": _scale("the same levels, dug blindly: mostly several solutions at 4 and 5", _blindly, levels),
            "clues": _scale("how many cells are given", _by_clues, (FEWEST, MOST)),
            "minimal": _scale("no clue can be left out", lambda level: SudokuGenerator(), None),
        }

    @property
    def generator(self) -> OwnGenerator | None:
        """The generator of 9x9; other sizes have none."""
        return own_generator(self.puzzle)

    def difficulty(self, states: Board) -> Mapping[str, NDArray[np.int64]]:
        """Return `int64[B]`: the clues of each of the boards `[B, N]` and, for 9x9, the level that they make."""
        clues = np.count_nonzero(states, axis=1)
        if self.puzzle.name != "sudoku-9x9":
            return {"clues": clues}
        return {"level": np.array([level_of(count) for count in range(82)])[clues], "clues": clues}


def random_images(boards: Board, random: np.random.Generator) -> Board:
    """Return the image of each of the `boards: uint8[B, 81]` under a random symmetry, all of them equally likely.

    A symmetry renames the digits, puts the bands, the stacks, the rows of each band and the columns of each stack in
    another order, and may transpose the board. It keeps the number of solutions and of clues, and what can be deduced
    by logic, in other cells.
    """
    count = len(boards)
    rows, columns = _lines(count, random), _lines(count, random)
    cells = 9 * rows[:, :, None] + columns[:, None, :]
    transposed = random.random(count) < 0.5
    cells[transposed] = cells[transposed].transpose(0, 2, 1)
    images = np.take_along_axis(boards, cells.reshape(count, 81), axis=1)
    digits = np.zeros((count, 10), np.uint8)
    digits[:, 1:] = _orders(count, 9, random) + 1
    return np.take_along_axis(digits, images, axis=1)


def _lines(count: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return `int64[B, 9]`: nine rows, or columns, in a random order in which those of a box stay together."""
    boxes = _orders(count, 3, random)
    within = _orders(3 * count, 3, random).reshape(count, 3, 3)
    return (3 * boxes[:, :, None] + within).reshape(count, 9)


def _orders(count: int, size: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return `int64[B, size]`: random orders of the numbers from 0 on."""
    return random.permuted(np.tile(np.arange(size), (count, 1)), axis=1)
