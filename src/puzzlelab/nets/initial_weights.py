"""Reads the weights of a network for another training that begins with them: of PyTorch, or of an ONNX file.

The network must have the architecture that is to be trained. A file of another program has it if its initialisers have
the names and the shapes of the weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor, nn

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput, BadOption
from puzzlelab.nets import checkpoint, model_zoo, onnx_model
from puzzlelab.nets.card import CARD, ONNX, WEIGHTS, Card, content_of, file_of, read_card
from puzzlelab.nets.network import read_network
from puzzlelab.nets.onnx_weights import read_whole
from puzzlelab.nets.run_networks import is_hash
from puzzlelab.storage import networks

WITHOUT_WEIGHTS = ("initial", "output_initial", "rounds", "loops")
"""Settings of an architecture that may differ, because they change no weight: with which weights it begins, and how
often it applies them.
"""


def read(name: str, puzzle: str, network: Mapping[str, Any], own: Path) -> tuple[str, bytes]:
    """Return the weights of the network of this name, as (their hash, the content of a file of safetensors).

    If `own` holds the weights with this hash, they are taken. Raises `BadInput` for a network for another puzzle, or of
    another architecture.
    """
    if is_hash(name) and own.exists() and checkpoint.hash_of(checkpoint.read_weights(own)) == name:
        return name, content_of(own)
    text, averaged = networks.parts(name)
    if averaged:
        raise BadOption(f"'{networks.AVERAGED}' is how a search uses a network, and has no weights: leave it out")
    path = model_zoo.path_of(registry.load(puzzle), text)
    card, weights = _weights(path)
    if card is not None:
        _check_card(name, card, puzzle, read_network(network).model_dump(mode="json"))
    module: nn.Module = read_network(network).build(registry.load(puzzle))
    fitting = _fitting(name, weights, module.state_dict())
    return checkpoint.hash_of(fitting), save(fitting)


def _weights(path: Path) -> tuple[Card | None, dict[str, Tensor]]:
    """Return the card of a network, if it has one, and its weights by name."""
    file = file_of(path, WEIGHTS)
    if path.suffix != ONNX and file.exists():
        card, weights = read_card(path) if file_of(path, CARD).exists() else None, checkpoint.read_weights(file)
        if card is not None:
            card.check_hash(checkpoint.hash_of(weights), file)
        return card, weights
    file = file_of(path, ONNX)
    data = read_whole(file)
    return onnx_model.card_of(path, onnx_model.read_bytes(data, file)), _initialisers(data, file)


def _initialisers(data: bytes, path: Path) -> dict[str, Tensor]:
    """Return the constant tensors of a network in the ONNX format by their names."""
    import onnx
    from onnx import numpy_helper

    try:
        graph = onnx.load_model_from_string(data).graph
        return {each.name: torch.from_numpy(numpy_helper.to_array(each).copy()) for each in graph.initializer}
    except (ValueError, TypeError) as error:
        raise BadFile(f"the weights in {path} cannot be read: {error}") from None


def _check_card(name: str, card: Card, puzzle: str, network: Mapping[str, Any]) -> None:
    """Raise `BadInput` for a network of another puzzle, of another architecture, or without its weights."""
    if card.puzzle != puzzle:
        raise BadInput(f"training cannot begin with {name}: it is for {card.puzzle}, not for {puzzle}")
    if card.quantised_from:
        raise BadInput(f"training cannot begin with {name}: its weights have 8 bits; take {card.quantised_from}")
    theirs = read_network(card.network).model_dump(mode="json")
    for setting, value in network.items():
        if setting not in WITHOUT_WEIGHTS and theirs.get(setting) != value:
            raise BadInput(
                f"training cannot begin with {name}: network.{setting} is {theirs.get(setting)!r} there, not {value!r}"
            )


def _fitting(name: str, weights: Mapping[str, Tensor], own: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights of the names in `own`, which has those of the architecture; raises `BadInput`."""
    fitting = {}
    for place, tensor in own.items():
        given = weights.get(place)
        if given is None and not tensor.is_floating_point():  # a counter, which only training needs
            given = tensor
        if given is None:
            raise BadInput(f"training cannot begin with {name}: it has no weights '{place}'")
        if given.shape != tensor.shape:
            shapes = " x ".join(map(str, given.shape)), " x ".join(map(str, tensor.shape))
            raise BadInput(f"training cannot begin with {name}: '{place}' is {shapes[0]} there, not {shapes[1]}")
        if not torch.isfinite(given).all():
            raise BadInput(f"training cannot begin with {name}: '{place}' holds infinite numbers, or none")
        fitting[place] = given.to(tensor.dtype).contiguous()
    return fitting
