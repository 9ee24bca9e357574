"""The layers of a network in the order of their evaluation, with the shapes of their outputs and their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets.form import input_arrays
from puzzlelab.nets.layers import initialise_outputs
from puzzlelab.nets.network import read_network
from puzzlelab.nets.onnx_model import some_state
from puzzlelab.nets.torch_model import TorchModel

Layer = dict[str, Any]
"""A layer of a network: its `name`, which is its place in the network's weights, such as `layers.0`; its `kind`, which
is its class, such as `Linear`; the `shape` of its output for one state, without the batch, or None where that is not
one tensor; and its `parameters`, the number of its weights that are trained.
"""


def untrained(puzzle: Puzzle, network: Mapping[str, Any]) -> TorchModel:
    """Return a network with these settings and weights by chance; raises `BadInput`."""
    settings = read_network(network)
    module: nn.Module = settings.build(puzzle)
    initialise_outputs(module, settings)
    return TorchModel(puzzle, settings, module.eval())


def layers_of(model: TorchModel) -> list[Layer]:
    """Return the inputs and the layers of a network. A layer that is evaluated several times is listed once."""
    layers: dict[str, Layer] = {}

    def record(name: str, module: nn.Module, inputs: Any = None, output: Any = None) -> None:
        parameters = sum(each.numel() for each in module.parameters(recurse=False))
        layers.setdefault(name, _layer(name or "network", type(module).__name__, output, parameters))

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
    return [*(_layer(f"input {number}", "Input", each, 0) for number, each in enumerate(inputs)), *layers.values()]


def _is_layer(part: nn.Module) -> bool:
    """Tell whether a module has weights of its own, or is no container of others."""
    return next(part.parameters(recurse=False), None) is not None or next(part.children(), None) is None


def _layer(name: str, kind: str, output: object, parameters: int) -> Layer:
    shape = list(output.shape[1:]) if isinstance(output, Tensor) else None
    return {"name": name, "kind": kind, "shape": shape, "parameters": parameters}
