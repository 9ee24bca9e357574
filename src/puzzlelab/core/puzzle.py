"""What a puzzle is, and the views that it may offer. A solver names the views it needs; there is no table of pairs.

Shapes: S = length of a state, B = states in a batch, M = number of moves. A state is a one-dimensional NumPy array in
the puzzle's own plain terms; only `Compiled` puzzles have a second, working form for kernels.

The protocols are those of `typing_extensions`: `isinstance` runs no property of a puzzle, as it does in `typing` before
Python 3.12. A protocol that extends one of them must be one of those too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Protocol, runtime_checkable

from puzzlelab.core.cover import ExactCover
from puzzlelab.core.errors import BadOption, NotSuited, UnknownName

State = NDArray[Any]


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

    def draw(self, state: State) -> str:
        """The board as text on several lines."""

    def objection(self, state: State) -> str | None:
        """A cheap proof, in words, that this well-formed board cannot be solved; None where there is none."""

    def legal(self, state: State) -> NDArray[np.bool_]:
        """`bool[M]`: the moves that can be made."""

    def apply(self, state: State, move: int) -> State:
        """The state after a legal move; `state` stays as it is."""

    def solved(self, state: State) -> bool:
        """Whether nothing is left to do."""


@runtime_checkable
class Moves(Protocol):
    """The view of every puzzle: states joined by moves of unit cost."""

    def legal(self, state: State) -> NDArray[np.bool_]: ...
    def apply(self, state: State, move: int) -> State: ...
    def solved(self, state: State) -> bool: ...


@runtime_checkable
class Estimates(Protocol):
    """The view of puzzles that can bound or guess the remaining moves."""

    @property
    def estimates(self) -> Mapping[str, str]:
        """What there is: each name with a sentence."""

    def estimate(self, name: str | None = None) -> Estimate:
        """One of them, or the puzzle's best one; raises `UnknownName`."""


@runtime_checkable
class Backwards(Protocol):
    """The view of puzzles that can be searched from the goal: every move can be undone by another move."""

    def goals(self) -> State:
        """All solved states `[G, S]`."""

    def inverse(self, move: int) -> int:
        """The move that undoes `move`."""


@runtime_checkable
class Samples(Protocol):
    """The view of puzzles that can make boards of an asked difficulty."""

    @property
    def scales(self) -> Mapping[str, Scale]:
        """The scales of difficulty by name, the main one first."""

    def difficulty(self, state: State) -> Mapping[str, int]:
        """Where this board stands on those scales that say so quickly."""


@runtime_checkable
class Planes(Protocol):
    """The view for networks: boards as tensors, and the puzzle's symmetries."""

    @property
    def input_size(self) -> int:
        """F: numbers that a network is given for one state."""

    def planes(self, states: State) -> NDArray[np.float32]:
        """`float32[B, F]` from `states[B, S]`."""

    def symmetries(self, states: State) -> tuple[tuple[State, NDArray[np.int64]], ...]:
        """Each symmetry as (`states[B, S]`, `moves[M]`): equal boards, and what each move is called there."""


@runtime_checkable
class Exchangeable(Protocol):
    """The view for networks that treat symbols alike which may be exchanged for each other, as colours or digits may.

    Each of K symbols has a sheet of F numbers, and answers for the moves in its S slots.
    """

    @property
    def sheet_shape(self) -> tuple[int, int]:
        """(K, F)."""

    @property
    def slots(self) -> int:
        """S: answers of each symbol."""

    def sheets(self, states: State) -> NDArray[np.uint8]:
        """`uint8[B, K, F]` from `states[B, S]`."""

    def places(self, states: State) -> NDArray[np.int64]:
        """`int64[B, M]`: who answers for each move, as symbol * slots + slot; anyone for a move that is impossible."""

    def exchanged(self, states: State, order: NDArray[np.int64]) -> tuple[State, NDArray[np.int64]]:
        """Equal boards with symbol k where `order[k]` was, and `moves[M]`: what each move is called there."""


@runtime_checkable
class Gridded(Protocol):
    """The view of puzzles whose planes are a grid, for convolutions: as many planes for each cell in turn."""

    @property
    def grid(self) -> tuple[int, int]:
        """The lengths of both axes; the first is the slower one in the order of the cells."""


@runtime_checkable
class Cover(Protocol):
    """The view of puzzles that are an exact cover: a board is solved by choosing options."""

    def cover(self) -> ExactCover:
        """The whole puzzle, with nothing chosen; the same object each time."""

    def chosen(self, state: State) -> NDArray[np.int64]:
        """`int64[K]`: the options that this state has taken already."""


@runtime_checkable
class Candidates(Protocol):
    """The view of puzzles in which every cell gets a digit, and every unit holds each digit once.

    The move `cell * digits + digit` (digits from 0) writes a digit in a blank cell.
    """

    @property
    def units(self) -> Units: ...

    def candidates(self, state: State) -> NDArray[np.bool_]:
        """`bool[N, D]`: what could be written in each cell without a conflict; nothing for a cell that is filled."""

    def digits(self, state: State) -> NDArray[np.int64]:
        """`int64[N]`: the digit in each cell, -1 for blank."""

    def written(self, digits: NDArray[np.int64]) -> State:
        """The inverse of `digits`, for many at once: the plain states `[B, S]` that hold `digits: int64[B, N]`."""


@runtime_checkable
class Boxed(Protocol):
    """The view of puzzles with `Candidates` on a square grid whose third kind of unit are boxes, row by row."""

    @property
    def box_shape(self) -> tuple[int, int]:
        """Rows and columns of a box."""


@runtime_checkable
class Relabelled(Protocol):
    """The view of puzzles with `Candidates` that have more symmetries than can be listed."""

    def relabelled(self, random: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """A random symmetry as (`cells[N]`, `digits[D]`): in cell k is what was in `cells[k]`, `digits[d]` for d."""


@runtime_checkable
class Compiled(Protocol):
    """A puzzle with kernels; see `core.kernels`."""

    def kernel(self) -> KernelRules: ...


@runtime_checkable
class Pictured(Protocol):
    """A puzzle that draws itself as SVG."""

    def svg(self, state: State) -> str: ...


@dataclass(frozen=True)
class KernelRules:
    """The working form of a puzzle's states, and the tables that choose its kernels."""

    tables: Any
    """The `NamedTuple` for which the kernel names have a meaning."""
    size: int
    """Elements of one working state."""
    dtype: type[np.generic]
    """Type of those elements."""
    words: int
    """64-bit words of one packed state."""
    encode: Callable[[State], State]
    """Working states `dtype[B, size]` from plain states `[B, S]`."""
    decode: Callable[[State], State]
    """The inverse of `encode`."""
    plain: bool = False
    """Whether the tables are the adapter for plain rules, which only runs uncompiled."""


@dataclass(frozen=True)
class Estimate:
    """A number for how many moves remain; a hand-made bound and a value network are the same thing to a search.

    Either `kernel` makes the tables of a compiled estimate, or `scores` maps plain states `[B, S]` to `float[B]`.
    """

    name: str
    admissible: bool
    kernel: Callable[[], Any] | None = None
    memo: int = 1
    """Length of the compiled estimate's memo and delta rows."""
    scores: Callable[[State], NDArray[Any]] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if (self.kernel is None) == (self.scores is None):
            raise BadOption(f"the estimate '{self.name}' must have either a kernel or a function from states to scores")


@dataclass(frozen=True)
class Prior:
    """How promising each move is, as a policy network says it of many states at once."""

    name: str
    scores: Callable[[State], NDArray[Any]] = field(compare=False, repr=False)
    """`float[B, M]` from plain states `[B, S]`: the natural logarithm of a probability for each move `legal` names.

    What stands at other moves is never read. The probabilities of a state's legal moves add up to 1.
    """
    marks: Callable[[NDArray[np.bool_]], NDArray[Any]] | None = field(default=None, compare=False, repr=False)
    """For puzzles with `Candidates`, `float[B, N, D]` from `bool[B, N, D]`, the candidates that are left in each cell:
    the logits by which the network holds each of them for the digit of its cell.
    """
    eliminates: bool = False
    """Whether `marks` tells more where fewer candidates are left, and not only of the cells that have one."""


@dataclass(frozen=True)
class Scale:
    """A way to say how hard a board is, with a sampler that hits an asked level exactly."""

    about: str
    sample: Callable[[np.random.Generator, int | None], State]
    """A random plain state `[S]` of this level; raises `BadOption` where there is none."""
    levels: tuple[int, int] | None = None
    """The least and the greatest level; None where the scale has no levels."""


@dataclass(frozen=True, eq=False)
class Units:
    """The units of a board of N cells and D digits, by kind: each kind is a partition of the cells, N = D * D."""

    kinds: Mapping[str, NDArray[np.int32]]
    """Such as 'row', 'column' and 'box', rows first: `int32[D, D]`, the cells of each unit."""

    @cached_property
    def all(self) -> NDArray[np.int32]:
        """`int32[U, D]`: the units of every kind."""
        return np.concatenate(list(self.kinds.values()))

    @cached_property
    def peers(self) -> NDArray[np.int32]:
        """`int32[N, P]`: the cells that share a unit with each cell, in order."""
        size = self.all.shape[1]
        shared: list[set[int]] = [set() for _ in range(size * size)]
        for unit in self.all.tolist():
            for cell in unit:
                shared[cell].update(unit)
        return np.array([sorted(peers - {cell}) for cell, peers in enumerate(shared)], np.int32)


@dataclass(frozen=True)
class Example:
    """A board that comes with a puzzle, to try it on."""

    board: str
    about: str


def scale_of(puzzle: Puzzle, name: str | None = None) -> tuple[str, Scale]:
    """The scale of this name, or the puzzle's main one, with its name.

    Raises `NotSuited` where the puzzle cannot make boards, and `UnknownName`.
    """
    if not isinstance(puzzle, Samples) or not puzzle.scales:
        raise NotSuited(f"{puzzle.name} cannot make boards of its own; give a file of them")
    chosen = name or next(iter(puzzle.scales))
    if chosen not in puzzle.scales:
        raise UnknownName(f"scale of {puzzle.name}", chosen, puzzle.scales)
    return chosen, puzzle.scales[chosen]


def permits(puzzle: Any, state: State, move: int) -> bool:
    """Whether this move can be made: as the puzzle's own `permits` says, if it has one, or else as `legal` does."""
    own = getattr(puzzle, "permits", None)
    return bool(own(state, move) if own else puzzle.legal(state)[move])


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
