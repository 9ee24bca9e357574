"""The layers of a network in the order of their evaluation, with the shapes of their outputs and their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets.form import input_arrays
from puzzlelab.nets.layers import initialise_outputs
from puzzlelab.nets.network import read_network
from puzzlelab.nets.onnx_model import some_state
from puzzlelab.nets.torch_model import TorchModel


class LayerRow(NamedTuple):
    """One layer of a network."""

    name: str
    """Its place in the network's weights, such as `layers.0`."""
    kind: str
    """Its class, such as `Linear`."""
    shape: tuple[int, ...] | None
    """The shape of its output for one state, without the batch; None where the output is not one tensor."""
    parameters: int
    """The number of its weights that are trained."""


def untrained(puzzle: Puzzle, network: Mapping[str, Any]) -> TorchModel:
    """Return a network with these settings and weights by chance; raises `BadInput`."""
    settings = read_network(network)
    module: nn.Module = settings.build(puzzle)
    initialise_outputs(module, settings)
    return TorchModel(puzzle, settings, module.eval())


def layers_of(model: TorchModel) -> list[LayerRow]:
    """Return the inputs and the layers of a network. A layer that is evaluated several times is listed once."""
    layers: dict[str, LayerRow] = {}

    def record(name: str, module: nn.Module, inputs: Any = None, output: Any = None) -> None:
        parameters = sum(each.numel() for each in module.parameters(recurse=False))
        layers.setdefault(name, LayerRow(name or "network", type(module).__name__, _shape(output), parameters))

    parts = [(name, part) for name, part in model.module.named_modules() if _is_layer(part)]
    hooks = [part.register_forward_hook(partial(record, name)) for name, part in parts]
    arrays = input_arrays(model.puzzle, model.form.inputs, some_state(model.puzzle)[None])
    inputs = [model.tensor(array) for array in arrays]
    try:
        with torch.inference_mode():
            model.module(*inputs)
    finally:
        for hook in hooks:
            hook.remove()
    for name, part in parts:  # those whose weights are read without a call, as by torch's attention
        record(name, part)
    kinds = [LayerRow(f"input {number}", "Input", _shape(each), 0) for number, each in enumerate(inputs)]
    return [*kinds, *layers.values()]


def _is_layer(part: nn.Module) -> bool:
    """Tell whether a module has weights of its own, or is no container of others."""
    return next(part.parameters(recurse=False), None) is not None or next(part.children(), None) is None


def _shape(output: object) -> tuple[int, ...] | None:
    return tuple(output.shape[1:]) if isinstance(output, Tensor) else None
