"""Saves networks of PyTorch: the weights, the card, and the network in the ONNX format, which is made of both.

The hash of the weights is the network's name. Nothing in these files is ever executed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from safetensors.torch import save as tensors_as_bytes
from torch import Tensor, nn

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput, shorten
from puzzlelab.engine import report
from puzzlelab.nets import onnx_model
from puzzlelab.nets.card import CARD, ONNX, WEIGHTS, Card, content_of, file_of, read_card, write_card
from puzzlelab.nets.exporting import to_onnx
from puzzlelab.nets.network import read_network
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.storage.files import make_folder, replace_file, writing


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


def read_hashed(path: Path, name: str) -> dict[str, Tensor]:
    """Read the weights with this hash from a file; raises `BadFile`."""
    weights = read_weights(path)
    if hash_of(weights) != name:
        raise BadFile(f"{path} is damaged: it does not hold the network {name}")
    return weights


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
