"""The rules of sliding tiles, one board at a time in plain NumPy: the truth that `verify` uses.

A state is `uint8[N]`, row by row, 0 for the blank. A move is the direction in which the TILE slides into the blank.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadBoard, BadOption, shorten
from puzzlelab.core.puzzle import Estimate, Instance, KernelRules, Scale
from puzzlelab.puzzles.tiles import face

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.kernels import TilesTables

Board = NDArray[np.uint8]

MOVES = "UDLR"
SMALLEST, LARGEST = 2, 8


def arrival(rows: int, columns: int, blank: int, move: int) -> int | None:
    """The cell of the tile that slides into the cell `blank` by this move, or None."""
    row, column = divmod(blank, columns)
    row += {"U": 1, "D": -1}.get(MOVES[move], 0)
    column += {"L": 1, "R": -1}.get(MOVES[move], 0)
    return row * columns + column if 0 <= row < rows and 0 <= column < columns else None


def odd(permutation: NDArray[np.int64]) -> bool:
    """Whether an odd number of swaps makes this permutation."""
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
        """`bool[4]`: U, D, L, R."""
        blank = int(np.flatnonzero(state == 0)[0])
        return np.array([arrival(self.rows, self.columns, blank, move) is not None for move in range(len(MOVES))])

    def apply(self, state: Board, move: int) -> Board:
        blank = int(np.flatnonzero(state == 0)[0])
        source = arrival(self.rows, self.columns, blank, move)
        if source is None:
            raise ValueError(f"no tile can slide {MOVES[move]} on {self.write(state)}")
        child = state.copy()
        child[blank], child[source] = state[source], 0
        return child

    def solved(self, state: Board) -> bool:
        return tuple(state.tolist()) == self.goal

    def objection(self, state: Board) -> str | None:
        """Each move swaps the blank with a neighbour: the parity of the permutation goes with the blank's distance."""
        there = self.goal_cells(state)
        cell, home = int(np.flatnonzero(state == 0)[0]), self.goal.index(0)
        distance = sum(abs(a - b) for a, b in zip(divmod(cell, self.columns), divmod(home, self.columns), strict=True))
        if odd(there) == (distance % 2 == 1):
            return None
        return (
            "odd permutation: no sequence of moves reaches the goal "
            f"(the tiles are an {'odd' if odd(there) else 'even'} number of swaps from it, "
            f"and the blank an {'odd' if distance % 2 else 'even'} number of steps)"
        )

    def goal_cells(self, states: Board) -> NDArray[np.int64]:
        """The goal cell of the piece in each cell, for states `[..., N]`."""
        where = np.argsort(np.array(self.goal))
        return where[states]

    # --- notation and drawing ---

    @property
    def move_note(self) -> str:
        """What a move's letter means, for wherever moves are shown."""
        return "U, D, L, R: the way the tile slides"

    def read(self, text: str) -> Instance:
        """Numbers with spaces, commas or newlines; one hexadecimal digit a cell up to 16 cells; a nested list."""
        return Instance(self, face.read(text, self.rows, self.columns, self.name))

    def write(self, state: Board) -> str:
        return face.write(state)

    def draw(self, state: Board) -> str:
        return face.draw(state, self.columns)

    def svg(self, state: Board) -> str:
        return face.svg(state, self.columns, self.goal)

    def write_move(self, move: int) -> str:
        return MOVES[move]

    def read_move(self, text: str) -> int:
        if text not in MOVES or len(text) != 1:
            raise BadBoard(f"'{shorten(text)}' is no move; moves are U, D, L and R, the way the tile slides")
        return MOVES.index(text)

    # --- views ---

    def goals(self) -> Board:
        """`uint8[1, N]`."""
        return np.array([self.goal], np.uint8)

    def inverse(self, move: int) -> int:
        return move ^ 1

    @cached_property
    def _tables(self) -> TilesTables:
        from puzzlelab.puzzles.tiles import kernels

        return kernels.tables(self.rows, self.columns, self.goal.index(0))

    def kernel(self) -> KernelRules:
        from puzzlelab.puzzles.tiles import kernels

        words = kernels.packed_words(self.cells)
        return KernelRules(self._tables, self.cells + 1, np.uint8, words, self._encode, self._decode)

    def _encode(self, states: Board) -> Board:
        blanks = np.argmax(states == 0, axis=-1)
        return np.concatenate([self.goal_cells(states), blanks[..., None]], axis=-1).astype(np.uint8)

    def _decode(self, states: Board) -> Board:
        return np.array(self.goal, np.uint8)[states[..., : self.cells]]

    @cached_property
    def estimates(self) -> Mapping[str, str]:
        from puzzlelab.puzzles.tiles import estimates

        return estimates.offered(self)

    def estimate(self, name: str | None = None) -> Estimate:
        from puzzlelab.puzzles.tiles import estimates

        return estimates.make(self, name)

    @cached_property
    def scales(self) -> Mapping[str, Scale]:
        from puzzlelab.puzzles.tiles import sampling

        return sampling.scales(self)

    def difficulty(self, state: Board) -> Mapping[str, int]:
        from puzzlelab.puzzles.tiles import sampling

        return sampling.difficulty(self, state)

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.columns

    @property
    def input_size(self) -> int:
        from puzzlelab.puzzles.tiles import planes

        return planes.input_size(self)

    def planes(self, states: Board) -> NDArray[np.float32]:
        from puzzlelab.puzzles.tiles import planes

        return planes.one_hot(self, states)

    def symmetries(self, states: Board) -> tuple[tuple[Board, NDArray[np.int64]], ...]:
        from puzzlelab.puzzles.tiles import planes

        return planes.symmetries(self, states)

    @property
    def rewards(self) -> Mapping[str, str]:
        from puzzlelab.puzzles.tiles import rewards

        return rewards.REWARDS

    def reward(self, name: str, before: Board, after: Board) -> NDArray[np.float64]:
        from puzzlelab.puzzles.tiles import rewards

        return rewards.reward(self, name, after)

    @property
    def usual_solver(self) -> tuple[str, Mapping[str, object]]:
        """What `solve` uses when nobody names a solver: proofs up to 4x4, good answers soon beyond."""
        return ("ida", {}) if self.cells <= 16 else ("beam", {"width": 2**14 if self.cells <= 25 else 2**11})


def named(rest: str) -> Tiles:
    """The puzzle whose name is `tiles-` and this."""
    match = re.fullmatch(r"(\d{1,3})x(\d{1,3})(?::(.+))?", rest)
    if match is None:
        raise BadOption(f"'tiles-{shorten(rest)}' is no board size; write tiles-ROWSxCOLUMNS, such as tiles-4x4")
    rows, columns, variant = int(match[1]), int(match[2]), match[3]
    if variant is None:
        return Tiles(rows, columns)
    if variant == "blank-first":
        return Tiles(rows, columns, tuple(range(rows * columns)))
    if variant.startswith("goal="):
        board = face.read(variant.removeprefix("goal="), rows, columns, "the goal")
        return Tiles(rows, columns, tuple(board.tolist()))
    raise BadOption(f"tiles-{rows}x{columns} has no variant '{shorten(variant)}'; write :blank-first or :goal=1,2,...")
