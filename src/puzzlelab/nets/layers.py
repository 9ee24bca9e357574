"""Layers that several architectures use."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TypeGuard, TypeVar

from torch import Tensor, nn

from puzzlelab.core.errors import BadOption
from puzzlelab.nets.heads import Logits, Scalar
from puzzlelab.nets.network import Activation, Initial, NetworkSettings

Layer = TypeVar("Layer", nn.Linear, nn.Conv2d)


class RoundsNetwork(nn.Module):
    """A network that applies the same layers again and again. Shapes: B = boards, N = cells, D = digits."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds = rounds

    def forward(self, candidates: Tensor) -> dict[str, Tensor]:
        *_, last = self.each_round(candidates)
        return {"policy": self.logits(last)}

    def each_round(self, candidates: Tensor) -> Iterator[Tensor]:
        """Yield the features after each round, for candidates `bool[B, N * D]`."""
        features, inputs = self.start(candidates)
        for _ in range(self.rounds):
            features = self.round(features, inputs)
            yield features

    @abstractmethod
    def start(self, candidates: Tensor) -> tuple[Tensor, Tensor]:
        """Return the features before the first round, and the inputs of each round."""

    @abstractmethod
    def round(self, features: Tensor, inputs: Tensor) -> Tensor:
        """Return the features after one round more."""

    @abstractmethod
    def logits(self, features: Tensor) -> Tensor:
        """Return `float[B, N * D]` from the features after a round."""


def activation(name: Activation) -> nn.Module:
    """Return the activation function of this name."""
    kinds: dict[Activation, type[nn.Module]] = {"relu": nn.ReLU, "gelu": nn.GELU, "none": nn.Identity}
    return kinds[name]()


def linear(inputs: int, outputs: int, initial: Initial = "uniform", bias: bool = True) -> nn.Linear:
    """Return a dense layer with random weights."""
    return initialised(nn.Linear(inputs, outputs, bias), initial)


def initialised(layer: Layer, initial: Initial) -> Layer:
    """Initialise a layer with random weights of this kind; returns it."""
    if initial != "uniform":
        initialise(layer, initial)
    return layer


def initialise(layer: nn.Linear | nn.Conv2d, initial: Initial) -> None:
    """Draw the weights of a layer anew; with He's or Glorot's weights its biases are zero."""
    if initial == "he":
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    elif initial == "glorot":
        nn.init.xavier_uniform_(layer.weight)
    else:
        layer.reset_parameters()
    if layer.bias is not None and initial != "uniform":
        nn.init.zeros_(layer.bias)


def initialise_outputs(module: nn.Module, settings: NetworkSettings) -> None:
    """Draw the weights of a new network's output layers as the settings say; raises `BadOption` if it has none."""
    if settings.output_initial is None:
        return
    outputs = [part.linear if isinstance(part, Scalar) else part for part in module.modules() if _is_output(part)]
    if not outputs:
        raise BadOption(f"a network of the kind '{settings.kind}' has no output layer for 'output_initial'")
    for layer in outputs:
        initialise(layer, settings.output_initial)


def _is_output(part: nn.Module) -> TypeGuard[Scalar | Logits]:
    return isinstance(part, Scalar | Logits)


class ResidualBlock(nn.Module):
    """A layer with a skip connection: its output is added to its input."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, features: Tensor) -> Tensor:
        output: Tensor = features + self.layer(features)
        return output
