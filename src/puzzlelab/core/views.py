"""The views that a puzzle may offer besides its rules. A solver names the views it needs; there is no table of pairs.

`puzzle.view(Estimates)` gives the view or None. A puzzle lists its views in a table; see `core.puzzle.find_view`.

Shapes: S = length of a state, B = states in a batch, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.cover import ExactCover
from puzzlelab.core.errors import BadOption, UnknownName, Unsupported
from puzzlelab.core.puzzle import Puzzle, State

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


class Estimates(Protocol):
    """The view of puzzles that can bound or guess the remaining moves."""

    @property
    def estimates(self) -> Mapping[str, str]:
        """What there is: each name with a sentence."""

    def estimate(self, name: str | None = None) -> Estimate:
        """One of them, or the puzzle's best one; raises `UnknownName`."""


class Reversible(Protocol):
    """The view of puzzles that can be searched from the goal: every move can be undone by another move."""

    def goals(self) -> State:
        """All solved states `[G, S]`."""

    def inverse(self, move: int) -> int:
        """The move that undoes `move`."""


class Samples(Protocol):
    """The view of puzzles that can make boards of an asked difficulty."""

    @property
    def scales(self) -> Mapping[str, Scale]:
        """The scales of difficulty by name, the main one first; none for a size of which no boards can be made."""

    def difficulty(self, state: State) -> Mapping[str, int]:
        """Where this board stands on those scales that say so quickly."""


class Planes(Protocol):
    """The view for networks: boards as tensors, and the puzzle's symmetries."""

    @property
    def input_size(self) -> int:
        """F: numbers that a network is given for one state."""

    def planes(self, states: State) -> NDArray[np.float32]:
        """`float32[B, F]` from `states[B, S]`."""

    def symmetries(self, states: State) -> tuple[tuple[State, NDArray[np.int64]], ...]:
        """Each symmetry as (`states[B, S]`, `moves[M]`): equal boards, and what each move is called there."""


class SymbolSymmetric(Protocol):
    """The view for networks that treat symbols alike which may be exchanged for each other, as colours or digits may.

    Each of K symbols has a sheet of F numbers, and answers for the moves in its S slots.
    """

    @property
    def symbol_shape(self) -> tuple[int, int]:
        """(K, F)."""

    @property
    def outputs_per_symbol(self) -> int:
        """S: answers of each symbol."""

    def symbol_planes(self, states: State) -> NDArray[np.uint8]:
        """`uint8[B, K, F]` from `states[B, S]`."""

    def output_index(self, states: State) -> NDArray[np.int64]:
        """`int64[B, M]`: who answers for each move, as symbol * slots + slot; anyone for a move that is impossible."""

    def permute_symbols(self, states: State, order: NDArray[np.int64]) -> tuple[State, NDArray[np.int64]]:
        """Equal boards with symbol k where `order[k]` was, and `moves[M]`: what each move is called there."""


class GridPlanes(Protocol):
    """The view of puzzles whose planes are a grid, for convolutions: as many planes for each cell in turn."""

    @property
    def grid(self) -> tuple[int, int]:
        """The lengths of both axes; the first is the slower one in the order of the cells."""


class Cover(Protocol):
    """The view of puzzles that are an exact cover: a board is solved by choosing options."""

    def cover(self) -> ExactCover:
        """The whole puzzle, with nothing chosen; the same object each time."""

    def chosen(self, state: State) -> NDArray[np.int64]:
        """`int64[K]`: the options that this state has taken already."""


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


class Boxes(Protocol):
    """The view of puzzles with `Candidates` on a square grid whose third kind of unit are boxes, row by row."""

    @property
    def box_shape(self) -> tuple[int, int]:
        """Rows and columns of a box."""


class RandomSymmetry(Protocol):
    """The view of puzzles with `Candidates` that have more symmetries than can be listed."""

    def random_symmetry(self, random: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """A random symmetry as (`cells[N]`, `digits[D]`): in cell k is what was in `cells[k]`, `digits[d]` for d."""


class EquivalentMoves(Protocol):
    """The view of puzzles in which several moves do the same, of which `legal` names one."""

    def is_legal(self, state: State, move: int) -> bool:
        """Whether this move can be made, be it the named one or another that does the same."""

    def canonical_moves(self, states: State) -> NDArray[np.int64]:
        """`int64[B, M]`: the move that `legal` names for each move, -1 for one that cannot be made."""


@dataclass(frozen=True)
class OwnGenerator:
    """The view of puzzles whose boards come from a generator with settings of its own."""

    settings: type[BoardGenerator]
    """The class of its settings; their fields become options of `puzzlelab generate`."""


class BoardGenerator(Protocol):
    """The settings of a generator of boards, which make boards.

    They are a pydantic model. The description of a field is the help text of its option. A field that is true by
    default has a flag that turns it off, named by `json_schema_extra={"off": "allow-more"}`. `{"served_most": N}` is
    the greatest number that a server makes boards with.
    """

    @classmethod
    def fields(cls) -> Mapping[str, FieldInfo]:
        """The settings by name."""

    @classmethod
    def of_scale(cls, scale: str, level: str | None, options: Mapping[str, Any]) -> BoardGenerator:
        """The settings that a scale of the puzzle, a level on it such as '3' or '2-4', and other options mean.

        Raises `BadOption` for what does not exist, or cannot be had together.
        """

    def batches(self, count: int, seed: int = 0, jobs: int | None = None) -> Iterator[tuple[State, State]]:
        """Boards `[P, S]` and their solutions, until there are `count` boards; `jobs` threads, all cores if None."""

    def write(self, path: Path, count: int, seed: int, jobs: int | None, report: Callable[[int], None]) -> None:
        """Write `count` boards to a file, or go on with one that is begun; `report` is told how many are there."""

    def tally(self, path: Path) -> Tally:
        """What the boards of such a file are like."""


@dataclass(frozen=True)
class Tally:
    """How many boards have which size, and the levels that the sizes make."""

    what: str
    """What is counted, such as 'cells'."""
    counts: NDArray[np.int64]
    """[K]: how many boards have 0, 1, ... K - 1 of them."""
    levels: Mapping[int, tuple[int, int]]
    """Level -> the least and the greatest number."""


class DrawsSvg(Protocol):
    """A puzzle that draws itself as SVG."""

    def svg(self, state: State) -> str: ...


@dataclass(frozen=True)
class KernelRules:
    """The view of puzzles with kernels: the working form of their states, and the tables that choose the kernels."""

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
    candidate_logits: Callable[[NDArray[np.bool_]], NDArray[Any]] | None = field(
        default=None, compare=False, repr=False
    )
    """For puzzles with `Candidates`, `float[B, N, D]` from `bool[B, N, D]`, the candidates that are left in each cell:
    the logits by which the network holds each of them for the digit of its cell.
    """
    reads_candidates: bool = False
    """Whether `candidate_logits` uses the candidates that are left, and not only the cells that have one."""


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


def is_legal(puzzle: Puzzle, state: State, move: int) -> bool:
    """Whether this move can be made; where several moves do the same, all of them can."""
    moves = puzzle.view(EquivalentMoves)
    return bool(puzzle.legal(state)[move]) if moves is None else moves.is_legal(state, move)


def scale_of(puzzle: Puzzle, name: str | None = None) -> tuple[str, Scale]:
    """The scale of this name, or the puzzle's main one, with its name.

    Raises `Unsupported` where the puzzle cannot make boards, and `UnknownName`.
    """
    samples = puzzle.view(Samples)
    if samples is None or not samples.scales:
        raise Unsupported(f"{puzzle.name} cannot make boards of its own; give a file of them")
    chosen = name or next(iter(samples.scales))
    if chosen not in samples.scales:
        raise UnknownName(f"scale of {puzzle.name}", chosen, samples.scales)
    return chosen, samples.scales[chosen]


class Rewards(Protocol):
    """The view of puzzles that bring reward schemes of their own."""

    @property
    def rewards(self) -> Mapping[str, str]:
        """What there is: each name with a sentence."""

    def reward(self, name: str, before: State, after: State) -> NDArray[np.float64]:
        """`float64[B]`: what it was worth to come from the plain states `before[B, S]` to `after[B, S]`."""


class DrawsScores(Protocol):
    """The view of puzzles whose moves are cells: their drawings have room for a number in each."""

    def draw_scores(self, state: State, scores: NDArray[np.float64]) -> str:
        """The board with `scores: float[M]`, from 0 to 1, of the moves that `legal` names; others are not read."""
