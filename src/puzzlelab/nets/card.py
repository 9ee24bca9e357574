"""The card of a network: its description, a JSON file beside the network's other files.

The files of a network have one stem and three endings: `.safetensors`, the weights by the names that they have in
PyTorch, `.json`, the card, and `.onnx`, which is made of both and is what searches evaluate.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.storage.files import read_regular, replace_file

WEIGHTS, CARD, ONNX = ".safetensors", ".json", ".onnx"
ENDINGS = WEIGHTS, CARD, ONNX
FORMAT = "puzzlelab network"


def counts_moves(reward: object, discount: object) -> bool:
    """Tell whether values that were learned from this reward are the negative number of moves to the goal."""
    return reward == "moves" and discount == 1


class Card(BaseModel):
    """The description of a network."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: str = FORMAT
    name: str
    """The hash of its weights."""
    quantised_from: str = ""
    """The name of the network with weights of 32 bits from which it was made, if its own have 8 bits."""
    puzzle: str
    network: dict[str, Any]
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
    other_boards: dict[str, float] = {}
    """The results at the end of training, on boards that neither trained nor chose it: their number `boards`, the share
    `solved`, the mean of their `moves`.
    """

    @property
    def values_count_moves(self) -> bool:
        """Whether the head `q` learned the negative number of moves to the goal, and not other rewards."""
        return counts_moves(self.settings.get("reward", "moves"), self.settings.get("discount", 1))

    def check_hash(self, name: str, file: Path) -> None:
        """Raise `BadFile` if the file holds the network of another name, the hash of its weights."""
        if name != self.name:
            raise BadFile(f"{file.name} is damaged or not the one that its card describes: its hash is not {self.name}")


# --- files ---


def file_of(path: Path, ending: str) -> Path:
    """Return the path of a network's file with this ending, from the path of one of its files or from their stem."""
    stem = path.with_suffix("") if path.suffix in ENDINGS else path
    return stem.with_name(stem.name + ending)


def content_of(path: Path) -> bytes:
    """Return the bytes of a file of a network; raises `BadFile`."""
    try:
        return read_regular(path)
    except FileNotFoundError:
        raise BadFile(f"cannot read {path}: there is no such file") from None
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or error}") from None


def write_card(path: Path, card: Card) -> None:
    """Write a card in one step: a reader sees the old file or the new one, never a part."""
    replace_file(path, json.dumps(card.model_dump(), indent=1) + "\n")


def read_card(path: Path) -> Card:
    """Read the card of a network, from the path of one of its files or from their stem; raises `BadFile`."""
    file = file_of(path, CARD)
    try:
        card = Card.model_validate_json(content_of(file))
    except ValueError:  # of pydantic or of the decoder
        raise BadFile(f"{file} is no card of a network of puzzlelab") from None
    if card.format != FORMAT:
        raise BadFile(f"{file} is no card of a network of puzzlelab: its format is '{shorten(card.format)}'")
    return card
