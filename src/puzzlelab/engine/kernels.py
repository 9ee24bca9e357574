# mypy: allow-untyped-defs
"""The names through which a search reaches a puzzle's compiled rules, and the decorators that compile.

A puzzle has one `NamedTuple` of precomputed tables, an estimate another. With `@implements(apply, TilesTables)` a
module gives a name its meaning for that type; inside compiled code the call is resolved at compile time (and inlined),
outside it by a dictionary.

Shapes: S = length of one working state, W = 64-bit words of one packed state, M = number of moves,
D = depth of a stack, K = length of an estimate's memo.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload, register_jitable

from puzzlelab.engine.compiler import HELPER_OPTIONS, kernel_dispatcher, prefetch

RUNNING, NEEDS_SCORES, IMPROVED, DONE, FULL = range(5)
"""The values that one `step` of a search machine returns. FULL: its arrays must grow before it can go on."""

Kernel = Callable[..., Any]
"""Kernels are compiled for the types that they are called with, which annotations could only repeat."""
_MEANINGS: dict[Any, dict[type, Kernel]] = {}
_IMPLIED: dict[Kernel, tuple[Kernel, Kernel]] = {}
"""Name -> another name, and the meaning that it then has for types which give it none of their own."""


def compiled(function: Kernel) -> Kernel:
    """Compile a kernel (`nogil`, no checks, no allocation); its machine code is kept under the hash of all sources."""
    kernel: Kernel = kernel_dispatcher(function)
    return kernel


def inlined(function: Kernel) -> Kernel:
    """Return a helper that kernels call: compiled inside them, plain Python outside."""
    helper: Kernel = register_jitable(**HELPER_OPTIONS)(function)
    return helper


def outlined(function: Kernel) -> Kernel:
    """Return a helper that stands in a kernel once, for all its calls: for what is called in many places, and seldom.

    Inlined, it would make the kernel take longer to compile, and no faster.
    """
    helper: Kernel = register_jitable(**HELPER_OPTIONS | {"forceinline": False})(function)
    return helper


@inlined
def copy(source, target):
    """Write the elements of one row into another; kernels cannot assign slices, which would count references."""
    for i in range(source.size):
        target[i] = source[i]


@inlined
def population(word):
    """Return how many bits of a uint64 are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@inlined
def scramble(word):
    """Finalize splitmix64 (Steele, Lea, Flood, 2014), which draws numbers from a state that grows by GOLDEN."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def kernel_name(default: Kernel) -> Kernel:
    """Declare a generic name. The decorated body is its meaning for every type that gives none of its own."""
    meanings = _MEANINGS.setdefault(default, {})

    def name(*arguments: Any) -> Any:
        return meanings.get(type(arguments[0]), default)(*arguments)

    def resolve(*arguments: Any) -> Callable[..., Any]:
        return meanings.get(getattr(arguments[0], "instance_class", None), default)  # type: ignore[arg-type]

    overload(name, strict=False, jit_options=HELPER_OPTIONS)(resolve)
    _MEANINGS[name] = meanings
    name.__name__, name.__doc__ = default.__name__, default.__doc__
    return name


def implements(name: Kernel, *tables: type) -> Callable[[Kernel], Kernel]:
    """Give a kernel name its meaning for these types of tables, and with it a name that says whether there is one."""

    def register(function: Kernel) -> Kernel:
        _MEANINGS[name].update(dict.fromkeys(tables, function))
        if name in _IMPLIED:
            told, meaning = _IMPLIED[name]
            _MEANINGS[told] |= dict.fromkeys(tables, meaning) | _MEANINGS[told]
        return inlined(function)

    return register


# --- a puzzle's rules; `tables` is the puzzle's own NamedTuple ---------------------------------------------------


@kernel_name
def legal(tables, state, moves):
    """Write the legal moves of `state: T[S]` into `moves: int32[M]`; return how many there are."""
    raise NotImplementedError


@kernel_name
def apply(tables, state, move, child):
    """Write into `child: T[S]` what `state: T[S]` becomes by the legal `move`."""
    raise NotImplementedError


@kernel_name
def solved(tables, state):
    """Tell whether `state: T[S]` is a goal."""
    raise NotImplementedError


@kernel_name
def replays(tables, state, moves, first, end, child, row):
    """Tell whether the moves `first` to `end` - 1 of `moves: int32[L]` are legal from `state: T[S]` on, and solve it.

    `state` is changed; `child: T[S]` and `row: int32[M]` are room to work in.
    """
    for i in range(first, end):
        allowed = False
        for j in range(legal(tables, state, row)):
            allowed = allowed or row[j] == moves[i]
        if not allowed:
            return False
        apply(tables, state, moves[i], child)
        copy(child, state)
    return solved(tables, state)


@kernel_name
def has_costs(tables):
    """Tell whether the puzzle has `move_cost`; otherwise every move costs 1."""
    return False


@kernel_name
def move_cost(tables, state, move, child):
    """Return the cost of `move` from `state: T[S]` to `child: T[S]`; minus its points where the puzzle has a score."""
    return 1


@kernel_name
def inverse(tables, move):
    """Return the move that undoes `move`, or -1 where a puzzle has none."""
    return -1


@kernel_name
def pending_moves(tables, state, last, row):
    """Return the moves that a depth-first search tries at `state`, as one number: 0 when there are none.

    `last` is the move that led here, or -1; its inverse is left out. `row: int32[M]` is a buffer for moves. A puzzle
    gives the moves, each plus 1, in groups of four bits, the first one in the lowest.
    """
    count = legal(tables, state, row)
    kept = 0
    for i in range(count):
        if last < 0 or row[i] != inverse(tables, last):
            row[kept] = row[i]
            kept += 1
    for i in range(kept // 2):
        row[i], row[kept - 1 - i] = row[kept - 1 - i], row[i]
    return np.uint64(kept)


@kernel_name
def next_move(tables, row, pending):
    """Return the next move to try, of those that `pending_moves` gave, and the pending moves without it."""
    rest = pending - np.uint64(1)
    return np.uint64(row[rest]), rest


@kernel_name
def pack(tables, state, words):
    """Write `state: T[S]` into `words: uint64[W]`, one-to-one."""
    raise NotImplementedError


@kernel_name
def unpack(tables, words, state):
    """Write into `state: T[S]` the state that `pack` put into `words: uint64[W]`."""
    raise NotImplementedError


@kernel_name
def read_ahead(tables, array, place):
    """Ask the memory for the part of an array around this place (int64, or a tuple of them), which is read soon."""
    prefetch(array, place)


@kernel_name
def announce(tables, keys, first, end):
    """Say that the moves of the packed states `keys: uint64[B, W]` from row `first` to `end` are asked for next."""


@kernel_name
def stack_row(tables, depth):
    """Return the row of a depth-first stack that holds the state at `depth`: row 0 for a puzzle with `undo_move`."""
    return depth


@kernel_name
def do_move(tables, stack, depth, move):
    """Make the move at `depth` of `stack: T[D, S]`.

    Puzzles with moves that can be undone do it in place, in row 0, and may note in row `depth + 1` what undoing needs.
    """
    apply(tables, stack[depth], move, stack[depth + np.uint64(1)])


@kernel_name
def undo_move(tables, stack, depth, move):
    """Undo `do_move(tables, stack, depth, move)`, for puzzles that make moves in place."""


# --- an estimate of the remaining moves; `estimate` is the estimate's own NamedTuple ------------------------------


@kernel_name
def is_external(estimate):
    """Tell whether scores come from outside, through the request buffer, because the estimate is no kernel."""
    return False


@kernel_name
def incremental(estimate):
    """Tell whether the estimate has `evaluate_move`; otherwise `evaluate` is called on the child."""
    return False


@kernel_name
def remember(estimate, state, memo):
    """Fill `memo: int64[K]` as `evaluate` does, for a state whose estimate is known; False if that is as dear."""
    return False


@kernel_name
def evaluate(estimate, state, memo):
    """Return the estimate of `state: T[S]` from scratch; fills `memo: int64[K]` for `evaluate_move`."""
    raise NotImplementedError


@kernel_name
def evaluate_move(estimate, state, move, value, memo, delta, most):
    """Return the estimate after `move`, given the `value` and `memo` of `state`.

    Writes into `delta: int64[K]` the values for `swap_delta`. As soon as the answer is known to exceed `most`, any
    admissible number above `most` may be returned, and `delta` left as it is.
    """
    return 0


@kernel_name
def swap_delta(estimate, memo, delta):
    """Swap the values of `evaluate_move` in `delta` with those in `memo`: once makes the move, twice undoes it."""


def _yes(tables):
    return True


def _lowest_group(tables, row, pending):
    return (pending & np.uint64(15)) - np.uint64(1), pending >> np.uint64(4)


def _first_row(tables, depth):
    return np.uint64(0)


_IMPLIED.update(
    {
        move_cost: (has_costs, _yes),
        pending_moves: (next_move, _lowest_group),
        undo_move: (stack_row, _first_row),
        evaluate_move: (incremental, _yes),
    }
)


class Negated(NamedTuple):
    """The tables of an estimate of points, of which searches need the negative."""

    points: Any


@implements(incremental, Negated)
def _incremental_points(estimate):
    return incremental(estimate.points)


@implements(evaluate, Negated)
def _minus_points(estimate, state, memo):
    return -evaluate(estimate.points, state, memo)


@implements(evaluate_move, Negated)
def _minus_points_after(estimate, state, move, value, memo, delta, most):
    return -evaluate_move(estimate.points, state, move, -value, memo, delta, np.int64(1 << 40))


@implements(swap_delta, Negated)
def _swap_delta_of_points(estimate, memo, delta):
    swap_delta(estimate.points, memo, delta)


class External(NamedTuple):
    """The tables of an estimate that is no kernel: its scores come through a machine's request buffer.

    Its field is a number, because Numba takes far longer to recognise a text at each call.
    """

    none: int = 0


class ExternalPrior(NamedTuple):
    """The tables in the place of an estimate where scores are requested for the moves of a state, and not for
    states.
    """

    none: int = 0


class NoEstimate(NamedTuple):
    """The tables in the place of an estimate where there is none: every state has the estimate 0."""

    none: int = 0


@kernel_name
def exists(estimate):
    """Tell whether there is an estimate."""
    return True


@kernel_name
def scores_moves(estimate):
    """Tell whether scores are requested for the moves of a state, and not for states."""
    return False


@implements(is_external, External, ExternalPrior)
def _scores_are_requested(estimate):
    return True


@implements(scores_moves, ExternalPrior)
def _moves_are_scored(estimate):
    return True


@implements(incremental, NoEstimate)
def _needs_no_child(estimate):
    return True


@implements(exists, NoEstimate)
def _is_missing(estimate):
    return False


@implements(evaluate, External, ExternalPrior, NoEstimate)
def _zero(estimate, state, memo):
    return 0


@compiled
def unpack_all(tables, keys, states):
    """Write working states `[B, S]` from packed ones `[B, W]`."""
    for i in range(len(keys)):
        unpack(tables, keys[i], states[i])


@compiled
def survey(tables, state, moves, children, words, again):
    """Apply all rules to one working state: its moves and successors, and the state packed and unpacked again.

    Returns (number of moves, whether it is solved).
    """
    count = legal(tables, state, moves)
    for i in range(count):
        apply(tables, state, moves[i], children[i])
    pack(tables, state, words)
    unpack(tables, words, again)
    return count, solved(tables, state)
