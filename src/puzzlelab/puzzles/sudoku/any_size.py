"""New puzzles of any size and any units: a random full grid, and clues taken out while one solution is left.

All that is known of a puzzle here is its view `Candidates`, so that further units need nothing of their own. A full
grid is the first solution that `backtracking` finds for the empty grid, with its cells and digits in random order, and
then an image of it under a random symmetry: all images of a grid are equally likely, but not all grids. 9x9 has
`generate`, which draws all grids alike.

Shapes: N = cells of a row, and digits; B = puzzles in a batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core import registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Result
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings, fill, read_levels
from puzzlelab.core.views import Prior, Scale, candidates_view
from puzzlelab.puzzles.sudoku.clue_patterns import Symmetry, orbits_of, settings_of_scale

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from puzzlelab.core.puzzle import Puzzle

Board = NDArray[np.uint8]
FEWEST: Mapping[str, int] = {"sudoku-4x4": 4, "sudoku-6x6": 8, "sudoku-6x6:boxes=3x2": 8, "sudoku-9x9": 17}
"""The fewest clues of puzzles with one solution, where they are known; others need all digits but one."""
SHARES = (0.25, 0.43, 0.6, 0.78, 0.95)
"""The blanks of each level from 1, as a share of the most that there can be; about those of 9x9."""
TRIES = 200
"""Full grids for one puzzle."""
ALL_NODES = 3_000_000
"""The most guesses of the tests for one puzzle."""
LARGE, TEST_NODES, LARGE_NODES = 20, 20_000, 500
"""The most guesses of one test, up to the rows of a large grid and for large grids, whose tests seldom end later."""
Level = Annotated[int, Field(ge=1, le=len(SHARES))]
Clues = Annotated[int, Field(ge=0, le=625)]


def clues_reached(size: int) -> int:
    """Return about how many clues are left where none can be left out: a formula that fits plain Sudoku of 6 to 25."""
    return round(size * size * (0.22 + 0.0093 * size))


def level_clues(size: int) -> Mapping[int, tuple[int, int]]:
    """Return the least and the greatest number of clues of each level, on grids with rows of `size` cells."""
    cells = size * size
    most = [cells - round(share * (cells - clues_reached(size))) for share in SHARES]
    least = [*(next_most + 1 for next_most in most[1:]), 0]
    return dict(enumerate(zip(least, most, strict=True), start=1))


class AnySizeGenerator(Settings):
    """The settings of the generator; without a level or a number of clues, and at level 5, puzzles have few clues.

    Each clue is tried, and stays where the test of it does not end. `minimal` wants puzzles of which all tests have
    ended: no clue can be left out, or with a symmetry no orbit of cells that go together. `unique=False` takes clues
    out blindly.
    """

    puzzle: str
    level: Level | tuple[Level, Level] | None = None
    clues: Clues | tuple[Clues, Clues] | None = Field(default=None, description="so many clues, or A-B")
    minimal: bool = Field(default=False, description="proven: no clue can be left out")
    symmetry: Symmetry = Field(default="none", description="a pattern of clues such as half-turn")
    unique: bool = Field(
        default=True,
        description="boards that may have several solutions",
        json_schema_extra={"off": "allow-multiple"},
    )

    def model_post_init(self, context: object) -> None:
        if self.level is not None and self.clues is not None:
            raise BadOption("ask for puzzles by level or by clues, not by both")
        if self.minimal and not self.unique:
            raise BadOption("a puzzle that is minimal has one solution: do not allow several")
        if not self.unique and self.level is None and self.clues is None:
            raise BadOption("boards that may have several solutions need a level or a number of clues")
        if self.minimal and size_of(self.puzzle) >= LARGE:
            raise BadOption(
                f"that no clue of {self.puzzle} can be left out is too much to prove; level 5 has few clues"
            )
        if self.minimal and (self.clues is not None or self.level not in (None, len(SHARES))):
            raise BadOption("minimal puzzles have as many clues as they need: ask for no other number")
        if self.clues is not None:
            self._check_clues(*_span(self.clues))

    def _check_clues(self, least: int, most: int) -> None:
        size = size_of(self.puzzle)
        fewest = FEWEST.get(self.puzzle, size - 1) if self.unique else 0
        if least > most or most > size * size:
            raise BadOption(f"{self.puzzle} has no number of clues from {least} to {most}")
        if least < fewest:
            raise BadOption(f"no {self.puzzle} with {least} clues has one solution; ask for at least {fewest}")

    @classmethod
    def fields(cls) -> Mapping[str, FieldInfo]:
        """Return the settings by name, but for the puzzle."""
        return {name: info for name, info in cls.model_fields.items() if name != "puzzle"}

    @classmethod
    def of_scale(cls, scale: str, level: str | None, options: Mapping[str, Any]) -> AnySizeGenerator:
        """Return the settings that a scale of Sudoku, a level on it such as '3' or '2-4', and other options mean."""
        if unknown := sorted(set(options) - set(cls.model_fields)):
            known = ", ".join(cls.fields())
            raise BadOption(
                f"{options['puzzle']} is not made by '{unknown[0]}', which sudoku-9x9 alone has; by {known}"
            )
        settings, level = settings_of_scale(scale, level, options)
        if level:
            settings["level"] = _levels(settings["puzzle"], *read_levels(level))
        return fill(cls, settings)

    def batches(self, count: int, seed: int = 0, first: int = 0) -> Iterator[tuple[Board, Board]]:
        """Yield the puzzles number `first` to `count` - 1 of the stream of this seed, one at a time, with solutions.

        A puzzle depends on the seed and its number alone. Raises `BadOption` where such a puzzle does not come up.
        """
        if seed < 0:
            raise BadOption(f"a seed is 0 or more, not {seed}")
        orbits = orbits_of(self.symmetry, size_of(self.puzzle))
        for number in range(first, count):
            puzzle, solution = self._new(generator(seed, number), orbits)
            yield puzzle[None], solution[None]

    def _new(self, random: np.random.Generator, orbits: NDArray[np.int64]) -> tuple[Board, Board]:
        least, enough, most = self._goal(random, size_of(self.puzzle))
        digger = Digger(registry.load(self.puzzle), random)
        while digger.grids < TRIES and digger.nodes < ALL_NODES:
            solution = digger.full_grid()
            board, is_exact = digger.dig(solution, orbits, least, enough, self.unique)
            if np.count_nonzero(board) <= most and (is_exact or not self.minimal):
                return board, solution
        raise BadOption(f"no such board of {self.puzzle} came up; ask for more clues, or for another symmetry")

    def _goal(self, random: np.random.Generator, size: int) -> tuple[int, int, int]:
        """Return the fewest clues that may be left, the number at which digging ends, and the most that may be left."""
        if self.clues is not None:
            clues = int(random.integers(*_span(self.clues), endpoint=True))
            return clues, clues, clues
        level = len(SHARES) if self.level is None else int(random.integers(*_span(self.level), endpoint=True))
        least, most = level_clues(size)[level]
        if level < len(SHARES):
            return least, int(random.integers(least, most, endpoint=True)), most
        return (0, 0, size * size) if self.unique else (clues_reached(size), clues_reached(size), most)


class Digger:
    """The searches for one puzzle, which break ties by random numbers."""

    def __init__(self, puzzle: Puzzle, random: np.random.Generator) -> None:
        self.puzzle, self.candidates, self.random = puzzle, candidates_view(puzzle), random
        self.size, self.cells = self.candidates.units.all.shape[1], len(self.candidates.units.peers)
        self.solver = registry.solver_class("backtracking")
        self.grids = self.nodes = 0

    def full_grid(self) -> Board:
        """Return `[N * N]`: a random full grid."""
        self.grids += 1
        prior = Prior("random", lambda states: self.random.random((len(states), self.puzzle.move_count)))
        digits = np.full((1, self.cells), -1)
        empty = Instance(self.puzzle, self.candidates.written(digits)[0])
        # a search in random order may lose its way, so that it begins again
        moves = None
        while moves is None:
            attempts = self.solver(prior=prior).solutions(empty, Limit(nodes=2 * self.cells))
            moves = next(each.moves for each in attempts if isinstance(each, Result))
        digits[0, np.array(moves) // self.size] = np.array(moves) % self.size
        cells, renamed = self.candidates.random_symmetry(self.random)
        grid: Board = self.candidates.written(renamed[digits[:, cells]])[0]
        return grid

    def dig(self, grid: Board, orbits: NDArray[np.int64], least: int, enough: int, unique: bool) -> tuple[Board, bool]:
        """Take out clues in random order, orbit by orbit, until at most `enough` are left, never fewer than `least`.

        If `unique`, one solution is left.
        Returns the board `[N * N]`, and whether every test ended; where one does not, the clues stay.
        """
        board, is_exact = grid.copy(), True
        for orbit in self.random.permutation(orbits):
            cells, clues = orbit[orbit >= 0], np.count_nonzero(board)
            if clues <= enough or clues - len(cells) < least:
                continue
            board[cells] = 0
            others = self._others(board, grid, cells) if unique else 0
            is_exact = is_exact and others is not None
            if others != 0:
                board[cells] = grid[cells]
        return board, is_exact

    def _others(self, board: Board, grid: Board, cells: NDArray[np.int64]) -> int | None:
        """Return whether a board has a solution with another digit in one of these blank cells, as 1 or 0.

        None: a test did not end. The other digits that no clue excludes are tried, one by one.
        """
        known = board.copy()
        for cell in cells.tolist():
            for digit in np.flatnonzero(self.candidates.candidates(known)[cell]) + 1:
                if digit == grid[cell]:
                    continue
                known[cell] = digit
                found = self._has_solution(known)
                known[cell] = 0
                if found != 0:
                    return found
            known[cell] = grid[cell]  # it follows from the clues
        return 0

    def _has_solution(self, state: Board) -> int | None:
        limit = Limit(nodes=LARGE_NODES if self.size >= LARGE else TEST_NODES)
        *_, count = self.solver().count(Instance(self.puzzle, state), limit, 1)
        self.nodes += count.expanded
        is_known = count.solutions > 0 or count.stop == "done"
        return int(count.solutions) if is_known else None


def size_of(name: str) -> int:
    """Return N of the puzzle of this name."""
    return int(candidates_view(registry.load(name)).units.all.shape[1])


def _span(numbers: int | tuple[int, int]) -> tuple[int, int]:
    return numbers if isinstance(numbers, tuple) else (numbers, numbers)


def _levels(puzzle: str, least: int, most: int) -> tuple[int, int]:
    if not 1 <= least <= most <= len(SHARES):
        raise BadOption(f"the levels of {puzzle} go from 1 to {len(SHARES)}, not from {least} to {most}")
    return least, most


# --- scales of difficulty ---


def scales_of(puzzle: str, size: int) -> Mapping[str, Scale]:
    """Return the scales of a puzzle of this name and size."""
    clues = level_clues(size)
    fewest, most = clues_reached(size) + size // 4, size * size - 1
    about = f"1 ({clues[1][0]} to {clues[1][1]} clues) to 5 (as few clues as can be: about {clues_reached(size)})"

    def scale(about: str, field: str, levels: tuple[int, int] | None) -> Scale:
        return Scale(about, partial(_sample, puzzle, field), levels)

    scales = {
        "level": scale(about, "level", (1, len(SHARES))),
        "clues": scale("how many cells are given", "clues", (fewest, most)),
    }
    return scales if size >= LARGE else scales | {"minimal": scale("no clue can be left out", "minimal", None)}


def _sample(puzzle: str, field: str, random: np.random.Generator, level: int | None, count: int) -> Board:
    """Return `count` boards `[B, N * N]`; without a level of the scale of levels, each level is as likely."""
    wish: Any = {"level": level or (1, len(SHARES)), "clues": level, "minimal": True}[field]
    settings = AnySizeGenerator(puzzle=puzzle, **{field: wish})
    boards = [board for board, _ in settings.batches(count, int(random.integers(2**62)))]
    return np.concatenate(boards)
