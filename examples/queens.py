"""A puzzle that is an exact cover, in one short file: n queens on a chess board, none of which attacks another.

Rows and columns get a queen each (primary items), diagonals at most one (secondary items): `cover` says no more.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from puzzlelab import BadBoard, BadOption, ExactCover, Family, Instance, Presentation, State
from puzzlelab.core.views import Cover


@dataclass(frozen=True)
class Queens:
    """A board of `size` x `size` squares. A state is `uint8[size * size]`, 1 for a queen; a move places one more."""

    size: int = 8

    @property
    def name(self) -> str:
        return f"queens-{self.size}"

    @property
    def move_count(self) -> int:
        return self.size**2

    @cached_property
    def lines(self) -> State:
        """`int[4, size * size]`: the row, the column and the two diagonals of each square."""
        rows, columns = np.divmod(np.arange(self.move_count), self.size)
        return np.stack([rows, columns, rows + columns, rows - columns])

    def attacked(self, state: State) -> State:
        """`bool[size * size]`: squares on a line with a queen that stands on another square."""
        same = (self.lines[:, :, None] == self.lines[:, None, :]).any(axis=0) & ~np.eye(self.move_count, dtype=bool)
        return same[:, state == 1].any(axis=1)

    def legal(self, state: State) -> State:
        return (state == 0) & ~self.attacked(state)

    def apply(self, state: State, move: int) -> State:
        return state | (np.arange(self.move_count) == move).astype(np.uint8)

    def solved(self, state: State) -> bool:
        return int(state.sum()) == self.size and self.objection(state) is None

    def objection(self, state: State) -> str | None:
        attacked = np.flatnonzero((state == 1) & self.attacked(state))
        return f"the queen on {self.write_move(attacked[0])} is attacked" if attacked.size else None

    def read(self, text: str) -> Instance:
        squares = "".join(text.split())
        if len(squares) != self.move_count or set(squares) - {".", "Q"}:
            raise BadBoard(f"{self.name} is {self.move_count} of 'Q' (queen) and '.' (free)")
        return Instance(self, np.array([square == "Q" for square in squares], np.uint8))

    def write(self, state: State) -> str:
        return "".join(".Q"[queen] for queen in state)

    def draw(self, state: State, mark: int | None = None) -> str:
        return "\n".join(self.write(row) for row in state.reshape(self.size, self.size))

    def write_move(self, move: int) -> str:
        return f"{move // self.size + 1},{move % self.size + 1}"

    def read_move(self, text: str) -> int:
        for move in range(self.move_count):
            if text == self.write_move(move):
                return move
        raise BadBoard(f"'{text[:20]}' is no square; write row,column")

    @cached_property
    def _cover(self) -> ExactCover:
        options = [list(enumerate(square)) for square in self.lines.T.tolist()]
        items = sorted({item for option in options for item in option})
        return ExactCover.of(options, items[: 2 * self.size], items[2 * self.size :])

    def cover(self) -> ExactCover:
        return self._cover

    def chosen(self, state: State) -> State:
        return np.flatnonzero(state)

    def view(self, kind: type) -> Any:
        if kind is Presentation:
            return Presentation(usual_solver=("dancing-links", {}), answer_is_board=True)
        return self if kind is Cover else None


def from_name(rest: str) -> Queens:
    """The puzzle whose name is `queens-` and this."""
    if not rest.isdecimal() or not 1 <= int(rest) <= 32:
        raise BadOption("a board of queens has 1 to 32 rows; write queens-8")
    return Queens(int(rest))


FAMILY = Family(
    about="Queens: place n queens, none of which attacks another.", make=from_name, names=("queens-8", "queens-12")
)
