"""Loads networks for searches: their program for ONNX Runtime, without PyTorch."""

from __future__ import annotations

from pathlib import Path

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets import onnx_files
from puzzlelab.nets.card import CARD, ONNX, Card, file_of, read_card
from puzzlelab.nets.onnx_files import OnnxNetwork
from puzzlelab.nets.onnx_model import OnnxModel, fitted


def load(path: Path, puzzle: Puzzle | None = None) -> tuple[OnnxModel, Card | None]:
    """Load a network, from the path of one of its files or from their stem; raises `BadFile`.

    A network of puzzlelab is for the puzzle on its card. One of another program has no card, and is for `puzzle`.
    """
    file = file_of(path, ONNX)
    network = onnx_files.read(file)
    card = card_of(path, network)
    if card is not None:
        try:
            return OnnxModel(registry.load(card.puzzle), network), card
        except BadInput as error:
            raise BadFile(f"{file_of(path, CARD).name}: {error}") from None
    if puzzle is None:
        raise BadFile(f"{file} was not written by puzzlelab, so it does not say for which puzzle it is")
    return fitted(puzzle, network, file), None


def card_of(path: Path, network: OnnxNetwork) -> Card | None:
    """Return the card beside a network, or else in it; None for a network of another program.

    Raises `BadFile` for a card that describes another network, or is damaged. Beside a network of another program may
    lie a JSON file that is no card.
    """
    file = file_of(path, CARD)
    if not file.exists():
        return network.card
    try:
        card = read_card(file)
    except BadFile:
        if network.card is None:
            return None
        raise
    card.check_hash(network.name, file_of(path, ONNX))
    if network.card is not None and network.card.puzzle != card.puzzle:
        raise BadFile(f"{file} is for {card.puzzle}, and the network beside it for {network.card.puzzle}")
    return card
