"""A looped transformer over the cells of a board: a few layers of attention, applied many times with the same weights.

The input of a cell is the mask of its remaining candidates, and the row, column and box that it lies in; after each
loop each of its candidates has a logit for staying. The network learns the symmetries of the board only from examples
(see `augment` of its recipe), and needs a GPU. Source: "Lattice Deduction Transformer" (2026): width 128, 4 layers, 16
loops.

Shapes: B = boards, N = cells, D = digits, K = width.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn

from puzzlelab.core.errors import BadOption
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.views import Candidates
from puzzlelab.nets.architectures.lattice import ReadsCandidates, shape_of
from puzzlelab.nets.layers import RoundsNetwork


class AttentionNetwork(RoundsNetwork):
    """Logits from candidates `bool[B, N * D]`."""

    def __init__(self, settings: Attention, unit_index: NDArray[np.int64], digits: int) -> None:
        super().__init__(settings.loops)
        width = settings.width
        self.digits = digits
        self.marks = nn.Linear(digits, width)
        self.places = nn.ModuleList(nn.Embedding(digits, width) for _ in range(unit_index.shape[1]))
        self.unit_index: Tensor
        self.register_buffer("unit_index", torch.from_numpy(unit_index), persistent=False)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                width, settings.parts, settings.inner, 0.0, "gelu", batch_first=True, norm_first=True
            )
            for _ in range(settings.depth)
        )
        self.norm = nn.LayerNorm(width)
        self.answer = nn.Linear(width, digits)

    def logits(self, features: Tensor) -> Tensor:
        """Return `float[B, N * D]` from the features after a loop."""
        output: Tensor = self.answer(self.norm(features)).float().flatten(1)
        return output

    def start(self, candidates: Tensor) -> tuple[Tensor, Tensor]:
        """Return the features `float[B, N, K]` before the first loop, which are 0, and the inputs of each loop."""
        mask = candidates.reshape(candidates.shape[0], -1, self.digits).to(self.answer.weight.dtype)
        inputs = self.marks(mask)
        for kind, embedding in enumerate(self.places):
            inputs = inputs + embedding(self.unit_index[:, kind])
        return torch.zeros_like(inputs), inputs

    def round(self, features: Tensor, inputs: Tensor) -> Tensor:
        """Return the features after one loop."""
        features = features + inputs
        for layer in self.layers:
            features = layer(features)
        return features


class Attention(ReadsCandidates):
    """`depth` layers of `width`, with `parts` attention heads and `inner` hidden units, applied `loops` times."""

    batch_size: ClassVar[int] = 256

    kind: Literal["attention"]
    width: int = Field(default=128, ge=1)
    depth: int = Field(default=4, ge=1)
    loops: int = Field(default=16, ge=1)
    parts: int = Field(default=4, ge=1)
    inner: int = Field(default=512, ge=1)

    def build(self, puzzle: Puzzle) -> AttentionNetwork:
        """Return the network for this puzzle, with random weights."""
        digits, _ = shape_of(puzzle, self)
        if self.width % self.parts:
            raise BadOption(f"attention of width {self.width} cannot be split into {self.parts} equal parts")
        return AttentionNetwork(self, _unit_index(puzzle), digits)


def _unit_index(puzzle: Puzzle) -> NDArray[np.int64]:
    """Return `int64[N, kinds of units]`: the unit of each kind (row, column, box) that a cell lies in."""
    view = puzzle.view(Candidates)
    assert view is not None  # see `shape_of`
    kinds = list(view.units.kinds.values())
    index = np.empty((kinds[0].size, len(kinds)), np.int64)
    for kind, units in enumerate(kinds):
        index[units.reshape(-1), kind] = np.repeat(np.arange(len(units)), units.shape[1])
    return index


ARCHITECTURE = Attention
