"""Histograms of whole numbers as images."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from puzzlelab.bench.plots import empty_figure, write


def draw(counts: NDArray[np.int64], x_label: str, y_label: str, path: Path) -> None:
    """Draw bars of `counts: int64[N]` over 0 to N - 1, without the empty ends; the ending of `path` says PNG or SVG.

    Raises `BadFile`, and `BadInput` without matplotlib.
    """
    numbers = np.flatnonzero(counts)
    span = np.arange(numbers[0], numbers[-1] + 1)
    mean = (counts * np.arange(counts.size)).sum() / counts.sum()
    figure = empty_figure(f"{counts.sum():,} {y_label}, {mean:.2f} {x_label} on average")
    axes = figure.add_subplot()
    axes.bar(span, counts[span], width=0.9, color="#3b6ea8")
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    write(figure, path)
