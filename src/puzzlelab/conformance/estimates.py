"""Conformance checks of estimates: all can be repeated, and an admissible one never exceeds a known solution.

Shapes: B = states in a batch, S = length of a state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from puzzlelab.conformance.calls import CheckedPuzzle, called, calling, kind_of, must
from puzzlelab.conformance.kernels import BELOW_MOST, follow
from puzzlelab.conformance.solutions import KnownSolutions
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadInput
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import State
from puzzlelab.core.views import Estimate, Estimates
from puzzlelab.engine import kernels
from puzzlelab.engine.batch_rules import estimated
from puzzlelab.engine.search_rules import rules_of, runner

SMALL = 16
"""Numbers of a state of the largest puzzles whose estimates are all checked, even if their tables must be built."""
ALONE = 8
"""States that are evaluated alone, and not only in a batch."""
WALKS, WALK_MOVES = 3, 12
"""Walks on which an incremental estimate is followed, and their moves."""
ROUNDING = 1e-6
"""The amount that an admissible estimate may exceed the distance by: searches allow for as much rounding."""


def check_estimates(
    puzzle: CheckedPuzzle,
    estimates: Iterable[Estimate],
    states: State,
    solutions: KnownSolutions,
    random: np.random.Generator,
) -> None:
    """Check these estimates; `states: [B, S]` are any states."""
    for estimate in estimates:
        _check_batches(puzzle, estimate, np.concatenate([states, solutions.states[solutions.rows(ALONE)]]))
        if estimate.admissible and len(solutions.states):
            _check_bound(puzzle, estimate, solutions)
        if estimate.kernel is not None and kernels.incremental(tables := estimate.kernel()):
            _check_incremental(puzzle, estimate, tables, states, random)


def usual_estimates(puzzle: CheckedPuzzle, like: State) -> Iterator[Estimate]:
    """Return the default estimate and all that are listed; of puzzles with larger states only the quick ones.

    Quick to make are functions of states, and what `is_cheap`. A puzzle without cheap estimates
    has all its estimates checked. One that `estimates` lists may need an option after its name, and then raises
    `BadInput` without it. `like: [S]` is a state of the puzzle.
    """
    view = puzzle.view(Estimates)
    if view is None:
        return
    call = f"{puzzle.name}: `estimate`"
    with calling(f"{puzzle.name}: `estimates`"):
        names = list(view.estimates)
    with calling(f"{call} without a name"):
        default = view.estimate()
        must(isinstance(default, Estimate), f"{call} must give an Estimate, not {kind_of(default)}")
        again = view.estimate(default.name).name
    must(again == default.name, f"{call} gives '{default.name}' by default, and '{again}' for that name")
    estimates: dict[str, Estimate] = {}
    for name in [*names, default.name]:
        try:
            with calling(f"{call} of '{name}'", BadInput):
                estimate = view.estimate(name)
        except BadInput:
            continue
        must(isinstance(estimate, Estimate), f"{call} of '{name}' must give an Estimate, not {kind_of(estimate)}")
        estimates.setdefault(estimate.name, estimate)
    has_cheap = any(estimate.is_cheap for estimate in estimates.values())
    for estimate in estimates.values():
        if like.size <= SMALL or not has_cheap or estimate.is_cheap or estimate.scores is not None:
            yield estimate


def _values(puzzle: CheckedPuzzle, estimate: Estimate, states: State) -> NDArray[np.float64]:
    """Return `float64[B]`: the estimate of each of the plain `states[B, S]`, which must be finite."""
    where = f"{puzzle.name}: the estimate '{estimate.name}'"
    function = estimate.scores or (lambda batch: estimated(puzzle, estimate, batch))
    values = called(f"{where} for a batch of boards, the first of them {puzzle.write(states[0])},", function, states)
    is_array = isinstance(values, np.ndarray) and values.dtype.kind in "fiu" and values.shape == (len(states),)
    must(is_array, f"{where} must give one number a board, float64[{len(states)}], not {kind_of(values)}")
    for row in np.flatnonzero(~np.isfinite(values))[:1].tolist():
        must(False, f"{where} must give finite numbers, not {values[row]} at {puzzle.write(states[row])}")
    return np.asarray(values, np.float64)


def _check_batches(puzzle: CheckedPuzzle, estimate: Estimate, states: State) -> None:
    """Check that a state has the same estimate each time, in a batch and alone."""
    values, again = (_values(puzzle, estimate, states) for _ in range(2))
    alone = np.concatenate([_values(puzzle, estimate, states[row : row + 1]) for row in range(len(states))[:ALONE]])
    for others, words in ((again, "the second time"), (alone, "for the board alone")):
        for row in np.flatnonzero(~np.isclose(values[: len(others)], others))[:1].tolist():
            first = f"the estimate '{estimate.name}' gives {values[row]:g} at {puzzle.write(states[row])} in a batch"
            must(False, f"{puzzle.name}: {first}, and {others[row]:g} {words}")


def _check_bound(puzzle: CheckedPuzzle, estimate: Estimate, solutions: KnownSolutions) -> None:
    """Check that an admissible estimate is no more than the moves, or the cost, of a solution, and no less than its
    points.
    """
    values = _values(puzzle, estimate, solutions.states)
    excess = -solutions.sums - values if objective_of(puzzle).kind == "score" else values - solutions.sums
    for row in np.flatnonzero(excess > ROUNDING)[:1].tolist():
        claim = f"the estimate '{estimate.name}' is marked admissible, and gives {values[row]:g}"
        must(False, f"{puzzle.name}: {claim} {solutions.sentence(row)}")


def _check_incremental(
    puzzle: CheckedPuzzle, estimate: Estimate, tables: object, states: State, random: np.random.Generator
) -> None:
    """Check that a compiled estimate that is computed from move to move equals the one from scratch."""
    name = f"the estimate '{estimate.name}'"
    rules = rules_of(Instance(puzzle, states[0]))
    for working in rules.encode(states[:WALKS].copy()).astype(rules.dtype):
        choices = random.integers(0, puzzle.move_count, WALK_MOVES)
        child, moves, fault = np.zeros_like(working), np.zeros(puzzle.move_count, np.int32), np.zeros(3)
        memos = [np.zeros(estimate.memo, np.int64) for _ in range(3)]
        with calling(f"{puzzle.name}: {name}, computed incrementally,"):
            code = runner(follow, rules)(rules.tables, tables, working, child, moves, choices, *memos, fault)
        if code:
            move, value, truth = puzzle.write_move(int(fault[0])), fault[1], fault[2]
            limited = ", where values above a limit may be cut," if code == BELOW_MOST else ""
            with puzzle.at(rules.decode(working[None])[0]):
                sentence = f"by `evaluate_move`{limited} is {value:g} after move {move}, and {truth:g} by `evaluate`"
                must(False, f"{name} {sentence}")
