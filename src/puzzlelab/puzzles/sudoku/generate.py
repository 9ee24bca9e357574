"""New puzzles: unique or not, by level, by clues, minimal, symmetric or hard; one seed gives one stream.

Levels are ranges of clues; two mixes of them have names. A puzzle of level 5 is dug as far as its random order allows,
about 24 clues: unique puzzles with 17 clues cannot be had this way. The scales are read off the board: its clues, and
the level that they make. Many boards at once are a few new puzzles, and random images of them under the symmetries.

Shapes: B = puzzles in a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.errors import BadOption
from puzzlelab.core.settings import Settings, fill, read_levels
from puzzlelab.core.views import OwnGenerator, Scale, Tally
from puzzlelab.puzzles.sudoku import any_size
from puzzlelab.puzzles.sudoku.clue_patterns import Symmetry, orbits_of, settings_of_scale

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from puzzlelab.puzzles.sudoku.rated_puzzles import Wish
    from puzzlelab.puzzles.sudoku.rules import Board, Sudoku

LEVELS: Mapping[int, tuple[int, int]] = {1: (57, 67), 2: (47, 56), 3: (37, 46), 4: (27, 36), 5: (17, 26)}
"""The least and the most clues of each level."""
MIXES: Mapping[str, Mapping[int, float]] = {
    "even": dict.fromkeys(LEVELS, 0.2),
    "doubling": {5: 0.516, 4: 0.258, 3: 0.129, 2: 0.065, 1: 0.032},
}
FEWEST = 17
"""Clues; no puzzle with fewer has one solution."""
CELLS = 81
CHUNK, RATED_CHUNK = 500, 50
TRIES = 20_000
Level = Annotated[int, Field(ge=1, le=5)]
Clues = Annotated[int, Field(ge=0, le=81)]
Weights = Annotated[dict[Level, Annotated[float, Field(gt=0, le=1e9)]], Field(min_length=1)]
Grids = NDArray[np.uint8]
"""[B, 81]."""
GeneratedBatch = tuple[Grids, Grids]
"""(puzzles, solutions)."""


class SudokuGenerator(Settings):
    """The settings of the generator; without a level, a mix or a number of clues puzzles are minimal.

    `unique=False` digs blindly, so that most puzzles of levels 4 and 5 have several solutions. With `grids="shuffled"`
    all full grids are one grid whose rows and columns are shuffled, as quick generators make them: some 1.7 million of
    6.7e21. `hard` is the number of steps of hill-climbing on the guesses that the search needs. With a symmetry,
    'minimal' means that no orbit of cells that go together can be left out.
    """

    level: Level | None = None
    mix: Literal["even", "doubling"] | Weights | None = Field(
        default=None, description="levels in these shares, even or doubling"
    )
    clues: Clues | tuple[Clues, Clues] | None = Field(default=None, description="so many clues, or A-B")
    minimal: bool = Field(default=False, description="no clue can be left out (the default)")
    symmetry: Symmetry = Field(default="none", description="a pattern of clues such as half-turn")
    unique: bool = Field(
        default=True,
        description="boards that may have several solutions",
        json_schema_extra={"off": "allow-multiple"},
    )
    grids: Literal["alike", "shuffled"] = Field(
        default="alike", description="full grids: all equally likely, or one with its rows and columns shuffled"
    )
    rating: str | None = Field(default=None, description="how hard by logic, such as 4.2 or 4.0-4.5 (see rate)")
    technique: str | None = Field(default=None, description="a technique that it needs, such as x-wing")
    hard: Annotated[int, Field(ge=0, le=10_000_000)] = Field(
        default=0, description="climb so many steps towards more guesses", json_schema_extra={"served_most": 1000}
    )

    def model_post_init(self, context: object) -> None:
        options = [name for name in ("level", "mix", "clues") if getattr(self, name) is not None]
        if len(options) > 1:
            raise BadOption(f"ask for puzzles by {options[0]} or by {options[1]}, not by both")
        if (self.minimal or self.hard) and not self.unique:
            raise BadOption("a puzzle that is minimal or hard has one solution: do not allow several")
        if self.is_rated and not self.unique:
            raise BadOption("a puzzle that is rated has one solution: do not allow several")
        if self.is_rated:
            self.wish()
        if self.grids == "shuffled" and self.unique:
            raise BadOption("shuffled grids are dug blindly: allow several solutions")
        if self.minimal and (self.clues is not None or self.mix is not None or self.level not in (None, 5)):
            raise BadOption("minimal puzzles have about 24 clues: ask for no other number")
        if self.hard and options:
            raise BadOption("hard puzzles have as many clues as they have: ask for no level, mix or number of clues")
        least, most = self.span()
        if least > most:
            raise BadOption(f"there is no number of clues from {least} to {most}")
        if self.unique and least < FEWEST:
            raise BadOption(f"no puzzle with {least} clues has one solution; the fewest are {FEWEST}")

    @classmethod
    def fields(cls) -> Mapping[str, FieldInfo]:
        """Return the settings by name."""
        return cls.model_fields

    @classmethod
    def of_scale(cls, scale: str, level: str | None, options: Mapping[str, Any]) -> SudokuGenerator:
        """Return the settings that a scale of Sudoku, a level on it such as '3' or '2-4', and other options mean."""
        settings, level = settings_of_scale(scale, level, options)
        if level and scale == "rating":
            least, most = read_levels(level)
            settings["rating"], level = f"{least}.0-{most}.9", None
        if level:
            settings |= _levels(*read_levels(level))
        return fill(cls, settings)

    @property
    def is_rated(self) -> bool:
        """Whether puzzles are chosen by their ratings."""
        return self.rating is not None or self.technique is not None

    def wish(self) -> Wish:
        """Return which ratings puzzles may have; raises `BadOption`."""
        from puzzlelab.puzzles.sudoku.rated_puzzles import Wish

        return Wish.of(self.rating, self.technique)

    def span(self) -> tuple[int, int]:
        """Return the least and the greatest number of clues of the settings; without one, of any puzzle."""
        if self.clues is None:
            return FEWEST, 81
        return self.clues if isinstance(self.clues, tuple) else (self.clues, self.clues)

    def kinds(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the kinds that `hole_digging_kernels.make` draws from: `int64[R, 3]` and `float64[R]`."""
        if self.clues is not None:
            numbers = np.arange(self.span()[0], self.span()[1] + 1)
            return np.stack([numbers] * 3, axis=1), np.arange(1, numbers.size + 1) / numbers.size
        if self.level is None and self.mix is None:
            return np.array([[0, 0, 81]]), np.ones(1)
        weights = MIXES[self.mix] if isinstance(self.mix, str) else self.mix or {self.level or 5: 1.0}
        kinds = [(*LEVELS[level], LEVELS[level][1]) for level in weights]
        if self.minimal:
            kinds = [(0, 0, most) for _, _, most in kinds]
        shares = np.cumsum(list(weights.values()))
        return np.array(kinds), shares / shares[-1]

    def batches(self, count: int, seed: int = 0, first: int = 0) -> Iterator[GeneratedBatch]:
        """Yield the puzzles number `first` to `count` - 1 of the stream of this seed, `CHUNK` at a time.

        A puzzle depends on the seed and its number alone. Raises `BadOption` where such a puzzle does not come up.
        """
        if seed < 0:
            raise BadOption(f"a seed is 0 or more, not {seed}")
        key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        make = self._maker(key)
        chunk = RATED_CHUNK if self.is_rated else CHUNK
        for start in range(first, count, chunk):
            size = min(chunk, count - start)
            if self.is_rated:
                from puzzlelab.puzzles.sudoku.rated_puzzles import wished_puzzles

                yield wished_puzzles(make, self.wish(), range(start, start + size))
                continue
            puzzles, solutions = make(start, size)
            if self.grids == "shuffled":
                # Digging blindly leaves the same cells whatever the grid is.
                solutions = _shuffled(key, np.arange(start, start + size, dtype=np.uint64))
                puzzles = np.where(puzzles > 0, solutions, puzzles)
            yield puzzles, solutions

    def _maker(self, key: np.uint64) -> Callable[[int, int], GeneratedBatch]:
        """Return the function from a number and a count to the puzzles from this number on, and their solutions."""
        from puzzlelab.puzzles.sudoku import hole_digging_kernels

        (kinds, chances), orbits = self.kinds(), orbits_of(self.symmetry, 9)
        room = hole_digging_kernels.digging_room()

        def make(first: int, size: int) -> GeneratedBatch:
            puzzles, solutions = _empty(size), _empty(size)
            made = hole_digging_kernels.make(
                key=key,
                first=first,
                kinds=kinds,
                chances=chances,
                orbits=orbits,
                unique=self.unique,
                steps=self.hard,
                tries=TRIES,
                room=room,
                puzzles=puzzles,
                solutions=solutions,
            )
            if made < size:
                raise BadOption(f"{TRIES:,} full grids gave no such puzzle: {self._described()}")
            return puzzles, solutions

        return make

    def _described(self) -> str:
        settings = {name: value for name, value in self if value != type(self).model_fields[name].default}
        return ", ".join(f"{name}={value}" for name, value in settings.items())


def tally(levels: Mapping[int, tuple[int, int]], boards: Iterable[Grids]) -> Tally:
    """Count the puzzles by their clues; some puzzles `[B, N * N]` are given at a time."""
    counts = np.zeros(0, np.int64)
    for puzzles in boards:
        counts = np.zeros(puzzles.shape[1] + 1, np.int64) if not counts.size else counts
        counts += np.bincount(np.count_nonzero(puzzles, axis=1), minlength=counts.size)
    return Tally("clues", counts, levels)


def _levels(least: int, most: int) -> dict[str, Any]:
    lowest, highest = min(LEVELS), max(LEVELS)
    if least < most and not lowest <= least < most <= highest:
        raise BadOption(f"the levels of sudoku-9x9 go from {lowest} to {highest}, not from {least} to {most}")
    return {"level": least} if least == most else {"mix": dict.fromkeys(range(least, most + 1), 1.0)}


def _empty(size: int) -> NDArray[np.uint8]:
    return np.zeros((size, 81), np.uint8)


def level_of(levels: Mapping[int, tuple[int, int]], clues: int) -> int:
    """Return the level of a puzzle with this many clues; 1 for more clues, 5 for fewer."""
    return next((level for level, (least, _) in levels.items() if clues >= least), max(levels))


# --- scales of difficulty ---

FEWEST_DUG, MOST_DUG = 20, 80
"""Clues of boards that digging finds."""
HARDEST = 9
"""The level of the hardest boards by rating that come up in some minutes."""
UNRELATED, IMAGES = 8, 16
"""The fewest new puzzles among many boards at once, and the most images of one puzzle."""


def _scale(about: str, settings: Callable[[int | None], SudokuGenerator], levels: tuple[int, int] | None) -> Scale:
    """Return the scale of the boards that the generator with these settings of a level makes."""
    return Scale(about, partial(_sample, settings), levels)


def _by_level(level: int | None) -> SudokuGenerator:
    return SudokuGenerator(level=level) if level is not None else SudokuGenerator(mix="even")


def _blindly(level: int | None) -> SudokuGenerator:
    return SudokuGenerator(level=level, mix=None if level else "even", unique=False)


def _by_rating(level: int | None) -> SudokuGenerator:
    return SudokuGenerator(rating=f"{level}.0-{level}.9") if level is not None else SudokuGenerator()


def _by_clues(level: int | None) -> SudokuGenerator:
    return SudokuGenerator(clues=level) if level is not None else SudokuGenerator()


def _sample(
    settings: Callable[[int | None], SudokuGenerator], random: np.random.Generator, level: int | None, count: int
) -> Board:
    """Return `count` boards `[B, 81]`: new puzzles and, where they are many, images of these under random symmetries.

    The generator treats all images of a puzzle alike, so each board by itself is as likely as a new puzzle.
    """
    puzzles = _new(settings(level), random, max(min(count, UNRELATED), -(-count // IMAGES)))
    return puzzles if len(puzzles) == count else random_images(puzzles[np.arange(count) % len(puzzles)], random)


def _new(generator: SudokuGenerator, random: np.random.Generator, count: int) -> Board:
    """Return `count` new puzzles `[B, 81]`."""
    return np.concatenate([puzzles for puzzles, _ in generator.batches(count, int(random.integers(2**62)))])


@dataclass(frozen=True)
class SudokuSamples:
    """The view `Samples` of Sudoku."""

    puzzle: Sudoku

    @cached_property
    def scales(self) -> Mapping[str, Scale]:
        """The scales on which boards can be made."""
        if self.puzzle.name != "sudoku-9x9":
            return any_size.scales_of(self.puzzle.name, self.puzzle.size)
        levels = min(LEVELS), max(LEVELS)
        return {
            "level": _scale("1 (57 to 67 clues) to 5 (at most 26)", _by_level, levels),
            "blind": _scale("the same levels, dug blindly: mostly several solutions at 4 and 5", _blindly, levels),
            "clues": _scale("how many cells are given", _by_clues, (FEWEST_DUG, MOST_DUG)),
            "rating": _scale("how hard by logic: 4 for 4.0 to 4.9 on the scale 121", _by_rating, (1, HARDEST)),
            "minimal": _scale("no clue can be left out", lambda level: SudokuGenerator(), None),
        }

    @property
    def generator(self) -> OwnGenerator:
        """The generator of boards."""
        counted = partial(tally, self._levels)
        if self.puzzle.name == "sudoku-9x9":
            return OwnGenerator(SudokuGenerator, counted)
        return OwnGenerator(any_size.AnySizeGenerator, counted, {"puzzle": self.puzzle.name})

    @property
    def _levels(self) -> Mapping[int, tuple[int, int]]:
        return LEVELS if self.puzzle.name == "sudoku-9x9" else any_size.level_clues(self.puzzle.size)

    def difficulty(self, states: Board) -> Mapping[str, NDArray[np.int64]]:
        """Return `int64[B]`: the clues of each of the boards `[B, N]`, and the level that they make."""
        clues = np.count_nonzero(states, axis=1)
        levels = [level_of(self._levels, count) for count in range(self.puzzle.cells + 1)]
        return {"level": np.array(levels)[clues], "clues": clues}


def random_images(boards: Board, random: np.random.Generator) -> Board:
    """Return the image of each of the `boards: uint8[B, 81]` under a random symmetry, all of them equally likely.

    A symmetry renames the digits, puts the bands, the stacks, the rows of each band and the columns of each stack in
    another order, and may transpose the board. It keeps the number of solutions and of clues, and what can be deduced
    by logic, in other cells.
    """
    count = len(boards)
    rows, columns = (_lines(_orders(count, 3, random), _orders(3 * count, 3, random)) for _ in range(2))
    cells = 9 * rows[:, :, None] + columns[:, None, :]
    transposed = random.random(count) < 0.5
    cells[transposed] = cells[transposed].transpose(0, 2, 1)
    images = np.take_along_axis(boards, cells.reshape(count, 81), axis=1)
    digits = np.zeros((count, 10), np.uint8)
    digits[:, 1:] = _orders(count, 9, random) + 1
    return np.take_along_axis(digits, images, axis=1)


def _lines(boxes: NDArray[np.int64], within: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `int64[B, 9]`: nine rows, or columns, by the orders of the boxes `[B, 3]` and within them `[3 B, 3]`."""
    return (3 * boxes[:, :, None] + within.reshape(-1, 3, 3)).reshape(-1, 9)


def _orders(count: int, size: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return `int64[B, size]`: random orders of the numbers from 0 on."""
    return random.permuted(np.tile(np.arange(size), (count, 1)), axis=1)


def _shuffled(key: np.uint64, numbers: NDArray[np.uint64]) -> Grids:
    """Return one full grid for each number, its rows and columns in orders that the key and the number draw."""
    from puzzlelab.engine.kernels import GOLDEN, scramble

    draws = scramble(scramble(key + numbers)[:, None] + GOLDEN * np.arange(1, 25, dtype=np.uint64))
    boxes, within = draws[:, :6].reshape(-1, 2, 3), draws[:, 6:].reshape(-1, 2, 3, 3)
    rows, columns = (_lines(boxes[:, i].argsort(axis=1), within[:, i].argsort(axis=2)) for i in range(2))
    first = 3 * rows + rows // 3
    return ((first[:, :, None] + columns[:, None]) % 9 + 1).astype(np.uint8).reshape(-1, CELLS)
