"""Multilayer perceptrons over the puzzle's planes, such as the 10 x 1500 and 5 x 1500 networks of the documents."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from pydantic import Field
from torch import Tensor, nn

from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets.form import planes_of
from puzzlelab.nets.layers import Heads, activation, linear
from puzzlelab.nets.network import Activation, NetworkSettings


class DenseNetwork(nn.Module):
    """A stack of layers over `float[B, F]`, with heads."""

    def __init__(self, layers: nn.Sequential, heads: Heads) -> None:
        super().__init__()
        self.layers, self.heads = layers, heads

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        outputs: dict[str, Tensor] = self.heads(self.layers(planes))
        return outputs


class Dense(NetworkSettings):
    """A network of `depth` layers of `width` units each."""

    kind: Literal["dense"]
    width: int = Field(default=512, ge=1)
    depth: int = Field(default=3, ge=1)
    activation: Activation = "relu"

    def build(self, puzzle: Puzzle) -> DenseNetwork:
        """Return the network for this puzzle, with random weights."""
        sizes = [planes_of(puzzle).input_size, *[self.width] * self.depth]
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise(sizes):
            layers += [linear(inputs, outputs, self.initial), activation(self.activation)]
        return DenseNetwork(nn.Sequential(*layers), Heads(self.width, puzzle.move_count, self.heads, self.dueling))


ARCHITECTURE = Dense
