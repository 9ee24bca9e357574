"""Saves and loads networks: the weights in `<stem>.safetensors`, and the card, their description, in `<stem>.json`.

The hash of the weights is the network's name. Nothing in either file is ever executed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from pydantic import BaseModel, ConfigDict
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput, shorten
from puzzlelab.core.files import make_folder, replace_file, replacing
from puzzlelab.core.networks import NetworkOptions
from puzzlelab.nets.model import Model
from puzzlelab.nets.network import read_network

WEIGHTS, CARD = ".safetensors", ".json"
FORMAT = "puzzlelab network"


class Card(BaseModel):
    """The description of a network."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: str = FORMAT
    name: str
    """The hash of its weights."""
    puzzle: str
    network: NetworkOptions
    """The settings of its architecture."""
    parameters: int
    recipe: str = ""
    settings: dict[str, Any] = {}
    """All settings of the recipe that trained it."""
    seed: int | None = None
    steps: int = 0
    samples: int = 0
    """Training samples, each counted as often as it was used."""
    hours: float = 0.0
    machine: str = ""
    version: str = ""
    measured: list[dict[str, Any]] = []
    """Benchmark results, each with the command that repeats it and the hash of its suite."""


def hash_of(weights: Mapping[str, Tensor]) -> str:
    """The hash of weights and their names: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        tensor = weights[name].detach().cpu().contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\0".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()[:16]


def save(folder: Path, model: Model, stem: str = "", **facts: Any) -> Card:
    """Write a network and its card into a folder, under the stem or else the hash; raises `BadFile`.

    `facts` are further fields of the card.
    """
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in model.module.state_dict().items()}
    card = Card(
        name=hash_of(weights),
        puzzle=model.puzzle.name,
        network=model.settings.model_dump(mode="json"),
        parameters=sum(parameter.numel() for parameter in model.module.parameters()),
        **facts,
    )
    base = folder / (stem or card.name)
    try:
        make_folder(folder)
        with replacing(base.with_name(base.name + WEIGHTS)) as temporary:
            save_file(weights, temporary)
        write_card(base.with_name(base.name + CARD), card)
    except (OSError, SafetensorError) as error:
        raise BadFile(f"cannot write the network {base}: {error}") from None
    return card


def write_card(path: Path, card: Card) -> None:
    """Write a card in one step: a reader sees the old file or the new one, never a part."""
    replace_file(path, json.dumps(card.model_dump(), indent=1) + "\n")


def read_card(path: Path) -> Card:
    """Read the card of a network; raises `BadFile`."""
    try:
        text = path.read_text(encoding="utf-8")
        card = Card.model_validate_json(text)
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from None
    except ValueError:  # of pydantic, of the decoder, or of a path that cannot be
        raise BadFile(f"{path} is no card of a network of puzzlelab") from None
    if card.format != FORMAT:
        raise BadFile(f"{path} is no card of a network of puzzlelab: its format is '{shorten(card.format)}'")
    return card


def card_path(path: Path) -> Path:
    """The path of a network's card, from the path of either of its files or from their stem."""
    stem = stem_of(path)
    return stem.with_name(stem.name + CARD)


def stem_of(path: Path) -> Path:
    """The path of a network without the ending, from the path of either of its files or from their stem."""
    return path.with_suffix("") if path.suffix in (WEIGHTS, CARD) else path


def load(path: Path, device: torch.device | None = None) -> tuple[Model, Card]:
    """Load a network for inference; raises `BadFile` for damaged files and files of another format."""
    stem = stem_of(path)
    card = read_card(card_path(path))
    weights = read_weights(stem.with_name(stem.name + WEIGHTS))
    if hash_of(weights) != card.name:
        raise BadFile(
            f"{stem.name}{WEIGHTS} is damaged or not the one that its card describes: its hash is not {card.name}"
        )
    try:
        puzzle = registry.load(card.puzzle)
        settings = read_network(card.network)
        module: nn.Module = settings.build(puzzle)
        module.load_state_dict(weights)
    except (BadInput, RuntimeError) as error:
        raise BadFile(f"{stem.name}{CARD} does not describe its weights: {shorten(str(error), 200)}") from None
    target = device or torch.device("cpu")
    module.eval().requires_grad_(False)
    return Model(puzzle, settings, module.to(target), card.name, target), card


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
