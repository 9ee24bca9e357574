"""The rules of SameGame, one board at a time in plain NumPy: the truth that `verify` uses.

A state is `uint8[W * H]` in column order: cell `H * x + y` is in column x from the left and row y from the bottom; 0 is
empty, colours are 1 to C. A move is a cell: the group that it belongs to goes.

The points are those of Schadd, Winands, Tak and Uiterwijk, "Single-player Monte-Carlo tree search for SameGame",
Knowledge-Based Systems 34 (2012).

Shapes: W = columns, H = rows, N = W * H cells, C = colours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from puzzlelab import BadBoard, Instance, KernelRules, Presentation
from puzzlelab.core.errors import BadOption, shorten
from puzzlelab.core.puzzle import Drawings, View, Views, find_view
from puzzlelab.core.views import BatchRules, Estimates, Legality, Planes, Samples, Steps
from samegame import drawing, notation

Board = NDArray[np.uint8]

MOST_CELLS = 256
MOST_ROWS = 16
FEWEST_COLOURS, MOST_COLOURS = 2, 9
ALL_CLEARED = 1000
"""The points for an empty board."""
POINTS_PER_MOVE = 50.0
"""About the mean points of a move of `beam:width=1000` on 15x15x5, which are 47."""


@dataclass(frozen=True)
class SameGame:
    """SameGame on a board of `width` columns and `height` rows, with `colours` colours.

    A click removes a group: at least two cells of equal colour that touch side by side. Cells above it fall, and then
    columns to the right of an empty column move left. The game ends when no group is left, so that every such board is
    solved. Removing n cells makes (n - 2)^2 points. At the end of the game an empty board makes 1,000 points; on
    another one, a colour with n cells left costs (n - 2)^2 points.

    Names: `samegame-15x15x5` (15 columns, 15 rows, 5 colours); to compare with it, `samegame-15x15x5:batch`, which has
        the rules for batches instead of the compiled ones, and `samegame-15x15x5:plain`, which has neither.
    State: `uint8[N]`, column by column from the bottom, 0 for empty.
    Moves: `6,1` clicks column 6, row 1, counted from 0 at the lower left. All cells of a group may be clicked; `legal`
        names one of them, the first in the order of the cells.
    """

    width: int = 15
    height: int = 15
    colours: int = 5
    rules: str = "compiled"
    """The fastest rules that it has: `compiled`, `batch` or `plain`."""

    def __post_init__(self) -> None:
        if not (self.width >= 1 and 1 <= self.height <= MOST_ROWS and self.cells <= MOST_CELLS):
            size = f"{self.width} columns of {self.height}"
            raise BadOption(f"a SameGame board has 1 to {MOST_ROWS} rows and at most {MOST_CELLS} cells, not {size}")
        if not FEWEST_COLOURS <= self.colours <= MOST_COLOURS:
            raise BadOption(f"SameGame has {FEWEST_COLOURS} to {MOST_COLOURS} colours, not {self.colours}")

    @property
    def cells(self) -> int:
        """N."""
        return self.width * self.height

    @property
    def name(self) -> str:
        suffix = "" if self.rules == "compiled" else f":{self.rules}"
        return f"samegame-{self.width}x{self.height}x{self.colours}{suffix}"

    @property
    def move_count(self) -> int:
        return self.cells

    # --- rules ---

    def groups(self, state: Board) -> list[list[int]]:
        """The cells of each connected group of equal colour in order of its first cell, single cells too."""
        seen: set[int] = set()
        groups = []
        for cell in np.flatnonzero(state).tolist():
            if cell not in seen:
                groups.append(self.group(state, cell))
                seen.update(groups[-1])
        return groups

    def group(self, state: Board, cell: int) -> list[int]:
        """The cells of the group around this one, beginning with it."""
        group, seen = [cell], {cell}
        for here in group:
            for there in self._neighbours(here):
                if there not in seen and state[there] == state[cell]:
                    seen.add(there)
                    group.append(there)
        return group

    def _neighbours(self, cell: int) -> list[int]:
        x, y = divmod(cell, self.height)
        beside = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        return [a * self.height + b for a, b in beside if 0 <= a < self.width and 0 <= b < self.height]

    def legal(self, state: Board) -> NDArray[np.bool_]:
        """`bool[N]`: the first cell of every group of at least two."""
        mask = np.zeros(self.cells, bool)
        mask[[group[0] for group in self.groups(state) if len(group) > 1]] = True
        return mask

    def apply(self, state: Board, move: int) -> Board:
        group = self.group(state, move)
        if state[move] == 0 or len(group) < 2:
            raise ValueError(f"there is no group of two cells or more at {self.write_move(move)}")
        child = state.copy()
        child[group] = 0
        return self.settled(child)

    def settled(self, state: Board) -> Board:
        """The board after everything fell down, and columns moved left to close the empty ones."""
        settled = np.zeros((self.width, self.height), np.uint8)
        columns = [column[column != 0] for column in state.reshape(self.width, self.height)]
        for x, column in enumerate(column for column in columns if column.size):
            settled[x, : column.size] = column
        return settled.reshape(-1)

    def solved(self, state: Board) -> bool:
        """Whether the game is over: no two neighbours are equal."""
        grid = state.reshape(self.width, self.height)
        above = (grid[:, :-1] != 0) & (grid[:, :-1] == grid[:, 1:])
        beside = (grid[:-1] != 0) & (grid[:-1] == grid[1:])
        return not (above.any() or beside.any())

    def objection(self, state: Board) -> str | None:
        """Every game ends."""
        return None

    # --- points ---

    def points(self, state: Board, move: int, after: Board) -> int:
        """Those of the group, and at the end of the game those of what is left."""
        cells = int(np.count_nonzero(state)) - int(np.count_nonzero(after))
        return (cells - 2) ** 2 + (self.end_points(after) if self.solved(after) else 0)

    def end_points(self, state: Board) -> int:
        """What a board is worth at which the game is over."""
        counts = np.bincount(state, minlength=1)[1:].tolist()
        return -sum((count - 2) ** 2 for count in counts if count) if any(counts) else ALL_CLEARED

    # --- notation and drawing ---

    def read(self, text: str) -> Instance:
        """Rows from the top, a character a cell, parted by strokes, spaces or line ends; the name of an example.

        Raises `BadBoard` for a cell that would fall, and for a column that would move left, too.
        """
        example = notation.examples_of(self).get(text.strip().lower())
        return Instance(self, notation.read(example.board if example else text, self))

    def write(self, state: Board) -> str:
        return notation.write(state, self)

    def draw(self, state: Board, mark: int | None = None) -> str:
        """The board as a table; the cells that the move `mark` removes are in brackets."""
        return drawing.draw(state, self, set() if mark is None else set(self.group(state, mark)))

    def svg(self, state: Board) -> str:
        return drawing.svg(state, self)

    def write_move(self, move: int) -> str:
        x, y = divmod(move, self.height)
        return f"{x},{y}"

    def read_move(self, text: str) -> int:
        match = re.fullmatch(r"\(?\s*([0-9]{1,3}),\s*([0-9]{1,3})\s*\)?", text)
        if match is None or int(match[1]) >= self.width or int(match[2]) >= self.height:
            raise BadBoard(
                f"'{shorten(text)}' is no move; 6,1 clicks column 6, row 1, counted from 0 at the lower left "
                f"({self.name} has {self.width} columns and {self.height} rows)"
            )
        return int(match[1]) * self.height + int(match[2])

    # --- views ---

    def is_legal(self, state: Board, move: int) -> bool:
        """Whether this cell belongs to a group; every cell of it may be clicked."""
        return bool(state[move]) and any(state[cell] == state[move] for cell in self._neighbours(move))

    def canonical_moves(self, states: Board) -> NDArray[np.int64]:
        """`int64[B, N]`: the first cell of the group that each cell belongs to; -1 for single and empty ones."""
        if self.rules == "compiled":
            from samegame.groups import labels

            return labels(states, self.width, self.height)
        names = np.full(states.shape, -1)
        for row, state in zip(names, states, strict=True):
            for group in self.groups(state):
                row[group] = group[0] if len(group) > 1 else -1
        return names

    def view(self, kind: type[View]) -> View | None:
        if (kind is KernelRules and self.rules != "compiled") or (kind is BatchRules and self.rules == "plain"):
            return None
        return find_view(self, kind, VIEWS)


VIEWS: Views = {
    BatchRules: "samegame.batch:rules",
    Drawings: lambda game: Drawings(game.svg),
    Estimates: "samegame.estimates:SameGameEstimates",
    KernelRules: "samegame.kernels:rules",
    Legality: lambda game: Legality(game.is_legal, game.canonical_moves),
    Planes: "samegame.planes:SameGamePlanes",
    Presentation: "samegame.presentation:presentation",
    Samples: "samegame.sampling:SameGameSamples",
    Steps: lambda game: Steps(points=game.points, points_per_move=POINTS_PER_MOVE),
}
"""The module of a view is imported when the view is first asked for."""


NUMBER = "(0|[1-9][0-9]{0,2})"
"""A number in a name, which has no leading zero: each puzzle has one name."""


def from_name(rest: str) -> SameGame:
    """The puzzle whose name is `samegame-` and this."""
    match = re.fullmatch(rf"{NUMBER}x{NUMBER}x{NUMBER}(:batch|:plain)?", rest)
    if match is None:
        raise BadOption(
            f"'samegame-{shorten(rest)}' is no SameGame board; write samegame-COLUMNSxROWSxCOLOURS, such as "
            "samegame-15x15x5"
        )
    return SameGame(int(match[1]), int(match[2]), int(match[3]), (match[4] or ":compiled")[1:])


def from_text(text: str, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield the puzzle and the board of a text of 15 rows of 15 colours."""
    rows = re.split(r"[\s/]+", text.strip())
    if len(rows) == 15 and all(re.fullmatch(r"[1-5.]{15}", row) for row in rows):
        yield SameGame().name, text
