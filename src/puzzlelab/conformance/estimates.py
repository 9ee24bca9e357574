"""Conformance checks of estimates: all can be repeated, and an admissible one never exceeds a known solution.

Shapes: B = states in a batch, S = length of a state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from puzzlelab.conformance.calls import CheckedPuzzle, must
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
    estimates: Iterable[Estimate], states: State, solutions: KnownSolutions, random: np.random.Generator
) -> None:
    """Check these estimates; `states: [B, S]` are any states."""
    puzzle = solutions.puzzle
    for estimate in estimates:
        _check_batches(puzzle, estimate, np.concatenate([states, solutions.states[solutions.rows(ALONE)]]))
        if estimate.admissible and len(solutions.states):
            _check_bound(puzzle, estimate, solutions)
        if estimate.kernel is not None and kernels.incremental(estimate.kernel()):
            _check_incremental(puzzle, estimate, states[:WALKS], random)


def usual_estimates(puzzle: CheckedPuzzle, like: State) -> Iterator[Estimate]:
    """Return the default estimate and all that are listed; of puzzles with larger states only the quick ones.

    Quick to make are functions of states, and what `is_cheap`. A puzzle without cheap estimates
    has all its estimates checked. One that `estimates` lists may need an option after its name, and then raises
    `BadInput` without it. `like: [S]` is a state of the puzzle.
    """
    view = puzzle.view(Estimates)
    if view is None:
        return
    default = puzzle.call("`estimate`", view.estimate, gives=Estimate)
    again = puzzle.call("`estimate`", view.estimate, default.name).name
    words = f"`estimate` gives '{default.name}' by default, and '{again}' for that name"
    must(again == default.name, f"{puzzle.name}: {words}")
    estimates: dict[str, Estimate] = {}
    for name in [*view.estimates, default.name]:
        with suppress(BadInput):
            estimate = puzzle.call("`estimate`", view.estimate, name, gives=Estimate, passed=BadInput)
            estimates.setdefault(estimate.name, estimate)
    has_cheap = any(estimate.is_cheap for estimate in estimates.values())
    for estimate in estimates.values():
        if like.size <= SMALL or not has_cheap or estimate.is_cheap or estimate.scores is not None:
            yield estimate


def _values(puzzle: CheckedPuzzle, estimate: Estimate, states: State) -> NDArray[np.float64]:
    """Return `float64[B]`: the estimate of each of the plain `states[B, S]`, which must be finite."""
    name = f"the estimate '{estimate.name}'"
    function = estimate.scores or (lambda batch: estimated(puzzle, estimate, batch))
    values = puzzle.call(f"{name} for {len(states)} boards", function, states, gives=f"float[{len(states)}]")
    for row in np.flatnonzero(~np.isfinite(values))[:1].tolist():
        with puzzle.at(states[row]):
            must(False, f"{name} must give finite numbers, not {values[row]}")
    return np.asarray(values, np.float64)


def _check_batches(puzzle: CheckedPuzzle, estimate: Estimate, states: State) -> None:
    """Check that a state has the same estimate each time, in a batch and alone."""
    values, again = (_values(puzzle, estimate, states) for _ in range(2))
    alone = np.concatenate([_values(puzzle, estimate, states[row : row + 1]) for row in range(len(states))[:ALONE]])
    for others, words in ((again, "the second time"), (alone, "for the board alone")):
        for row in np.flatnonzero(~np.isclose(values[: len(others)], others))[:1].tolist():
            with puzzle.at(states[row]):
                first = f"the estimate '{estimate.name}' gives {values[row]:g} in a batch"
                must(False, f"{first}, and {others[row]:g} {words}")


def _check_bound(puzzle: CheckedPuzzle, estimate: Estimate, solutions: KnownSolutions) -> None:
    """Check that an admissible estimate is no more than the moves, or the cost, of a solution, and no less than its
    points.
    """
    values = _values(puzzle, estimate, solutions.states)
    excess = -solutions.sums - values if objective_of(puzzle).kind == "score" else values - solutions.sums
    for row in np.flatnonzero(excess > ROUNDING)[:1].tolist():
        claim = f"the estimate '{estimate.name}' is marked admissible, and gives {values[row]:g}"
        must(False, f"{puzzle.name}: {claim} {solutions.sentence(row)}")


def _check_incremental(puzzle: CheckedPuzzle, estimate: Estimate, states: State, random: np.random.Generator) -> None:
    """Check that a compiled estimate that is computed from move to move equals the one from scratch."""
    assert estimate.kernel is not None
    name, tables, rules = f"the estimate '{estimate.name}'", estimate.kernel(), rules_of(Instance(puzzle, states[0]))
    for working in rules.encode(states.copy()).astype(rules.dtype):
        choices = random.integers(0, puzzle.move_count, WALK_MOVES)
        child, moves, fault = np.zeros_like(working), np.zeros(puzzle.move_count, np.int32), np.zeros(3)
        memos = [np.zeros(estimate.memo, np.int64) for _ in range(3)]
        with puzzle.at(call=f"{name}, computed incrementally,"):
            code = runner(follow, rules)(rules.tables, tables, working, child, moves, choices, *memos, fault)
        move, value, truth = puzzle.write_move(int(fault[0])), fault[1], fault[2]
        limited = ", where values above a limit may be cut," if code == BELOW_MOST else ""
        words = f"by `evaluate_move`{limited} is {value:g} after move {move}, and {truth:g} by `evaluate`"
        with puzzle.at(rules.decode(working[None])[0]):
            must(code == 0, f"{name} {words}")
