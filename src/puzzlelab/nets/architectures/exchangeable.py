"""Networks that treat alike the symbols that may be exchanged for each other: the colours of dust, digits of a Sudoku.

Every symbol has a sheet, and all sheets go through the same layers; a layer sees its own sheet and the sum of all.
Exchanging two symbols exchanges their sheets and changes nothing else, so that nothing has to be learned once for each
symbol. Source: Zaheer et al., "Deep Sets" (2017).

Shapes: B = states, K = symbols, F = numbers on a sheet, S = slots of a symbol, M = number of moves, D = width.
"""

from __future__ import annotations

from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from puzzlelab.core.errors import Unsupported
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import SymbolSymmetric
from puzzlelab.nets.heads import Scalar, duel, head
from puzzlelab.nets.layers import linear
from puzzlelab.nets.network import Initial, NetworkSettings


class Layer(nn.Module):
    """`[B, K, F]` to `[B, K, D]`: one dense layer for each sheet itself, another for the sum of all sheets."""

    def __init__(self, symbols: int, inputs: int, outputs: int, initial: Initial) -> None:
        super().__init__()
        self.own, self.all = linear(inputs, outputs, initial), linear(inputs, outputs, initial, bias=False)
        self.scale = 1 / sqrt(symbols)

    def forward(self, sheets: Tensor) -> Tensor:
        found: Tensor = self.own(sheets) + self.all(sheets.sum(1) * self.scale)[:, None, :]
        return found


class ExchangeableNetwork(nn.Module):
    """`uint8[B, K, F]` and `int64[B, M]`, which says who answers for each move, through the layers to the heads."""

    def __init__(self, settings: ExchangeableModule, shape: tuple[int, int], slots: int) -> None:
        super().__init__()
        symbols, inputs = shape
        width, initial = settings.width, settings.initial
        self.first = Layer(symbols, inputs, width, initial)
        self.rest = nn.ModuleList([Layer(symbols, width, width, initial) for _ in range(settings.depth - 1)])
        self.scale = 1 / sqrt(symbols)
        wanted = settings.heads
        duelling = settings.duelling and "q" in wanted
        self.pooled = linear(width, settings.pooled, initial) if "remaining" in wanted or duelling else None
        self.heads = nn.ModuleDict({name: head(name, width, settings.pooled, slots) for name in wanted})
        self.value = Scalar(settings.pooled) if duelling else None

    def forward(self, sheets: Tensor, places: Tensor) -> dict[str, Tensor]:
        features = functional.relu(self.first(sheets.to(self.first.own.weight.dtype)))
        for layer in self.rest:
            features = features + functional.relu(layer(features))
        pooled = None if self.pooled is None else functional.relu(self.pooled(features.sum(1) * self.scale))
        found: dict[str, Tensor] = {}
        for name, answer in self.heads.items():
            if name == "remaining":
                found[name] = answer(pooled).squeeze(-1)
            else:
                answers = answer(features).float().flatten(1)
                if name == "q" and self.value is not None:
                    answers = duel(self.value(pooled).squeeze(-1), answers)
                found[name] = answers.gather(1, places)
        return found


def symbols_of(puzzle: Puzzle) -> SymbolSymmetric:
    """The view of the puzzle; raises `Unsupported`."""
    view = puzzle.view(SymbolSymmetric)
    if view is None:
        raise Unsupported(f"{puzzle.name} has no symbols that may be exchanged for each other")
    return view


class ExchangeableModule(NetworkSettings):
    """`depth` layers of `width` for each symbol; the remaining moves come from their sum through `pooled` units."""

    kind: Literal["exchangeable"]
    width: int = Field(default=256, ge=1)
    depth: int = Field(default=3, ge=1)
    pooled: int = Field(default=128, ge=1)

    def build(self, puzzle: Puzzle) -> ExchangeableNetwork:
        """The network for this puzzle, with random weights."""
        view = symbols_of(puzzle)
        return ExchangeableNetwork(self, view.symbol_shape, view.outputs_per_symbol)

    def inputs(self, puzzle: Puzzle, states: State) -> tuple[NDArray[np.generic], ...]:
        """The sheets, and who answers for each move."""
        view = symbols_of(puzzle)
        return view.symbol_planes(states), view.output_index(states)


ARCHITECTURE = ExchangeableModule
