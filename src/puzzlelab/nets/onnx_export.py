"""Writes networks of PyTorch in the ONNX format, and reads their weights back.

The weights keep the names that they have in PyTorch, so that a file is enough to go on with training.
"""

from __future__ import annotations

import copy
import io
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from puzzlelab.core.errors import BadFile, PuzzlelabError
from puzzlelab.core.puzzle import State
from puzzlelab.nets.card import Card
from puzzlelab.nets.form import input_arrays
from puzzlelab.nets.onnx_files import KEY, PRODUCER, Description, content_of, is_sealed, read_bytes, sealed
from puzzlelab.nets.onnx_model import OnnxModel, some_state
from puzzlelab.nets.torch_model import TorchModel

OPSET = 17
"""The version of the set of operators."""
PREFIX = "module."
"""The text that the exporter puts before the names of weights."""
TOLERANCE = 2e-4, 1e-4
"""The difference that outputs may have from those of PyTorch: absolutely, and as a share of them."""
TRACED, CHECKED = 3, 5
"""Boards with which a network is exported, and with which the result is compared: any number must do."""


class _Ordered(nn.Module):
    """A module whose outputs are a tuple in the order of the heads."""

    def __init__(self, module: nn.Module, heads: tuple[str, ...]) -> None:
        super().__init__()
        self.module, self.heads = module, heads

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        outputs = self.module(*inputs)
        return tuple(outputs[name] for name in self.heads)


def to_onnx(model: TorchModel, card: Card) -> bytes:
    """Return the content of a file for this network, in float32 and for any number of states.

    Raises `PuzzlelabError` if ONNX Runtime does not give the outputs of PyTorch for it.
    """
    module = copy.deepcopy(model.module).cpu().eval().requires_grad_(False)
    form = model.form
    state = some_state(model.puzzle)[None]
    inputs = tuple(map(torch.from_numpy, input_arrays(model.puzzle, form.inputs, np.repeat(state, TRACED, axis=0))))
    buffer = io.BytesIO()
    with _without_warnings(), _plain_attention():
        torch.onnx.export(
            _Ordered(module, form.heads),
            inputs,
            buffer,  # type: ignore[arg-type]  # this exporter writes into it
            input_names=list(form.inputs),
            output_names=list(form.heads),
            dynamic_axes={str(name): {0: "batch"} for name in (*form.inputs, *form.heads)},
            do_constant_folding=False,  # so that the weights stay as they are
            opset_version=OPSET,
            dynamo=False,
        )
    program = onnx.load_model_from_string(buffer.getvalue())
    program.producer_name = PRODUCER
    _keep_weights(program, module)
    entry = program.metadata_props.add()
    described = Description(form=form, card=card.model_copy(update={"measured": []}))
    entry.key, entry.value = KEY, described.model_dump_json()
    data = sealed(program.SerializeToString(deterministic=True))
    exact = TorchModel(model.puzzle, model.settings, module, precision="float32")
    _check(data, exact, np.repeat(state, CHECKED, axis=0))
    return data


def _keep_weights(program: onnx.ModelProto, module: nn.Module) -> None:
    """Give weights their names in the module, and add those that no output depends on.

    A weight with the name of an input or output, such as the states of a table, keeps the prefix.
    """
    graph, weights = program.graph, module.state_dict()
    values = {each.name for each in (*graph.input, *graph.output)}
    names = {PREFIX + name: PREFIX + name if name in values else name for name in weights}
    written = set()
    for tensor in graph.initializer:
        if tensor.name in names:
            written.add(tensor.name)
            tensor.name = names[tensor.name]
    for node in graph.node:
        for index, name in enumerate(node.input):
            node.input[index] = names.get(name, name)
    for name in sorted(names.keys() - written):
        graph.initializer.append(numpy_helper.from_array(weights[name.removeprefix(PREFIX)].numpy(), names[name]))


def _check(data: bytes, model: TorchModel, states: State) -> None:
    """Raise `PuzzlelabError` if a file has other weights than the model, or gives other outputs."""
    weights, expected_weights = weights_in(data, Path("the exported network")), model.module.state_dict()
    same = weights.keys() >= expected_weights.keys() and all(
        torch.equal(weights[name], tensor) for name, tensor in expected_weights.items()
    )
    network = OnnxModel(model.puzzle, read_bytes(data, Path("the exported network")))
    outputs, expected = network.outputs(states), model.outputs(states)
    close = all(np.allclose(outputs[name], expected[name], TOLERANCE[1], TOLERANCE[0]) for name in expected)
    if not (same and close):
        raise PuzzlelabError("this network cannot be exported to ONNX: its outputs or weights would be others")


def read_weights(path: Path) -> dict[str, Tensor]:
    """Return the weights of a file of puzzlelab, and its constants; raises `BadFile`."""
    data = content_of(path)
    if not is_sealed(data):
        raise BadFile(f"{path} is damaged, or was not written by puzzlelab: its checksum does not agree")
    return weights_in(data, path)


def weights_in(data: bytes, path: Path) -> dict[str, Tensor]:
    """Return the weights in the content of a file; `path` is what errors name. Raises `BadFile`."""
    try:
        program = onnx.load_model_from_string(data)
        arrays = {each.name.removeprefix(PREFIX): numpy_helper.to_array(each) for each in program.graph.initializer}
        return {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}
    except (ValueError, TypeError, onnx.checker.ValidationError) as error:
        raise BadFile(f"{path} holds no weights: {error}") from None


@contextmanager
def _plain_attention() -> Iterator[None]:
    """Avoid PyTorch's fused operator for transformers, which ONNX has no name for."""
    enabled = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(enabled)


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Hide the warnings of the exporter, about traced sizes among others: the exported network is compared."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
