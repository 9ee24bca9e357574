"""Small convolutional networks over the grid of the puzzle's planes, with a dense layer or none before the heads.

Shapes: B = states, N = cells, K = planes of a cell.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator
from torch import Tensor, nn

from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets.form import InputName, grid_of, planes_of
from puzzlelab.nets.layers import Heads, initialised, linear
from puzzlelab.nets.network import NetworkSettings

Size = Annotated[int, Field(ge=1)]
BATCH_NORM_MOMENTUM, BATCH_NORM_EPSILON = 0.01, 1e-3
"""The defaults of Keras: the running statistics keep 99 % at each step."""


class ConvolutionNetwork(nn.Module):
    """Convolutions over `float[B, F]` as planes of the grid, then a dense layer or none, and the heads."""

    def __init__(self, grid: tuple[int, int], convolutions: nn.Sequential, dense: nn.Sequential, heads: Heads) -> None:
        super().__init__()
        self.grid, self.convolutions, self.dense, self.heads = grid, convolutions, dense, heads

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        image = planes.reshape(planes.shape[0], *self.grid, -1).permute(0, 3, 1, 2)
        outputs: dict[str, Tensor] = self.heads(self.dense(self.convolutions(image)))
        return outputs


class Convolution(NetworkSettings):
    """Convolutions that keep the size of the grid, then a dense layer of `width`."""

    kind: Literal["convolution"]
    planes: Literal["one_hot", "scaled"] = "one_hot"
    """The input of a cell: the puzzle's planes, or a single plane with the number of its symbol, scaled."""
    filters: tuple[Size, ...] = Field(default=(64, 64, 64, 64), min_length=1)
    """The number of filters (output channels) of each convolution."""
    kernels: tuple[Size, ...] = Field(default=(3,), min_length=1)
    """The side of the square kernel of each convolution, or of all of them."""
    norm: Literal["none", "batch"] = "none"
    """Batch: batch normalisation between two convolutions, after the activation (Ioffe and Szegedy, 2015)."""
    width: int = Field(default=256, ge=0)
    """The units of the dense layer; 0: the heads read the last convolution."""

    @field_validator("kernels")
    @classmethod
    def _one_for_each(cls, kernels: tuple[int, ...], known: ValidationInfo) -> tuple[int, ...]:
        if len(kernels) not in (1, len(known.data.get("filters", kernels))):
            raise ValueError(f"give one kernel, or one for each of the {len(known.data['filters'])} convolutions")
        return kernels

    def build(self, puzzle: Puzzle) -> ConvolutionNetwork:
        """Return the network for this puzzle, with random weights."""
        grid = grid_of(puzzle)
        cells = grid[0] * grid[1]
        features = self.filters[-1] * cells
        convolutions = self._convolutions(1 if self.planes == "scaled" else planes_of(puzzle).input_size // cells)
        dense: list[nn.Module] = [nn.Flatten()]
        if self.width:
            dense += [linear(features, self.width, self.initial), nn.ReLU()]
        heads = Heads(self.width or features, puzzle.move_count, self.heads, self.dueling)
        return ConvolutionNetwork(grid, convolutions, nn.Sequential(*dense), heads)

    def _convolutions(self, planes: int) -> nn.Sequential:
        layers: list[nn.Module] = []
        kernels = self.kernels if len(self.kernels) > 1 else self.kernels * len(self.filters)
        for filters, kernel in zip(self.filters, kernels, strict=True):
            if layers and self.norm == "batch":
                layers.append(nn.BatchNorm2d(planes, BATCH_NORM_EPSILON, BATCH_NORM_MOMENTUM))
            layers += [initialised(nn.Conv2d(planes, filters, kernel, padding="same"), self.initial), nn.ReLU()]
            planes = filters
        return nn.Sequential(*layers)

    @property
    def input_names(self) -> tuple[InputName, ...]:
        """The planes of the states, or one number a cell."""
        return ("scaled_planes",) if self.planes == "scaled" else ("planes",)


ARCHITECTURE = Convolution
