"""The puzzle of an exact cover that is given as it is: each move chooses an option, and the solution names them.

Every solver that takes the view `Cover` solves it, and the plain rules here verify the answer.

Shapes: I = items, O = options, as in `core.cover`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.cover import NO_OPTION, ExactCover
from puzzlelab.core.errors import BadBoard, board_text, move_text, shorten
from puzzlelab.core.puzzle import Presentation, State
from puzzlelab.core.views import Cover, Legality


@dataclass(frozen=True)
class CoverPuzzle:
    """An exact cover as a puzzle. State: `int32[I]`, the option that covers each item, from 1; 0 for none.

    Boards and solutions are written as the names of the chosen options, with spaces between them. Two puzzles are equal
    if they have the same `ExactCover`; no name loads one.
    """

    exact_cover: ExactCover
    """Its moves are the numbers of the options."""

    @property
    def name(self) -> str:
        return "exact-cover"

    @property
    def move_count(self) -> int:
        return self.exact_cover.options

    def legal(self, state: State) -> NDArray[np.bool_]:
        cover = self.exact_cover
        blocked = np.bincount(cover.owners[state[cover.entries] > 0], minlength=cover.options)
        return np.asarray(blocked == 0)

    def is_legal(self, state: State, move: int) -> bool:
        """Tell whether no item of this option is covered."""
        return not state[self.exact_cover.option(move)].any()

    def apply(self, state: State, move: int) -> State:
        after = state.copy()
        after[self.exact_cover.option(move)] = move + 1
        return after

    def solved(self, state: State) -> bool:
        return bool(state[: self.exact_cover.primary].all())

    def objection(self, state: State) -> str | None:
        """Name an item that no option covers."""
        cover = self.exact_cover
        entries = cover.entries[self.legal(state)[cover.owners]]
        is_open = (state == 0) & (np.bincount(entries, minlength=cover.items) == 0)
        stuck = np.flatnonzero(is_open[: cover.primary])
        if not stuck.size:
            return None
        item = cover.item_names[stuck[0]] if cover.item_names else int(stuck[0])
        return f"no option{' that is left' if state.any() else ''} covers the item {shorten(repr(item))}"

    # --- notation ---

    @cached_property
    def _names(self) -> list[str]:
        return list(self.exact_cover.names or map(str, range(self.move_count)))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self._names)}

    def read(self, text: str) -> Instance:
        """Read the names of options that are chosen already; `-` is the whole problem."""
        state, words = np.zeros(self.exact_cover.items, np.int32), board_text(text, self.name).split()
        for name in () if words == [NO_OPTION] else words:
            move = self.read_move(name)
            if not self.is_legal(state, move):
                raise BadBoard(f"the option {shorten(name)} holds an item that an option before it covers")
            state = self.apply(state, move)
        return Instance(self, state)

    def write(self, state: State) -> str:
        return " ".join(map(self.write_move, self.chosen(state).tolist())) or NO_OPTION

    def read_move(self, text: str) -> int:
        move = self._numbers.get(move_text(text, self.name))
        if move is None:
            raise BadBoard(f"'{shorten(text)}' is no option")
        return move

    def write_move(self, move: int) -> str:
        return self._names[move]

    def draw(self, state: State, mark: int | None = None) -> str:
        return self.write(state)

    # --- views ---

    def cover(self) -> ExactCover:
        """Return the cover, whose moves are the numbers of the options."""
        return self.exact_cover

    def chosen(self, state: State) -> NDArray[np.int64]:
        """Return `int64[K]`, in increasing order."""
        return np.unique(state[state > 0]).astype(np.int64) - 1

    def view(self, kind: type) -> Any:
        """Return a view; none is kept, or the cover would be kept with it."""
        if kind is Legality:
            return Legality(self.is_legal)
        if kind is Presentation:
            return Presentation(answer_is_board=True)
        return self if kind is Cover else None


def board_of(cover: ExactCover) -> Instance:
    """Return the board on which no option is chosen; the moves are the numbers of the options."""
    puzzle = CoverPuzzle(replace(cover, moves=np.arange(cover.options)))
    return Instance(puzzle, np.zeros(cover.items, np.int32))
