"""A looped transformer over the cells of a board: a few layers of attention, made many times with the same weights.

Every cell is told which of its candidates are left, and in which row, column and box it lies; after each loop each of
its candidates has a logit for staying. It learns the symmetries of the board only from examples (the `augment` of its
recipe), and wants a graphics card. Source: "Lattice Deduction Transformer" (2026): 128 wide, 4 layers, 16 loops.

Shapes: B = boards, N = cells, D = digits, K = width.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn

from puzzlelab.core.errors import BadOption
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Candidates
from puzzlelab.nets.architectures.lattice import Reads, all_candidates, shape_of
from puzzlelab.nets.heads import Head
from puzzlelab.nets.network import NetworkSettings, Policy


class AttentionNetwork(nn.Module):
    """`bool[B, N * D]` through the loops to logits."""

    def __init__(self, settings: Attention, homes: NDArray[np.int64], digits: int) -> None:
        super().__init__()
        width = settings.width
        self.loops = settings.loops
        self.digits = digits
        self.marks = nn.Linear(digits, width)
        self.places = nn.ModuleList(nn.Embedding(digits, width) for _ in range(homes.shape[1]))
        self.homes: Tensor
        self.register_buffer("homes", torch.from_numpy(homes), persistent=False)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                width, settings.parts, settings.inner, 0.0, "gelu", batch_first=True, norm_first=True
            )
            for _ in range(settings.depth)
        )
        self.norm = nn.LayerNorm(width)
        self.answer = nn.Linear(width, digits)

    def forward(self, candidates: Tensor) -> dict[str, Tensor]:
        *_, last = self.each_round(candidates)
        return {"moves": self.logits(last)}

    def logits(self, features: Tensor) -> Tensor:
        """`float[B, N * D]` from the features after a loop."""
        found: Tensor = self.answer(self.norm(features)).float().reshape(len(features), -1)
        return found

    def each_round(self, candidates: Tensor) -> Iterator[Tensor]:
        """The features `float[B, N, K]` after each loop."""
        left = candidates.reshape(len(candidates), -1, self.digits).to(self.answer.weight.dtype)
        told = self.marks(left)
        for kind, embedding in enumerate(self.places):
            told = told + embedding(self.homes[:, kind])
        features = torch.zeros_like(told)
        for _ in range(self.loops):
            features = features + told
            for layer in self.layers:
                features = layer(features)
            yield features


class Attention(NetworkSettings):
    """`depth` layers of `width`, with attention in `parts` parts and `inner` units, made `loops` times."""

    portion: ClassVar[int] = 256

    kind: Literal["attention"]
    heads: tuple[Head, ...] = ("moves",)
    policy: Policy = "cells"
    reads: Reads = "candidates"
    width: int = Field(default=128, ge=1)
    depth: int = Field(default=4, ge=1)
    loops: int = Field(default=16, ge=1)
    parts: int = Field(default=4, ge=1)
    inner: int = Field(default=512, ge=1)

    @property
    def reads_candidates(self) -> bool:
        """Whether it was trained on candidates."""
        return self.reads == "candidates"

    def build(self, puzzle: Puzzle) -> AttentionNetwork:
        """The network for this puzzle, with random weights."""
        digits, _ = shape_of(puzzle, self)
        if self.width % self.parts:
            raise BadOption(f"attention of width {self.width} cannot be split into {self.parts} equal parts")
        return AttentionNetwork(self, _homes(puzzle), digits)

    def inputs(self, puzzle: Puzzle, states: State) -> tuple[NDArray[np.generic], ...]:
        """Every candidate of a blank cell, and the digit of any other."""
        return (all_candidates(puzzle, states),)


def _homes(puzzle: Puzzle) -> NDArray[np.int64]:
    """`int64[N, kinds of units]`: in which unit of each kind a cell lies."""
    view = puzzle.view(Candidates)
    assert view is not None  # see `shape_of`
    kinds = list(view.units.kinds.values())
    found = np.empty((kinds[0].size, len(kinds)), np.int64)
    for kind, units in enumerate(kinds):
        found[units.reshape(-1), kind] = np.repeat(np.arange(len(units)), units.shape[1])
    return found


ARCHITECTURE = Attention
