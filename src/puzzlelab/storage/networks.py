"""The interface to trained networks: finds one by name, and gives it to searches as an estimate and a prior.

A name is `net`, the best network that comes with the package for a puzzle, or `net:NAME`, where NAME is a file, a
folder of checkpoints, the name of a network of the package, or the beginning of the hash of one. `:averaged` at the end
evaluates the network on every mirror image of a board, and takes the mean. What evaluates networks is imported when
the first one is needed.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from puzzlelab import storage
from puzzlelab.core.errors import BadInput
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import NETWORK, is_network
from puzzlelab.core.views import Estimate, Prior, PriorAndEstimate, isomorphism_of
from puzzlelab.version import PACKAGE

SHELF = PACKAGE / "pretrained"
"""The folder of the networks that come with the package."""
OWN_SHELF = "PUZZLELAB_NETWORKS"
"""The environment variable that names a folder of the user's own networks; its processes inherit it."""
AVERAGED = ":averaged"
CACHED_NETWORKS = 16
"""The number of networks that are kept in memory."""
ESTIMATES, PRIORS = ("cost_to_go",), ("policy", "q")
"""The heads that give an estimate, and those that give a prior."""
VALUES = "q"
"""The head that gives an estimate too where its values count moves: the value of the best move."""
INSIDE = rf"=({NETWORK}(?::.*?)?)(?=:\w+=|$)"
"""Matches the name of a network in the text of a solver, such as `beam:estimate=net:NAME:width=5`."""
_moved: dict[str, str] = {}
"""The meaning of a name here: text between `net:` and `:averaged` -> the path of a copy; see `moved`."""


class Network(Protocol):
    """A trained network for one puzzle."""

    @property
    def name(self) -> str:
        """The hash of its weights: 16 hexadecimal digits."""

    @property
    def heads(self) -> tuple[str, ...]:
        """Its outputs: `policy`, `cost_to_go`, `q`."""

    @property
    def values_count_moves(self) -> bool:
        """Whether its head `q` predicts the negative number of moves to the goal, and not other rewards."""

    def estimate(self, averaged: bool = False) -> Estimate:
        """Return its cost-to-go as an estimate; raises `Unsupported` unless `is_estimate`."""

    def prior(self, averaged: bool = False) -> Prior:
        """Return its scores of moves as a prior; raises `Unsupported` for a network without such a head."""

    def both(self, averaged: bool = False) -> PriorAndEstimate:
        """Return its prior and its estimate, for searches that need both of every state."""


class NetworkSource(Protocol):
    """The source that finds networks by name."""

    def find(self, puzzle: Puzzle, name: str) -> Network:
        """Return the network of this name for a puzzle; an empty name means the puzzle's best one.

        Raises `BadInput`.
        """

    def files(self, puzzle: Puzzle, name: str) -> Mapping[str, bytes]:
        """Map the endings of the files of this network to their content; none if it comes with the package or a
        plug-in.
        """


def is_estimate(network: Network) -> bool:
    """Tell whether the network predicts the number of moves to the goal, by one of its heads."""
    heads = set(network.heads)
    return bool(heads & set(ESTIMATES)) or (VALUES in heads and network.values_count_moves)


def find(puzzle: Puzzle, name: str | None = None) -> Network:
    """Return the network of this name for this puzzle, such as `net:dust-8x6x5`; without a name, the puzzle's best one.

    Raises `BadInput` if there is none, or if the file is damaged.
    """
    text = parts(name)[0]
    return _load(puzzle, _moved.get(text, text))  # type: ignore[arg-type]  # every puzzle is hashable


@contextmanager
def moved(paths: Mapping[str, str]) -> Iterator[None]:
    """Let these names of networks mean these copies while it lasts: solvers keep the names that another machine
    knows.
    """
    before = dict(_moved)
    _moved.update(paths)
    try:
        yield
    finally:
        _moved.clear()
        _moved.update(before)


def files(puzzle: Puzzle, name: str) -> Mapping[str, bytes]:
    """Return the files of a network that another machine needs, by their endings; none if the package or a plug-in has
    it.

    Raises as `find` does.
    """
    return _source().files(puzzle, parts(name)[0])


def puzzles_of_networks(puzzle: Puzzle) -> tuple[Puzzle, ...]:
    """Return the puzzles whose networks this one can use: its own, then those of a puzzle to which it is isomorphic."""
    isomorphism = isomorphism_of(puzzle)
    return (puzzle,) if isomorphism is None else (puzzle, isomorphism.puzzle)


def shelves(puzzle: Puzzle) -> tuple[Path, ...]:
    """Return the folders of trained networks that this puzzle may use: of this package, its own package and the user.

    A network in the folder `pretrained` of a plug-in's package is NAME.onnx with its card NAME.json; its name is that
    of its puzzle, or that with a suffix.
    """
    packages = [type(usable).__module__.split(".") for usable in puzzles_of_networks(puzzle)]
    paths = [sys.modules[package].__file__ for package, *inner in packages if inner and package != PACKAGE.name]
    return (SHELF, *(Path(file).with_name("pretrained") for file in paths if file), *own_shelves())


def own_shelves() -> tuple[Path, ...]:
    """Return the folder of the user's own networks, if there is one."""
    folder = os.environ.get(OWN_SHELF)
    return (Path(folder),) if folder else ()


def cards(puzzle: Puzzle) -> dict[str, dict[str, Any]]:
    """Return the cards of the networks on its shelves that a puzzle can use, by name; the best of the package first.

    They are read here, because the module that loads networks imports what evaluates them.
    """
    paths = [path for shelf in shelves(puzzle) for path in sorted(shelf.glob("*.json"))]
    every = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in paths}
    names = [usable.name for usable in puzzles_of_networks(puzzle)]
    usable_cards = {name: card for name, card in every.items() if card.get("puzzle") in names}

    def order(item: tuple[str, dict[str, Any]]) -> tuple[int, bool]:
        return names.index(item[1]["puzzle"]), item[0] != item[1]["puzzle"]

    return dict(sorted(usable_cards.items(), key=order))


def missing(puzzle: Puzzle) -> str | None:
    """Return why the package has no network for this puzzle, as a sentence; None if it has one."""
    try:
        find(puzzle)
    except BadInput as error:
        return str(error)
    return None


def estimate(puzzle: Puzzle, name: str) -> Estimate:
    """Return the network of this name as an estimate."""
    return find(puzzle, name).estimate(parts(name)[1])


def prior(puzzle: Puzzle, name: str) -> Prior:
    """Return the network of this name as a prior."""
    return find(puzzle, name).prior(parts(name)[1])


def both(puzzle: Puzzle, name: str) -> PriorAndEstimate:
    """Return the network of this name as a prior and an estimate."""
    return find(puzzle, name).both(parts(name)[1])


def used(puzzle: Puzzle, options: Mapping[str, Any]) -> str | None:
    """Return the hash of the network that these options of a solver name, or None; several hashes are joined by `+`."""
    names = [find(puzzle, name).name for name in named(options)]
    return "+".join(names if len(set(names)) > 1 else names[:1]) or None


def named(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of networks in options, also in those of the solvers of a portfolio."""
    for value in options.values():
        if is_network(value):
            yield value
        elif isinstance(value, list | tuple):
            yield from (name for text in value for name in re.findall(INSIDE, str(text)))


def pinned(options: Mapping[str, Any], hashes: str) -> dict[str, Any]:
    """Return the options with each name of a network replaced by its hash; `hashes` is the result of `used`."""
    networks = [option for option, value in options.items() if is_network(value)]
    if not networks:
        return dict(options)
    names = hashes.split("+")
    exact = dict(zip(networks, names if len(names) > 1 else names * len(networks), strict=True))
    return {option: _exact(value, exact[option]) if option in exact else value for option, value in options.items()}


def _exact(name: str, digits: str) -> str:
    return f"{NETWORK}:{digits}{AVERAGED if parts(name)[1] else ''}"


def parts(name: str | None) -> tuple[str, bool]:
    """Return the text between `net:` and `:averaged`, and whether `:averaged` is there."""
    text = name or NETWORK
    return text.removesuffix(AVERAGED).removeprefix(NETWORK).removeprefix(":"), text.endswith(AVERAGED)


@lru_cache(maxsize=CACHED_NETWORKS)
def _load(puzzle: Puzzle, name: str) -> Network:
    return _source().find(puzzle, name)


def _source() -> NetworkSource:
    try:
        return storage.load_networks()
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("puzzlelab"):
            raise
        raise BadInput(f"networks need {error.name}, which is not installed: pip install {error.name}") from None
