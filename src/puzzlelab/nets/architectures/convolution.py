"""Small convolutional networks over the grid of the puzzle's planes, with a dense layer before the heads."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn

from puzzlelab.core.errors import Unsupported
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import GridPlanes
from puzzlelab.nets.heads import Heads
from puzzlelab.nets.layers import linear
from puzzlelab.nets.network import NetworkSettings, planes_of


class ConvolutionNetwork(nn.Module):
    """Convolutions over `float[B, F]` as planes of the grid, then a dense layer and the heads."""

    def __init__(self, grid: tuple[int, int], convolutions: nn.Sequential, dense: nn.Sequential, heads: Heads) -> None:
        super().__init__()
        self.grid, self.convolutions, self.dense, self.heads = grid, convolutions, dense, heads

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        image = planes.reshape(len(planes), *self.grid, -1).permute(0, 3, 1, 2)
        outputs: dict[str, Tensor] = self.heads(self.dense(self.convolutions(image)))
        return outputs


class Convolution(NetworkSettings):
    """`depth` convolutions with `channels` channels and a square kernel of `size`, then a dense layer of `width`."""

    kind: Literal["convolution"]
    channels: int = Field(default=64, ge=1)
    depth: int = Field(default=4, ge=1)
    size: int = Field(default=3, ge=1)
    width: int = Field(default=256, ge=1)

    def build(self, puzzle: Puzzle) -> ConvolutionNetwork:
        """The network for this puzzle, with random weights."""
        view = puzzle.view(GridPlanes)
        if view is None:
            raise Unsupported("convolutions need a puzzle whose planes are a grid")
        cells = view.grid[0] * view.grid[1]
        layers: list[nn.Module] = []
        planes = planes_of(puzzle).input_size // cells
        for _ in range(self.depth):
            layers += [nn.Conv2d(planes, self.channels, self.size, padding="same"), nn.ReLU()]
            planes = self.channels
        dense = nn.Sequential(nn.Flatten(), linear(planes * cells, self.width, self.initial), nn.ReLU())
        heads = Heads(self.width, puzzle.move_count, self.heads, self.dueling)
        return ConvolutionNetwork(view.grid, nn.Sequential(*layers), dense, heads)

    def inputs(self, puzzle: Puzzle, states: State) -> tuple[NDArray[np.generic], ...]:
        """The planes of the states."""
        return (planes_of(puzzle).planes(states),)


ARCHITECTURE = Convolution
