"""Residual multilayer perceptrons: each block of two layers is added to its input (He et al., 2016)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from torch import nn

from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets.architectures.dense import DenseNetwork
from puzzlelab.nets.form import planes_of
from puzzlelab.nets.layers import Heads, ResidualBlock, activation, linear
from puzzlelab.nets.network import Activation, NetworkSettings


class Residual(NetworkSettings):
    """A first layer to `width`, then `blocks` blocks; each narrows to `inner` units and widens again."""

    kind: Literal["residual"]
    width: int = Field(default=512, ge=1)
    inner: int | None = Field(default=None, ge=1)
    blocks: int = Field(default=2, ge=0)
    activation: Activation = "relu"

    def build(self, puzzle: Puzzle) -> DenseNetwork:
        """Return the network for this puzzle, with random weights."""
        layers = [linear(planes_of(puzzle).input_size, self.width, self.initial), activation(self.activation)]
        layers += [self._block() for _ in range(self.blocks)]
        return DenseNetwork(nn.Sequential(*layers), Heads(self.width, puzzle.move_count, self.heads, self.dueling))

    def _block(self) -> nn.Module:
        inner = self.inner or self.width
        last = linear(inner, self.width)
        nn.init.zeros_(last.weight)  # so that a new block is the identity
        return ResidualBlock(
            nn.Sequential(
                nn.LayerNorm(self.width), linear(self.width, inner, self.initial), activation(self.activation), last
            )
        )


ARCHITECTURE = Residual
