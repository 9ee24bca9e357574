"""Histograms: a bar for each number, without the empty ends, as PNG and SVG."""

import sys

import numpy as np
import pytest

from puzzlelab.bench import lengths
from puzzlelab.core.errors import BadFile, BadInput

pytest.importorskip("matplotlib")


@pytest.fixture
def drawn(monkeypatch):
    """Draws, and returns the figure that would have been written."""
    found = []
    monkeypatch.setattr(lengths, "write", lambda figure, path: found.append(figure))

    def draw(counts, path="nowhere.png"):
        lengths.histogram(np.array(counts), "clues", "boards", path)
        return found.pop()

    return draw


def test_a_bar_for_each_number_and_nothing_at_the_ends(drawn):
    (axes,) = drawn([0, 0, 5, 0, 1, 2000, 0, 0]).axes
    assert [round(bar.get_x() + bar.get_width() / 2, 6) for bar in axes.patches] == [2, 3, 4, 5]
    assert [bar.get_height() for bar in axes.patches] == [5, 0, 1, 2000]


def test_it_says_what_is_counted_and_the_mean(drawn):
    figure = drawn([0, 0, 5, 0, 1, 2000, 0, 0])
    (axes,) = figure.axes
    assert figure.get_suptitle() == "2,006 boards, 4.99 clues on average"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("clues", "boards")
    assert axes.yaxis.get_major_formatter()(12000.0) == "12,000"


@pytest.mark.parametrize("place", [0, 40, 81])
def test_one_number_is_one_bar(drawn, place):
    counts = np.zeros(82, int)
    counts[place] = 7
    (bar,) = drawn(counts).axes[0].patches
    assert (round(bar.get_x() + bar.get_width() / 2, 6), bar.get_height()) == (place, 7)


@pytest.mark.parametrize(("ending", "start"), [(".png", b"\x89PNG\r\n\x1a\n"), (".svg", b"<?xml")])
def test_files_are_the_same_bytes_for_the_same_counts(tmp_path, ending, start):
    paths = [tmp_path / f"{name}{ending}" for name in "abc"]
    for path, counts in zip(paths, ([3, 1, 4], [3, 1, 4], [3, 1, 5]), strict=True):
        lengths.histogram(np.array(counts), "clues", "boards", path)
    first, again, other = (path.read_bytes() for path in paths)
    assert first.startswith(start)
    assert first == again
    assert first != other


def test_a_place_that_cannot_be_written(tmp_path):
    path = tmp_path / "nowhere" / "a.png"
    with pytest.raises(BadFile) as caught:
        lengths.histogram(np.array([1]), "clues", "boards", path)
    assert str(caught.value) == f"cannot write {path}: No such file or directory"


def test_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BadInput, match="plots need matplotlib"):
        lengths.histogram(np.array([1]), "clues", "boards", tmp_path / "a.png")
