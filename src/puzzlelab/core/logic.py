"""The view of puzzles that are solved by logic, as a person does it: one step after the other, each with its reason.

A step is the same for the command line, the server and Python. It needs the view `Candidates`: a candidate is the
number of the move that writes its digit, a unit its place in `Units.all`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from puzzlelab.core.errors import UnknownName
from puzzlelab.core.puzzle import Puzzle, State, names_of
from puzzlelab.core.views import candidates_view


class Node(NamedTuple):
    """A node of a chain: candidates of which one is true, or all are false."""

    candidates: tuple[int, ...]
    is_on: bool


class Link(NamedTuple):
    """A link between two nodes of a chain, by their numbers."""

    start: int
    end: int
    is_strong: bool


@dataclass(frozen=True)
class Step:
    """A step of logic: what it writes and rules out, what it rests on, and the reason.

    >>> step = next(puzzlelab.steps(puzzlelab.load("sudoku-9x9").read("easy")))
    >>> step.technique, step.sentence
    ('hidden-single', '2 has one place left in box 1: r2c3')
    """

    technique: str
    """The name of the technique in the form of options, such as `hidden-single`."""
    title: str
    """The name of the technique in a sentence, such as `hidden single`."""
    sentence: str
    """What the pattern is, why the step follows, and what it does."""
    placements: tuple[int, ...] = ()
    """The moves that it makes."""
    eliminations: tuple[int, ...] = ()
    """The candidates that it rules out."""
    cells: tuple[tuple[int, int], ...] = ()
    """(role, cell): the cells that it rests on. Those of one role belong together; 0 is the main one."""
    candidates: tuple[tuple[int, int], ...] = ()
    """(role, candidate)."""
    units: tuple[tuple[int, int], ...] = ()
    """(role, unit)."""
    nodes: tuple[Node, ...] = ()
    links: tuple[Link, ...] = ()
    rating: float | None = None
    """How hard it is, on the default scale; None if that is not known."""

    def __str__(self) -> str:
        rating = "" if self.rating is None else f" ({self.rating:.1f})"
        return f"{self.title}{rating}: {self.sentence}"


@dataclass(frozen=True)
class Rating:
    """How hard a board is for a person, on a scale.

    >>> [rating] = puzzlelab.rate([puzzlelab.load("sudoku-9x9").read("easy")])
    >>> rating.scale, rating.hardest
    ('121', 'hidden-single')
    """

    scale: str
    """The name of the scale."""
    rating: float | None = None
    """The rating of the hardest step; None on scales that add up scores, and if the board has no rating."""
    pearl: float | None = None
    """The rating of the hardest step up to the first placement; None on scales without it."""
    diamond: float | None = None
    """The rating of the first step; None on scales without it."""
    level: str | None = None
    """The name of the level on scales with levels."""
    score: int | None = None
    """The sum of the scores of all steps on scales that add up."""
    hardest: str | None = None
    """The hardest technique."""
    techniques: Mapping[str, int] = field(default_factory=dict, hash=False)
    """How often each technique was used."""
    reason: str = ""
    """Why the board has no rating, as a sentence; empty if it has one."""


class Logic(Protocol):
    """The view of puzzles with `Candidates` that are solved by logic, step by step.

    A position is a state, the moves that were written in it, and the candidates that were ruled out.

    >>> board = puzzlelab.load("sudoku-9x9").read("easy")
    >>> logic = board.puzzle.view(puzzlelab.Logic)
    >>> [step.technique for step in logic.way(board.state)][-1]
    'full-house'
    """

    @property
    def scales(self) -> Mapping[str, str]:
        """Name -> a sentence about this scale of ratings, the default one first."""

    def objection(self, state: State, written: Sequence[int] = (), removed: Iterable[int] = ()) -> str | None:
        """Name a cell without a candidate or a digit without a place, as a sentence; None if there is none."""

    def steps(
        self,
        state: State,
        written: Sequence[int] = (),
        removed: Iterable[int] = (),
        assumes_unique: bool = True,
    ) -> Iterator[Step]:
        """Yield all steps that are possible at a position without an objection, by difficulty.

        Harder techniques are looked for when their steps are needed. With `assumes_unique`, steps may rest on the
        assumption that the board has one solution.
        """

    def way(
        self,
        state: State,
        written: Sequence[int] = (),
        removed: Iterable[int] = (),
        assumes_unique: bool = True,
    ) -> Iterator[Step]:
        """Yield the easiest step, then the easiest one after it, and so on.

        It ends with the solved board, an objection, or where no step is known.
        """

    def rate(self, states: State, scale: str) -> list[Rating]:
        """Return the rating of each of the plain `states[B, S]`, which have one solution each, on one of `scales`."""


def follow(
    written: Sequence[int], removed: Iterable[int], easiest: Callable[[list[int], list[int]], Step | None]
) -> Iterator[Step]:
    """Yield the steps of `Logic.way`.

    `easiest` returns the next one from the moves and the candidates that were ruled out so far, or None at the end.
    """
    moves, ruled_out = list(written), list(removed)
    while (step := easiest(moves, ruled_out)) is not None:
        yield step
        moves += step.placements
        ruled_out += step.eliminations


def numbered(steps: Iterable[Step]) -> Iterator[str]:
    """Yield a line for each of these steps."""
    return (f"{number:>3}. {step}" for number, step in enumerate(steps, start=1))


def scale_name(logic: Logic, name: str | None, puzzle: Puzzle) -> str:
    """Return the name of a scale of ratings, by default the first; raises `UnknownName`."""
    chosen = name or next(iter(logic.scales))
    if chosen not in logic.scales:
        raise UnknownName(f"scale of ratings of {puzzle.name}", chosen, logic.scales)
    return chosen


def write_elimination(puzzle: Puzzle, candidate: int) -> str:
    """Return the notation of a candidate that is ruled out, such as `r3c4<>5`."""
    return puzzle.write_move(candidate).replace("=", RULED_OUT)


def read_elimination(puzzle: Puzzle, text: str) -> int:
    """Return the inverse of `write_elimination`; raises `BadBoard`."""
    return puzzle.read_move(text.replace(RULED_OUT, "="))


def changes_of(puzzle: Puzzle, step: Step) -> list[str]:
    """Return what a step writes and rules out, such as `r1c2=7` and `r3c4<>5`."""
    eliminations = [write_elimination(puzzle, candidate) for candidate in step.eliminations]
    return [*names_of(puzzle, step.placements), *eliminations]


def places_of(puzzle: Puzzle, step: Step) -> list[str]:
    """Return where a person must look to find a step: the names of its units, then of its cells, without a digit."""
    view = candidates_view(puzzle)
    units = [view.units.name(unit) for _, unit in step.units]
    in_chain = [candidate for node in step.nodes for candidate in node.candidates]
    candidates = [candidate for _, candidate in step.candidates] or in_chain
    digits = view.units.all.shape[1]
    cells = [cell for _, cell in step.cells] or [candidate // digits for candidate in candidates]
    return list(dict.fromkeys([*units, *map(view.write_cell, cells)]))


RULED_OUT = "<>"
"""What stands in the place of '=' where a candidate is ruled out."""
