"""Heads: the output layers of all networks, which compute in full precision.

Shapes: B = states, D = features, M = number of moves.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from puzzlelab.nets.form import Head


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
        with torch.autocast(features.device.type, enabled=False):
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
