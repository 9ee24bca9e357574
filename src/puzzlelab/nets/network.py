"""What the settings of all architectures have in common, and how one is found by its kind."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import field_validator

from puzzlelab.core.errors import BadOption, UnknownName, Unsupported
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.settings import Settings
from puzzlelab.core.views import Planes
from puzzlelab.nets import architectures
from puzzlelab.nets.heads import Head

Policy = Literal["softmax", "binary", "cells"]
"""How scores of moves are meant: as logits of one choice among all, each for itself as 'this one, or not', or, for
puzzles with `Candidates`, of one choice in each cell.
"""
Activation = Literal["relu", "gelu", "none"]
Initial = Literal["uniform", "he", "glorot"]
"""Where the weights of dense layers begin: uniform within 1 / sqrt(inputs), or as He et al. (2015) or Glorot and Bengio
(2010) say. The first is the smallest; dust's network learned twice as fast from it, ten plain layers need a larger one.
"""


def planes_of(puzzle: Puzzle) -> Planes:
    """The puzzle's view for networks; raises `Unsupported`."""
    planes = puzzle.view(Planes)
    if planes is None:
        raise Unsupported(f"{puzzle.name} has no planes for networks")
    return planes


class NetworkSettings(Settings):
    """The settings that every architecture has."""

    portion: ClassVar[int] = 4096
    """States that are put through the network at once: more do not fit the processor's caches."""

    kind: str
    heads: tuple[Head, ...] = ("moves", "remaining")
    policy: Policy = "softmax"
    initial: Initial = "uniform"
    canonical: bool = False
    """Whether boards are shown as one of their images in the puzzle's symmetries, the same for all of them."""
    duelling: bool = False
    """Whether values of moves are made of one for the state and one for how much better each move is than the mean of
    all (Wang et al., 2016).
    """
    above: str = ""
    """An estimate of the puzzle that the network corrects: it learns how many moves more remain than that says, of the
    board or, for values of moves, of what they lead to. To begin so does the same for learning as a reward by a
    potential (Wiewiora, 2003).
    """

    @property
    def reads_candidates(self) -> bool:
        """Whether the network is given candidates `bool[B, N * D]`, and not only states."""
        return False

    @field_validator("heads")
    @classmethod
    def _different(cls, heads: tuple[Head, ...]) -> tuple[Head, ...]:
        if not heads or len(set(heads)) < len(heads):
            raise ValueError("name one or more of moves, remaining, q, each once")
        return heads


def kinds() -> list[str]:
    """The architectures that there are."""
    return sorted(module.name for module in pkgutil.iter_modules(architectures.__path__))


def read_network(values: Mapping[str, Any]) -> Any:
    """The architecture with these settings, of which `kind` names it; raises `UnknownName` or `BadOption`."""
    kind = values.get("kind")
    if not isinstance(kind, str):
        raise BadOption(f"a network needs a kind: one of {', '.join(kinds())}")
    if kind not in kinds():
        raise UnknownName("kind of network", kind, kinds())
    module = importlib.import_module(f"{architectures.__name__}.{kind}")
    return module.ARCHITECTURE(**values)
