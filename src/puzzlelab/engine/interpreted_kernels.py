# mypy: allow-untyped-defs
"""Adapts the plain rules of a puzzle to the kernel names, so that every search can run on it without compilation.

It belongs to kernels: a search's `step` runs uncompiled over `PlainTables`, and reaches the puzzle through it.
"""

from typing import Any, NamedTuple

import numpy as np

from puzzlelab.core.objective import Objective, objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import KernelRules, Reversible
from puzzlelab.engine import kernels as names
from puzzlelab.engine.kernels import implements


class PlainTables(NamedTuple):
    """A puzzle in the place of compiled tables."""

    puzzle: Any
    objective: Objective


def plain_rules(puzzle: Puzzle, state: State) -> KernelRules:
    """Adapt a puzzle's plain rules: working states are its own states, of the shape of `state`."""
    words = -(-state.nbytes // 8)
    return KernelRules(
        PlainTables(puzzle, objective_of(puzzle)), state.size, state.dtype.type, words, _same, _same, plain=True
    )


def _same(states: State) -> State:
    return states


@implements(names.legal, PlainTables)
def legal(tables: PlainTables, state: State, moves: State) -> int:
    legal_moves = np.flatnonzero(tables.puzzle.legal(state))
    moves[: legal_moves.size] = legal_moves
    return int(legal_moves.size)


@implements(names.apply, PlainTables)
def apply(tables: PlainTables, state: State, move: int, child: State) -> None:
    child[:] = tables.puzzle.apply(state, int(move))


@implements(names.solved, PlainTables)
def solved(tables: PlainTables, state: State) -> bool:
    return bool(tables.puzzle.solved(state))


@implements(names.has_costs, PlainTables)
def has_costs(tables: PlainTables) -> bool:
    return bool(tables.objective.kind != "moves")


@implements(names.move_cost, PlainTables)
def move_cost(tables: PlainTables, state: State, move: int, child: State) -> int:
    return int(tables.objective.step(state, int(move), child))


@implements(names.inverse, PlainTables)
def inverse(tables: PlainTables, move: int) -> int:
    reversible = tables.puzzle.view(Reversible)
    return -1 if reversible is None else int(reversible.inverse(int(move)))


@implements(names.read_ahead, PlainTables)
def read_ahead(tables: PlainTables, array: State, place: tuple[int, ...]) -> None:
    """Do nothing: only compiled code can ask the memory."""


@implements(names.pack, PlainTables)
def pack(tables: PlainTables, state: State, words: State) -> None:
    raw = words.view(np.uint8)
    raw[:] = 0
    raw[: state.nbytes] = state.view(np.uint8)


@implements(names.unpack, PlainTables)
def unpack(tables: PlainTables, words: State, state: State) -> None:
    state.view(np.uint8)[:] = words.view(np.uint8)[: state.nbytes]
