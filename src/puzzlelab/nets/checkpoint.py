"""Saves and loads networks of PyTorch: the weights, the network in the ONNX format, and the card.

The hash of the weights is the network's name. Nothing in these files is ever executed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput, shorten
from puzzlelab.engine import report
from puzzlelab.nets import onnx_export
from puzzlelab.nets.card import CARD, ENDINGS, ONNX, WEIGHTS, Card, card_path, read_card, stem_of, write_card
from puzzlelab.nets.network import read_network
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.storage.files import make_folder, replace_file, replacing


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
    card = Card(
        name=hash_of(model.module.state_dict()),
        puzzle=model.puzzle.name,
        network=model.settings.model_dump(mode="json"),
        parameters=sum(parameter.numel() for parameter in model.module.parameters()),
        **facts,
    )
    _write(folder / (stem or card.name), model, card, ENDINGS)
    return card


def repair(path: Path) -> None:
    """Make a missing or damaged file of a network again, from the path of one of them; with a note if it is damaged.

    `.safetensors` and `.onnx` have the same weights. Raises `BadFile` if both are damaged, or the card is.
    """
    stem = stem_of(path)
    models: dict[str, TorchModel] = {}
    errors: list[BadFile] = []
    for ending in (WEIGHTS, ONNX):
        try:
            models[ending], card = _loaded(stem, ending)
        except BadFile as error:
            errors.append(error)
    if not models:
        raise errors[0]
    for ending in {WEIGHTS, ONNX} - set(models):
        if stem.with_name(stem.name + ending).exists():
            report.note(f"{errors[0]}; the file is made again")
        _write(stem, next(iter(models.values())), card, (ending,))


def _write(stem: Path, model: TorchModel, card: Card, endings: Collection[str]) -> None:
    """Write the files of a network with these endings, the card last; raises `BadFile`."""
    try:
        make_folder(stem.parent)
        if WEIGHTS in endings:
            weights = {name: tensor.detach().cpu().contiguous() for name, tensor in model.module.state_dict().items()}
            with replacing(stem.with_name(stem.name + WEIGHTS)) as temporary:
                save_file(weights, temporary)
        if ONNX in endings:
            replace_file(stem.with_name(stem.name + ONNX), onnx_export.to_onnx(model, card))
        if CARD in endings:
            write_card(stem.with_name(stem.name + CARD), card)
    except (OSError, SafetensorError) as error:
        raise BadFile(f"cannot write the network {stem}: {error}") from None


def load(path: Path, device: torch.device | None = None) -> tuple[TorchModel, Card]:
    """Load a network to train it; raises `BadFile` for damaged files and files of another format.

    Its weights are read from `.safetensors`, or else from `.onnx`.
    """
    stem = stem_of(path)
    has_weights = stem.with_name(stem.name + WEIGHTS).exists() or not stem.with_name(stem.name + ONNX).exists()
    model, card = _loaded(stem, WEIGHTS if has_weights else ONNX)
    return model if device is None else replace(model, module=model.module.to(device), device=device), card


def _loaded(stem: Path, ending: str) -> tuple[TorchModel, Card]:
    """Return the network with the weights of the file with this ending; raises `BadFile`."""
    card, file = read_card(card_path(stem)), stem.with_name(stem.name + ending)
    weights = read_weights(file) if ending == WEIGHTS else onnx_export.read_weights(file)
    try:
        puzzle = registry.load(card.puzzle)
        settings = read_network(card.network)
        module: nn.Module = settings.build(puzzle)
        if ending == ONNX:  # which has constants too
            weights = {name: weights[name] for name in module.state_dict() if name in weights}
        module.load_state_dict(weights)
    except (BadInput, RuntimeError) as error:
        raise BadFile(f"{stem.name}{CARD} does not describe its weights: {shorten(str(error), 200)}") from None
    card.check_hash(hash_of(module.state_dict()), file)
    module.eval().requires_grad_(False)
    return TorchModel(puzzle, settings, module, card.name), card


def read_weights(path: Path) -> dict[str, Tensor]:
    """Read the tensors of a file; raises `BadFile`."""
    try:
        return load_file(path)
    except FileNotFoundError:
        raise BadFile(f"cannot read {path}: there is no such file") from None
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or error}") from None
    except (SafetensorError, ValueError) as error:
        raise BadFile(f"{path} holds no weights: {shorten(str(error), 120)}") from None
