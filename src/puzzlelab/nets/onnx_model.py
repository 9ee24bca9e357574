"""`OnnxModel`: a network as searches use it, which ONNX Runtime evaluates, from its `.onnx` and its card.

Shapes: B = states, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput, PuzzlelabError
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets.card import CARD, ONNX, Card, file_of, read_card
from puzzlelab.nets.form import NetworkForm, Outputs, some_state
from puzzlelab.nets.model import Model
from puzzlelab.nets.onnx_files import OnnxNetwork, read


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

    @property
    def values_count_moves(self) -> bool:
        """Whether the head `q` predicts the negative number of moves to the goal: a foreign network must."""
        return self.network.card is None or self.network.card.values_count_moves

    def evaluate(self, inputs: Sequence[NDArray[Any]]) -> Outputs:
        """Return the outputs of the layers for arrays of the kinds `form.inputs`.

        Raises `BadFile` for outputs of another shape, and for those that are not finite, which no search could order.
        """
        outputs, count = self.network.evaluate(inputs), len(inputs[0])
        for name, values in outputs.items():
            is_value = name == "cost_to_go"
            if is_value and values.shape == (count, 1):
                outputs[name] = values = values[:, 0]
            expected = (count,) if is_value else (count, self.puzzle.move_count)
            if values.shape != expected:
                raise BadFile(
                    f"the network {self.name} does not fit {self.puzzle.name}: its output '{name}' has the shape "
                    f"{_shape(values.shape)} for {count} boards, not {_shape(expected)}"
                )
            if not (values < np.inf if name == "q" else np.isfinite(values)).all():  # -inf is a move never to be made
                raise BadFile(f"the network {self.name} cannot be used: its output '{name}' is infinite or no number")
        return outputs


def load(path: Path, puzzle: Puzzle | None = None) -> tuple[OnnxModel, Card | None]:
    """Load a network, from the path of one of its files or from their stem; raises `BadFile`.

    A network of puzzlelab is for the puzzle on its card. One of another program has no card, and is for `puzzle`.
    """
    file = file_of(path, ONNX)
    network = read(file)
    card = card_of(path, network)
    if card is not None:
        try:
            return OnnxModel(registry.load(card.puzzle), network), card
        except BadInput as error:
            raise BadFile(f"{file_of(path, CARD).name}: {error}") from None
    if puzzle is None:
        raise BadFile(f"{file} was not written by puzzlelab, so it does not say for which puzzle it is")
    return fitted(puzzle, network, file), None


def card_of(path: Path, network: OnnxNetwork) -> Card | None:
    """Return the card beside a network, or else in it; None for a network of another program.

    Raises `BadFile` for a card that describes another network, or is damaged. Beside a network of another program may
    lie a JSON file that is no card.
    """
    file = file_of(path, CARD)
    if not file.exists():
        return network.card
    try:
        card = read_card(file)
    except BadFile:
        if network.card is None:
            return None
        raise
    card.check_hash(network.name, file_of(path, ONNX))
    if network.card is not None and network.card.puzzle != card.puzzle:
        raise BadFile(f"{file} is for {card.puzzle}, and the network beside it for {network.card.puzzle}")
    return card


def fitted(puzzle: Puzzle, network: OnnxNetwork, path: Path) -> OnnxModel:
    """Fit another program's network to this puzzle; raises `BadFile` if its inputs or outputs do not fit."""
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
        try:
            model.outputs(np.repeat(state[None], count, axis=0))
        except BadFile as error:
            raise BadFile(f"{path}: {error}") from None
    return model


def _shape(sizes: Sequence[object]) -> str:
    return f"[{', '.join(map(str, sizes))}]"
