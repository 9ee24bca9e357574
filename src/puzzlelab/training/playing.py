"""What recipes share that learn from games which they play themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from puzzlelab.core.errors import BadOption
from puzzlelab.experience.play import Play
from puzzlelab.nets.heads import Scalar
from puzzlelab.nets.network import read_network
from puzzlelab.training.exams import Figures
from puzzlelab.training.learner import Learner

BEGIN, TURN = 3, 4
"""The branches of the run's seed that make the first boards, and the moves and boards of each turn."""


def check(network: Mapping[str, Any], puzzle: Any, head: str) -> None:
    """Raise `BadInput` for a network that cannot be built for the puzzle, or lacks this head."""
    architecture = read_network(network)
    if head not in architecture.heads:
        raise BadOption(f"this recipe trains the head '{head}', and the network has {' and '.join(architecture.heads)}")
    architecture.build(puzzle)


def set_out(learner: Learner, middle: float, spread: float) -> None:
    """Let the network say `middle` at the beginning, and think in units of `spread`."""
    for module in (learner.model.module, learner.average):
        for part in module.modules():
            if isinstance(part, Scalar):
                part.middle.fill_(middle)
                part.spread.fill_(spread)


def figures(play: Play) -> Figures:
    """How the games went since this was asked last; then they are counted anew."""
    games, won, moves, guesses = play.tally.tolist()
    play.tally[:] = 0
    found: Figures = {"difficulty": play.starts.difficulty, "games": games}
    if games:
        found |= {"won": won / games, "length": moves / games, "guesses": guesses / games}
    return found


def tensors(parts: Mapping[str, Mapping[str, NDArray[Any]]]) -> dict[str, Tensor]:
    """Arrays of several parts, as tensors under names that tell the part."""
    return {
        f"{part}.{name}": torch.as_tensor(np.array(array))
        for part, arrays in parts.items()
        for name, array in arrays.items()
    }


def arrays(tensors: Mapping[str, Tensor], part: str) -> dict[str, NDArray[Any]]:
    """The arrays of one part."""
    prefix = f"{part}."
    return {name.removeprefix(prefix): value.numpy() for name, value in tensors.items() if name.startswith(prefix)}
