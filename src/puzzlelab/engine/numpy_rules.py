"""The rules of a puzzle without kernels, for batches of states: its batch rules, or its plain rules, one by one.

Shapes: B = states of a batch, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import BatchRules, KernelRules, Reversible, Steps


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

    def solved(states: State) -> NDArray[np.bool_]:
        return np.array([puzzle.solved(state) for state in states], bool)

    def costs(states: State, moves: NDArray[np.int64], after: State) -> NDArray[np.int64]:
        assert worth is not None
        return np.array([worth(*each) for each in zip(states, moves.tolist(), after, strict=True)], np.int64)

    return BatchRules(legal, apply, solved, None if worth is None else costs)


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
    costs = np.asarray(rules.costs(states, moves, after))
    if costs.shape != moves.shape or costs.dtype.kind not in "iu":
        raise PuzzlelabError(wrong_result("costs", RULES, f"int64[{len(moves)}]", costs))
    if kind == "score":
        return -costs.astype(np.int64)
    if costs.min(initial=0) < 0:
        raise PuzzlelabError(f"a move has the cost {costs.min()}, and a cost is at least 0")
    return costs.astype(np.int64)


def inverses(puzzle: Puzzle) -> NDArray[np.int32]:
    """Return `int32[M]`: the move that undoes each move, or -1."""
    view, moves = puzzle.view(Reversible), range(puzzle.move_count)
    return np.array([-1 if view is None else view.inverse(move) for move in moves], np.int32)


def checked_array(array: Any, rule: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return what a rule gave; raises `PuzzlelabError` for another shape or type."""
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
        raise PuzzlelabError(wrong_result(rule, RULES, f"{dtype}{list(shape)}", array))
    return array


RULES = "the batch rules"


def wrong_result(function: str, owner: str, expected: str, given: Any) -> str:
    kind = f"{given.dtype}{list(given.shape)}" if isinstance(given, np.ndarray) else type(given).__name__
    return f"`{function}` of {owner} must give {expected}, not {kind}"
