"""The contract of a puzzle: its rules, its notation, its presentation and its views.

Shapes: S = length of a state, M = number of moves. A state is a one-dimensional NumPy array in the puzzle's own plain
encoding.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadBoard

if TYPE_CHECKING:
    from puzzlelab.core.boards import Instance

State = NDArray[Any]
View = TypeVar("View")
MOST_NAMES = 20_000
"""Moves whose names are kept for the rows of a puzzle."""


class Puzzle(Protocol):
    """The rules of a puzzle of one size and goal: a frozen, hashable value that its name determines.

    >>> puzzle = puzzlelab.load("tiles-2x2")
    >>> board = puzzle.read("1 2 0 3")
    >>> puzzle.write(puzzle.apply(board.state, puzzle.read_move("L")))
    '1 2 3 0'
    """

    @property
    def name(self) -> str:
        """Such as `tiles-4x4`; the registry makes an equal puzzle from it."""

    @property
    def move_count(self) -> int:
        """M; moves are the numbers 0 to M - 1."""

    def read(self, text: str) -> Instance:
        """Parse a board in any of the puzzle's notations; raises `BadBoard` with the place of the error."""

    def write(self, state: State) -> str:
        """Return the canonical notation of a state, on one line; `read` gives the same state again."""

    def write_move(self, move: int) -> str:
        """Return the notation of a move, such as `U`."""

    def read_move(self, text: str) -> int:
        """Return the inverse of `write_move`; raises `BadBoard`."""

    def draw(self, state: State, mark: int | None = None) -> str:
        """Return the board as text on several lines; a puzzle may mark the cells that the move `mark` changes.

        If it does, each board of a solution is drawn before its move, and otherwise after it.
        """

    def objection(self, state: State) -> str | None:
        """Return why this well-formed board cannot be solved, as a sentence, if a cheap test proves it.

        Otherwise None.
        """

    def legal(self, state: State) -> NDArray[np.bool_]:
        """Return the legal moves: `bool[M]`."""

    def apply(self, state: State, move: int) -> State:
        """Return the state after a legal move; `state` stays as it is."""

    def solved(self, state: State) -> bool:
        """Tell whether the state is a goal."""

    def view(self, kind: type[View]) -> View | None:
        """Return a view of the puzzle, such as `Estimates`, or None; `find_view` looks it up in a table."""


@dataclass(frozen=True)
class Example:
    """An example board of a puzzle.

    >>> puzzlelab.Example("1 2 3 4 5 6 0 7 8", "two moves from the goal").about
    'two moves from the goal'
    """

    board: str
    about: str


def no_warnings(states: State) -> Mapping[int, Sequence[str]]:
    """Return nothing about any board, the default of a presentation."""
    return {}


@dataclass(frozen=True)
class Presentation:
    """The way in which a puzzle is shown to people; a puzzle without this view is shown by the defaults.

    >>> puzzlelab.load("dust-4x3x3").view(puzzlelab.Presentation).move_note
    '6,1: click column 6, row 1, counted from 0 at the lower left'
    """

    usual_solver: tuple[str, Mapping[str, Any]] | None = None
    """Name and options of the default solver; None chooses one by the views of the puzzle."""
    move_note: str = ""
    """Says what a move is; a puzzle with the view `MoveForms` says it there."""
    answer_is_board: bool = False
    """Whether a solution is shown as its final board instead of its moves."""
    unique_expected: bool = False
    """Whether a proper board has exactly one solution; `check` then tests this."""
    provers: tuple[tuple[str, Mapping[str, Any]], ...] = (
        ("dancing-links", {}),
        ("sat", {}),
        ("bfs", {}),
        ("ida", {}),
    )
    """Name and options of solvers that prove the claims of others anew, in the order in which they are tried; those
    that need more than the puzzle offers are left out."""
    examples: Mapping[str, Example] = field(default_factory=dict)
    """Example boards by name; `read` accepts the names."""
    warnings: Callable[[State], Mapping[int, Sequence[str]]] = no_warnings
    """Warnings about plain states `[B, S]` that `check` prints: the place of a board -> sentences, if it has any."""
    patterns: Callable[[State], Mapping[int, Sequence[str]]] = no_warnings
    """The symmetric patterns of the filled cells of plain states `[B, S]`: the place of a board -> their names."""


@dataclass(frozen=True)
class Notation:
    """The notation of boards that are rows of cells. Without this view, each line of a text is a board for `read`.

    Other forms of a board become cells in rows, of which the family of the puzzle says what they are
    (`Family.from_grid`). W = characters of a line.
    """

    shape: tuple[int, int]
    """The rows, and the cells of a row, in a text of several lines."""
    signs: frozenset[str]
    """The characters of cells in small letters, those of blanks too."""
    read: Callable[[str], State]
    """Reads one board in the puzzle's own notation; raises `BadBoard` with the place of what is wrong."""
    read_lines: Callable[[NDArray[np.uint8]], tuple[State, NDArray[np.bool_]]] | None = None
    """Reads many ASCII lines `uint8[B, W]` without their ends: the states `[B, S]`, and `bool[B]`, which are boards.

    It accepts only lines that `read` reads as the same state, and of which each is one board for a
    `text.splitting.Splitter`. All others are read one by one.
    """
    write_lines: Callable[[State], NDArray[np.uint8]] | None = None
    """Writes many `states[B, S]` as `write` does, as ASCII lines of one length: `uint8[B, W]`."""
    references: Callable[[Sequence[str]], tuple[State, NDArray[np.bool_], Mapping[int, str]]] | None = None
    """Reads the solutions that stand beside boards in their texts [B]: the states `[B, S]`, `bool[B]`, which are read,
    and place -> why another is no whole board."""
    settling: tuple[Puzzle, Callable[[str], str]] | None = None
    """A variant of the puzzle whose `read` lets pieces fall that have no support, and a function that says in words
    what moves on the board of a text; an empty text if nothing does."""
    wider: str = ""
    """The name of the puzzle whose boards say more than those of this one, and which reads these too."""


@dataclass(frozen=True)
class BoardForm:
    """A form in which boards are written, such as that of another program."""

    about: str
    """A phrase about the form, such as 'CSV: the puzzle and its solution'."""
    write: Callable[[State, State | None], str]
    """Writes boards `[B, S]`, and the boards that solve them `[B, S]` where these are known: lines, each with its end.

    It raises `Unsupported` for boards for which the form has no place.
    """
    ending: str = ""
    """The ending of the names of files in this form; empty for a form that is chosen by its name alone."""
    header: str = ""
    """The first line of such a file; empty if there is none."""
    has_solutions: bool = False
    """Whether solutions stand beside their boards; in other forms a solution is written in the place of its board."""
    extent: Literal["line", "lines", "document"] = "line"
    """A board is one line, or several lines; or the boards together are one text."""
    refusal: str = ""
    """Why no board of the puzzle can have this form, as a sentence; empty if boards can."""


@dataclass(frozen=True)
class Forms:
    """The forms in which boards of one puzzle are written, beside those that all puzzles have (`jobs.board_forms`)."""

    by_name: Mapping[str, BoardForm]


@dataclass(frozen=True)
class MoveForm:
    """A form in which moves are written."""

    about: str
    """What a move is in this form, such as 'U, D, L, R: the way the tile slides'."""
    names: Callable[[State, Sequence[int]], list[str]]
    """Names each of the legal moves `[L]` that are made one after the other from a state `[S]` on."""
    join: Callable[[Sequence[str]], str] = " ".join
    """Makes a text of such names."""


@dataclass(frozen=True)
class MoveForms:
    """The forms in which moves are written, and their reader. Without this view moves have one form: their names.

    A convention says what the letters of moves mean, such as the way of the tile, or that of the blank.
    """

    letters: tuple[str, ...]
    """The names of the conventions, the usual one first."""
    by_name: Callable[[str], Mapping[str, MoveForm]]
    """Returns the forms by name under a convention, the usual one first."""
    read: Callable[[State, str, str], list[int]]
    """Reads the moves in a text in any of the forms, which begin at a state `[S]`, by a convention.

    It raises `BadBoard` with the number of an invalid one. Whether moves are legal is tested where a form needs it.
    """


@dataclass(frozen=True)
class Family:
    """Puzzles of one kind in many sizes; a package in `puzzles` or a plug-in defines one as `FAMILY`.

    >>> puzzles = {"easy": puzzlelab.load("tiles-2x2"), "harder": puzzlelab.load("tiles-3x3")}
    >>> family = puzzlelab.Family("Two puzzles", puzzles.__getitem__, tuple(puzzles))
    >>> family.make("easy").name
    'tiles-2x2'
    """

    about: str
    """A sentence about the puzzle."""
    make: Callable[[str], Puzzle]
    """Makes the puzzle from the part of its name after the family and a hyphen; raises `BadOption`."""
    names: tuple[str, ...]
    """Names of some puzzles, the most common first."""
    from_text: Callable[[str, str | None], Iterable[tuple[str, str]]] = lambda text, name: ()
    """Names of puzzles, and boards in their own notation, that a text in a form of other programs is; nothing for other
    texts. `name` is that of the puzzle, or None where it has to be guessed. It raises `BadBoard` for a text in such a
    form that is no board, or that may be several."""
    from_grid: Callable[[Any, str | None], Iterable[tuple[str, str]]] = lambda grid, name: ()
    """The same for the cells of a `text.grids.TextGrid`, the likeliest first; it raises `BadBoard` for cells that are
    nearly a board."""
    columns: Sequence[Sequence[str]] = ()
    """The names that other people give the column of the board in tables, rows of JSON and attributes of XML, and then
    the names of columns that are read after it, such as the solution."""
    packed: str = ""
    """A pattern of what stands in links of other programs before a board that is compressed by lz-string."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Names that people have for a puzzle -> the part of its name after the family and a hyphen."""
    with_files: Callable[[str], str] = str
    """Returns the part of a name after the family and a hyphen with the contents of files that it names in place of
    their paths. It is called for names that a user of this computer gives, and for no others; raises `BadOption`."""
    page: Path | None = None
    """The folder of the page module of a plug-in, NAME.js for the family NAME; its other files begin with NAME and a
    hyphen or a dot."""


Views = Mapping[type, str | Callable[[Any], Any]]
"""View -> the function that makes it from a puzzle, or `module:function`, which is imported on the first request."""


def itself(puzzle: Any) -> Any:
    """Return the puzzle itself, for views whose methods its own class has."""
    return puzzle


def find_view(puzzle: Any, kind: type[View], views: Views) -> View | None:
    """Look up a view in a puzzle's table: the puzzle itself, or an object that equal puzzles share."""
    place = views.get(kind)
    if place is None:
        return None
    return cast(View, puzzle if place is itself else _make_view(place, puzzle))


@lru_cache(maxsize=512)
def _make_view(place: str | Callable[[Any], Any], puzzle: Any) -> Any:
    if not isinstance(place, str):
        return place(puzzle)
    module, _, name = place.partition(":")
    return vars(import_module(module))[name](puzzle)


def settling_of(puzzle: Puzzle) -> tuple[Puzzle, Callable[[str], str]] | None:
    """Return the variant of the puzzle that lets boards settle; see `Notation.settling`."""
    notation = puzzle.view(Notation)
    return None if notation is None else notation.settling


def presentation_of(puzzle: Puzzle) -> Presentation:
    """Return how this puzzle is shown."""
    return puzzle.view(Presentation) or Presentation()


def states_along(puzzle: Puzzle, state: State, moves: Iterable[int]) -> Iterator[State]:
    """Yield the state before the first move and after each move; the moves must be legal.

    A move is made when the next state is requested, so that a caller can check it first.
    """
    yield state
    for move in moves:
        state = puzzle.apply(state, move)
        yield state


def names_of(puzzle: Puzzle, moves: Sequence[int]) -> list[str]:
    """Return the moves as the puzzle writes them."""
    names = move_names(cast(Hashable, puzzle))
    return [names[move] for move in moves] if names else [puzzle.write_move(move) for move in moves]


@lru_cache(maxsize=16)
def move_names(puzzle: Any) -> Sequence[str]:
    """Return the names of all moves of a puzzle; none where it has more than `MOST_NAMES`."""
    moves = range(puzzle.move_count)
    return tuple(map(puzzle.write_move, moves)) if len(moves) <= MOST_NAMES else ()


@lru_cache(maxsize=16)
def move_numbers(puzzle: Any) -> Mapping[str, int]:
    """Return the number of each move of a puzzle by the name that it writes.

    None where it has more than `MOST_NAMES`.
    """
    return {name: puzzle.read_move(name) for name in move_names(puzzle)}


def read_moves(puzzle: Puzzle, texts: Sequence[str]) -> list[int]:
    """Return the moves that the puzzle writes in this way; raises `BadBoard` with the number of an invalid one."""
    numbers, moves = move_numbers(cast(Hashable, puzzle)), list[int]()
    if all(text in numbers for text in texts):
        return [numbers[text] for text in texts]
    for step, text in enumerate(texts, start=1):
        try:
            moves.append(puzzle.read_move(text))
        except BadBoard as error:
            raise BadBoard(str(error), f"move {step} of {len(texts)}") from None
    return moves


def board_after(puzzle: Puzzle, state: State, moves: Iterable[int]) -> State:
    """Return the state after these moves, which must be legal."""
    for last in states_along(puzzle, state, moves):
        state = last
    return state


@dataclass(frozen=True)
class Drawings:
    """The drawings of boards: as SVG, and as text with a score or a text in each cell."""

    svg: Callable[[State], str]
    """A board as SVG."""
    with_scores: Callable[[State, NDArray[np.float64]], str] | None = None
    """A board as text with `scores: float[M]`, from 0 to 1, of the legal moves, for puzzles whose moves are cells."""
    grid: Callable[[Sequence[str]], str] | None = None
    """The shape of a board as text with these texts `[N]` in its cells, such as their candidates."""
