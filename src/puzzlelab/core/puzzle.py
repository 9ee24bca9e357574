"""What a puzzle is: its rules, its notation, what people are told about it, and how it offers views.

Shapes: S = length of a state, M = number of moves. A state is a one-dimensional NumPy array in the puzzle's own plain
terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

State = NDArray[Any]
View = TypeVar("View")


class Puzzle(Protocol):
    """The rules at one size and goal: a frozen, hashable value whose name says all of it."""

    @property
    def name(self) -> str:
        """Such as `tiles-4x4`; the registry makes an equal puzzle from it."""

    @property
    def move_count(self) -> int:
        """M; moves are the numbers 0 to M - 1."""

    def read(self, text: str) -> Instance:
        """The board that a text in any of the puzzle's notations means; `BadBoard` says where it is none."""

    def write(self, state: State) -> str:
        """The one canonical notation, on one line; `read` gives the same state again."""

    def write_move(self, move: int) -> str:
        """A move as people write it, such as `U`."""

    def read_move(self, text: str) -> int:
        """The inverse of `write_move`; raises `BadBoard`."""

    def draw(self, state: State, mark: int | None = None) -> str:
        """The board as text on several lines; a puzzle may mark the cells that the move `mark` changes."""

    def objection(self, state: State) -> str | None:
        """A cheap proof, in words, that this well-formed board cannot be solved; None where there is none."""

    def legal(self, state: State) -> NDArray[np.bool_]:
        """`bool[M]`: the moves that can be made."""

    def apply(self, state: State, move: int) -> State:
        """The state after a legal move; `state` stays as it is."""

    def solved(self, state: State) -> bool:
        """Whether nothing is left to do."""

    def view(self, kind: type[View]) -> View | None:
        """The puzzle seen as this kind of view, such as `Estimates`, or None; `find_view` does it with a table."""


@dataclass(frozen=True)
class Example:
    """A board that comes with a puzzle, to try it on."""

    board: str
    about: str


def no_warnings(state: State) -> Sequence[str]:
    """Nothing."""
    return ()


@dataclass(frozen=True)
class Presentation:
    """How a puzzle is shown to people. A puzzle without this view is shown by the defaults."""

    usual_solver: tuple[str, Mapping[str, Any]] = ("bfs", {})
    """Name and options of the solver that runs when a call names none."""
    move_note: str = ""
    """What the signs of a move mean, such as 'U, D, L, R: the way the tile slides'."""
    answer_is_board: bool = False
    """Whether a solution is shown as the board at its end, not as the list of its moves."""
    unique_expected: bool = False
    """Whether a well-made board has exactly one solution, which `check` then tests."""
    examples: Mapping[str, Example] = field(default_factory=dict)
    """Boards by name, which `read` knows."""
    notations: Mapping[str, Callable[[State, State], str]] = field(default_factory=dict)
    """Ways to write a board together with its solution (`board, solution -> text`), by name."""
    cheap_bounds: tuple[str, ...] = ()
    """Lower bounds of the view `Estimates` whose tables are made at once."""
    marks_moves: bool = False
    """Whether `draw` marks the cells that a move changes; solutions are then shown before each move, not after."""
    write_cell: Callable[[int], str] = str
    """The name of a cell, for puzzles whose moves fill cells."""
    warnings: Callable[[State], Sequence[str]] = no_warnings
    """Sentences about a board that `check` adds."""
    lenient: Callable[[], Puzzle] | None = None
    """Makes the same puzzle whose `read` lets boards come to rest that the rules would not leave as they are."""


@dataclass(frozen=True)
class Family:
    """Puzzles of one kind and of many sizes: what a package of `puzzles`, or a plug-in, has as `FAMILY`."""

    about: str
    """One sentence."""
    make: Callable[[str], Puzzle]
    """The puzzle from what follows the family and a hyphen in its name; raises `BadOption`."""
    names: tuple[str, ...]
    """Names of some puzzles, the most usual first."""
    guess: Callable[[str], Puzzle | None] = lambda text: None
    """The puzzle of which a text is most likely a board, or None."""


Views = Mapping[type, str | Callable[[Any], Any]]
"""A view -> what makes it of a puzzle: a function, or `module:function`, imported when the view is asked for."""


def itself(puzzle: Any) -> Any:
    """The puzzle, where its own class has what a view needs."""
    return puzzle


def find_view(puzzle: Any, kind: type[View], views: Views) -> View | None:
    """What the table gives for this kind of view: the puzzle itself, or an object that equal puzzles share."""
    place = views.get(kind)
    if place is None:
        return None
    return cast(View, puzzle if place is itself else _made(place, puzzle))


@lru_cache(maxsize=512)
def _made(place: str | Callable[[Any], Any], puzzle: Any) -> Any:
    if not isinstance(place, str):
        return place(puzzle)
    module, _, name = place.partition(":")
    return vars(import_module(module))[name](puzzle)


def presentation_of(puzzle: Puzzle) -> Presentation:
    """How this puzzle is shown."""
    return puzzle.view(Presentation) or Presentation()


class Instance:
    """A puzzle and a start: hashable, and well-formed by construction."""

    __slots__ = ("puzzle", "state")

    def __init__(self, puzzle: Puzzle, state: State) -> None:
        self.puzzle = puzzle
        self.state = state.copy()
        self.state.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Instance):
            return NotImplemented
        return self.puzzle == other.puzzle and self.state.tobytes() == other.state.tobytes()

    def __hash__(self) -> int:
        return hash((self.puzzle, self.state.tobytes()))

    def __repr__(self) -> str:
        return f"<{self.puzzle.name}: {self.puzzle.write(self.state)}>"
