"""Conformance checks of batch rules (the view `BatchRules`): for each state they give what the plain rules give.

Shapes: B = states, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.conformance.calls import CheckedPuzzle, calling, must, must_be_array
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import State
from puzzlelab.core.views import BatchRules


def check_batch_rules(puzzle: CheckedPuzzle, states: State) -> None:
    """Compare the batch rules with the plain ones on the plain `states[B, S]`, together and one alone."""
    rules = puzzle.view(BatchRules)
    if rules is None:
        return
    plain = np.array([puzzle.legal(state) for state in states])
    for batch, legal in ((states, plain), (states[-1:], plain[-1:])):
        _compare(
            puzzle, batch, _called(puzzle, "legal", rules.legal, np.dtype(bool), legal.shape, batch), legal, "legal"
        )
        _check_solved(puzzle, rules, batch)
    owner, moves = np.nonzero(plain)
    if not owner.size:
        return
    before = states[owner]
    expected = np.array([puzzle.apply(state, int(move)) for state, move in zip(before, moves, strict=True)])
    after = _called(puzzle, "apply", rules.apply, states.dtype, before.shape, before, moves)
    _compare(puzzle, before, after, expected, "apply", moves)
    _check_solved(puzzle, rules, expected)
    _check_costs(puzzle, rules, before, moves, expected)


def _check_solved(puzzle: CheckedPuzzle, rules: BatchRules, states: State) -> None:
    expected = np.array([puzzle.solved(state) for state in states])
    given = _called(puzzle, "solved", rules.solved, np.dtype(bool), expected.shape, states)
    _compare(puzzle, states, given, expected, "solved")


def _check_costs(
    puzzle: CheckedPuzzle, rules: BatchRules, before: State, moves: NDArray[np.int64], after: State
) -> None:
    """Check the costs or points, where moves have them."""
    objective = objective_of(puzzle)
    if objective.kind == "moves":
        return
    if rules.costs is None:
        must(False, f"{puzzle.name}: its moves have a {objective.kind}, and `costs` of its batch rules is missing")
        return
    steps = [objective.step(*each) for each in zip(before, moves.tolist(), after, strict=True)]
    expected = np.array(steps) * (-1 if objective.kind == "score" else 1)
    given = _called(puzzle, "costs", rules.costs, np.dtype(np.int64), expected.shape, before, moves, after)
    _compare(puzzle, before, given, expected, "costs", moves)


def _called(
    puzzle: CheckedPuzzle, name: str, rule: Callable[..., Any], dtype: Any, shape: tuple[int, ...], *arguments: Any
) -> NDArray[Any]:
    """Return what a rule gives; raises `ConformanceError` for an error, another type, or changed arguments."""
    call = f"{puzzle.name}: `{name}` of its batch rules"
    copies = [argument.copy() for argument in arguments]
    with calling(call):
        given = rule(*copies)
    is_same = all(map(np.array_equal, copies, arguments))
    must(is_same, f"{call} changes its arguments, which must stay as they are")
    must_be_array(given, f"{call}, for {len(arguments[0])} states,", dtype, shape)
    result: NDArray[Any] = given
    return result


def _compare(
    puzzle: CheckedPuzzle,
    states: State,
    given: NDArray[Any],
    expected: NDArray[Any],
    name: str,
    moves: NDArray[np.int64] | None = None,
) -> None:
    """Raise `ConformanceError` at the first state for which a rule gives something else than the plain one."""
    differs = (given != expected).reshape(len(states), -1).any(axis=1)
    if differs.any():
        place = int(np.argmax(differs))
        move = None if moves is None else int(moves[place])
        where = puzzle.at(states[place], f"`{name}`", move)
        batch, plain = given[place].tolist(), expected[place].tolist()
        must(False, f"{where} gives {batch} by the batch rules, and {plain} by the plain ones")
