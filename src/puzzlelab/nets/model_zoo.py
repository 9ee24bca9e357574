"""Finds networks by name: those of the package, files, and the folders of training runs.

A network may serve another puzzle too, to which its own is isomorphic. Shapes: M = number of moves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput, PuzzlelabError, UnknownName
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Estimate, Isomorphism, Prior, PriorAndEstimate, isomorphism_of
from puzzlelab.engine import installed
from puzzlelab.nets import onnx_model, run_networks
from puzzlelab.nets.card import CARD, ENDINGS, ONNX, WEIGHTS, Card, content_of, file_of, read_card
from puzzlelab.nets.onnx_weights import read_whole
from puzzlelab.nets.run_networks import CHAMPION, NETS
from puzzlelab.storage.networks import SHELF, Network, own_shelves, puzzles_of_networks, shelves

SAVED_STATE = re.compile(r"state-\d+")
"""The names of the saved states of a run, without their ending."""
MIN_HASH_DIGITS = 4
"""Digits of a hash that are enough to name a network."""


@cache
def shipped(folder: Path = SHELF) -> dict[str, Card]:
    """Return the cards of the networks in this folder, by name: the puzzle's, or with a suffix."""
    return {path.stem: read_card(path) for path in sorted(folder.glob(f"*{CARD}"))}


def find(puzzle: Puzzle, name: str) -> Network:
    """Return the network of this name for a puzzle; an empty name means the best one that comes with the package.

    A network of a puzzle to which this one is isomorphic is evaluated on the images of boards.

    Raises `BadInput` where there is none, or where it is for another puzzle, and `BadFile`.
    """
    path = path_of(puzzle, name)
    try:
        model, card = onnx_model.load(path, puzzle)
    except BadFile as error:
        if path.parent.name == NETS and (path.parent.parent / CHAMPION).exists():
            raise BadFile(run_networks.advised(path.parent.parent, path.name, error)) from None
        raise
    if card is None or card.puzzle == puzzle.name:
        return model
    isomorphism = isomorphism_of(puzzle)
    if isomorphism is None or card.puzzle != isomorphism.puzzle.name:
        raise BadInput(f"the network {name or card.name} is for {card.puzzle}, not for {puzzle.name}")
    return TransferredNetwork(model, isomorphism)


def files(puzzle: Puzzle, name: str) -> Mapping[str, bytes]:
    """Map the endings of the files of this network to their content; none if it comes with the package or a plug-in.

    A path is another one on another machine, so that a network with a path has files wherever it is. Raises `BadInput`.
    """
    path = path_of(puzzle, name)
    if path.parent in set(shelves(puzzle)) - set(own_shelves()) and name == Path(name).name:
        return {}
    return _contents(path)


def _contents(path: Path) -> dict[str, bytes]:
    """Map the endings of the files of a network to their content; weights in a further file are in the first one."""
    contents = {ONNX: read_whole(file_of(path, ONNX))}
    if file_of(path, CARD).exists():
        contents[CARD] = content_of(file_of(path, CARD))
    return contents


def copy_to(folder: Path, name: str) -> tuple[str, Card]:
    """Copy a network with its card to a folder of the user's networks; return its name there, and the card.

    The name is that of the run's folder or of the file, with digits of the hash where another network has that name.
    Raises `BadInput` for a network without a card, which does not say what puzzle it is for, and `BadFile`.
    """
    path = path_anywhere(name)
    card = read_card(path)
    puzzle = registry.load(card.puzzle)
    onnx_model.load(path, puzzle)  # a damaged file is refused here, and not on the page
    stem = path.parent.parent.resolve().name if path.parent.name == NETS else file_of(path, CARD).stem
    if any(shelf.joinpath(stem + CARD).exists() for shelf in (*shelves(puzzle), folder)):
        stem += f"-{card.name[:MIN_HASH_DIGITS]}"
    for ending, content in _contents(path).items():
        folder.joinpath(stem + ending).write_bytes(content)
    return stem, card


def path_of(puzzle: Puzzle, name: str) -> Path:
    """Return the path of the network of this name; an empty name means the best one that comes with the package."""
    folders = shelves(puzzle)
    if name:
        return path_of_name(name, folders)
    names = [usable.name for usable in puzzles_of_networks(puzzle)]
    paths = [folder / name for name in names for folder in folders if name in shipped(folder)]
    if not paths:
        raise BadInput(_no_network(puzzle))
    return paths[0]


def path_anywhere(name: str) -> Path:
    """Return the path of the network of this name, without a puzzle: it may come with the plug-in of a family."""
    family = name.partition("-")[0]
    names = registry.family(family).names if family in registry.families() else ()
    folders = [folder for each in names for folder in shelves(registry.load(each))]
    return path_of_name(name, tuple(dict.fromkeys([SHELF, *folders])))


def path_of_name(name: str, folders: Sequence[Path] = (SHELF,)) -> Path:
    """Return the path of the network of this name, which is not empty, in one of these folders, or a file elsewhere.

    Behind the folder of a run and a colon may follow which network of it is meant, as in `runs/mine:best`.
    """
    cards: dict[Path, Card] = {folder / stem: card for folder in folders for stem, card in shipped(folder).items()}
    for place in cards:
        if place.name == name:
            return place
    path = Path(name)
    if path.is_dir():
        return in_folder(path)
    if path.suffix == WEIGHTS and SAVED_STATE.fullmatch(path.stem) and path.exists():
        raise BadInput(f"{path} is a saved state, with which training continues, and no network: name {path.parent}")
    if path.suffix in ENDINGS or file_of(path, CARD).exists():
        return path
    if path.exists():
        raise BadInput(f"{path} is no network: its name ends neither in {ONNX} nor in {WEIGHTS}")
    folder, _, which = name.rpartition(":")
    if folder and Path(folder).is_dir():
        return Path(folder) / NETS / run_networks.named(Path(folder), which)
    found = [place for place, card in cards.items() if len(name) >= MIN_HASH_DIGITS and card.name.startswith(name)]
    if len(found) != 1:
        raise UnknownName("network", name, [place.name for place in cards])
    return found[0]


def _no_network(puzzle: Puzzle) -> str:
    folders = (SHELF, *_shelves_of_plugins())
    others = ", ".join(sorted({card.puzzle for folder in folders for card in shipped(folder).values()}))
    return f"no network for {puzzle.name} comes with the package{f', only for {others}' if others else ''}: name a file"


@cache
def _shelves_of_plugins() -> tuple[Path, ...]:
    """Return the folders of the networks that installed plug-ins bring."""
    folders: list[Path] = []
    for _, family in installed.families():
        for name in family.names:
            with suppress(PuzzlelabError):
                folders += shelves(registry.load(name))
    return tuple(dict.fromkeys(folder for folder in folders if folder != SHELF))


def in_folder(folder: Path) -> Path:
    """Return the network that a folder stands for: the champion of a run, or the folder's only network."""
    name = run_networks.name_in(folder / CHAMPION)
    if name is not None:
        return folder / NETS / name
    stems = {path.with_suffix("") for end in (WEIGHTS, ONNX) for path in folder.glob(f"*{end}")}
    named = sorted(stem for stem in stems if file_of(stem, CARD).exists())
    if len(named) != 1:
        raise BadInput(f"{folder} holds no champion, and {len(named)} networks: name one of its files")
    return named[0]


@dataclass(frozen=True, eq=False)
class TransferredNetwork:
    """A network for the images of boards in its own puzzle, to which another one is isomorphic.

    Its prior has no `candidate_logits`.
    """

    network: Network
    isomorphism: Isomorphism

    @property
    def name(self) -> str:
        """The hash of the weights."""
        return self.network.name

    @property
    def heads(self) -> tuple[str, ...]:
        """The outputs of the network."""
        return self.network.heads

    @property
    def values_count_moves(self) -> bool:
        """Whether the values of moves of the network count moves."""
        return self.network.values_count_moves

    def estimate(self, averaged: bool = False) -> Estimate:
        """Return the cost-to-go of the image of a board."""
        estimate = self.network.estimate(averaged)
        image_scores = estimate.scores
        assert image_scores is not None  # a network is no kernel
        return replace(estimate, scores=lambda states: np.asarray(image_scores(self.isomorphism.states_of(states))))

    def prior(self, averaged: bool = False) -> Prior:
        """Return the scores of moves on the image of a board."""
        prior = self.network.prior(averaged)

        def scores(states: State) -> NDArray[Any]:
            image_scores = np.asarray(prior.scores(self.isomorphism.states_of(states)))
            return image_scores[:, self.isomorphism.moves]

        return replace(prior, scores=scores, candidate_logits=None, reads_candidates=False)

    def both(self, averaged: bool = False) -> PriorAndEstimate:
        """Return the prior and the estimate; they are computed together where those of the network are."""
        prior, estimate, image_scores = self.prior(averaged), self.estimate(averaged), self.network.both(averaged).both
        if image_scores is None:
            return PriorAndEstimate(prior, estimate)

        def scores(states: State) -> tuple[NDArray[Any], NDArray[Any]]:
            priors, estimates = image_scores(self.isomorphism.states_of(states))
            return np.asarray(priors)[:, self.isomorphism.moves], estimates

        return PriorAndEstimate(prior, estimate, scores)
