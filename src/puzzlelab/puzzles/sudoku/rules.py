"""The rules of Sudoku, one board at a time in plain NumPy: the truth that `verify` uses.

A state is `uint8[N * N]`, row by row, 0 for a blank. The move `cell * N + digit - 1` writes a digit in a blank cell.

Shapes: N = cells of a row, and digits.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.cover import ExactCover
from puzzlelab.core.errors import BadBoard, BadOption, move_text, shorten
from puzzlelab.core.logic import Logic
from puzzlelab.core.puzzle import Drawings, Forms, Notation, Presentation, View, Views, find_view, itself
from puzzlelab.core.views import (
    Candidates,
    Cover,
    KernelRules,
    Legality,
    Planes,
    Samples,
    Symmetries,
    Units,
)
from puzzlelab.puzzles.sudoku import further_units, notation, presentation
from puzzlelab.text.board_blocks import read_state

Board = NDArray[np.uint8]

SMALLEST, LARGEST = 2, 5


@dataclass(frozen=True)
class Sudoku:
    """Sudoku with boxes of `box_rows` x `box_columns` cells: fill the grid so that every unit holds each digit once.

    Names: `sudoku-9x9`, `sudoku-4x4`, `sudoku-6x6` (boxes of 2 rows and 3 columns), `sudoku-6x6:boxes=3x2`, up to
    `sudoku-25x25`. State: `uint8[N * N]`, row by row, 0 for blank. Moves: `r3c5=7` writes a 7 in row 3, column 5.

    Further units: `sudoku-9x9:diagonal` (both diagonals), `sudoku-9x9:windoku` (squares of the size of a box with a
    line of cells around each: four in 9x9; boxes are square), `sudoku-9x9:disjoint` (the cells of equal place in their
    boxes), or several, as in `sudoku-9x9:diagonal:windoku`. `sudoku-5x5:jigsaw=1122211322143334435544555` has regions
    in place of boxes: a sign for the region of each cell, row by row.

    >>> puzzle = puzzlelab.Sudoku(2, 2)
    >>> puzzle.name, puzzlelab.solve(puzzle.read("1000003004000002")).proof
    ('sudoku-4x4', 'unique')
    >>> puzzlelab.Sudoku(diagonal=True).name, puzzlelab.Sudoku(regions="aab/acb/ccb").name
    ('sudoku-9x9:diagonal', 'sudoku-3x3:jigsaw=112132332')
    """

    box_rows: int = 3
    box_columns: int = 3
    diagonal: bool = False
    windoku: bool = False
    disjoint: bool = False
    regions: str = ""
    """The regions of a jigsaw in place of boxes, a sign a cell; then a box is a row of N cells, and no unit."""

    def __post_init__(self) -> None:
        if self.regions:
            self._set_regions(further_units.normal_form(self.regions))
            return
        for side in (self.box_rows, self.box_columns):
            if not SMALLEST <= side <= LARGEST:
                raise BadOption(f"a Sudoku box has {SMALLEST} to {LARGEST} rows and columns, not {side}")
        if self.windoku and self.box_rows != self.box_columns:
            raise BadOption(
                "the windows of windoku are as large as a box, and boxes must be square: in 4x4, 9x9, 16x16 and 25x25"
            )

    def _set_regions(self, regions: str) -> None:
        if self.windoku or self.disjoint:
            raise BadOption("a jigsaw has no boxes, and windoku and disjoint groups are made of boxes")
        fields = {"regions": regions, "box_rows": 1, "box_columns": math.isqrt(len(regions))}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def size(self) -> int:
        """N."""
        return self.box_rows * self.box_columns

    @property
    def cells(self) -> int:
        """N * N."""
        return self.size**2

    @property
    def is_plain(self) -> bool:
        """Whether rows, columns and boxes are the only units."""
        return not (self.diagonal or self.windoku or self.disjoint or self.regions)

    @cached_property
    def name(self) -> str:
        words = [f"sudoku-{self.size}x{self.size}"]
        if self.regions:
            words.append(f"jigsaw={self.regions}")
        elif self.box_rows > self.box_columns:
            words.append(f"boxes={self.box_rows}x{self.box_columns}")
        return ":".join([*words, *(word for word in further_units.FURTHER if getattr(self, word))])

    @property
    def move_count(self) -> int:
        return self.cells * self.size

    @cached_property
    def units(self) -> Units:
        """Rows, columns, and boxes or regions, each `int32[N, N]`; then diagonals, windows and disjoint groups."""
        grid = np.arange(self.cells, dtype=np.int32).reshape(self.size, self.size)
        kinds = {"row": grid, "column": grid.T}
        if self.regions:
            kinds["region"] = further_units.regions(self.regions)
        else:
            boxes = grid.reshape(self.box_columns, self.box_rows, self.box_rows, self.box_columns)
            kinds["box"] = boxes.swapaxes(1, 2).reshape(self.size, self.size)
        if self.diagonal:
            kinds["diagonal"] = further_units.diagonals(grid)
        if self.windoku:
            kinds["window"] = further_units.windows(grid)
        if self.disjoint:
            kinds["disjoint group"] = kinds["box"].T
        return Units(kinds, (self.box_rows, self.box_columns) if self.is_plain else None)

    @cached_property
    def square_symmetries(self) -> tuple[NDArray[np.int64], ...]:
        """The reflections and turns of the grid that map units to units, as `int64[N, N]`: the cell that comes to each
        place.
        """
        grid = np.arange(self.cells).reshape(self.size, self.size)
        images = [grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]
        return tuple(image for image in [*images, *(image.T for image in images)] if self._keeps_units(image))

    def _keeps_units(self, image: NDArray[np.int64]) -> bool:
        images = np.sort(image.reshape(-1)[self.units.all], axis=1)
        return set(map(tuple, images.tolist())) == set(map(tuple, np.sort(self.units.all, axis=1).tolist()))

    # --- rules ---

    def candidates(self, state: Board) -> NDArray[np.bool_]:
        """Return `bool[N * N, N]`: the digits that each blank cell could hold without a conflict."""
        units = self.units.of_cells
        held = np.zeros((len(self.units.all), self.size + 1), bool)
        held[units, state[:, None]] = True
        taken: NDArray[np.bool_] = held[units, 1:].any(axis=1) | (state != 0)[:, None]
        return ~taken

    def legal(self, state: Board) -> NDArray[np.bool_]:
        """Return `bool[N ** 3]`: writing a digit in a blank cell whose units do not hold it."""
        return self.candidates(state).reshape(-1)

    def is_legal(self, state: Board, move: int) -> bool:
        """Tell whether `legal` names this move."""
        cell, digit = divmod(move, self.size)
        return not state[cell] and digit + 1 not in state[self.units.peers[cell]].tobytes()

    def apply(self, state: Board, move: int) -> Board:
        cell, digit = divmod(move, self.size)
        if state[cell] != 0:
            raise ValueError(f"{self.write_move(move)} writes in a cell that is filled")
        child = state.copy()
        child[cell] = digit + 1
        return child

    def solved(self, state: Board) -> bool:
        return bool((np.sort(state[self.units.all], axis=1) == np.arange(1, self.size + 1)).all())

    def objection(self, state: Board) -> str | None:
        """Name two equal digits in a unit, a cell without a candidate, or a digit without a place in a unit."""
        return self.objection_to(state, self.candidates(state), has_others_in_units=True)

    def objection_to(
        self, state: Board, candidates: NDArray[np.bool_], has_others_in_units: bool = False
    ) -> str | None:
        """Return the `objection` to a board whose blank cells have these `candidates: bool[N * N, N]`.

        `has_others_in_units`: whether a digit that is no candidate of a cell is in one of its units.
        """
        return (
            self._conflict(state)
            or self._without_candidate(state, candidates, has_others_in_units)
            or self._without_place(state, candidates)
        )

    def _conflict(self, state: Board) -> str | None:
        for name, unit in zip(self.units.names, self.units.all.tolist(), strict=True):
            first: dict[int, int] = {}
            for cell in unit:
                digit = int(state[cell])
                if digit and digit in first:
                    where = f"{self.write_cell(first[digit])} and {self.write_cell(cell)}"
                    return f"{name} holds two {notation.SYMBOLS[digit - 1]}s, in {where}"
                first[digit] = cell
        return None

    def _without_candidate(self, state: Board, candidates: NDArray[np.bool_], in_units: bool) -> str | None:
        stuck = np.flatnonzero((state == 0) & ~candidates.any(axis=1))
        if stuck.size == 0:
            return None
        cell = int(stuck[0])
        why = f": its {self._kinds_of(cell)} hold every digit" if in_units else ""
        return f"{self.write_cell(cell)} has no candidate left{why}"

    def _kinds_of(self, cell: int) -> str:
        """Return the kinds of the units of a cell, such as `row, column and box`."""
        *kinds, last = (kind for kind, units in self.units.kinds.items() if (units == cell).any())
        return f"{', '.join(kinds)} and {last}"

    def _without_place(self, state: Board, candidates: NDArray[np.bool_]) -> str | None:
        placed = candidates | (state[:, None] == np.arange(1, self.size + 1))
        missing = np.argwhere(~placed[self.units.all].any(axis=1))
        if missing.size == 0:
            return None
        unit, digit = missing[0]
        return f"{self.units.name(unit)} has no place left for a {notation.SYMBOLS[digit]}"

    # --- notation and drawing ---

    def read(self, text: str) -> Instance:
        """Read one character a cell, with or without lines and bars; puzzle and solution; the name of an example; and
        any other form that `text.reader` knows.
        """
        return Instance(self, read_state(self, text))

    def write(self, state: Board) -> str:
        return notation.write(state)

    def draw(self, state: Board, mark: int | None = None) -> str:
        return presentation.draw(self, state)

    def write_cell(self, cell: int) -> str:
        """Return a cell by its row and column from 1, such as `r3c5`."""
        row, column = divmod(cell, self.size)
        return f"r{row + 1}c{column + 1}"

    def write_move(self, move: int) -> str:
        cell, digit = divmod(move, self.size)
        return f"{self.write_cell(cell)}={notation.SYMBOLS[digit]}"

    def read_move(self, text: str) -> int:
        match = re.fullmatch(r"r([1-9][0-9]?)c([1-9][0-9]?)=([1-9A-P])", move_text(text, self.name))
        digit = notation.SYMBOLS.index(match[3]) if match else 0
        if match is None or max(int(match[1]), int(match[2]), digit + 1) > self.size:
            raise BadBoard(f"'{shorten(text)}' is no move; r3c5=7 writes a 7 in row 3, column 5")
        return ((int(match[1]) - 1) * self.size + int(match[2]) - 1) * self.size + digit

    # --- views ---

    @cached_property
    def _cover(self) -> ExactCover:
        digits, units = np.arange(self.size), np.arange(len(self.units.all))
        cells = np.concatenate([np.arange(self.cells), self.units.all.reshape(-1)])
        held = np.repeat(self.cells + units * self.size, self.size)[:, None] + digits
        filled = np.repeat(np.arange(self.cells)[:, None], self.size, axis=1)
        moves = (cells[:, None] * self.size + digits).reshape(-1)
        items = np.concatenate([filled, held]).reshape(-1)[np.argsort(moves, kind="stable")].astype(np.int32)
        starts = np.concatenate([[0], np.cumsum(np.bincount(moves))])
        count = self.cells + units.size * self.size
        return ExactCover(count, count, starts, items, np.arange(self.move_count))

    def cover(self) -> ExactCover:
        """Return the cover. Items: every cell is filled, and every unit holds each digit. Options: the moves."""
        return self._cover

    def chosen(self, state: Board) -> NDArray[np.int64]:
        """Return `int64[clues]`."""
        cells = np.flatnonzero(state)
        return cells * self.size + state[cells].astype(np.int64) - 1

    def digits(self, state: Board) -> NDArray[np.int64]:
        """Return `int64[N * N]`: digits from 0, -1 for blank."""
        return state.astype(np.int64) - 1

    def notes(self, states: Board) -> NDArray[np.int64]:
        """Return `int64[..., N * N]`: the candidates that cells may have beside what clues exclude, as bits: all."""
        return np.full(states.shape, (1 << self.size) - 1)

    def written(self, digits: NDArray[np.int64]) -> Board:
        """Return `uint8[B, N * N]` from `int64[B, N * N]`."""
        return (digits + 1).astype(np.uint8)

    def random_symmetry(self, random: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Put digits, bands, stacks, and lines within them in random order; with square boxes reflect them or not.

        With further units or regions, put digits in random order, and turn or reflect the grid if that keeps the units.
        """
        if not self.is_plain:
            images = self.square_symmetries
            return images[random.integers(len(images))].reshape(-1), random.permutation(self.size)
        rows, columns = (
            np.concatenate([at * side + random.permutation(side) for at in random.permutation(self.size // side)])
            for side in (self.box_rows, self.box_columns)
        )
        cells = rows[:, None] * self.size + columns
        if self.box_rows == self.box_columns and random.integers(2):
            cells = cells.T
        return cells.reshape(-1), random.permutation(self.size)

    def view(self, kind: type[View]) -> View | None:
        return find_view(self, kind, VIEWS)


VIEWS: Views = {
    Candidates: itself,
    Cover: itself,
    Drawings: "puzzlelab.puzzles.sudoku.presentation:drawing",
    Forms: "puzzlelab.puzzles.sudoku.forms:forms",
    KernelRules: "puzzlelab.puzzles.sudoku.kernels:rules",
    Legality: lambda sudoku: Legality(sudoku.is_legal),
    Logic: "puzzlelab.puzzles.sudoku.logic.view:logic",
    Notation: "puzzlelab.puzzles.sudoku.notation:notation",
    Planes: "puzzlelab.puzzles.sudoku.planes:SudokuPlanes",
    Presentation: "puzzlelab.puzzles.sudoku.presentation:presentation",
    Samples: "puzzlelab.puzzles.sudoku.generate:SudokuSamples",
    Symmetries: "puzzlelab.puzzles.sudoku.canonical:symmetries",
}


def from_name(rest: str) -> Sudoku:
    """Return the puzzle whose name is `sudoku-` and this."""
    match = re.fullmatch(r"([0-9]{1,3})x([0-9]{1,3})((?::.*)?)", rest)
    if match is None:
        raise BadOption(f"'sudoku-{shorten(rest)}' is no Sudoku; write sudoku-9x9, or sudoku-6x6:boxes=3x2")
    size, options = int(match[1]), further_units.options_of(match[3])
    further: dict[str, Any] = {word: word in options for word in further_units.FURTHER}
    if regions := options.get(further_units.JIGSAW):
        if further_units.BOXES in options:
            raise BadOption("a jigsaw has regions in place of boxes: leave boxes out of its name")
        if int(match[2]) != size:
            raise BadOption(f"a jigsaw has as many columns as rows, not {match[1]}x{match[2]}")
        return Sudoku(**further, regions=further_units.normal_form(regions, size))
    sides = [
        (rows, size // rows)
        for rows in range(SMALLEST, LARGEST + 1)
        if size % rows == 0 and rows <= size // rows <= LARGEST
    ]
    if int(match[2]) != size or not sides:
        raise BadOption(
            f"there is no sudoku-{match[1]}x{match[2]}: boxes have {SMALLEST} to {LARGEST} rows and columns, so that "
            "grids are 4x4, 6x6, 8x8, 9x9, 10x10, 12x12, 15x15, 16x16, 20x20 and 25x25; other square ones are jigsaws"
        )
    return Sudoku(*_box(options.get(further_units.BOXES), size) or sides[0], **further)


def _box(text: str | None, size: int) -> tuple[int, int] | None:
    """Return the sides of a box that a name has; raises `BadOption`."""
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,2})x([0-9]{1,2})", text)
    if match is None:
        raise BadOption(f"'{shorten(text)}' is no box; write its rows and columns, as in boxes=3x2")
    if int(match[1]) * int(match[2]) != size:
        raise BadOption(f"boxes of {text} do not make a grid of {size}x{size}")
    return int(match[1]), int(match[2])
