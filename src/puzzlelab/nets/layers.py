"""Layers that several architectures use, and the output layers of all networks, which compute in full precision.

Shapes: B = states, D = features, M = number of moves.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TypeVar

import torch
from torch import Tensor, nn

from puzzlelab.core.errors import BadOption
from puzzlelab.nets.form import Head
from puzzlelab.nets.network import Activation, Initial, NetworkSettings


class Scalar(nn.Module):
    """A linear layer whose outputs have an offset and a scale: `offset + scale * linear(features)`."""

    def __init__(self, features: int, outputs: int = 1) -> None:
        super().__init__()
        self.linear = nn.Linear(features, outputs)
        nn.init.zeros_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)
        self.offset: Tensor
        self.scale: Tensor
        self.register_buffer("offset", torch.zeros(()))
        self.register_buffer("scale", torch.ones(()))

    def fit(self, values: Tensor) -> None:
        """Initialise the output's mean and standard deviation to those of `values`."""
        self.offset.copy_(values.mean())
        self.scale.copy_(values.std().clamp(min=1e-3))

    def forward(self, features: Tensor) -> Tensor:
        kind = features.device.type
        with torch.autocast(kind, enabled=False) if torch.is_autocast_enabled(kind) else nullcontext():
            output: Tensor = self.offset + self.scale * self.linear(features.float())
        return output


class Logits(nn.Linear):
    """A linear layer whose outputs are logits of moves."""


def head(name: Head, move_features: int, state_features: int, moves: int) -> nn.Module:
    """Return the output layer of this name: `cost_to_go` reads `state_features`, the other heads `move_features`."""
    if name == "cost_to_go":
        return Scalar(state_features)
    return Scalar(move_features, moves) if name == "q" else Logits(move_features, moves)


def dueling_q(value: Tensor, advantages: Tensor) -> Tensor:
    """Return values of moves `[B, M]` from the value of the state `[B]` and the advantages `[B, M]`, less their mean.

    Source: Wang et al., "Dueling network architectures for deep reinforcement learning" (2016).
    """
    return value[:, None] + advantages - advantages.mean(dim=1, keepdim=True)


class Heads(nn.Module):
    """All heads of a network, over the same features `[B, D]`."""

    def __init__(self, features: int, moves: int, names: tuple[Head, ...], dueling: bool = False) -> None:
        super().__init__()
        self.names = names
        self.each = nn.ModuleDict({name: head(name, features, features, moves) for name in names})
        self.value = Scalar(features) if dueling and "q" in names else None

    def forward(self, features: Tensor) -> dict[str, Tensor]:
        outputs: dict[str, Tensor] = {name: self.each[name](features).float() for name in self.names}
        if self.value is not None:
            outputs["q"] = dueling_q(self.value(features).squeeze(-1), outputs["q"])
        if "cost_to_go" in outputs:
            outputs["cost_to_go"] = outputs["cost_to_go"].squeeze(-1)
        return outputs


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
    kinds: dict[Activation, type[nn.Module]] = {
        "relu": nn.ReLU,
        "gelu": nn.GELU,
        "tanh": nn.Tanh,
        "sigmoid": nn.Sigmoid,
        "softplus": nn.Softplus,
        "none": nn.Identity,
    }
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
    parts = [part for part in module.modules() if isinstance(part, Scalar | Logits)]
    outputs = [part.linear if isinstance(part, Scalar) else part for part in parts]
    if not outputs:
        raise BadOption(f"a network of the kind '{settings.kind}' has no output layer for 'output_initial'")
    for layer in outputs:
        initialise(layer, settings.output_initial)


class BatchNorm(nn.BatchNorm1d):
    """Batch normalisation of features `[B, D]`. A single state, which has no deviation, gets the running statistics."""

    def forward(self, features: Tensor) -> Tensor:
        if self.training and len(features) == 1:
            return nn.functional.batch_norm(
                features, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps
            )
        return super().forward(features)


class ResidualBlock(nn.Module):
    """A layer with a skip connection: its output is added to its input."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, features: Tensor) -> Tensor:
        output: Tensor = features + self.layer(features)
        return output
