"""The rules of dust, one board at a time in plain NumPy: the truth that `verify` uses.

A state is `uint8[W * H]` in column order: cell `H * x + y` is in column x from the left and row y from the bottom; 0 is
empty, colours are 1 to C. A move is a cell: the cluster that it belongs to goes.

Shapes: W = columns, H = rows, N = W * H cells, C = colours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadBoard, BadOption, nearest, shorten
from puzzlelab.core.puzzle import Estimate, Example, Instance, KernelRules, Scale
from puzzlelab.puzzles.dust import face, files

Board = NDArray[np.uint8]

LARGEST = 16
"""The most columns and the most rows."""
FEWEST_COLOURS, MOST_COLOURS = 2, 9
LONGEST_NAME = 40
"""Characters that no example's name exceeds."""


@dataclass(frozen=True)
class Dust:
    """Dust on a board of `width` columns and `height` rows, with `colours` colours.

    A click takes away the cluster of equal colour around a cell, which may be that cell alone. What lay above falls;
    then in every row the cells of each half close up towards the centre line, which runs between the columns
    `width // 2 - 1` and `width // 2`. The board is solved when it is empty; fewer clicks are better.

    Names: `dust-8x6x5` (8 columns, 6 rows, 5 colours). State: `uint8[N]`, column by column from the bottom, 0 for
    empty. Moves: `6,1` clicks column 6, row 1, counted from 0 at the lower left. All cells of a cluster may be clicked;
    `legal` names one of them, the first in the order of the cells.
    """

    width: int = 8
    height: int = 6
    colours: int = 5
    settles: bool = field(default=False, compare=False)
    """Whether boards that cannot rest are let fall when they are read, rather than refused."""

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
        """`int64[N]`: for each cell the first cell of its cluster, -1 for an empty cell."""
        first = np.full(self.cells, -1)
        for cell in np.flatnonzero(state).tolist():
            if first[cell] < 0:
                first[self._cluster(state, cell)] = cell
        return first

    def _cluster(self, state: Board, cell: int) -> list[int]:
        """The cells of the cluster around this one."""
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
        """`bool[N]`: the first cell of every cluster."""
        first: NDArray[np.bool_] = self.clusters(state) == np.arange(self.cells)
        return first

    def permits(self, state: Board, move: int) -> bool:
        """Whether something lies in this cell; every cell of a cluster may be clicked."""
        return bool(state[move] != 0)

    def apply(self, state: Board, move: int) -> Board:
        if state[move] == 0:
            raise ValueError(f"nothing lies at {self.write_move(move)}")
        child = state.copy()
        child[self._cluster(state, move)] = 0
        return self.settled(child)

    def settled(self, state: Board) -> Board:
        """The board after everything fell down and then, row by row, towards the centre line."""
        fallen = np.zeros((self.width, self.height), np.uint8)
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
        """Every board can be cleared."""
        return None

    # --- notation and drawing ---

    @property
    def move_note(self) -> str:
        """What a move's numbers mean, for wherever moves are shown."""
        return "6,1: click column 6, row 1, counted from 0 at the lower left"

    @cached_property
    def examples(self) -> Mapping[str, Example]:
        """Boards with a name, which `read` knows."""
        return face.examples(self.name)

    def settling(self) -> Dust:
        """The same puzzle; boards that cannot rest are let fall when it reads them."""
        return replace(self, settles=True)

    def read(self, text: str) -> Instance:
        """Digits in column order; rows from the top with letters; a table as `draw` makes it; a nested list; a name.

        Raises `BadBoard` for what cannot rest too, unless this is the puzzle that `settling` gives.
        """
        name = text.strip().lower() if len(text) <= LONGEST_NAME else ""
        example = self.examples.get(name)
        if example is None and self.examples and name.isalpha() and set(name.upper()) - set(face.LETTERS):
            raise BadBoard(f"there is no example '{shorten(name)}'{nearest(name, self.examples)}")
        state = face.read(example.board if example else text, self)
        if not self.settles:
            face.must_rest(state, self)
        return Instance(self, self.settled(state))

    def boards(self, lines: Iterable[str]) -> Iterator[tuple[int, str, *tuple[str, ...]]]:
        """The boards in a file, each with the number of its first line and the columns after it."""
        return files.boards(lines, self, self.examples)

    def write(self, state: Board) -> str:
        return face.write(state)

    def draw(self, state: Board, move: int | None = None) -> str:
        """The board as a table of letters; the cells that this move takes away are marked."""
        taken = np.zeros(self.cells, bool)
        if move is not None:
            taken[self._cluster(state, move)] = self.permits(state, move)
        return face.draw(state, self, taken)

    def draw_scores(self, state: Board, scores: NDArray[np.float64]) -> str:
        """The board with the percentage of each cluster in its cells.

        `scores: float[N]` are those of the moves that `legal` names, from 0 to 1; what stands at others is not read.
        """
        first = self.clusters(state)
        return face.draw_scores(state, self, np.where(first < 0, 0.0, scores[first]))

    def svg(self, state: Board) -> str:
        return face.svg(state, self)

    def write_move(self, move: int) -> str:
        x, y = divmod(move, self.height)
        return f"{x},{y}"

    def read_move(self, text: str) -> int:
        match = re.fullmatch(r"\(?\s*([0-9]{1,2}),\s*([0-9]{1,2})\s*\)?", text)
        if match is None or int(match[1]) >= self.width or int(match[2]) >= self.height:
            raise BadBoard(
                f"'{shorten(text)}' is no move; 6,1 clicks column 6, row 1, counted from 0 at the lower left "
                f"({self.name} has {self.width} columns and {self.height} rows)"
            )
        return int(match[1]) * self.height + int(match[2])

    # --- views ---

    def kernel(self) -> KernelRules:
        from puzzlelab.puzzles.dust import kernels

        return kernels.rules(self)

    @cached_property
    def estimates(self) -> Mapping[str, str]:
        from puzzlelab.puzzles.dust import estimates

        return estimates.offered(self)

    def estimate(self, name: str | None = None) -> Estimate:
        from puzzlelab.puzzles.dust import estimates

        return estimates.make(self, name)

    @cached_property
    def scales(self) -> Mapping[str, Scale]:
        from puzzlelab.puzzles.dust import sampling

        return sampling.scales(self)

    def difficulty(self, state: Board) -> Mapping[str, int]:
        from puzzlelab.puzzles.dust import sampling

        return sampling.difficulty(self, state)

    @property
    def grid(self) -> tuple[int, int]:
        """Columns and rows, in the order of the cells."""
        return self.width, self.height

    @property
    def input_size(self) -> int:
        """F: a number for each colour, and for empty, in each cell."""
        return self.cells * (self.colours + 1)

    def planes(self, states: Board) -> NDArray[np.float32]:
        from puzzlelab.puzzles.dust import planes

        return planes.one_hot(self, states)

    def symmetries(self, states: Board) -> tuple[tuple[Board, NDArray[np.int64]], ...]:
        """The boards and, where the halves are equally wide, their mirror images; for colours see `exchanged`."""
        from puzzlelab.puzzles.dust import planes

        return planes.symmetries(self, states)

    @property
    def rewards(self) -> Mapping[str, str]:
        from puzzlelab.puzzles.dust import rewards

        return rewards.REWARDS

    def reward(self, name: str, before: Board, after: Board) -> NDArray[np.float64]:
        from puzzlelab.puzzles.dust import rewards

        return rewards.reward(name, before, after)

    @property
    def sheet_shape(self) -> tuple[int, int]:
        """Colours, and a number for each cell and each pair of neighbours."""
        pairs = self.width * (self.height - 1) + (self.width - 1) * self.height
        return self.colours, self.cells + pairs

    @property
    def slots(self) -> int:
        """Each colour answers for every cell."""
        return self.cells

    def sheets(self, states: Board) -> NDArray[np.uint8]:
        from puzzlelab.puzzles.dust import planes

        return planes.sheets(self, states)

    def places(self, states: Board) -> NDArray[np.int64]:
        from puzzlelab.puzzles.dust import planes

        return planes.places(self, states)

    def exchanged(self, states: Board, order: NDArray[np.int64]) -> tuple[Board, NDArray[np.int64]]:
        from puzzlelab.puzzles.dust import planes

        return planes.exchanged(self, states, order)

    def alike(self, states: Board) -> NDArray[np.int64]:
        """`int64[B, N]`: the cell by which `legal` names the cluster of each cell; -1 for an empty one."""
        from puzzlelab.puzzles.dust import planes

        return planes.alike(self, states)

    @property
    def usual_solver(self) -> tuple[str, Mapping[str, object]]:
        """What `solve` uses when nobody names a solver: proofs where they can be had, good answers soon beyond."""
        return ("halves", {}) if self.cells <= 64 else ("beam", {"width": 2**10})


def named(rest: str) -> Dust:
    """The puzzle whose name is `dust-` and this."""
    match = re.fullmatch(r"([0-9]{1,3})x([0-9]{1,3})x([0-9]{1,3})", rest)
    if match is None:
        raise BadOption(f"'dust-{shorten(rest)}' is no dust board; write dust-COLUMNSxROWSxCOLOURS, such as dust-8x6x5")
    return Dust(int(match[1]), int(match[2]), int(match[3]))
