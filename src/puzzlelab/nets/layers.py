"""Layers that several architectures use."""

from __future__ import annotations

from typing import TypeVar

from torch import Tensor, nn

from puzzlelab.nets.network import Activation, Initial

Layer = TypeVar("Layer", nn.Linear, nn.Conv2d)


def activation(name: Activation) -> nn.Module:
    """The activation function of this name."""
    kinds: dict[Activation, type[nn.Module]] = {"relu": nn.ReLU, "gelu": nn.GELU, "none": nn.Identity}
    return kinds[name]()


def linear(inputs: int, outputs: int, initial: Initial = "uniform", bias: bool = True) -> nn.Linear:
    """A dense layer with random weights."""
    return initialised(nn.Linear(inputs, outputs, bias), initial)


def initialised(layer: Layer, initial: Initial) -> Layer:
    """The same layer with random weights of this kind."""
    if initial == "he":
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    elif initial == "glorot":
        nn.init.xavier_uniform_(layer.weight)
    if layer.bias is not None and initial != "uniform":
        nn.init.zeros_(layer.bias)
    return layer


class ResidualBlock(nn.Module):
    """A layer with a skip connection: its output is added to its input."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, features: Tensor) -> Tensor:
        output: Tensor = features + self.layer(features)
        return output
