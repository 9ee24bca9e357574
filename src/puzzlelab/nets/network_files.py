"""Loads networks for searches: their program for ONNX Runtime, without PyTorch.

Networks of earlier versions have no `.onnx`. Where PyTorch is installed, it is made of their weights once, and kept in
the cache folder of the user.
"""

from __future__ import annotations

from pathlib import Path

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.core.files import make_folder, replace_file
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.engine import report
from puzzlelab.engine.kernel_cache import user_cache
from puzzlelab.nets import onnx_files
from puzzlelab.nets.card import ONNX, WEIGHTS, Card, card_path, read_card, stem_of
from puzzlelab.nets.onnx_files import OnnxNetwork
from puzzlelab.nets.onnx_model import OnnxModel, fitted


def load(path: Path, puzzle: Puzzle | None = None) -> tuple[OnnxModel, Card | None]:
    """Load a network, from the path of one of its files or from their stem; raises `BadFile`.

    A network of puzzlelab is for the puzzle on its card. One of another program has no card, and is for `puzzle`.
    """
    stem = stem_of(path)
    file = stem.with_name(stem.name + ONNX)
    card = read_card(card_path(path)) if card_path(path).exists() or not file.exists() else None
    network = onnx_files.read(file) if card is None or file.exists() else _converted(stem, card)
    if card is not None:
        card.check_hash(network.name, file)
        if network.card is not None and network.card.puzzle != card.puzzle:
            raise BadFile(
                f"{card_path(path)} is for {card.puzzle}, and the network beside it for {network.card.puzzle}"
            )
    card = card or network.card
    if card is not None:
        try:
            return OnnxModel(registry.load(card.puzzle), network), card
        except BadInput as error:
            raise BadFile(f"{card_path(path).name}: {error}") from None
    if puzzle is None:
        raise BadFile(f"{file} was not written by puzzlelab, so it does not say for which puzzle it is")
    return fitted(puzzle, network, file), None


def _converted(stem: Path, card: Card) -> OnnxNetwork:
    """A network of an earlier version, which has weights only; raises `BadFile`."""
    kept = user_cache() / "networks" / f"{card.name}{ONNX}"
    if kept.exists():
        try:
            network = onnx_files.read(kept)
            if network.name == card.name:
                return network
        except BadFile:
            pass  # it is made again
    weights = stem.with_name(stem.name + WEIGHTS)
    if not weights.exists():
        raise BadFile(f"cannot read {stem.name}{ONNX}: there is no such file")
    try:
        from puzzlelab.nets import checkpoint, onnx_export
    except ModuleNotFoundError as error:
        raise BadFile(
            f"{weights} was written by an earlier version of puzzlelab, and {error.name} is needed to convert it: "
            "pip install 'puzzlelab[learn]'"
        ) from None
    model, _ = checkpoint.load(weights)
    data = onnx_export.to_onnx(model, card)
    try:
        make_folder(kept.parent)
        replace_file(kept, data, durable=False)
    except OSError as error:
        report.note(f"{kept} cannot be written ({error.strerror}): {weights.name} will be converted again")
    return onnx_files.read_bytes(data, weights)
