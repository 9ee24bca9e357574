"""Networks that are equivariant under permutations of symbols, such as the colours of dust or the digits of a Sudoku.

Each symbol has a plane of inputs. All planes go through layers with the same weights; a layer reads the plane itself
and the sum of all planes. A permutation of the symbols permutes the planes and nothing else, so that the network does
not learn the same thing once for each symbol. Source: Zaheer et al., "Deep Sets" (2017).

Shapes: B = states, K = symbols, F = inputs of a symbol, O = outputs of a symbol, M = number of moves, D = width.
"""

from __future__ import annotations

from math import sqrt
from typing import ClassVar, Literal

from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets.form import InputName, feature_shape_of, symbols_of
from puzzlelab.nets.layers import Scalar, dueling_q, head, linear
from puzzlelab.nets.network import Initial, NetworkSettings


class Layer(nn.Module):
    """`[B, K, F]` to `[B, K, D]`: a dense layer on each symbol's features, plus one on their sum over all symbols."""

    def __init__(self, symbols: int, inputs: int, outputs: int, initial: Initial) -> None:
        super().__init__()
        self.own, self.all = linear(inputs, outputs, initial), linear(inputs, outputs, initial, bias=False)
        self.scale = 1 / sqrt(symbols)

    def forward(self, features: Tensor) -> Tensor:
        output: Tensor = self.own(features) + self.all(features.sum(1) * self.scale)[:, None, :]
        return output


class ExchangeableNetwork(nn.Module):
    """Layers over `[B, K, F]`, with heads; `int64[B, M]` is the index of each move among the K * O outputs."""

    def __init__(self, settings: Exchangeable, shape: tuple[int, int], outputs_per_symbol: int) -> None:
        super().__init__()
        symbols, inputs = shape
        width, initial = settings.width, settings.initial
        self.first = Layer(symbols, inputs, width, initial)
        self.rest = nn.ModuleList([Layer(symbols, width, width, initial) for _ in range(settings.depth - 1)])
        self.scale = 1 / sqrt(symbols)
        self.names = settings.heads
        dueling = settings.dueling and "q" in self.names
        self.pooled = linear(width, settings.pooled, initial) if "cost_to_go" in self.names or dueling else None
        self.heads = nn.ModuleDict(
            {name: head(name, width, settings.pooled, outputs_per_symbol) for name in self.names}
        )
        self.value = Scalar(settings.pooled) if dueling else None

    def forward(self, planes: Tensor, output_index: Tensor | None = None) -> dict[str, Tensor]:
        features = functional.relu(self.first(planes.to(self.first.own.weight.dtype)))
        for layer in self.rest:
            features = features + functional.relu(layer(features))
        pooled = None if self.pooled is None else functional.relu(self.pooled(features.sum(1) * self.scale))
        outputs: dict[str, Tensor] = {}
        for name in self.names:
            layer = self.heads[name]
            if name == "cost_to_go":
                outputs[name] = layer(pooled).squeeze(-1)
            else:
                assert output_index is not None
                values = layer(features).float().flatten(1)
                if name == "q" and self.value is not None:
                    values = dueling_q(self.value(pooled).squeeze(-1), values)
                outputs[name] = values.gather(1, output_index)
        return outputs


class Exchangeable(NetworkSettings):
    """`depth` layers of `width` for each symbol; the cost-to-go reads their sum through `pooled` units."""

    ignores_symbols: ClassVar[bool] = True

    kind: Literal["exchangeable"]
    width: int = Field(default=256, ge=1)
    depth: int = Field(default=3, ge=1)
    pooled: int = Field(default=128, ge=1)
    features: bool = False
    """Whether the network reads the `features` of the symbols, which the rules compute, in place of their planes.
    """

    def build(self, puzzle: Puzzle) -> ExchangeableNetwork:
        """Return the network for this puzzle, with random weights."""
        symbols = symbols_of(puzzle)
        shape = feature_shape_of(puzzle) if self.features else symbols.shape
        return ExchangeableNetwork(self, shape, symbols.outputs)

    @property
    def input_names(self) -> tuple[InputName, ...]:
        """The symbols' planes or features; and where a head is of moves, the index of each among the outputs."""
        symbols: InputName = "symbol_features" if self.features else "symbol_planes"
        return (symbols,) if set(self.heads) == {"cost_to_go"} else (symbols, "output_index")


ARCHITECTURE = Exchangeable
