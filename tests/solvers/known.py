"""Boards with known answers, random ones of a known distance, and estimates by NumPy, for several tests of solvers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab import BadBoard, Estimate, Instance, Limit, Result, load
from puzzlelab.core.boards import Boards
from puzzlelab.core.views import Estimates, Prior, Samples, Units
from puzzlelab.puzzles.sudoku.rules import Sudoku

TILES, FIFTEEN = load("tiles-3x3"), load("tiles-4x4")
NINE, SIX, FOUR = load("sudoku-9x9"), load("sudoku-6x6"), load("sudoku-4x4")
HOME = np.arange(-1, 8) % 9
"""The cell where each piece of the 8-puzzle belongs."""
FARTHEST = ("8 6 7 2 5 4 3 0 1", "6 4 7 8 5 0 3 2 1")
"""The two boards of the 8-puzzle that need 31 moves."""

INKALA = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
WIKIPEDIA = "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9"
SOLVED = {
    WIKIPEDIA: "987654321246173985351928746128537694634892157795461832519286473472319568863745219",
    INKALA: "812753649943682175675491283154237896369845721287169534521974368438526917796318452",
    "6...4...3.1.....7...5...8.....5.2...3...9...2...1.......8...9...7.....5.2...3...4": (
        "687941523412358679935627841794562318351894762826173495548216937173489256269735184"
    ),
    "........1.......2...3.45........16.3.7.......28...........76......82......5.....9": (
        "948762351517398426623145798459281673376954812281637945892576134134829567765413289"
    ),
    "1....6....5......6..9.7..1...4.1..7.3..8......8...53.......4.2.....2.9.7..27..1..": (
        "123456789457189236869372514294613875315897462786245391571934628638521947942768153"
    ),
}
"""Sudokus with their only solutions. The last are of "top1465", of Royle's with 17 clues, and a forum's hardest one."""
SOLUTION = SOLVED[INKALA]
IMPOSSIBLE = "1...5.2.9..7.......6.......2...........5.1..2....2.39.3.4.9...15...1...3...8...4."
DEAR = "......4..812.......6.8...71...98....324..5....9.....6..53....2.......5.....7.639."
"""Two boards without a solution; no single rule sees that."""
SEVERAL = "8.........95.......67..........2.485...4.3192......736...651947...732518...894263"
"""A board of the tests of tdoku with 125 solutions."""


@dataclass(frozen=True)
class Latin(Sudoku):
    """Latin squares: Sudoku without boxes."""

    @cached_property
    def units(self) -> Units:
        kinds = load(self.name).units.kinds
        return Units({kind: kinds[kind] for kind in ("row", "column")})


def board(distance: int, name: str = "tiles-3x3", seed: int = 0) -> Instance:
    """A random board that is so many moves from the goal."""
    puzzle, random = load(name), np.random.default_rng((seed, distance))
    return Instance(puzzle, puzzle.view(Samples).scales["distance"].sample(random, distance, 1)[0])


def random_dust(count: int, name: str = "dust-4x3x3") -> list[Instance]:
    """Random full boards."""
    puzzle, random = load(name), np.random.default_rng(2)
    return [Instance(puzzle, puzzle.view(Samples).scales["uniform"].sample(random, None, 1)[0]) for _ in range(count)]


def manhattan(states: NDArray[Any]) -> NDArray[Any]:
    """Manhattan distance of boards `[B, 9]` of the 8-puzzle."""
    there = np.argsort(states, axis=1)[:, 1:]
    return (abs(there // 3 - HOME[1:] // 3) + abs(there % 3 - HOME[1:] % 3)).sum(axis=1)


def left(states: NDArray[Any]) -> NDArray[Any]:
    """Cells of dust that are not empty, or digits of a Sudoku."""
    return (states > 0).sum(axis=1)


def timeless(results: Sequence[Result]) -> list[Result]:
    """The results without their seconds."""
    return [replace(result, seconds=0.0) for result in results]


def together(
    solver: Any, boards: Sequence[Instance], limit: Limit | None = None, over: Callable[[], bool] = lambda: False
) -> list[Result]:
    """The results of a solver for all these boards at once."""
    return list(chain.from_iterable(solver.solve_batch(Boards.of(boards), limit or Limit(), over)))


Digits = NDArray[np.uint8]


class Plain:
    """What the toys share: a state is written as its numbers, and nothing speaks against a board beforehand."""

    name: str
    views: tuple[type, ...] = ()

    def view(self, kind: type) -> object:
        return self if kind in self.views else None

    def read(self, text: str) -> Instance:
        if not text.replace(" ", "").isdecimal() or not text.isascii():
            raise BadBoard(f"'{text[:20]}' is no state of {self.name}")
        numbers = [int(word) for word in text.split()]
        if not self.holds(numbers):
            raise BadBoard(f"{numbers} is no state of {self.name}")
        return Instance(self, np.array(numbers, np.uint8))

    def holds(self, numbers: list[int]) -> bool:
        raise NotImplementedError

    def write(self, state: Digits) -> str:
        return " ".join(map(str, state.tolist()))

    def draw(self, state: Digits, mark: int | None = None) -> str:
        return self.write(state)

    def objection(self, state: Digits) -> str | None:
        return None


@dataclass(frozen=True)
class Roads(Plain):
    """Places joined by one-way roads: `roads[p]` are the places that can be reached from p; move q goes to place q."""

    roads: tuple[tuple[int, ...], ...]
    goal: int
    guess: tuple[int, ...] = ()
    """The estimate of each place; 0 everywhere if left out."""
    admissible: bool = True
    name: str = "roads"
    views: ClassVar[tuple[type, ...]] = (Estimates,)

    @property
    def move_count(self) -> int:
        return len(self.roads)

    def holds(self, numbers: list[int]) -> bool:
        return len(numbers) == 1 and numbers[0] < len(self.roads)

    def first(self) -> Prior:
        """The prior by which the roads of each place stand in order."""

        def scores(states: NDArray[Any]) -> NDArray[np.float64]:
            found = np.full((len(states), self.move_count), -np.inf)
            for row, place in enumerate(states[:, 0].tolist()):
                found[row, list(self.roads[place])] = [-1.0 - rank for rank in range(len(self.roads[place]))]
            return found

        return Prior("first", scores)

    def at(self, place: int) -> Instance:
        return Instance(self, np.array([place], np.uint8))

    def legal(self, state: Digits) -> NDArray[np.bool_]:
        return np.isin(np.arange(len(self.roads)), self.roads[state[0]])

    def apply(self, state: Digits, move: int) -> Digits:
        return np.array([move], np.uint8)

    def solved(self, state: Digits) -> bool:
        return bool(state[0] == self.goal)

    def write_move(self, move: int) -> str:
        return f"to {move}"

    def read_move(self, text: str) -> int:
        names = [self.write_move(move) for move in range(self.move_count)]
        if text not in names:
            raise BadBoard(f"'{text}' is no move")
        return names.index(text)

    @property
    def estimates(self) -> Mapping[str, str]:
        return {"guess": "what the table says"}

    def estimate(self, name: str | None = None) -> Estimate:
        guess = np.array(self.guess or [0] * len(self.roads))
        return Estimate("guess", self.admissible, scores=lambda states: guess[states[:, 0]])
