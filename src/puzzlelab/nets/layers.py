"""Small pieces that several architectures use."""

from __future__ import annotations

from torch import Tensor, nn

from puzzlelab.nets.network import Activation


def activation(name: Activation) -> nn.Module:
    """The function between two layers."""
    return {"relu": nn.ReLU, "gelu": nn.GELU, "none": nn.Identity}[name]()


def linear(inputs: int, outputs: int, bias: bool = True) -> nn.Linear:
    """A dense layer begun as He et al. (2015) say for rectified units."""
    layer = nn.Linear(inputs, outputs, bias)
    nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


class Residual(nn.Module):
    """A layer whose answer is added to what it was given."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, features: Tensor) -> Tensor:
        found: Tensor = features + self.layer(features)
        return found
