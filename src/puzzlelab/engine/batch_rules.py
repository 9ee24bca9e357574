"""The rules for batches of states: legal moves, equivalent moves, successors and random walks.

Shapes: B = states, S = length of a state, M = number of moves, R = children of all states together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import BatchRules, Estimate, Estimates, KernelRules, Reversible, Steps, equivalence
from puzzlelab.engine.batch_rules_kernels import begin_all, make_moves, mark_legal, wander


class Successors(NamedTuple):
    """The states after one move each."""

    states: State
    """[B, S]: the state after the move; after an illegal move, the state itself."""
    allowed: NDArray[np.bool_]
    """[B]: whether the move was legal."""
    solved: NDArray[np.bool_]
    """[B]: whether the state is a goal."""
    costs: NDArray[np.int64]
    """[B]: the cost of the move: 1 without the view `Steps`, minus its points where it has those; 0 if illegal."""


class AllSuccessors(NamedTuple):
    """All successors of states, in the order of the states."""

    states: State
    """[R, S]."""
    owner: NDArray[np.int64]
    """[R]: the row of the parent of each."""
    move: NDArray[np.int64]
    """[R]: the move from the parent to each."""
    solved: NDArray[np.bool_]
    """[R]."""
    costs: NDArray[np.int64]
    """[R]: the cost of each move, as in `Successors`."""


class MoveNames(NamedTuple):
    """The moves that can be made on each of many boards."""

    legal: NDArray[np.bool_]
    """[B, M]: the legal moves, and those that are equivalent to a legal one."""
    canonical: NDArray[np.int64] | None
    """[B, M]: as `canonical_moves`, if the puzzle has equivalent moves."""

    def of(self, moves: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return `int64[B]`: the legal move that each of `moves: int64[B]` stands for, -1 for one that cannot be
        made.
        """
        rows = np.arange(len(moves))
        return np.where(self.legal[rows, moves], moves, -1) if self.canonical is None else self.canonical[rows, moves]

    def replace(self, rows: NDArray[np.bool_], names: MoveNames) -> None:
        """Overwrite these `rows: bool[B]`."""
        self.legal[rows] = names.legal
        if self.canonical is not None and names.canonical is not None:
            self.canonical[rows] = names.canonical


def move_names(puzzle: Puzzle, states: State) -> MoveNames:
    """Return the moves that can be made on each of the plain `states[B, S]`."""
    canonical_of = equivalence(puzzle)
    if canonical_of is None:
        return MoveNames(legal_moves(puzzle, states), None)
    canonical = canonical_of(states)
    return MoveNames(canonical >= 0, canonical)


def legal_moves(puzzle: Puzzle, states: State) -> NDArray[np.bool_]:
    """Return `bool[B, M]`: the legal moves of each of the plain `states[B, S]`."""
    batch = numpy_rules(puzzle)
    return _marked(puzzle, *_working(puzzle, states)) if batch is None else batch.legal(states)


def apply_moves(
    puzzle: Puzzle, states: State, moves: NDArray[np.int64], canonical: NDArray[np.int64] | None = None
) -> Successors:
    """Return the plain `states[B, S]` after `moves: int64[B]`; a move may be any of several equivalent ones.

    `canonical: int64[B, M]` is the result of `canonical_moves` for these states, if it is available.
    """
    named = (canonical_moves(puzzle, states) if canonical is None else canonical)[np.arange(len(states)), moves]
    return _applied(puzzle, states, named)[0]


def play_moves(
    puzzle: Puzzle, states: State, moves: NDArray[np.int64], names: MoveNames
) -> tuple[Successors, MoveNames]:
    """Apply moves as `apply_moves` does, from the `names` of the moves on these states; return also those on the states
    after them.
    """
    following, working = _applied(puzzle, states, names.of(moves))
    if working is None or names.canonical is not None:
        return following, move_names(puzzle, following.states)
    return following, MoveNames(_marked(puzzle, *working), None)


def _applied(
    puzzle: Puzzle, states: State, named: NDArray[np.int64]
) -> tuple[Successors, tuple[KernelRules, State] | None]:
    """Return the states after legal moves `named: int64[B]`, -1 for none.

    As working states too, where rules are kernels.
    """
    made, batch = named >= 0, numpy_rules(puzzle)
    if batch is not None:
        after = states.copy()
        costs = np.zeros(len(states), np.int64)
        if made.any():
            after[made] = batch.apply(states[made], named[made])
            costs[made] = steps(puzzle, batch, states[made], named[made], after[made])
        return Successors(after, made, batch.solved(after), costs), None
    rules, working = _working(puzzle, states)
    after, goals, costs = working.copy(), np.zeros(len(states), bool), np.zeros(len(states), np.int64)
    make_moves(rules.tables, working, named, after, goals, costs)
    return Successors(rules.decode(after), made, goals, costs), (rules, after)


def solved(puzzle: Puzzle, states: State) -> NDArray[np.bool_]:
    """Tell whether each of the plain `states[B, S]` is a goal: `bool[B]`."""
    batch = numpy_rules(puzzle)
    if batch is not None:
        return batch.solved(states)
    rules, working = _working(puzzle, states)
    goals = np.zeros(len(states), bool)
    no_moves, costs = np.full(len(states), -1), np.zeros(len(states), np.int64)
    make_moves(rules.tables, working, no_moves, working.copy(), goals, costs)
    return goals


def successors(puzzle: Puzzle, states: State) -> AllSuccessors:
    """Return all successors of the plain `states[B, S]`."""
    batch = numpy_rules(puzzle)
    if batch is not None:
        owner, move = np.nonzero(batch.legal(states))
        parents = states[owner]
        after = batch.apply(parents, move) if len(owner) else parents
        return AllSuccessors(after, owner, move, batch.solved(after), steps(puzzle, batch, parents, move, after))
    rules, working = _working(puzzle, states)
    found = working_successors(puzzle, rules, working)
    return found._replace(states=rules.decode(found.states))


def working_successors(puzzle: Puzzle, rules: KernelRules, states: State) -> AllSuccessors:
    """Return all successors of the working `states[B, S]`, as working states too."""
    owner, move = np.nonzero(_marked(puzzle, rules, states))
    parents, goals, costs = states[owner], np.zeros(len(owner), bool), np.zeros(len(owner), np.int64)
    after = parents.copy()
    make_moves(rules.tables, parents, move, after, goals, costs)
    return AllSuccessors(after, owner, move, goals, costs)


def random_walks(puzzle: Puzzle, states: State, lengths: NDArray[np.int64], random: np.random.Generator) -> State:
    """Return the plain `states[B, S]` after a number of random moves each, none of which undoes the one before."""
    ends = np.cumsum(lengths)
    noise = random.random(int(ends[-1]) if len(ends) else 0)
    batch = numpy_rules(puzzle)
    if batch is not None:
        return _batch_walks(puzzle, batch, states, lengths, noise)
    rules, working = _working(puzzle, states)
    after = working.copy()
    wander(rules.tables, working, ends, noise, _room(puzzle), after)
    return rules.decode(after)


def _batch_walks(
    puzzle: Puzzle, batch: BatchRules, states: State, lengths: NDArray[np.int64], noise: NDArray[np.float64]
) -> State:
    """Return the walks of `random_walks` by batch rules, all side by side.

    `noise` chooses the moves of one after another.
    """
    after, back = states.copy(), inverses(puzzle)
    last, ended = np.full(len(states), -1), np.zeros(len(states), bool)
    begins = np.cumsum(lengths) - lengths
    for step in range(int(lengths.max(initial=0))):
        walks = np.flatnonzero((lengths > step) & ~ended)
        allowed = batch.legal(after[walks])
        undoing = np.where(last[walks] >= 0, back[last[walks]], -1)
        allowed[np.flatnonzero(undoing >= 0), undoing[undoing >= 0]] = False
        counts = allowed.sum(axis=1)
        ended[walks[counts == 0]] = True
        walks, allowed, counts = walks[counts > 0], allowed[counts > 0], counts[counts > 0]
        if not walks.size:
            break
        chosen = (noise[begins[walks] + step] * counts).astype(np.int64)
        last[walks] = np.argmax(allowed.cumsum(axis=1) > chosen[:, None], axis=1)
        after[walks] = batch.apply(after[walks], last[walks])
    return after


def estimated(puzzle: Puzzle, estimate: Estimate, states: State) -> NDArray[np.float64]:
    """Return `float64[B]`: the estimate of each of the plain `states[B, S]`."""
    if estimate.scores is not None:
        return np.asarray(estimate.scores(states), np.float64)
    return working_estimates(estimate, *_working(puzzle, states))


def working_estimates(estimate: Estimate, rules: KernelRules, states: State) -> NDArray[np.float64]:
    """Return `float64[B]`: the estimate of each of the working `states[B, S]`."""
    if estimate.scores is not None:
        return np.asarray(estimate.scores(rules.decode(states)), np.float64)
    assert estimate.kernel is not None
    values = np.empty(len(states))
    begin_all(estimate.kernel(), states, np.empty(estimate.memo, np.int64), values)
    return values


ROUNDING = 1e-9
"""The rounding error of a bound that is not an integer."""


def cheap_bounds(puzzle: Puzzle, states: State) -> NDArray[np.float64]:
    """Return `float64[B]`: the greatest lower bound, of those with small tables or none, of each of the plain
    `states[B, S]`; 0 if there is none.
    """
    best: NDArray[np.float64] = np.zeros(len(states))
    for estimate in _cheap_estimates(puzzle):
        best = np.maximum(best, estimated(puzzle, estimate, states))
    return np.ceil(best - ROUNDING)


def _cheap_estimates(puzzle: Puzzle) -> Iterator[Estimate]:
    view = puzzle.view(Estimates)
    if view is None:
        return
    estimates = []
    for name in view.estimates:
        with suppress(BadInput):  # a name may need an option behind it
            estimates.append(view.estimate(name))
    cheap = [estimate for estimate in estimates if estimate.is_cheap]
    yield from cheap or (each for each in estimates if each.admissible and each.scores is not None)


def _working(puzzle: Puzzle, states: State) -> tuple[KernelRules, State]:
    """Return the kernel rules of the puzzle, and the working states."""
    rules = puzzle.view(KernelRules)
    if rules is None:
        raise PuzzlelabError(f"{puzzle.name} has no compiled rules, which an estimate that is a kernel needs")
    return rules, np.ascontiguousarray(rules.encode(states).astype(rules.dtype))


def _marked(puzzle: Puzzle, rules: KernelRules, working: State) -> NDArray[np.bool_]:
    """Return `bool[B, M]`: the legal moves of working states."""
    marks = np.zeros((len(working), puzzle.move_count), bool)
    mark_legal(rules.tables, working, _room(puzzle), marks)
    return marks


def _room(puzzle: Puzzle) -> NDArray[np.int32]:
    return np.empty(max(1, puzzle.move_count), np.int32)


def canonical_moves(puzzle: Puzzle, states: State) -> NDArray[np.int64]:
    """Return `int64[B, M]`: for each move the equivalent one that `legal` reports, -1 for an illegal move."""
    canonical_of = equivalence(puzzle)
    if canonical_of is not None:
        return canonical_of(states)
    return np.where(legal_moves(puzzle, states), np.arange(puzzle.move_count), -1)


# --- puzzles without kernels ---


def numpy_rules(puzzle: Puzzle) -> BatchRules | None:
    """Return the rules for batches of states of a puzzle without kernels; None for one with kernels."""
    if puzzle.view(KernelRules) is not None:
        return None
    return puzzle.view(BatchRules) or mapped_rules(puzzle)


def mapped_rules(puzzle: Puzzle) -> BatchRules:
    """Return the plain rules of a puzzle in the form of batch rules, which call them for one state after another."""
    view = puzzle.view(Steps)
    worth = None if view is None else view.cost or view.points

    def legal(states: State) -> NDArray[np.bool_]:
        allowed = np.empty((len(states), puzzle.move_count), bool)
        for row, state in zip(allowed, states, strict=True):
            row[:] = puzzle.legal(state)
        return allowed

    def apply(states: State, moves: NDArray[np.int64]) -> State:
        after = np.empty_like(states)
        for row, state, move in zip(after, states, moves.tolist(), strict=True):
            row[:] = puzzle.apply(state, move)
        return after

    def are_solved(states: State) -> NDArray[np.bool_]:
        return np.array([puzzle.solved(state) for state in states], bool)

    def costs(states: State, moves: NDArray[np.int64], after: State) -> NDArray[np.int64]:
        assert worth is not None
        return np.array([worth(*each) for each in zip(states, moves.tolist(), after, strict=True)], np.int64)

    return BatchRules(legal, apply, are_solved, None if worth is None else costs)


def steps(
    puzzle: Puzzle, rules: BatchRules, states: State, moves: NDArray[np.int64], after: State
) -> NDArray[np.int64]:
    """Return `int64[B]`: the costs of moves by batch rules: 1 without the view `Steps`, minus their points
    where they have those.
    """
    kind = objective_of(puzzle).kind
    if kind == "moves":
        return np.ones(len(moves), np.int64)
    if rules.costs is None:
        raise PuzzlelabError(f"the batch rules of {puzzle.name} have no `costs`, and its moves have a {kind}")
    costs = checked_array(np.asarray(rules.costs(states, moves, after)), "costs", moves.shape, np.int64)
    if kind == "score":
        return -costs
    if costs.min(initial=0) < 0:
        raise PuzzlelabError(f"a move has the cost {costs.min()}, and a cost is at least 0")
    return costs


def inverses(puzzle: Puzzle) -> NDArray[np.int32]:
    """Return `int32[M]`: the move that undoes each move, or -1."""
    view, moves = puzzle.view(Reversible), range(puzzle.move_count)
    return np.array([-1 if view is None else view.inverse(move) for move in moves], np.int32)


def checked_array(
    array: Any, name: str, shape: tuple[int, ...], dtype: DTypeLike, owner: str = "the batch rules"
) -> NDArray[Any]:
    """Return what a function gave; raises `PuzzlelabError` for another shape or type. Any whole numbers are int64."""
    kind = np.dtype(dtype)
    if isinstance(array, np.ndarray) and array.shape == shape:
        if array.dtype == kind:
            return array
        if kind == np.int64 and array.dtype.kind in "iu":
            return array.astype(np.int64)
    given = f"{array.dtype}{list(array.shape)}" if isinstance(array, np.ndarray) else type(array).__name__
    raise PuzzlelabError(f"`{name}` of {owner} must give {kind}{list(shape)}, not {given}")
