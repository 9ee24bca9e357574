"""Boards a second of networks with weights of 8 bits, beside those of 32: `python benchmarks/int8_speed.py`.

Each network of the package is quantised in memory, as `puzzlelab export --precision int8` does it. Both versions
evaluate the same batches on one thread, in turns; a ratio is of two turns of one round, by the processor's time, which
other work on the machine does not take away. The inputs are made before. Needs the library `onnx`.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from puzzlelab import load
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import scale_of
from puzzlelab.nets import exporting, onnx_model
from puzzlelab.nets.card import ONNX, content_of, file_of
from puzzlelab.nets.onnx_model import OnnxModel
from puzzlelab.storage import networks

PUZZLES = ("tiles-4x4", "tiles-3x3", "dust-8x6x5", "sudoku-9x9")


def models_of(puzzle: str) -> tuple[OnnxModel, OnnxModel]:
    """The network of the package for a puzzle, with weights of 32 bits and of 8."""
    path = networks.SHELF / puzzle
    file = file_of(path, ONNX)
    data = content_of(file)
    contents = (data, exporting.quantised(data, file))
    first, second = (OnnxModel(load(puzzle), onnx_model.read_bytes(each, file)) for each in contents)
    return first, second


def rate(model: OnnxModel, states: np.ndarray, seconds: float) -> float:
    """Boards a second of the processor's time."""
    inputs, _ = model.inputs(states)
    batches, began, clock = 0, time.process_time(), time.perf_counter()
    while time.perf_counter() - clock < seconds:
        model.evaluate(inputs)
        batches += 1
    return batches * len(states) / (time.process_time() - began)


def main() -> None:
    """Measure each network, and print a row for it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=256, help="boards of a batch (256)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each turn (1)")
    parser.add_argument("--turns", type=int, default=7, help="of each version (7)")
    arguments = parser.parse_args()
    table = Table("network", "float32, boards/s", "int8, boards/s", "ratio", "from", "to")
    for puzzle in PUZZLES:
        models, random = models_of(puzzle), generator(0)
        sample = scale_of(load(puzzle))[1].sample
        states = sample(random, None, min(64, arguments.boards))
        states = np.resize(states, (arguments.boards, states.shape[1]))
        turns = [[rate(model, states, arguments.seconds) for model in models] for _ in range(arguments.turns + 1)][1:]
        ratios = sorted(int8 / float32 for float32, int8 in turns)
        rates = (f"{statistics.median(column):,.0f}" for column in zip(*turns, strict=True))
        shown = (statistics.median(ratios), ratios[0], ratios[-1])
        table.add_row(puzzle, *rates, *(f"{ratio:.2f}" for ratio in shown))
    Console().print(table)


if __name__ == "__main__":
    main()
