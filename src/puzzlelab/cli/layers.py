"""The table of a network's layers, for `puzzlelab list net:NAME` and `puzzlelab train --summary`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlelab.cli.console import print_table, say

if TYPE_CHECKING:
    from puzzlelab.nets.torch_model import TorchModel


def print_layers(model: TorchModel) -> None:
    """Print the layers with the shapes of their outputs and their parameters, and the total."""
    from puzzlelab.nets.layer_table import layers_of

    rows = [
        (layer["name"], layer["kind"], " x ".join(map(str, layer["shape"] or ())), f"{layer['parameters']:,}")
        for layer in layers_of(model)
    ]
    print_table(("layer", "type", "output of one board", "parameters"), rows)
    total = sum(each.numel() for each in model.module.parameters())
    say(f"{total:,} parameters; outputs: {', '.join(model.heads)}")
