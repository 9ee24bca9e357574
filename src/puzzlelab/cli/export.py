"""`puzzlelab export`: writes a network into a file that other programs can use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from puzzlelab.cli.console import print_table, say
from puzzlelab.core.errors import BadOption

if TYPE_CHECKING:
    from puzzlelab.nets.onnx_model import OnnxNetwork


def export(
    net: Annotated[
        str, typer.Argument(help="The network: a name of the package, a file, the folder of a run, or a hash.")
    ],
    file: Annotated[Path, typer.Argument(help="The file to write, which ends in .onnx.")],
    to: Annotated[Literal["onnx"], typer.Option(help="The format.")] = "onnx",
    precision: Annotated[
        Literal["float32", "int8"],
        typer.Option(help="float32, or int8: faster in dense layers, with less exact outputs."),
    ] = "float32",
) -> None:
    """Write a network into a file for ONNX Runtime and other programs, and print its inputs and outputs.

    The file has its card within, and can be used by --net. What the inputs and outputs mean is in docs/networks.md.
    """
    from puzzlelab.nets import exporting, model_zoo, onnx_model
    from puzzlelab.nets.card import ONNX, file_of
    from puzzlelab.nets.onnx_weights import read_whole

    path = model_zoo.path_anywhere(_name(net))
    source = file_of(path, ONNX)
    data = read_whole(source)
    onnx_model.card_of(path, onnx_model.read_bytes(data, source))
    if precision == "int8":
        data = exporting.quantised(data, source)
    exporting.write(file, data)
    _show(file, len(data), onnx_model.read_bytes(data, file))


def _name(net: str) -> str:
    """Return the name without `net:`; raises `BadOption` for what depends on a puzzle or on a search."""
    from puzzlelab.analysis.network_options import named
    from puzzlelab.storage import networks

    name, averaged = networks.parts(named(net))
    if not name:
        raise BadOption("name the network itself: which one is the best depends on the puzzle")
    if averaged:
        raise BadOption(f"'{networks.AVERAGED}' is how a search uses a network, and cannot be exported: leave it out")
    return name


def _show(file: Path, size: int, network: OnnxNetwork) -> None:
    """Print what a file holds, with the names, types and shapes of its inputs and outputs."""
    card = network.card
    origin = "a network of another program" if card is None else f"the network {card.name} for {card.puzzle}"
    source = "" if card is None or not card.quantised_from else f", int8 from the network {card.quantised_from}"
    say(f"{file}: {origin}{source}, {size:,} bytes")
    rows = [("input", node) for node in network.session.get_inputs()]
    rows += [("output", node) for node in network.session.get_outputs()]
    print_table(("", "name", "type", "shape"), [(kind, node.name, _type(node), _shape(node)) for kind, node in rows])
    for sentence in _conditions(network):
        say(sentence)


def _conditions(network: OnnxNetwork) -> Iterator[str]:
    """Yield what a program must do beside filling the inputs, as sentences."""
    form = network.form
    if form.canonical:
        yield "Each board is replaced by its canonical image among the puzzle's symmetries first."
    if form.residual_over:
        yield f"The outputs cost_to_go and q are corrections of the estimate '{form.residual_over}'."
    if form.policy != "softmax":
        meaning = "one choice in each cell" if form.policy == "cells" else "a decision of its own for each move"
        yield f"The logits of the output policy mean {meaning}."


def _type(node: Any) -> str:
    """Return the type of an input or output, by its name in NumPy."""
    import numpy as np

    from puzzlelab.nets.onnx_model import TYPES

    return np.dtype(TYPES[node.type]).name if node.type in TYPES else str(node.type)


def _shape(node: Any) -> str:
    """Return the shape of an input or output; its first dimension is the number of boards."""
    return f"[{', '.join(['boards', *map(str, node.shape[1:])])}]"
