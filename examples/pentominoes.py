"""The classical exact cover in one short file: the twelve pentominoes in a rectangle of 60 squares.

Every piece and every square is an item, every way to lay a piece an option. There are 2,339 ways to fill 6 x 10, not
counting turns and mirrors: Haselgrove and Haselgrove, "A computer program for pentominoes" (1960).
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from puzzlelab import BadBoard, BadOption, ExactCover, Family, Instance, Presentation, State
from puzzlelab.core.views import Cover

LETTERS = ".FILNPTUVWXYZ"
SHAPES = """.##/##./.#. ##### #.../#### ##../.### ###/.## ###/.#./.#. #.#/### #../#../### #../##./.##
.#./###/.#. ..#./#### ##./.#./.##"""


@dataclass(frozen=True)
class Pentominoes:
    """A rectangle of 60 squares. A state is `uint8[60]`, 0 for free or the number of a piece; a move lays a piece."""

    rows: int = 6
    columns: int = 10

    @property
    def name(self) -> str:
        return f"pentominoes-{self.rows}x{self.columns}"

    @property
    def move_count(self) -> int:
        return len(self.laid)

    @cached_property
    def laid(self) -> State:
        """`uint8[moves, 60]`: for each move, the rectangle with this piece alone."""
        found = {}
        for number, shape in enumerate(SHAPES.split(), start=1):
            piece = np.array([[square == "#" for square in line] for line in shape.split("/")])
            for turned in (np.rot90(side, turn) for side in (piece, piece.T) for turn in range(4)):
                high, wide = turned.shape
                for row, column in np.ndindex(max(0, self.rows - high + 1), max(0, self.columns - wide + 1)):
                    board = np.zeros((self.rows, self.columns), np.uint8)
                    board[row : row + high, column : column + wide] = turned * number
                    found[board.tobytes()] = board.reshape(-1)
        return np.stack(list(found.values()))

    def legal(self, state: State) -> State:
        return ~self.laid[:, state > 0].any(axis=1) & ~np.isin(self.laid.max(axis=1), state)

    def apply(self, state: State, move: int) -> State:
        return state + self.laid[move]

    def solved(self, state: State) -> bool:
        return bool(state.all())

    def objection(self, state: State) -> str | None:
        return None

    def read(self, text: str) -> Instance:
        squares = "".join(text.split())
        if len(squares) != 60 or set(squares) - set(LETTERS):
            raise BadBoard(f"{self.name} is 60 of '.' (free) and the letters {LETTERS[1:]}")
        state = np.array([LETTERS.index(square) for square in squares], np.uint8)
        if not np.array_equal(self.laid[self.chosen(state)].sum(axis=0), state):
            raise BadBoard("a letter stands on other squares than its piece would")
        return Instance(self, state)

    def write(self, state: State) -> str:
        return "".join(LETTERS[piece] for piece in state)

    def draw(self, state: State, mark: int | None = None) -> str:
        return "\n".join(self.write(row) for row in state.reshape(self.rows, self.columns))

    def write_move(self, move: int) -> str:
        return "-".join([LETTERS[self.laid[move].max()], *map(str, np.flatnonzero(self.laid[move]) + 1)])

    @cached_property
    def _moves(self) -> dict[str, int]:
        return {self.write_move(move): move for move in range(self.move_count)}

    def read_move(self, text: str) -> int:
        if text not in self._moves:
            raise BadBoard(f"'{text[:20]}' is no move; write a piece and its five squares, such as I-1-2-3-4-5")
        return self._moves[text]

    @cached_property
    def _cover(self) -> ExactCover:
        options = [[LETTERS[board.max()], *np.flatnonzero(board).tolist()] for board in self.laid]
        return ExactCover.of(options, [*LETTERS[1:], *range(60)])

    def cover(self) -> ExactCover:
        return self._cover

    def chosen(self, state: State) -> State:
        return np.flatnonzero(((self.laid == state) | (self.laid == 0)).all(axis=1))

    def view(self, kind: type) -> Any:
        if kind is Presentation:
            return Presentation(usual_solver=("dancing-links", {}), answer_is_board=True)
        return self if kind is Cover else None


def from_name(rest: str) -> Pentominoes:
    """The puzzle whose name is `pentominoes-` and this."""
    sides = re.fullmatch(r"([0-9]{1,2})x([0-9]{1,2})", rest)
    if sides is None or int(sides[1]) * int(sides[2]) != 60:
        raise BadOption("the pentominoes fill 60 squares; write pentominoes-6x10, or 5x12, 4x15, 3x20")
    return Pentominoes(int(sides[1]), int(sides[2]))


FAMILY = Family(
    about="Pentominoes: fill a rectangle with the twelve pieces.",
    make=from_name,
    names=("pentominoes-6x10", "pentominoes-3x20"),
)
