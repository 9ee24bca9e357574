"""What stands at the end of every network: the answers that are asked of it, in full precision.

Shapes: B = states, D = features, M = number of moves.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

Head = Literal["moves", "remaining", "q"]
"""Scores of moves, remaining moves, values of moves."""


class Scalar(nn.Module):
    """One number a state, in the units of what it was fitted to: `middle + spread * (linear of the features)`."""

    def __init__(self, features: int, answers: int = 1) -> None:
        super().__init__()
        self.linear = nn.Linear(features, answers)
        nn.init.zeros_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)
        self.middle: Tensor
        self.spread: Tensor
        self.register_buffer("middle", torch.zeros(()))
        self.register_buffer("spread", torch.ones(()))

    def fit(self, values: Tensor) -> None:
        """Set out from the mean and the spread of such values, so that learning need not find them."""
        self.middle.copy_(values.mean())
        self.spread.copy_(values.std().clamp(min=1e-3))

    def forward(self, features: Tensor) -> Tensor:
        with torch.autocast(features.device.type, enabled=False):
            found: Tensor = self.middle + self.spread * self.linear(features.float())
        return found


def head(name: Head, shared: int, features: int, moves: int) -> nn.Module:
    """The layer that answers: for `moves` from `shared` features, for the remaining moves from `features`."""
    if name == "remaining":
        return Scalar(features)
    return Scalar(shared, moves) if name == "q" else nn.Linear(shared, moves)


def duel(value: Tensor, advantages: Tensor) -> Tensor:
    """Values of moves `[B, M]` from the value of the state `[B]` and how much better each move is than the mean."""
    return value[:, None] + advantages - advantages.mean(dim=1, keepdim=True)


class Heads(nn.Module):
    """The heads over features `[B, D]` that all answers share."""

    def __init__(self, features: int, moves: int, wanted: tuple[Head, ...], duelling: bool = False) -> None:
        super().__init__()
        self.each = nn.ModuleDict({name: head(name, features, features, moves) for name in wanted})
        self.value = Scalar(features) if duelling and "q" in wanted else None

    def forward(self, features: Tensor) -> dict[str, Tensor]:
        found = {name: head(features).float() for name, head in self.each.items()}
        if self.value is not None:
            found["q"] = duel(self.value(features).squeeze(-1), found["q"])
        return {name: answer.squeeze(-1) if name == "remaining" else answer for name, answer in found.items()}
