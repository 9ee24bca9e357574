"""`NetworkForm`: what a program must know of a network to use it, whatever its layers are.

A network reads arrays that are made of states, and each of its inputs is named after the kind of array. Its outputs are
named after its heads. So a file in the ONNX format says by these names how the network is used.

Shapes: B = states, S = length of a state, F = length of all planes, N = cells, D = digits, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from puzzlelab.core.errors import Unsupported
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Candidates, Planes, Reversible, Samples, Symbols, scale_of
from puzzlelab.engine import candidate_logits

Part = TypeVar("Part")
Head = Literal["policy", "cost_to_go", "q"]
"""Logits of moves, the number of moves to the goal, values of moves."""
Policy = Literal["softmax", "binary", "cells"]
"""The meaning of the logits of the head `policy`: one choice among all moves; for each move a decision of its own; or,
for puzzles with `Candidates`, one choice in each cell.
"""
InputName = Literal[
    "planes", "scaled_planes", "symbol_planes", "symbol_features", "output_index", "candidates", "states"
]
Outputs = dict[str, NDArray[np.float32]]
"""Head -> its output for each state: `policy` and `q` `[B, M]`, `cost_to_go` `[B]`."""

MOST_AT_ONCE = 1 << 16
"""The greatest number of states that a network may evaluate at once."""


class NetworkForm(BaseModel):
    """The inputs and outputs of a network, and what they mean."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    inputs: tuple[InputName, ...] = Field(min_length=1)
    """The kinds of its inputs, in their order."""
    heads: tuple[Head, ...] = Field(min_length=1)
    """The names of its outputs, in their order."""
    policy: Policy = "softmax"
    canonical: bool = False
    """Whether each board is replaced by its canonical image among the puzzle's symmetries."""
    residual_over: str = ""
    """The estimate of the puzzle to which the network adds, or nothing."""
    reads_candidates: bool = False
    """Whether the network was trained on masks of candidates rather than on states."""
    batch_size: int = Field(4096, ge=1, le=MOST_AT_ONCE)
    """States that are evaluated at once: more do not fit the processor's caches."""


def input_arrays(puzzle: Puzzle, names: tuple[InputName, ...], states: State) -> tuple[NDArray[Any], ...]:
    """Return the inputs of these kinds for plain `states[B, S]`; raises `Unsupported` for a puzzle without them."""
    return tuple(np.ascontiguousarray(INPUTS[name](puzzle, states)) for name in names)


def some_state(puzzle: Puzzle) -> State:
    """Return any state of the puzzle; raises `Unsupported`."""
    reversible, candidates, samples = puzzle.view(Reversible), puzzle.view(Candidates), puzzle.view(Samples)
    state: State
    if reversible is not None:
        state = reversible.goals()[0]
        return state
    if candidates is not None and not (samples and samples.scales):
        digits = candidates.units.all.shape[1]
        blank = np.ones((1, puzzle.move_count // digits, digits), np.bool_)
        state = candidate_logits.states_of(candidates, blank)[0]
        return state
    state = scale_of(puzzle)[1].sample(np.random.default_rng(0), None, 1)[0]
    return state


def planes_of(puzzle: Puzzle) -> Planes:
    """Return the puzzle's input planes; raises `Unsupported`."""
    return _required(puzzle.view(Planes), f"{puzzle.name} has no planes for networks")


def grid_of(puzzle: Puzzle) -> tuple[int, int]:
    """Return the axes of the puzzle's planes as images; raises `Unsupported`."""
    planes = puzzle.view(Planes)
    return _required(None if planes is None else planes.grid, "convolutions need a puzzle whose planes are a grid")


def symbols_of(puzzle: Puzzle) -> Symbols:
    """Return the puzzle's interchangeable symbols; raises `Unsupported`."""
    planes = puzzle.view(Planes)
    symbols = None if planes is None else planes.symbols
    return _required(symbols, f"{puzzle.name} has no symbols that may be exchanged for each other")


def feature_shape_of(puzzle: Puzzle) -> tuple[int, int]:
    """Return the shape of the features of the puzzle's symbols; raises `Unsupported`."""
    return _required(symbols_of(puzzle).feature_shape, _no_features(puzzle))


def _symbol_features(puzzle: Puzzle, states: State) -> NDArray[np.float32]:
    return _required(symbols_of(puzzle).features, _no_features(puzzle))(states)


def _no_features(puzzle: Puzzle) -> str:
    return f"{puzzle.name} has no symbols whose features are computed by its rules"


def candidates_of(puzzle: Puzzle) -> Candidates:
    """Return the puzzle's view as cells that hold a digit each; raises `Unsupported`."""
    return _required(puzzle.view(Candidates), f"{puzzle.name} has no cells that get a digit each")


def _required(part: Part | None, lacking: str) -> Part:
    """Return a view or a part of one that the puzzle must have; raises `Unsupported` with the sentence `lacking`."""
    if part is None:
        raise Unsupported(lacking)
    return part


def scaled(one_hot: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return `float32[B, N]` from `one_hot[B, N, K]`: the number of each cell's plane, from 1 (0: none), over K, less
    1/2.
    """
    count = one_hot.shape[2]
    numbers = np.arange(1, count + 1, dtype=np.float32)
    result: NDArray[np.float32] = one_hot @ numbers / np.float32(count) - np.float32(0.5)
    return result


def all_candidates(puzzle: Puzzle, states: State) -> NDArray[np.bool_]:
    """Return `bool[B, N * D]`: the candidates before any rule is applied: all digits in blank cells, else one."""
    view = candidates_of(puzzle)
    number = view.units.all.shape[1]
    digits = np.stack([view.digits(state) for state in states]) if len(states) else np.empty((0, number**2), np.int64)
    return candidate_logits.all_candidates(digits, number).reshape(len(states), -1)


def _scaled_planes(puzzle: Puzzle, states: State) -> NDArray[np.float32]:
    rows, columns = grid_of(puzzle)
    return scaled(planes_of(puzzle).planes(states).reshape(len(states), rows * columns, -1))


INPUTS: dict[InputName, Callable[[Puzzle, State], NDArray[Any]]] = {
    "planes": lambda puzzle, states: planes_of(puzzle).planes(states),
    "scaled_planes": _scaled_planes,
    "symbol_planes": lambda puzzle, states: symbols_of(puzzle).planes(states),
    "symbol_features": _symbol_features,
    "output_index": lambda puzzle, states: symbols_of(puzzle).output_index(states),
    "candidates": all_candidates,
    "states": lambda puzzle, states: states.astype(np.int16),
}
"""Kind of input -> how it is made of plain `states[B, S]`."""
