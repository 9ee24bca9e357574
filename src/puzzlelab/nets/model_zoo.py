"""Finds networks by name: those that come with the package, files, and the folders of training runs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from puzzlelab.core.errors import BadInput, UnknownName
from puzzlelab.core.networks import SHELF
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets import checkpoint
from puzzlelab.nets.checkpoint import CARD, WEIGHTS, Card
from puzzlelab.nets.device import device, one_thread
from puzzlelab.nets.model import Model

CHAMPION = "champion"
"""The file in the folder of a run that names its best network."""
NETS = "nets"
"""The folder in it of all that it kept."""
SHORTEST = 4
"""Digits of a hash that are enough to name a network."""


@cache
def shipped() -> dict[str, Card]:
    """The cards of the networks that come with the package, by name: the puzzle's, or with a word behind it."""
    return {path.stem: checkpoint.read_card(path) for path in sorted(SHELF.glob(f"*{CARD}"))}


def find(puzzle: Puzzle, name: str) -> Model:
    """The network of this name for a puzzle; with an empty name, the best one that comes with the package.

    Raises `BadInput` where there is none, or where it is for another puzzle, and `BadFile`.
    """
    one_thread()
    model, card = checkpoint.load(path_of(puzzle, name), device())
    if card.puzzle != puzzle.name:
        raise BadInput(f"the network {name or card.name} is for {card.puzzle}, not for {puzzle.name}")
    return model


def path_of(puzzle: Puzzle, name: str) -> Path:
    """Where the network of this name lies."""
    known = shipped()
    if not name:
        if puzzle.name not in known:
            raise BadInput(_none(puzzle))
        return SHELF / puzzle.name
    if name in known:
        return SHELF / name
    path = Path(name)
    if path.is_dir():
        return in_folder(path)
    if path.suffix in (WEIGHTS, CARD) or path.with_name(path.name + CARD).exists():
        return path
    hashes = [stem for stem, card in known.items() if len(name) >= SHORTEST and card.name.startswith(name)]
    if len(hashes) != 1:
        raise UnknownName("network", name, known)
    return SHELF / hashes[0]


def _none(puzzle: Puzzle) -> str:
    others = ", ".join(sorted({card.puzzle for card in shipped().values()}))
    return f"no network for {puzzle.name} comes with the package{f', only for {others}' if others else ''}: name a file"


def in_folder(folder: Path) -> Path:
    """The network that a folder stands for: the champion of a run, or the only one that lies there."""
    champion = folder / CHAMPION
    if champion.exists():
        return folder / NETS / champion.read_text(encoding="utf-8").strip()
    found = [path for path in sorted(folder.glob(f"*{WEIGHTS}")) if checkpoint.card_path(path).exists()]
    if len(found) != 1:
        raise BadInput(f"{folder} holds no champion, and {len(found)} networks: name one of its files")
    return found[0]
