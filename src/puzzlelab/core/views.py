"""The views that a puzzle may offer besides its rules. A solver names the views that it needs.

`puzzle.view(Estimates)` gives the view or None. A puzzle lists its views in a table; see `core.puzzle.find_view`.

Shapes: S = length of a state, B = states in a batch, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption, UnknownName, Unsupported
from puzzlelab.core.puzzle import Puzzle, State

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from puzzlelab.core.cover import ExactCover


UNKNOWN = -(1 << 60)
"""The lower bound of a sum of steps of which nothing is known."""
NO_LEVEL = -(2**63)
"""The number in place of a level where a board has none."""


class Estimates(Protocol):
    """The view with estimates of the cost-to-go (the number of remaining moves), for instance lower bounds."""

    @property
    def estimates(self) -> Mapping[str, str]:
        """Name -> a sentence about this estimate."""

    def estimate(self, name: str | None = None) -> Estimate:
        """Return the estimate of this name, by default the puzzle's best one; raises `UnknownName`."""


class Reversible(Protocol):
    """The view that lists the goals and inverts moves, so that a search can start at the goal."""

    def goals(self) -> State:
        """Return all solved states `[G, S]`; one is enough of those that `KernelRules.merge` makes the same."""

    def inverse(self, move: int) -> int:
        """Return the move that undoes `move`."""


@dataclass(frozen=True)
class Steps:
    """The costs of moves, or their points. Without this view each move costs 1."""

    cost: Callable[[State, int, State], int] | None = None
    """The cost of a legal move from `state[S]` to `after[S]`: at least 0, and at least 1 for `ida`.

    The best solution has the least sum.
    """
    points: Callable[[State, int, State], int] | None = None
    """The points of a legal move from `state[S]` to `after[S]`, below 0 for a penalty.

    The best solution has the greatest sum, however many moves it has. Every state in which a game may end is solved. An
    estimate is of the points that can still be made, an upper bound if it is admissible.
    """
    points_per_move: float = 1.0
    """How many points count as much as one move, where a search weighs them: some points of a usual move."""

    def __post_init__(self) -> None:
        if (self.cost is None) == (self.points is None):
            raise BadOption("the steps of a puzzle must have either costs or points")


class Samples(Protocol):
    """The view that samples random boards of a requested difficulty."""

    @property
    def scales(self) -> Mapping[str, Scale]:
        """The scales of difficulty by name, the main one first; empty for sizes without a sampler."""

    @property
    def generator(self) -> OwnGenerator | None:
        """The puzzle's own generator of boards, or None."""

    def difficulty(self, states: State) -> Mapping[str, NDArray[np.int64]]:
        """Return `int64[B]`: the levels of `states[B, S]` by name, on scales and in other quick respects.

        `NO_LEVEL` stands for a level that a board does not have, or that is not known.
        """


class Planes(Protocol):
    """The view that encodes boards as input of a network, and lists the symmetries of the puzzle."""

    @property
    def input_size(self) -> int:
        """F: inputs of a network for one state."""

    def planes(self, states: State) -> NDArray[np.float32]:
        """Return `float32[B, F]` from `states[B, S]`."""

    def symmetries(self, states: State) -> tuple[tuple[State, NDArray[np.int64]], ...]:
        """Return each symmetry as (`states[B, S]`, `moves[M]`): equivalent boards, and the number of each move on
        them.
        """

    @property
    def grid(self) -> tuple[int, int] | None:
        """The lengths of both axes where the planes form a grid, for convolutions; otherwise None.

        The first axis is the slower one in the order of the cells; each cell has the same number of planes.
        """

    @property
    def cell_at(self) -> NDArray[np.int64] | None:
        """`int64[rows, columns]`: the number of the cell at each place of the board as people see it.

        None without a `grid`.
        """

    @property
    def symbols(self) -> Symbols | None:
        """The symbols that may be exchanged for each other, or None."""

    @property
    def isomorphism(self) -> Isomorphism | None:
        """The map to a puzzle whose networks can be used too, or None."""


@dataclass(frozen=True)
class Symbols:
    """The encoding of boards for networks that treat K interchangeable symbols alike, such as colours or digits.

    Each symbol has F inputs and O outputs. An output is the score of a move.
    """

    shape: tuple[int, int]
    """(K, F)."""
    outputs: int
    """O: outputs of each symbol."""
    planes: Callable[[State], NDArray[np.uint8]]
    """`uint8[B, K, F]` from `states[B, S]`."""
    output_index: Callable[[State], NDArray[np.int64]]
    """`int64[B, M]` from `states[B, S]`: the output of each move, as symbol * O + its number; any output for an illegal
    move."""
    permuted: Callable[[State, NDArray[np.int64]], tuple[State, NDArray[np.int64]]]
    """Equivalent boards with symbol k in place of `order[k]`, and `moves[M]`: the number of each move on them, from
    `states[B, S]` and `order: int64[K]`."""
    feature_shape: tuple[int, int] | None = None
    """(K, F) of `features`."""
    features: Callable[[State], NDArray[np.float32]] | None = None
    """`float32[B, K, F]` from `states[B, S]`: planes with more inputs, which are computed by the rules."""


@dataclass(frozen=True, eq=False)
class Isomorphism:
    """The map of the puzzle to one with other names for states and moves, whose networks can then be used.

    The maps commute with `legal`, `apply` and `solved`.
    """

    puzzle: Puzzle
    """The other puzzle."""
    states_of: Callable[[State], State]
    """Its plain states `[B, S]` from plain states `[B, S]` of this puzzle."""
    moves: NDArray[np.int64]
    """[M]: the number of each move of this puzzle in the other one."""


class Cover(Protocol):
    """The view of the puzzle as an exact cover problem, which is solved by choosing options."""

    def cover(self) -> ExactCover:
        """Return the whole problem without a chosen option; the same object at each call."""

    def chosen(self, state: State) -> NDArray[np.int64]:
        """Return `int64[K]`: the options that are chosen in this state."""


class Candidates(Protocol):
    """The view of the candidates of each cell, in puzzles where every unit holds each digit once.

    The move `cell * digits + digit` (digits from 0) writes a digit in a blank cell.
    """

    @property
    def units(self) -> Units: ...

    def candidates(self, state: State) -> NDArray[np.bool_]:
        """Return `bool[N, D]`: the digits that each blank cell can hold without a conflict; none for a filled cell."""

    def digits(self, state: State) -> NDArray[np.int64]:
        """Return `int64[N]`: the digit in each cell, -1 for blank."""

    def written(self, digits: NDArray[np.int64]) -> State:
        """Return the plain states `[B, S]` with `digits: int64[B, N]` and all candidates that these leave."""

    def write_cell(self, cell: int) -> str:
        """Return the notation of a cell, such as `r3c5`."""

    def random_symmetry(self, random: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a random symmetry (`cells[N]`, `digits[D]`): cell k gets the digit d of `cells[k]` as `digits[d]`."""


def candidates_view(puzzle: Puzzle) -> Candidates:
    """Return the view `Candidates` of a puzzle; raises `Unsupported` if it has none."""
    view = puzzle.view(Candidates)
    if view is None:
        raise Unsupported(f"{puzzle.name} has no cells with candidates")
    return view


@dataclass(frozen=True)
class Legality:
    """The test of single moves, faster than `legal` tests all of them, and the moves that have the same effect."""

    is_legal: Callable[[State, int], bool]
    """Whether a move is legal in `state[S]`, or equivalent to a legal one."""
    canonical_moves: Callable[[State], NDArray[np.int64]] | None = None
    """Return `int64[B, M]`: for each move the equivalent one that `legal` reports, -1 for an illegal move."""


@dataclass(frozen=True)
class OwnGenerator:
    """A puzzle's own generator of boards."""

    settings: type[BoardGenerator]
    """The class of its settings; their fields become options of `puzzlelab generate`."""
    tally: Callable[[Iterable[State]], Tally] | None = None
    """Statistics of plain states `[P, S]`, of which some are given at a time."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """The settings that are the puzzle's own, such as its name, and are added to those of each call."""


class BoardGenerator(Protocol):
    """The settings of a puzzle's own generator of boards, a pydantic model, and the generator itself.

    The description of a field is the help text of its option. A field that is true by default has a flag that turns it
    off, named by `json_schema_extra={"off": "allow-more"}`. `{"served_most": N}` is the greatest value that a server
    accepts.
    """

    @classmethod
    def fields(cls) -> Mapping[str, FieldInfo]:
        """Return the settings by name."""

    @classmethod
    def of_scale(cls, scale: str, level: str | None, options: Mapping[str, Any]) -> BoardGenerator:
        """Return the settings for a scale of the puzzle, a level on it such as '3' or '2-4', and other options.

        Raises `BadOption` for unknown options, and for options that exclude each other.
        """

    def batches(self, count: int, seed: int = 0, first: int = 0) -> Iterator[tuple[State, State]]:
        """Yield the boards `[P, S]` number `first` to `count` - 1 of the stream of this seed, and their solutions."""


@dataclass(frozen=True)
class Tally:
    """A histogram of the sizes of boards, and the range of sizes of each level."""

    what: str
    """The unit of size, such as 'cells'."""
    counts: NDArray[np.int64]
    """[K]: the number of boards of size 0, 1, ... K - 1."""
    levels: Mapping[int, tuple[int, int]]
    """Level -> its least and its greatest size."""


@dataclass(frozen=True)
class KernelRules:
    """The tables of the puzzle's compiled rules, and the conversions between plain and working states.

    >>> rules = puzzlelab.load("tiles-2x2").view(puzzlelab.KernelRules)
    >>> rules.encode(np.array([[1, 2, 0, 3]], np.uint8)).tolist()
    [[0, 1, 3, 2, 2]]
    """

    tables: Any
    """The `NamedTuple` whose type selects the kernels."""
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
    merge: Callable[[State], State] | None = None
    """Working states `[B, size]` in which pieces that may stand for each other are the same, for a search that shall
    know such states as one; None if all pieces differ. `decode` then gives a plain state that is as good."""
    has_objection: Callable[[State], NDArray[np.bool_]] | None = None
    """`bool[B]`: whether `objection` names a reason for each of the plain states `[B, S]`; None asks it one by one."""

    def starts(self, states: State) -> State:
        """Return the working states `dtype[B, size]` from which searches start, from plain states `[B, S]`.

        They are a copy, into which a search may write.
        """
        working = self.encode(states)
        return np.array(working if self.merge is None else self.merge(working), self.dtype, order="C")


@dataclass(frozen=True)
class BatchRules:
    """The rules for batches of states, as NumPy functions: many times as fast in every search as plain rules.

    They must give what the plain rules give for each state; `check_puzzle` compares them. A puzzle with `KernelRules`
    does not need them.

    >>> rules = puzzlelab.BatchRules(
    ...     legal=lambda states: states > 0,
    ...     apply=lambda states, moves: states - 1,
    ...     solved=lambda states: states[:, 0] == 0,
    ... )
    >>> rules.apply(np.array([[3], [1]]), np.array([0, 0])).tolist()
    [[2], [0]]
    """

    legal: Callable[[State], NDArray[np.bool_]]
    """`bool[B, M]`: the legal moves of plain states `[B, S]`."""
    apply: Callable[[State, NDArray[np.int64]], State]
    """The plain states `[B, S]` after one legal move each, from plain states `[B, S]` and moves `[B]`."""
    solved: Callable[[State], NDArray[np.bool_]]
    """`bool[B]`: which of the plain states `[B, S]` are goals."""
    costs: Callable[[State, NDArray[np.int64], State], NDArray[np.int64]] | None = None
    """`int64[B]`: the cost of each move, or its points, from the states before, the moves, and the states after.

    Needed for puzzles with the view `Steps`.
    """


@dataclass(frozen=True)
class Estimate:
    """An estimate of the cost-to-go in moves: a hand-made bound, or the value head of a network.

    Either `kernel` makes the tables of a compiled estimate, or `scores` maps plain states `[B, S]` to `float[B]`.

    >>> half = puzzlelab.Estimate("half", True, scores=lambda states: (states != [1, 2, 3, 0]).sum(axis=1) / 2)
    >>> board = puzzlelab.load("tiles-2x2").read("1 2 0 3")
    >>> puzzlelab.solve(board, "astar", estimate=half).length
    1
    """

    name: str
    admissible: bool
    kernel: Callable[[], Any] | None = None
    memo: int = 1
    """Length of the compiled estimate's memo and delta rows."""
    scores: Callable[[State], NDArray[Any]] | None = field(default=None, compare=False, repr=False)
    unsolvable: int | None = None
    """The value of a compiled estimate that means that a state cannot be solved."""
    is_cheap: bool = False
    """Whether the tables of a compiled lower bound take almost no time to build."""
    stronger: Stronger | None = field(default=None, compare=False, repr=False)
    """Another lower bound of the same puzzle, for searches that take long."""
    guide: str | None = field(default=None, compare=False)
    """The name of an estimate that is no lower bound, and leads a beam to shorter solutions than this one."""

    def __post_init__(self) -> None:
        if (self.kernel is None) == (self.scores is None):
            raise BadOption(f"the estimate '{self.name}' must have either a kernel or a function from states to scores")


@dataclass(frozen=True)
class Stronger:
    """A lower bound that cuts off more than another one, by tables that are dear to build."""

    name: str
    about: str
    """What it saves, and what its tables cost: 'expands fewer states; its table takes 577 MB and a minute, once'."""
    is_built: Callable[[], bool]
    """Tells whether its tables lie in the cache folder."""


@dataclass(frozen=True)
class Prior:
    """A prior over moves, such as the policy head of a network, for a batch of states."""

    name: str
    scores: Callable[[State], NDArray[Any]] = field(compare=False, repr=False)
    """`float[B, M]` from plain states `[B, S]`: the natural logarithm of the probability of each legal move.

    The values of other moves are never read. The probabilities of a state's legal moves add up to 1.
    """
    candidate_logits: Callable[[NDArray[np.bool_]], NDArray[Any]] | None = field(
        default=None, compare=False, repr=False
    )
    """The logits of candidates, for puzzles with `Candidates`: `float[B, N, D]` from `bool[B, N, D]`, the remaining
    candidates of each cell: the logit of each candidate to be the digit of its cell.
    """
    reads_candidates: bool = False
    """Whether `candidate_logits` uses all remaining candidates, and not only cells with a single one."""


class PriorAndEstimate(NamedTuple):
    """A prior and an estimate of the same states, such as two heads of one network."""

    prior: Prior | None
    """The prior; None makes all moves equally likely."""
    estimate: Estimate
    both: Callable[[State], tuple[NDArray[Any], NDArray[Any]]] | None = None
    """`float[B, M]` and `float[B]` from plain states `[B, S]`, computed together; None where that is not possible.

    The former are logits: the prior is their softmax over the legal moves. The latter are the scores of the estimate.
    """


@dataclass(frozen=True)
class Scale:
    """A scale of difficulty, with a sampler of boards of an exact level.

    >>> from puzzlelab.core.views import Samples
    >>> puzzlelab.load("tiles-3x3").view(Samples).scales["level"].levels
    (1, 22)
    """

    about: str
    sample: Callable[[np.random.Generator, int | None, int], State]
    """The sampler of plain states `[B, S]` of a level; without a level, each is of any. The last argument is B.

    B is at least 1. Each board by itself has the distribution of the scale; those of one call may be related. Raises
    `BadOption` if there is no such level. `singly` makes such a function of one that makes one board.
    """
    levels: tuple[int, int] | None = None
    """The least and the greatest level; None if the scale has no levels."""
    measure: Callable[[State], NDArray[np.int64]] | None = None
    """`int64[B]`: the level of each of the plain states `[B, S]`; None if it cannot be computed quickly."""


@dataclass(frozen=True, eq=False)
class Units:
    """The units of a board of N cells and D digits, N = D * D, by kind; a unit holds each digit once.

    The first kind, rows, is a partition of the cells. Units of other kinds may overlap, or leave cells out.
    """

    kinds: Mapping[str, NDArray[np.int32]]
    """Kind, such as 'row', 'column' and 'box' -> `int32[., D]`, the cells of each unit; rows come first."""
    box_shape: tuple[int, int] | None = None
    """The rows and columns of a box, if the units are the rows, columns and boxes of a square grid alone, the boxes in
    row-major order."""

    @cached_property
    def all(self) -> NDArray[np.int32]:
        """`int32[U, D]`: the units of every kind."""
        return np.concatenate(list(self.kinds.values()))

    @cached_property
    def names(self) -> Sequence[str]:
        """[U]: the kind of each unit of `all` and its number among these, such as `row 3`."""
        return tuple(f"{kind} {number + 1}" for kind, units in self.kinds.items() for number in range(len(units)))

    def name(self, unit: int) -> str:
        """Return the name of a unit of `all`, such as `row 3`."""
        return self.names[unit]

    @cached_property
    def of_cells(self) -> NDArray[np.int32]:
        """`int32[N, K]`: the units of each cell, as rows of `all`, in order; a cell in fewer repeats its last one."""
        order, counts = np.argsort(self.all, axis=None, kind="stable"), np.bincount(self.all.reshape(-1))
        ends = np.cumsum(counts)[:, None]
        places = np.minimum(ends - counts[:, None] + np.arange(counts.max()), ends - 1)
        units: NDArray[np.int32] = (order // self.all.shape[1])[places].astype(np.int32)
        return units

    @cached_property
    def peers(self) -> NDArray[np.int32]:
        """`int32[N, P]`: the cells that share a unit with each cell, in order; a cell with fewer repeats its last."""
        shared: list[set[int]] = [set() for _ in range(self.all.shape[1] ** 2)]
        for unit in self.all.tolist():
            for cell in unit:
                shared[cell].update(unit)
        most = max(map(len, shared)) - 1
        peers = [sorted(seen - {cell}) for cell, seen in enumerate(shared)]
        return np.array([each + each[-1:] * (most - len(each)) for each in peers], np.int32)


def is_legal(puzzle: Puzzle, state: State, move: int) -> bool:
    """Tell whether this move is legal, or equivalent to a legal one."""
    return legality(puzzle)(state, move)


def legality(puzzle: Puzzle) -> Callable[[State, int], bool]:
    """Return the function `is_legal` of this puzzle, for many moves."""
    view = puzzle.view(Legality)
    return (lambda state, move: bool(puzzle.legal(state)[move])) if view is None else view.is_legal


def equivalence(puzzle: Puzzle) -> Callable[[State], NDArray[np.int64]] | None:
    """Return the function `canonical_moves` of this puzzle; None if no two moves have the same effect."""
    view = puzzle.view(Legality)
    return None if view is None else view.canonical_moves


def scale_of(puzzle: Puzzle, name: str | None = None) -> tuple[str, Scale]:
    """Return the name and the scale of this name, by default the puzzle's main one.

    Its `sample` raises `BadOption` for a level that the scale does not have.

    Raises `Unsupported` if the puzzle cannot make boards, and `UnknownName`.
    """
    samples = puzzle.view(Samples)
    if samples is None or not samples.scales:
        raise Unsupported(
            f"{puzzle.name} cannot make new boards; a command that takes boards needs them as text or as a file"
        )
    chosen = name or next(iter(samples.scales))
    if chosen not in samples.scales:
        raise UnknownName(f"scale of {puzzle.name}", chosen, samples.scales)
    scale = samples.scales[chosen]

    def sample(random: np.random.Generator, level: int | None, count: int) -> State:
        check_level(puzzle, chosen, scale, level)
        return scale.sample(random, level, count)

    return chosen, replace(scale, sample=sample)


def singly(
    sample: Callable[[np.random.Generator, int | None], State],
) -> Callable[[np.random.Generator, int | None, int], State]:
    """Return a sampler for `Scale` that calls `sample`, which makes one plain state `[S]`, for each board."""
    return lambda random, level, count: np.array([sample(random, level) for _ in range(count)])


def levels_of(puzzle: Puzzle, states: State) -> list[Mapping[str, int]]:
    """Return [B]: the levels of each of the plain `states[B, S]` by name; empty without the view `Samples`.

    Boards of equal levels share an object.
    """
    samples = puzzle.view(Samples)
    columns = samples.difficulty(states) if samples else {}
    if not columns:
        return [{}] * len(states)
    rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
    known = {
        row: {name: level for name, level in zip(columns, row, strict=True) if level != NO_LEVEL} for row in set(rows)
    }
    return [known[row] for row in rows]


def isomorphism_of(puzzle: Puzzle) -> Isomorphism | None:
    """Return the map of the puzzle to one whose networks it can use too, or None."""
    planes = puzzle.view(Planes)
    return None if planes is None else planes.isomorphism


def own_generator(puzzle: Puzzle) -> OwnGenerator | None:
    """Return the puzzle's own generator of boards, or None."""
    samples = puzzle.view(Samples)
    return None if samples is None else samples.generator


def check_level(puzzle: Puzzle, name: str, scale: Scale, level: int | None) -> None:
    """Raise `BadOption` for a level that the scale of this name does not have; None is no level."""
    if level is None:
        return
    if scale.levels is None:
        raise BadOption(f"the scale '{name}' of {puzzle.name} has no levels")
    least, greatest = scale.levels
    if not least <= level <= greatest:
        raise BadOption(f"the scale '{name}' of {puzzle.name} has the levels {least:,} to {greatest:,}, not {level:,}")


class Symmetries(Protocol):
    """The view of puzzles whose boards may be the same up to a symmetry."""

    def canonical(self, states: State) -> State:
        """Return the canonical form `[B, S]` of plain states `[B, S]`: equal for boards that are images of each other.

        Raises `Unsupported` for a board whose form takes too much memory.
        """


class Rewards(Protocol):
    """The view that adds reward schemes for reinforcement learning."""

    @property
    def rewards(self) -> Mapping[str, str]:
        """Name -> a sentence about this reward scheme."""

    def reward(self, name: str, before: State, after: State) -> NDArray[np.float64]:
        """Return `float64[B]`: the rewards of the transitions from the plain states `before[B, S]` to `after[B, S]`."""
