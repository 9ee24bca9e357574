"""A small MLP-Mixer: layers over the features of each cell take turns with layers over the cells.

Source: Tolstikhin et al., "MLP-Mixer" (2021). Shapes: B = boards, N = cells, K = planes of a cell, W = width.
"""

from typing import Literal

from pydantic import Field
from torch import Tensor, nn

from puzzlelab import Puzzle
from puzzlelab.nets.form import grid_of, planes_of
from puzzlelab.nets.layers import Heads
from puzzlelab.nets.network import NetworkSettings


class Block(nn.Module):
    """A layer over the cells and one over the features, each added to its input."""

    def __init__(self, cells: int, width: int) -> None:
        super().__init__()
        self.over_cells = nn.Sequential(nn.LayerNorm(width), Swap(), nn.Linear(cells, cells), nn.GELU(), Swap())
        self.over_features = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU())

    def forward(self, features: Tensor) -> Tensor:
        """Return `float[B, N, W]` for `float[B, N, W]`."""
        features = features + self.over_cells(features)
        output: Tensor = features + self.over_features(features)
        return output


class Swap(nn.Module):
    """Exchanges cells and features."""

    def forward(self, features: Tensor) -> Tensor:
        """Return `[B, W, N]` for `[B, N, W]`, or the other way round."""
        return features.transpose(1, 2)


class MixerNetwork(nn.Module):
    """The network for one puzzle."""

    def __init__(self, cells: int, planes: int, width: int, blocks: int, heads: Heads) -> None:
        super().__init__()
        self.cells = cells
        self.first = nn.Linear(planes, width)
        self.blocks = nn.Sequential(*(Block(cells, width) for _ in range(blocks)))
        self.heads = heads

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        """Return the outputs by the names of the heads for `planes: float[B, N * K]`."""
        features = self.first(planes.reshape(planes.shape[0], self.cells, -1))
        outputs: dict[str, Tensor] = self.heads(self.blocks(features).flatten(1))
        return outputs


class Mixer(NetworkSettings):
    """`blocks` blocks of `width` features for each cell; every field is a setting, such as `network.width=64`."""

    kind: Literal["mixer"]
    width: int = Field(default=32, ge=1)
    blocks: int = Field(default=2, ge=1)

    def build(self, puzzle: Puzzle) -> MixerNetwork:
        """Return the network for this puzzle, with random weights; raises `Unsupported` for one without a grid."""
        rows, columns = grid_of(puzzle)
        cells = rows * columns
        heads = Heads(cells * self.width, puzzle.move_count, self.heads, self.dueling)
        return MixerNetwork(cells, planes_of(puzzle).input_size // cells, self.width, self.blocks, heads)
