"""Loads networks for searches: their program for ONNX Runtime, without PyTorch."""

from __future__ import annotations

from pathlib import Path

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets import onnx_files
from puzzlelab.nets.card import ONNX, Card, card_path, read_card, stem_of
from puzzlelab.nets.onnx_files import OnnxNetwork
from puzzlelab.nets.onnx_model import OnnxModel, fitted


def load(path: Path, puzzle: Puzzle | None = None) -> tuple[OnnxModel, Card | None]:
    """Load a network, from the path of one of its files or from their stem; raises `BadFile`.

    A network of puzzlelab is for the puzzle on its card. One of another program has no card, and is for `puzzle`.
    """
    network, file = onnx_files.read_bytes(content(path), onnx_path(path)), onnx_path(path)
    card = card_of(path, network)
    if card is not None:
        try:
            return OnnxModel(registry.load(card.puzzle), network), card
        except BadInput as error:
            raise BadFile(f"{card_path(path).name}: {error}") from None
    if puzzle is None:
        raise BadFile(f"{file} was not written by puzzlelab, so it does not say for which puzzle it is")
    return fitted(puzzle, network, file), None


def onnx_path(path: Path) -> Path:
    """Return the path of a network's `.onnx`, from the path of one of its files or from their stem."""
    stem = stem_of(path)
    return stem.with_name(stem.name + ONNX)


def card_of(path: Path, network: OnnxNetwork) -> Card | None:
    """Return the card beside a network, or else in it; None for a network of another program.

    Raises `BadFile` for a card that describes another network, or is damaged. Beside a network of another program may
    lie a JSON file that is no card.
    """
    if not card_path(path).exists():
        return network.card
    try:
        card = read_card(card_path(path))
    except BadFile:
        if network.card is None:
            return None
        raise
    card.check_hash(network.name, onnx_path(path))
    if network.card is not None and network.card.puzzle != card.puzzle:
        raise BadFile(f"{card_path(path)} is for {card.puzzle}, and the network beside it for {network.card.puzzle}")
    return card


def content(path: Path) -> bytes:
    """Return the content of a network's `.onnx`; raises `BadFile`."""
    return onnx_files.content_of(onnx_path(path))
