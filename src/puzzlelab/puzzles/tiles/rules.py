"""The rules of sliding tiles, one board at a time in plain NumPy: the truth that `verify` uses.

A state is `uint8[N]`, row by row, 0 for the blank. A move is the direction in which the TILE slides into the blank.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, BadOption, move_text, shorten
from puzzlelab.core.puzzle import Drawings, Forms, MoveForms, Notation, Presentation, View, Views, find_view, itself
from puzzlelab.core.views import (
    Estimates,
    KernelRules,
    Planes,
    Reversible,
    Rewards,
    Samples,
)
from puzzlelab.puzzles.tiles import notation, presentation
from puzzlelab.puzzles.tiles.notation import LARGEST, SMALLEST
from puzzlelab.text.board_blocks import read_state

Board = NDArray[np.uint8]

MOVES = "UDLR"


def source_cell(rows: int, columns: int, blank: int, move: int) -> int | None:
    """Return the cell of the tile that slides into the cell `blank` by this move, or None."""
    row, column = divmod(blank, columns)
    row += {"U": 1, "D": -1}.get(MOVES[move], 0)
    column += {"L": 1, "R": -1}.get(MOVES[move], 0)
    return row * columns + column if 0 <= row < rows and 0 <= column < columns else None


def is_odd_permutation(permutation: NDArray[np.int64]) -> bool:
    """Tell whether an odd number of swaps makes this permutation."""
    swaps, seen = 0, np.zeros(permutation.size, bool)
    for start in range(permutation.size):
        length, place = 0, start
        while not seen[place]:
            seen[place], place, length = True, int(permutation[place]), length + 1
        swaps += max(0, length - 1)
    return swaps % 2 == 1


@dataclass(frozen=True)
class Tiles:
    """Sliding tiles on a board of `rows` x `columns`.

    Names: `tiles-4x4` (goal 1, 2, ... with the blank last), `tiles-3x3:blank-first` (blank first, as in 0, 1, 2, ...),
    `tiles-3x3:goal=1,2,3,8,0,4,7,6,5` (any goal).
    State: `uint8[rows * columns]`, row by row, 0 for the blank.
    Moves: U, D, L, R: the direction in which the tile slides.

    >>> puzzle = puzzlelab.Tiles(2, 3)
    >>> puzzle.name, puzzle.goal
    ('tiles-2x3', (1, 2, 3, 4, 5, 0))
    """

    rows: int = 4
    columns: int = 4
    goal: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for size in (self.rows, self.columns):
            if not SMALLEST <= size <= LARGEST:
                raise BadOption(f"a tiles board has {SMALLEST} to {LARGEST} rows and columns, not {size}")
        object.__setattr__(self, "goal", tuple(self.goal))
        if not self.goal:
            object.__setattr__(self, "goal", (*range(1, self.cells), 0))
        elif sorted(self.goal) != list(range(self.cells)):
            raise BadOption(f"a goal of {self.rows}x{self.columns} tiles holds each of 0 to {self.cells - 1} once")

    @property
    def cells(self) -> int:
        """N."""
        return self.rows * self.columns

    @cached_property
    def name(self) -> str:
        size = f"tiles-{self.rows}x{self.columns}"
        if self.goal == (*range(1, self.cells), 0):
            return size
        if self.goal == tuple(range(self.cells)):
            return f"{size}:blank-first"
        return f"{size}:goal={','.join(map(str, self.goal))}"

    @property
    def move_count(self) -> int:
        return len(MOVES)

    # --- rules ---

    def legal(self, state: Board) -> NDArray[np.bool_]:
        """Return `bool[4]`: U, D, L, R."""
        blank = int(np.flatnonzero(state == 0)[0])
        return np.array([source_cell(self.rows, self.columns, blank, move) is not None for move in range(len(MOVES))])

    def apply(self, state: Board, move: int) -> Board:
        blank = int(np.flatnonzero(state == 0)[0])
        source = source_cell(self.rows, self.columns, blank, move)
        if source is None:
            raise ValueError(f"no tile can slide {MOVES[move]} on {self.write(state)}")
        child = state.copy()
        child[blank], child[source] = state[source], 0
        return child

    def solved(self, state: Board) -> bool:
        return tuple(state.tolist()) == self.goal

    def objection(self, state: Board) -> str | None:
        """Return why a board is unsolvable: a move swaps the blank with a neighbour, so that the parity of the
        permutation goes with the blank's distance.
        """
        there = self.goal_cells(state)
        cell, home = int(np.flatnonzero(state == 0)[0]), self.goal.index(0)
        distance = sum(abs(a - b) for a, b in zip(divmod(cell, self.columns), divmod(home, self.columns), strict=True))
        if is_odd_permutation(there) == (distance % 2 == 1):
            return None
        return (
            "odd permutation: no sequence of moves reaches the goal "
            "(with the blank moved to its place, the tiles are an odd number of swaps from theirs)"
        )

    def has_objection(self, states: Board) -> NDArray[np.bool_]:
        """Return `bool[B]`: which of the boards `[B, N]` have an objection."""
        there = self.goal_cells(states)
        inversions = sum((there[:, cell, None] > there[:, cell + 1 :]).sum(axis=1) for cell in range(self.cells - 1))
        rows, columns = np.divmod(np.argmax(states == 0, axis=1), self.columns)
        home_row, home_column = divmod(self.goal.index(0), self.columns)
        distances = np.abs(rows - home_row) + np.abs(columns - home_column)
        return np.asarray((inversions + distances) % 2 == 1)

    def goal_cells(self, states: Board) -> NDArray[np.int64]:
        """Return the goal cell of the piece in each cell, for states `[..., N]`."""
        where = np.argsort(np.array(self.goal))
        return where[states]

    # --- notation and drawing ---

    def read(self, text: str) -> Instance:
        """Read numbers with spaces, commas or newlines; one hexadecimal digit a cell up to 16 cells; a nested list; and
        any other form that `text.reader` knows.
        """
        return Instance(self, read_state(self, text))

    def write(self, state: Board) -> str:
        return notation.write(state)

    def draw(self, state: Board, mark: int | None = None) -> str:
        return presentation.draw(state, self.columns)

    def write_move(self, move: int) -> str:
        return MOVES[move]

    def read_move(self, text: str) -> int:
        if move_text(text, self.name) not in MOVES or len(text) != 1:
            raise BadBoard(f"'{shorten(text)}' is no move; moves are U, D, L and R, the way the tile slides")
        return MOVES.index(text)

    # --- views ---

    def goals(self) -> Board:
        """Return `uint8[1, N]`."""
        return np.array([self.goal], np.uint8)

    def inverse(self, move: int) -> int:
        return move ^ 1

    def view(self, kind: type[View]) -> View | None:
        return find_view(self, kind, VIEWS)


VIEWS: Views = {
    Drawings: "puzzlelab.puzzles.tiles.presentation:drawing",
    Estimates: "puzzlelab.puzzles.tiles.estimates:TilesEstimates",
    Forms: "puzzlelab.puzzles.tiles.notation:forms",
    KernelRules: "puzzlelab.puzzles.tiles.kernels:rules",
    MoveForms: "puzzlelab.puzzles.tiles.move_forms:forms",
    Notation: "puzzlelab.puzzles.tiles.notation:notation",
    Planes: "puzzlelab.puzzles.tiles.planes:TilesPlanes",
    Presentation: "puzzlelab.puzzles.tiles.presentation:presentation",
    Reversible: itself,
    Rewards: "puzzlelab.puzzles.tiles.estimates:TilesRewards",
    Samples: "puzzlelab.puzzles.tiles.estimates:TilesSamples",
}


def from_name(rest: str) -> Tiles:
    """Return the puzzle whose name is `tiles-` and this."""
    match = re.fullmatch(r"(\d{1,3})x(\d{1,3})(?::(.+))?", rest)
    if match is None:
        raise BadOption(f"'tiles-{shorten(rest)}' is no board size; write tiles-ROWSxCOLUMNS, such as tiles-4x4")
    rows, columns, variant = int(match[1]), int(match[2]), match[3]
    if variant is None:
        return Tiles(rows, columns)
    if variant == "blank-first":
        return Tiles(rows, columns, tuple(range(rows * columns)))
    if variant == "snail":
        return Tiles(rows, columns, _snail(rows, columns))
    if variant.startswith("goal="):
        board = notation.read(variant.removeprefix("goal="), rows, columns, "the goal")
        return Tiles(rows, columns, tuple(board.tolist()))
    raise BadOption(
        f"tiles-{rows}x{columns} has no variant '{shorten(variant)}'; write :blank-first, :snail or :goal=1,2,..."
    )


def _snail(rows: int, columns: int) -> tuple[int, ...]:
    """Return the goal whose numbers run along the edge and then inward, clockwise, with the blank last."""
    goal, tile = np.zeros((rows, columns), int), 0
    rest = np.arange(rows * columns).reshape(rows, columns)
    while rest.size:
        for cell in rest[0].tolist():
            tile += 1
            goal.flat[cell] = tile % (rows * columns)
        rest = np.rot90(rest[1:])
    return tuple(goal.ravel().tolist())
