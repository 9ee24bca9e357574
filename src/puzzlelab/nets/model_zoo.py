"""Finds networks by name: those of the package, files, and the folders of training runs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from puzzlelab.core.errors import BadInput, UnknownName
from puzzlelab.core.networks import SHELF, Network, puzzles_of_networks
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.views import Isomorphism
from puzzlelab.nets import checkpoint
from puzzlelab.nets.checkpoint import CARD, WEIGHTS, Card
from puzzlelab.nets.device import device, use_one_thread
from puzzlelab.nets.transferred import TransferredNetwork

CHAMPION = "champion"
"""The file in the folder of a run that names its best network."""
NETS = "nets"
"""The folder of the networks of a run."""
MIN_HASH_DIGITS = 4
"""Digits of a hash that are enough to name a network."""


@cache
def shipped() -> dict[str, Card]:
    """The cards of the networks that come with the package, by name: the puzzle's, or with a suffix."""
    return {path.stem: checkpoint.read_card(path) for path in sorted(SHELF.glob(f"*{CARD}"))}


def find(puzzle: Puzzle, name: str) -> Network:
    """The network of this name for a puzzle; an empty name means the best one that comes with the package.

    A network of a puzzle to which this one is isomorphic is evaluated on the images of boards.

    Raises `BadInput` where there is none, or where it is for another puzzle, and `BadFile`.
    """
    use_one_thread()
    model, card = checkpoint.load(path_of(puzzle, name), device())
    if card.puzzle == puzzle.name:
        return model
    isomorphism = puzzle.view(Isomorphism)
    if isomorphism is None or card.puzzle != isomorphism.puzzle.name:
        raise BadInput(f"the network {name or card.name} is for {card.puzzle}, not for {puzzle.name}")
    return TransferredNetwork(model, isomorphism)


def path_of(puzzle: Puzzle, name: str) -> Path:
    """The path of the network of this name; an empty name means the best one that comes with the package."""
    if name:
        return path_of_name(name)
    cards = shipped()
    names = [usable.name for usable in puzzles_of_networks(puzzle) if usable.name in cards]
    if not names:
        raise BadInput(_no_network(puzzle))
    return SHELF / names[0]


def path_of_name(name: str) -> Path:
    """The path of the network of this name, which is not empty, for any puzzle."""
    cards = shipped()
    if name in cards:
        return SHELF / name
    path = Path(name)
    if path.is_dir():
        return in_folder(path)
    if path.suffix in (WEIGHTS, CARD) or path.with_name(path.name + CARD).exists():
        return path
    stems = [stem for stem, card in cards.items() if len(name) >= MIN_HASH_DIGITS and card.name.startswith(name)]
    if len(stems) != 1:
        raise UnknownName("network", name, cards)
    return SHELF / stems[0]


def _no_network(puzzle: Puzzle) -> str:
    others = ", ".join(sorted({card.puzzle for card in shipped().values()}))
    return f"no network for {puzzle.name} comes with the package{f', only for {others}' if others else ''}: name a file"


def in_folder(folder: Path) -> Path:
    """The network that a folder stands for: the champion of a run, or the folder's only network."""
    champion = folder / CHAMPION
    if champion.exists():
        return folder / NETS / champion.read_text(encoding="utf-8").strip()
    paths = [path for path in sorted(folder.glob(f"*{WEIGHTS}")) if checkpoint.card_path(path).exists()]
    if len(paths) != 1:
        raise BadInput(f"{folder} holds no champion, and {len(paths)} networks: name one of its files")
    return paths[0]
