"""`OnnxModel`: a network as searches use it, which ONNX Runtime evaluates.

Shapes: B = states, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadFile, PuzzlelabError
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Candidates, Reversible, Samples, scale_of
from puzzlelab.engine import candidate_logits
from puzzlelab.nets.form import NetworkForm, Outputs
from puzzlelab.nets.model import Model, digits_per_cell
from puzzlelab.nets.onnx_files import OnnxNetwork


@dataclass(frozen=True, eq=False)
class OnnxModel(Model):
    """A network for a puzzle, evaluated by ONNX Runtime."""

    network: OnnxNetwork

    @property
    def form(self) -> NetworkForm:
        """Its inputs and outputs."""
        return self.network.form

    @property
    def name(self) -> str:
        """The hash of its weights, or of its file if that is another program's."""
        return self.network.name

    def evaluate(self, inputs: Sequence[NDArray[Any]]) -> Outputs:
        """The outputs of the layers for arrays of the kinds `form.inputs`."""
        return self.network.evaluate(inputs)


def fitted(puzzle: Puzzle, network: OnnxNetwork, path: Path) -> OnnxModel:
    """Another program's network for this puzzle; raises `BadFile` if its inputs or outputs do not fit."""
    model = OnnxModel(puzzle, network)
    state = some_state(puzzle)
    try:
        inputs, _ = model.inputs(state[None])
    except PuzzlelabError as error:
        raise BadFile(f"{path} does not fit {puzzle.name}: {error}") from None
    for node, array in zip(network.session.get_inputs(), inputs, strict=True):
        expected = ("batch", *array.shape[1:])
        shape = tuple(node.shape)
        if len(shape) != len(expected) or any(
            isinstance(size, int) and size != own for size, own in zip(shape[1:], expected[1:], strict=True)
        ):
            raise BadFile(
                f"{path} does not fit {puzzle.name}: its input '{node.name}' has the shape {_shape(shape)}, "
                f"not {_shape(expected)}"
            )
    for count in (1, 3):
        _check_outputs(model, np.repeat(state[None], count, axis=0), path)
    return model


def _check_outputs(model: OnnxModel, states: State, path: Path) -> None:
    """Raise `BadFile` unless the outputs for these states have the shapes of their heads, and are numbers."""
    try:
        outputs = model.outputs(states)
    except BadFile as error:
        raise BadFile(f"{path} cannot evaluate {len(states)} boards at once: {error}") from None
    for name, values in outputs.items():
        expected = (len(states),) if name == "cost_to_go" else (len(states), model.puzzle.move_count)
        if values.shape != expected:
            raise BadFile(
                f"{path} does not fit {model.puzzle.name}: its output '{name}' has the shape {_shape(values.shape)} "
                f"for {len(states)} boards, not {_shape(expected)}"
            )
        if np.isnan(values).any():
            raise BadFile(f"{path}: its output '{name}' is no number")


def _shape(sizes: Sequence[object]) -> str:
    return f"[{', '.join(map(str, sizes))}]"


def some_state(puzzle: Puzzle) -> State:
    """Any state of the puzzle; raises `Unsupported`."""
    reversible, candidates, samples = puzzle.view(Reversible), puzzle.view(Candidates), puzzle.view(Samples)
    state: State
    if reversible is not None:
        state = reversible.goals()[0]
        return state
    if candidates is not None and not (samples and samples.scales):
        digits = digits_per_cell(puzzle)
        blank = np.ones((1, puzzle.move_count // digits, digits), np.bool_)
        state = candidate_logits.states_of(candidates, blank)[0]
        return state
    return scale_of(puzzle)[1].sample(np.random.default_rng(0), None)
