"""The rules of sliding tiles, one board at a time in plain NumPy: the truth that `verify` uses.

A state is `uint8[N]`, row by row, 0 for the blank. A move is the direction in which the TILE slides into the blank; in
the metric of multi-tile moves also how many tiles of one line slide together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

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
from puzzlelab.puzzles.tiles.notation import LARGEST, OPEN, SMALLEST
from puzzlelab.text.board_blocks import read_state

Board = NDArray[np.uint8]

METRICS = ("single", "multi")
"""What one move is: one tile slides, or some tiles of a row or column together."""


class Slide(NamedTuple):
    """One move: the tiles of a line, from the blank on, slide one cell together."""

    text: str
    """The direction, with the number of tiles if they are several: `R`, `R2`, `R3`."""
    rows: int
    """The rows that the blank goes down, one for each tile that slides up."""
    columns: int
    """The columns that the blank goes to the right."""

    @property
    def tiles(self) -> int:
        """How many tiles slide."""
        return abs(self.rows + self.columns)


@cache
def slides(rows: int, columns: int, metric: str) -> tuple[Slide, ...]:
    """Return the move of each number: U, D, L and R, each with one tile first, then with two, three ..."""
    most = (rows - 1, columns - 1) if metric == "multi" else (1, 1)
    return tuple(
        Slide(direction + str(tiles) * (tiles > 1), down * tiles, right * tiles)
        for direction, down, right in (("U", 1, 0), ("D", -1, 0), ("L", 0, 1), ("R", 0, -1))
        for tiles in range(1, most[down == 0] + 1)
    )


def source_cell(rows: int, columns: int, blank: int, move: Slide) -> int | None:
    """Return the cell to which the blank in the cell `blank` goes by this move, or None."""
    row, column = divmod(blank, columns)
    row, column = row + move.rows, column + move.columns
    return row * columns + column if 0 <= row < rows and 0 <= column < columns else None


def reversed_axes(puzzle: Tiles) -> tuple[int, ...]:
    """Return the axes (0: rows, 1: columns) to reverse so that a corner where the goal has the blank is the last cell.

    There are none if the goal has the blank in the last cell or in no corner.
    """
    places = divmod(puzzle.whole_goal.index(0), puzzle.columns)
    is_corner = places[0] in (0, puzzle.rows - 1) and places[1] in (0, puzzle.columns - 1)
    return tuple(axis for axis in range(2) if is_corner and places[axis] == 0)


def with_reversed_axes(puzzle: Tiles, states: Board) -> Board:
    """Return the states `[..., N]` with the `reversed_axes` reversed; a second time gives the states again."""
    axes = tuple(axis - 2 for axis in reversed_axes(puzzle))
    grid = states.reshape(*states.shape[:-1], puzzle.rows, puzzle.columns)
    return np.flip(grid, axes).reshape(states.shape)


def reversed_goal(puzzle: Tiles) -> Board:
    """Return `whole_goal` with the `reversed_axes` reversed: it ends with the blank if that is in a corner."""
    return with_reversed_axes(puzzle, np.array(puzzle.whole_goal, np.uint8))


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
    `tiles-3x3:goal=1,2,3,8,0,4,7,6,5` (any goal); `:moves=multi` at the end of each for the metric of multi-tile moves.
    A goal may have equal tiles (`goal=1,1,1,2,2,2,3,3,0`), or places that do not matter (`goal=1,2,3,*,*,*,*,*,*`).
    State: `uint8[rows * columns]`, row by row, 0 for the blank.
    Moves: U, D, L, R: the direction in which the tile slides. With multi-tile moves, U2 slides two tiles as one move.

    >>> puzzle = puzzlelab.Tiles(2, 3)
    >>> puzzle.name, puzzle.goal
    ('tiles-2x3', (1, 2, 3, 4, 5, 0))
    >>> [puzzle.write_move(move) for move in range(puzzle.move_count)]
    ['U', 'D', 'L', 'R']
    >>> puzzle = puzzlelab.Tiles(2, 3, moves="multi")
    >>> puzzle.name, [puzzle.write_move(move) for move in range(puzzle.move_count)]
    ('tiles-2x3:moves=multi', ['U', 'D', 'L', 'L2', 'R', 'R2'])
    """

    rows: int = 4
    columns: int = 4
    goal: tuple[int, ...] = ()
    moves: str = "single"

    def __post_init__(self) -> None:
        for size in (self.rows, self.columns):
            if not SMALLEST <= size <= LARGEST:
                raise BadOption(f"a tiles board has {SMALLEST} to {LARGEST} rows and columns, not {size}")
        if self.moves not in METRICS:
            raise BadOption(f"the moves of tiles are single or multi, not '{shorten(str(self.moves))}'")
        goal = tuple(self.goal) or (*range(1, self.cells), 0)
        self._check_goal(goal)
        if goal.count(OPEN) == 1:  # one number is left for the place
            left = sum(range(self.cells)) - (sum(goal) - OPEN)
            goal = tuple(left if number == OPEN else number for number in goal)
        object.__setattr__(self, "goal", goal)

    def _check_goal(self, goal: tuple[int, ...]) -> None:
        """Raise `BadOption` for a goal that no board can have, or that does not say which tiles a board has."""
        size, named = f"{self.rows}x{self.columns} tiles", [number for number in goal if number != OPEN]
        if len(goal) != self.cells or not all(0 <= number < self.cells for number in named):
            raise BadOption(
                f"a goal of {size} has {self.cells} places, each with a number from 0 to {self.cells - 1}, "
                "or * where it does not matter what lies there"
            )
        if len(named) == self.cells and named.count(0) != 1:
            raise BadOption(f"a goal of {size} has one blank (0), not {named.count(0)}")
        twice = next((number for number in named if named.count(number) > 1), None)
        if twice is not None and len(named) < self.cells:
            raise BadOption(
                f"a goal of {size} with places that do not matter (*) names tile {twice} once, or not at all"
            )

    @property
    def cells(self) -> int:
        """N."""
        return self.rows * self.columns

    @cached_property
    def is_permutation(self) -> bool:
        """Whether the goal has each of the numbers 0 to N - 1: no tiles are equal, and every place matters."""
        return sorted(self.goal) == list(range(self.cells))

    @cached_property
    def unnamed(self) -> tuple[int, ...]:
        """The numbers that lie on places that do not matter, the blank last."""
        return tuple(number for number in (*range(1, self.cells), 0) if OPEN in self.goal and number not in self.goal)

    @cached_property
    def whole_goal(self) -> tuple[int, ...]:
        """A board that is solved: the goal, with the unnamed numbers on the places that do not matter."""
        unnamed = iter(self.unnamed)
        return tuple(next(unnamed) if number == OPEN else number for number in self.goal)

    @cached_property
    def pieces(self) -> tuple[int, ...]:
        """The numbers on a board in order, 0 for the blank."""
        return tuple(sorted(self.whole_goal))

    @cached_property
    def name(self) -> str:
        goal = f":goal={notation.write_goal(self.goal)}"
        if self.goal == (*range(1, self.cells), 0):
            goal = ""
        elif self.goal == tuple(range(self.cells)):
            goal = ":blank-first"
        return f"tiles-{self.rows}x{self.columns}{goal}" + ":moves=multi" * self.is_multi

    @property
    def is_multi(self) -> bool:
        """Whether one move may slide several tiles."""
        return self.moves == "multi"

    @property
    def slides(self) -> tuple[Slide, ...]:
        """[M]: the move of each number."""
        return slides(self.rows, self.columns, self.moves)

    @property
    def move_count(self) -> int:
        return len(self.slides)

    # --- rules ---

    def legal(self, state: Board) -> NDArray[np.bool_]:
        """Return `bool[M]`, for single moves: U, D, L, R."""
        blank = int(np.flatnonzero(state == 0)[0])
        return np.array([source_cell(self.rows, self.columns, blank, slide) is not None for slide in self.slides])

    def apply(self, state: Board, move: int) -> Board:
        blank, slide = int(np.flatnonzero(state == 0)[0]), self.slides[move]
        source = source_cell(self.rows, self.columns, blank, slide)
        if source is None:
            raise ValueError(f"no tile can slide {slide.text} on {self.write(state)}")
        child = state.copy()
        step = (source - blank) // slide.tiles
        for cell in range(blank, source, step):
            child[cell] = state[cell + step]
        child[source] = 0
        return child

    def solved(self, state: Board) -> bool:
        return all(number in (OPEN, piece) for number, piece in zip(self.goal, state.tolist(), strict=True))

    def objection(self, state: Board) -> str | None:
        """Return why a board is unsolvable: a move swaps the blank with a neighbour, so that the parity of the
        permutation goes with the blank's distance. Two tiles that are alike may stand for each other.
        """
        if self.has_alike_tiles or any(self._has_parity_of(state, goal) for goal in self.goals()):
            return None
        return (
            "odd permutation: no sequence of moves reaches the goal "
            "(with the blank moved to its place, the tiles are an odd number of swaps from theirs)"
        )

    @cached_property
    def has_alike_tiles(self) -> bool:
        """Whether two tiles may stand for each other: they have one number, or no place of their own in the goal."""
        return len({*self.pieces}) < self.cells or sum(number > 0 for number in self.unnamed) > 1

    def _has_parity_of(self, state: Board, goal: Board) -> bool:
        """Tell whether a board without equal tiles can become this one."""
        there = np.argsort(goal)[state]
        cell, home = int(np.argmin(state)), int(np.argmin(goal))
        distance = sum(abs(a - b) for a, b in zip(divmod(cell, self.columns), divmod(home, self.columns), strict=True))
        return is_odd_permutation(there) == (distance % 2 == 1)

    def has_objection(self, states: Board) -> NDArray[np.bool_]:
        """Return `bool[B]`: which of the boards `[B, N]` have an objection."""
        objects = np.full(len(states), not self.has_alike_tiles)
        for goal in self.goals() if not self.has_alike_tiles else ():
            there = np.argsort(goal)[states]
            inversions = sum(
                (there[:, cell, None] > there[:, cell + 1 :]).sum(axis=1) for cell in range(self.cells - 1)
            )
            rows, columns = np.divmod(np.argmin(states, axis=1), self.columns)
            home_row, home_column = divmod(int(np.argmin(goal)), self.columns)
            distances = np.abs(rows - home_row) + np.abs(columns - home_column)
            objects &= (inversions + distances) % 2 == 1
        return objects

    def distinct(self, state: Board) -> Instance:
        """Return a board of distinct tiles whose solutions solve this board too: each tile gets a place of its own.

        As a rule a tile that lies where it may stay has its place there.
        """
        if self.is_permutation:
            return Instance(self, state)
        kinds = np.arange(self.cells)
        kinds[[number for number in self.unnamed if number]] = self.cells
        for goal in self.goals():
            is_away = kinds[state] != kinds[goal]
            pieces, places = (np.lexsort((is_away, kinds[board])) for board in (state, goal))
            numbers = np.zeros(self.cells, np.uint8)
            numbers[places[1:]] = np.arange(1, self.cells)
            board = np.empty_like(numbers)
            board[pieces] = numbers[places]
            puzzle = Tiles(self.rows, self.columns, tuple(numbers.tolist()), self.moves)
            if not puzzle.objection(board):
                return Instance(puzzle, board)
        last = 1 + int(np.flatnonzero(np.diff(kinds[state[pieces[1:]]]) == 0)[-1])
        alike = pieces[[last, last + 1]]
        board[alike] = board[alike[::-1]]
        return Instance(puzzle, board)

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
        return self.slides[move].text

    def read_move(self, text: str) -> int:
        texts = [slide.text for slide in self.slides]
        if move_text(text, self.name) not in texts:
            several = ", with the number of tiles where several slide (R2)" * self.is_multi
            raise BadBoard(f"'{shorten(text)}' is no move; moves are U, D, L and R, the way the tile slides{several}")
        return texts.index(text)

    # --- views ---

    def goals(self) -> Board:
        """Return `uint8[G, N]`: a solved board for each place where the blank may be, as a rule one."""
        whole, blank = np.array(self.whole_goal, np.uint8), self.whole_goal.index(0)
        cells = [blank] if 0 in self.goal else np.flatnonzero(np.equal(self.goal, OPEN))[::-1].tolist()
        boards = np.tile(whole, (len(cells), 1))
        boards[:, blank] = whole[cells]
        boards[range(len(cells)), cells] = 0
        return boards

    def inverse(self, move: int) -> int:
        _, rows, columns = self.slides[move]
        return next(number for number, slide in enumerate(self.slides) if slide[1:] == (-rows, -columns))

    def view(self, kind: type[View]) -> View | None:
        if kind in OF_PERMUTATIONS and not self.is_permutation:
            return None
        return find_view(self, kind, VIEWS)


OF_PERMUTATIONS = (Planes, Rewards)
"""The views of puzzles whose goal has each number once."""
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
    rows, columns = int(match[1]), int(match[2])
    goal, moves = tuple[int, ...](), METRICS[0]
    for word in match[3].split(":") if match[3] else ():
        if word == "blank-first":
            goal = tuple(range(rows * columns))
        elif word == "snail":
            goal = _snail(rows, columns)
        elif word.startswith("goal="):
            goal = notation.read_goal(word.removeprefix("goal="), rows, columns)
        elif word.startswith("moves="):
            moves = word.removeprefix("moves=")
        else:
            known = ":blank-first, :snail or :goal=1,2,..., and :moves=multi for multi-tile moves"
            raise BadOption(f"tiles-{rows}x{columns} has no variant '{shorten(word)}'; write {known}")
    return Tiles(rows, columns, goal, moves)


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
