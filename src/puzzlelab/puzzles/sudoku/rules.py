"""The rules of Sudoku, one board at a time in plain NumPy: the truth that `verify` uses.

A state is `uint8[N * N]`, row by row, 0 for a blank. The move `cell * N + digit - 1` writes a digit in a blank cell.

Shapes: N = cells of a row, and digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.cover import ExactCover
from puzzlelab.core.errors import BadBoard, BadOption, move_text, shorten
from puzzlelab.core.logic import Logic
from puzzlelab.core.puzzle import Drawings, Notation, Presentation, View, Views, find_view, itself
from puzzlelab.core.views import (
    Candidates,
    Cover,
    KernelRules,
    Legality,
    Planes,
    Samples,
    Units,
)
from puzzlelab.puzzles.sudoku import notation, presentation
from puzzlelab.text.board_blocks import read_state

Board = NDArray[np.uint8]

SMALLEST, LARGEST = 2, 5


@dataclass(frozen=True)
class Sudoku:
    """Sudoku with boxes of `box_rows` x `box_columns` cells: fill the grid so that every unit holds each digit once.

    Names: `sudoku-9x9`, `sudoku-4x4`, `sudoku-6x6` (boxes of 2 rows and 3 columns), `sudoku-6x6:boxes=3x2`, up to
    `sudoku-25x25`. State: `uint8[N * N]`, row by row, 0 for blank. Moves: `r3c5=7` writes a 7 in row 3, column 5.

    >>> puzzle = puzzlelab.Sudoku(2, 2)
    >>> puzzle.name, puzzlelab.solve(puzzle.read("1000003004000002")).proof
    ('sudoku-4x4', 'unique')
    """

    box_rows: int = 3
    box_columns: int = 3

    def __post_init__(self) -> None:
        for side in (self.box_rows, self.box_columns):
            if not SMALLEST <= side <= LARGEST:
                raise BadOption(f"a Sudoku box has {SMALLEST} to {LARGEST} rows and columns, not {side}")

    @property
    def size(self) -> int:
        """N."""
        return self.box_rows * self.box_columns

    @property
    def cells(self) -> int:
        """N * N."""
        return self.size**2

    @cached_property
    def name(self) -> str:
        plain = f"sudoku-{self.size}x{self.size}"
        if self.box_rows <= self.box_columns:
            return plain
        return f"{plain}:boxes={self.box_rows}x{self.box_columns}"

    @property
    def move_count(self) -> int:
        return self.cells * self.size

    @cached_property
    def units(self) -> Units:
        """Rows, columns and boxes, each `int32[N, N]`."""
        cells = np.arange(self.cells, dtype=np.int32).reshape(self.size, self.size)
        grid = cells.reshape(self.box_columns, self.box_rows, self.box_rows, self.box_columns)
        boxes = grid.swapaxes(1, 2).reshape(self.size, self.size)
        return Units({"row": cells, "column": cells.T, "box": boxes}, (self.box_rows, self.box_columns))

    @cached_property
    def _cell_units(self) -> NDArray[np.int64]:
        """`int64[N * N, 3]`: the row, the column and the box of each cell, as numbers in the list of all units."""
        homes = np.empty((self.cells, len(self.units.kinds)), np.int64)
        for kind, units in enumerate(self.units.kinds.values()):
            homes[units.reshape(-1), kind] = kind * self.size + np.repeat(np.arange(self.size), self.size)
        return homes

    # --- rules ---

    def candidates(self, state: Board) -> NDArray[np.bool_]:
        """Return `bool[N * N, N]`: the digits that each blank cell could hold without a conflict."""
        held = np.zeros((3 * self.size, self.size + 1), bool)
        held[self._cell_units, state[:, None]] = True
        taken: NDArray[np.bool_] = held[self._cell_units, 1:].any(axis=1) | (state != 0)[:, None]
        return ~taken

    def legal(self, state: Board) -> NDArray[np.bool_]:
        """Return `bool[N ** 3]`: writing a digit in a blank cell whose row, column and box do not hold it."""
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
        return self.objection_to(state, self.candidates(state), ": its row, column and box hold every digit")

    def objection_to(self, state: Board, candidates: NDArray[np.bool_], why_none: str = "") -> str | None:
        """Return the `objection` to a board whose blank cells have these `candidates: bool[N * N, N]`.

        `why_none` is what is said of a cell that has none.
        """
        return (
            self._conflict(state)
            or self._without_candidate(state, candidates, why_none)
            or self._without_place(state, candidates)
        )

    def _unit_names(self) -> list[str]:
        return [f"{kind} {number + 1}" for kind in self.units.kinds for number in range(self.size)]

    def _conflict(self, state: Board) -> str | None:
        for name, unit in zip(self._unit_names(), self.units.all.tolist(), strict=True):
            first: dict[int, int] = {}
            for cell in unit:
                digit = int(state[cell])
                if digit and digit in first:
                    where = f"{self.write_cell(first[digit])} and {self.write_cell(cell)}"
                    return f"{name} holds two {notation.SYMBOLS[digit - 1]}s, in {where}"
                first[digit] = cell
        return None

    def _without_candidate(self, state: Board, candidates: NDArray[np.bool_], why: str) -> str | None:
        stuck = np.flatnonzero((state == 0) & ~candidates.any(axis=1))
        if stuck.size == 0:
            return None
        return f"{self.write_cell(int(stuck[0]))} has no candidate left{why}"

    def _without_place(self, state: Board, candidates: NDArray[np.bool_]) -> str | None:
        placed = candidates | (state[:, None] == np.arange(1, self.size + 1))
        missing = np.argwhere(~placed[self.units.all].any(axis=1))
        if missing.size == 0:
            return None
        unit, digit = missing[0]
        return f"{self._unit_names()[unit]} has no place left for a {notation.SYMBOLS[digit]}"

    # --- notation and drawing ---

    def read(self, text: str) -> Instance:
        """Read one character a cell, with or without lines and bars; puzzle and solution; the name of an example; and
        any other form that `text.reader` knows.
        """
        return Instance(self, read_state(self, text))

    def write(self, state: Board) -> str:
        return notation.write(state)

    def draw(self, state: Board, mark: int | None = None) -> str:
        return presentation.draw(state, self.box_rows, self.box_columns)

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
        cells, digits = np.divmod(np.arange(self.move_count), self.size)
        items = np.stack(
            [cells, *(self.cells + self._cell_units[cells, kind] * self.size + digits for kind in range(3))], 1
        )
        return ExactCover(
            4 * self.cells,
            4 * self.cells,
            np.arange(0, 4 * self.move_count + 1, 4),
            items.reshape(-1).astype(np.int32),
            np.arange(self.move_count),
        )

    def cover(self) -> ExactCover:
        """Return the cover. Items: every cell is filled, and every row, column and box holds each digit. Options: the
        moves.
        """
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
        """Put digits, bands, stacks, and lines within them in random order; with square boxes reflect them or not."""
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
    KernelRules: "puzzlelab.puzzles.sudoku.kernels:rules",
    Legality: lambda sudoku: Legality(sudoku.is_legal),
    Logic: "puzzlelab.puzzles.sudoku.logic.view:logic",
    Notation: "puzzlelab.puzzles.sudoku.notation:notation",
    Planes: "puzzlelab.puzzles.sudoku.planes:SudokuPlanes",
    Presentation: "puzzlelab.puzzles.sudoku.presentation:presentation",
    Samples: "puzzlelab.puzzles.sudoku.generate:SudokuSamples",
}


def from_name(rest: str) -> Sudoku:
    """Return the puzzle whose name is `sudoku-` and this."""
    match = re.fullmatch(r"([0-9]{1,3})x([0-9]{1,3})(?::boxes=([0-9]{1,2})x([0-9]{1,2}))?", rest)
    if match is None:
        raise BadOption(f"'sudoku-{shorten(rest)}' is no Sudoku; write sudoku-9x9, or sudoku-6x6:boxes=3x2")
    size = int(match[1])
    sides = [
        (rows, size // rows)
        for rows in range(SMALLEST, LARGEST + 1)
        if size % rows == 0 and rows <= size // rows <= LARGEST
    ]
    if int(match[2]) != size or not sides:
        raise BadOption(
            f"there is no sudoku-{match[1]}x{match[2]}: boxes have {SMALLEST} to {LARGEST} rows and columns, "
            "so that grids are 4x4, 6x6, 8x8, 9x9, 10x10, 12x12, 15x15, 16x16, 20x20 and 25x25"
        )
    box_rows, box_columns = (int(match[3]), int(match[4])) if match[3] else sides[0]
    if box_rows * box_columns != size:
        raise BadOption(f"boxes of {box_rows}x{box_columns} do not make a grid of {size}x{size}")
    return Sudoku(box_rows, box_columns)
