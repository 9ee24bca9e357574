"""Saves networks of PyTorch: the weights, the card, and the network in the ONNX format, which is made of both.

The hash of the weights is the network's name. Nothing in these files is ever executed.
"""

from __future__ import annotations

import copy
import hashlib
import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from safetensors.torch import save as tensors_as_bytes
from torch import Tensor, nn

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput, PuzzlelabError, shorten
from puzzlelab.engine import report
from puzzlelab.nets import onnx_model
from puzzlelab.nets.card import CARD, ONNX, WEIGHTS, Card, content_of, file_of, read_card, write_card
from puzzlelab.nets.exporting import without_warnings
from puzzlelab.nets.form import input_arrays
from puzzlelab.nets.network import read_network
from puzzlelab.nets.onnx_files import described, read_bytes
from puzzlelab.nets.onnx_model import OnnxModel, some_state
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.storage.files import make_folder, replace_file, writing

OPSET = 17
"""The version of the set of operators."""
TOLERANCE = 2e-4, 1e-4
"""The difference that outputs may have from those of PyTorch: absolutely, and as a share of them."""
TRACED, CHECKED = 3, 5
"""Boards with which a network is exported, and with which the result is compared: any number must do."""


def hash_of(weights: Mapping[str, Tensor]) -> str:
    """Return the hash of weights and their names: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        tensor = weights[name].detach().cpu().contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\0".encode())
        if tensor.numel():  # one without elements may have strides with which it is no view of bytes
            digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()[:16]


def save(folder: Path, model: TorchModel, stem: str = "", **facts: Any) -> Card:
    """Write the files of a network into a folder, under the stem or else the hash; raises `BadFile`.

    `facts` are further fields of the card, which is written last.
    """
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in model.module.state_dict().items()}
    card = Card(
        name=hash_of(weights),
        puzzle=model.puzzle.name,
        network=model.settings.model_dump(mode="json"),
        parameters=sum(parameter.numel() for parameter in model.module.parameters()),
        **facts,
    )
    path = folder / (stem or card.name)
    with writing(path):
        make_folder(folder)
        replace_file(file_of(path, WEIGHTS), tensors_as_bytes(weights))
        replace_file(file_of(path, ONNX), to_onnx(model, card))
        write_card(file_of(path, CARD), card)
    return card


def load(path: Path) -> tuple[TorchModel, Card]:
    """Load a network with its weights into PyTorch, from the path of one of its files or from their stem.

    Raises `BadFile` for damaged files and files of another format.
    """
    card, file = read_card(path), file_of(path, WEIGHTS)
    weights = read_weights(file)
    try:
        puzzle = registry.load(card.puzzle)
        settings = read_network(card.network)
        module: nn.Module = settings.build(puzzle)
        module.load_state_dict(weights)
    except (BadInput, RuntimeError) as error:
        raise BadFile(f"{file_of(path, CARD).name} does not describe its weights: {shorten(str(error), 200)}") from None
    card.check_hash(hash_of(module.state_dict()), file)
    module.eval().requires_grad_(False)
    return TorchModel(puzzle, settings, module, card.name), card


def read_weights(path: Path) -> dict[str, Tensor]:
    """Read the tensors of a file; raises `BadFile`."""
    try:
        return read_tensors(content_of(path))
    except (SafetensorError, ValueError) as error:
        raise BadFile(f"{path} holds no weights: {shorten(str(error), 120)}") from None


def repair(path: Path) -> None:
    """Make a missing or damaged `.onnx` of a network again from its weights; with a note if it is damaged.

    Raises `BadFile` if the weights or the card are missing or damaged.
    """
    model, card = load(path)
    try:
        onnx_model.load(path)
    except BadFile as error:
        file = file_of(path, ONNX)
        if file.exists():
            report.note(f"{error}; the file is made again")
        with writing(file):
            replace_file(file, to_onnx(model, card))


# --- the ONNX format ---


def to_onnx(model: TorchModel, card: Card) -> bytes:
    """Return the content of a file for this network, in float32 and for any number of states.

    Raises `PuzzlelabError` if ONNX Runtime does not give the outputs of PyTorch for it.
    """
    module = copy.deepcopy(model.module).cpu().eval().requires_grad_(False)
    form = model.form
    state = some_state(model.puzzle)[None]
    inputs = tuple(map(torch.from_numpy, input_arrays(model.puzzle, form.inputs, np.repeat(state, TRACED, axis=0))))
    buffer, heads = io.BytesIO(), list(module(*inputs))
    with without_warnings(), _plain_attention():
        torch.onnx.export(
            module,
            inputs,
            buffer,  # type: ignore[arg-type]  # this exporter writes into it
            input_names=list(form.inputs),
            output_names=heads,
            dynamic_axes={str(name): {0: "batch"} for name in (*form.inputs, *heads)},
            do_constant_folding=False,
            opset_version=OPSET,
            dynamo=False,
        )
    data = described(onnx.load_model_from_string(buffer.getvalue()), form, card.model_copy(update={"measured": []}))
    states = np.repeat(state, CHECKED, axis=0)
    outputs = OnnxModel(model.puzzle, read_bytes(data, Path("the exported network"))).outputs(states)
    expected = TorchModel(model.puzzle, model.settings, module, precision="float32").outputs(states)
    if not all(np.allclose(outputs[name], expected[name], TOLERANCE[1], TOLERANCE[0]) for name in expected):
        raise PuzzlelabError("this network cannot be exported to ONNX: its outputs would be others")
    return data


@contextmanager
def _plain_attention() -> Iterator[None]:
    """Avoid PyTorch's fused operator for transformers, which ONNX has no name for."""
    enabled = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(enabled)
