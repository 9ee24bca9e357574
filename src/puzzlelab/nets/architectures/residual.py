"""Residual multilayer perceptrons: each block of two layers is added to its input (He et al., 2016)."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field
from torch import nn

from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets.architectures.dense import DenseNetwork
from puzzlelab.nets.form import planes_of
from puzzlelab.nets.layers import BatchNorm, Heads, ResidualBlock, activation, linear
from puzzlelab.nets.network import Activation, NetworkSettings


class Residual(NetworkSettings):
    """A first layer to `width`, then `blocks` blocks; each narrows to `inner` units and widens again.

    The topology of DeepCubeA (Agostinelli et al., 2019) is `stem=[5000] width=1000 blocks=4 norm="batch"`.
    """

    kind: Literal["residual"]
    stem: tuple[Annotated[int, Field(ge=1)], ...] = ()
    """The units of the layers before the one of `width`."""
    width: int = Field(default=512, ge=1)
    inner: int | None = Field(default=None, ge=1)
    blocks: int = Field(default=2, ge=0)
    activation: Activation = "relu"
    norm: Literal["layer", "batch"] = "layer"
    """Layer: layer normalisation at the start of a block, whose output is added as it is. Batch: batch normalisation
    after every layer, and the activation after the sum, as in He et al. (2016).
    """

    def build(self, puzzle: Puzzle) -> DenseNetwork:
        """Return the network for this puzzle, with random weights."""
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise([planes_of(puzzle).input_size, *self.stem, self.width]):
            layers += [*self._layer(inputs, outputs), activation(self.activation)]
        for _ in range(self.blocks):
            layers += self._block()
        return DenseNetwork(nn.Sequential(*layers), Heads(self.width, puzzle.move_count, self.heads, self.dueling))

    def _layer(self, inputs: int, outputs: int) -> list[nn.Module]:
        layer = linear(inputs, outputs, self.initial)
        return [layer, BatchNorm(outputs)] if self.norm == "batch" else [layer]

    def _block(self) -> list[nn.Module]:
        inner = self.inner or self.width
        first = [*self._layer(self.width, inner), activation(self.activation)]
        if self.norm == "batch":
            return [ResidualBlock(nn.Sequential(*first, *self._layer(inner, self.width))), activation(self.activation)]
        last = linear(inner, self.width)
        nn.init.zeros_(last.weight)  # so that a new block is the identity
        return [ResidualBlock(nn.Sequential(nn.LayerNorm(self.width), *first, last))]


ARCHITECTURE = Residual
