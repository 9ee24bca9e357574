"""The rules of dust, one board at a time in plain NumPy: the truth that `verify` uses.

A state is `uint8[W * H]` in column order: cell `H * x + y` is in column x from the left and row y from the bottom; 0 is
empty, colours are 1 to C. A move is a cell: the cluster that it belongs to goes.

Shapes: W = columns, H = rows, N = W * H cells, C = colours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, BadOption, move_text, shorten
from puzzlelab.core.puzzle import Drawings, Notation, Presentation, View, Views, find_view
from puzzlelab.core.views import (
    Estimates,
    KernelRules,
    Legality,
    Planes,
    Rewards,
    Samples,
)
from puzzlelab.puzzles.dust import notation, presentation
from puzzlelab.text.board_blocks import read_state

Board = NDArray[np.uint8]

LARGEST = 16
"""The most columns and the most rows."""
FEWEST_COLOURS, MOST_COLOURS = 2, 9


@dataclass(frozen=True)
class Dust:
    """Dust on a board of `width` columns and `height` rows, with `colours` colours.

    A click removes the cluster of equal colour around a cell, which may be that cell alone. Cells above it fall; then
    in every row the cells of each half close up towards the centre line, which runs between the columns
    `width // 2 - 1` and `width // 2`. The board is solved when it is empty; fewer clicks are better.

    Names: `dust-8x6x5` (8 columns, 6 rows, 5 colours). State: `uint8[N]`, column by column from the bottom, 0 for
    empty. Moves: `6,1` clicks column 6, row 1, counted from 0 at the lower left. All cells of a cluster may be clicked;
    `legal` names one of them, the first in the order of the cells.

    >>> puzzlelab.Dust(3, 2, 2).name
    'dust-3x2x2'
    >>> puzzle = puzzlelab.load("dust-3x2x2")
    >>> puzzlelab.solve(puzzle.read("112212")).length
    2
    """

    width: int = 8
    height: int = 6
    colours: int = 5
    settles: bool = field(default=False, compare=False)
    """Whether boards with unsupported cells are settled when they are read, rather than refused."""

    def __post_init__(self) -> None:
        for size, what in ((self.width, "columns"), (self.height, "rows")):
            if not 1 <= size <= LARGEST:
                raise BadOption(f"a dust board has 1 to {LARGEST} {what}, not {size}")
        if not FEWEST_COLOURS <= self.colours <= MOST_COLOURS:
            raise BadOption(f"dust has {FEWEST_COLOURS} to {MOST_COLOURS} colours, not {self.colours}")

    @property
    def cells(self) -> int:
        """N."""
        return self.width * self.height

    @property
    def name(self) -> str:
        return f"dust-{self.width}x{self.height}x{self.colours}"

    @property
    def move_count(self) -> int:
        return self.cells

    # --- rules ---

    def clusters(self, state: Board) -> NDArray[np.int64]:
        """Return `int64[N]`: for each cell the first cell of its cluster, -1 for an empty cell."""
        first = np.full(self.cells, -1)
        for cell in np.flatnonzero(state).tolist():
            if first[cell] < 0:
                first[self._cluster(state, cell)] = cell
        return first

    def _cluster(self, state: Board, cell: int) -> list[int]:
        """Return the cells of the cluster around this one."""
        found, seen = [cell], {cell}
        for here in found:
            for there in self._neighbours(here):
                if there not in seen and state[there] == state[cell]:
                    seen.add(there)
                    found.append(there)
        return found

    def _neighbours(self, cell: int) -> list[int]:
        x, y = divmod(cell, self.height)
        beside = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        return [a * self.height + b for a, b in beside if 0 <= a < self.width and 0 <= b < self.height]

    def legal(self, state: Board) -> NDArray[np.bool_]:
        """Return `bool[N]`: the first cell of every cluster."""
        first: NDArray[np.bool_] = self.clusters(state) == np.arange(self.cells)
        return first

    def apply(self, state: Board, move: int) -> Board:
        if state[move] == 0:
            raise ValueError(f"nothing lies at {self.write_move(move)}")
        child = state.copy()
        child[self._cluster(state, move)] = 0
        return self.settled(child)

    def settled(self, state: Board) -> Board:
        """Return the board after everything fell down and then, row by row, towards the centre line."""
        fallen = np.zeros((self.width, self.height), state.dtype)
        for x, column in enumerate(state.reshape(self.width, self.height)):
            pile = column[column != 0]
            fallen[x, : pile.size] = pile
        closed = np.zeros_like(fallen)
        line = self.width // 2
        for y in range(self.height):
            left, right = fallen[:line, y], fallen[line:, y]
            left, right = left[left != 0], right[right != 0]
            closed[line - left.size : line, y] = left
            closed[line : line + right.size, y] = right
        return closed.reshape(-1)

    def solved(self, state: Board) -> bool:
        return not state.any()

    def objection(self, state: Board) -> str | None:
        """Return no objection: every board can be cleared."""
        return None

    # --- notation and drawing ---

    def with_gravity(self) -> Dust:
        """Return the puzzle that lets cells fall that cannot rest when it reads a board."""
        return replace(self, settles=True)

    def settling(self, text: str) -> str:
        """Return how many cells of a board fall or slide when it is read with gravity, in words.

        Nothing if none does.
        """
        state = read_state(self, text)
        places = np.where(state > 0, np.arange(1, self.cells + 1), 0)
        moved = int(((self.settled(places) != places) & (places > 0)).sum())
        empty = int((state == 0).sum())
        return f"{moved} of {self.cells - empty} cells fell or slid; {empty} cells are empty (0 or .)" if moved else ""

    def read(self, text: str) -> Instance:
        """Read digits in column order; rows from the top with letters; a table as `draw` makes it; a nested list; a
        name; and any other form that `text.reader` knows.

        Raises `BadBoard` for what cannot rest too, unless this is the puzzle that `with_gravity` gives.
        """
        state = read_state(self, text)
        if not self.settles:
            notation.must_rest(state, self, "" if "|" in text else text)
        return Instance(self, self.settled(state))

    def write(self, state: Board) -> str:
        return notation.write(state)

    def draw(self, state: Board, mark: int | None = None) -> str:
        """Return the board as a table of letters; the cells that the move `mark` removes are marked."""
        taken = np.zeros(self.cells, bool)
        if mark is not None:
            taken[self._cluster(state, mark)] = state[mark] != 0
        return presentation.draw(state, self, taken)

    def write_move(self, move: int) -> str:
        x, y = divmod(move, self.height)
        return f"{x},{y}"

    def read_move(self, text: str) -> int:
        pattern = r"\(?\s*([0-9]{1,2}),\s*([0-9]{1,2})\s*\)?"
        match = re.fullmatch(pattern, move_text(text, self.name))
        if match is None or int(match[1]) >= self.width or int(match[2]) >= self.height:
            raise BadBoard(
                f"'{shorten(text)}' is no move; 6,1 clicks column 6, row 1, counted from 0 at the lower left "
                f"({self.name} has {self.width} columns and {self.height} rows)"
            )
        return int(match[1]) * self.height + int(match[2])

    def view(self, kind: type[View]) -> View | None:
        return find_view(self, kind, VIEWS)


def legality(puzzle: Dust) -> Legality:
    """Return the view of dust: every cell of a cluster may be clicked, and its first cell stands for all of them."""

    def canonical_moves(states: Board) -> NDArray[np.int64]:
        """Return `int64[B, N]`: the first cell of the cluster that each cell belongs to; -1 for an empty one."""
        from puzzlelab.puzzles.dust.clusters_kernels import label

        labels = np.empty(states.shape, np.int64)
        own, pairs = np.empty((2, puzzle.cells), np.uint16)
        label(np.ascontiguousarray(states), puzzle.height, own, pairs, labels)
        return labels

    return Legality(lambda state, move: bool(state[move] != 0), canonical_moves)


VIEWS: Views = {
    Drawings: "puzzlelab.puzzles.dust.presentation:drawing",
    Estimates: "puzzlelab.puzzles.dust.estimates:DustEstimates",
    KernelRules: "puzzlelab.puzzles.dust.kernels:rules",
    Legality: legality,
    Planes: "puzzlelab.puzzles.dust.planes:DustPlanes",
    Notation: "puzzlelab.puzzles.dust.notation:notation",
    Presentation: "puzzlelab.puzzles.dust.presentation:presentation",
    Rewards: "puzzlelab.puzzles.dust.estimates:DustRewards",
    Samples: "puzzlelab.puzzles.dust.sampling:DustSamples",
}


def from_name(rest: str) -> Dust:
    """Return the puzzle whose name is `dust-` and this."""
    match = re.fullmatch(r"([0-9]{1,3})x([0-9]{1,3})x([0-9]{1,3})", rest)
    if match is None:
        raise BadOption(f"'dust-{shorten(rest)}' is no dust board; write dust-COLUMNSxROWSxCOLOURS, such as dust-8x6x5")
    return Dust(int(match[1]), int(match[2]), int(match[3]))
