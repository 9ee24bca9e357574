"""Histograms of new boards: a bar for each number, without the empty ends, as PNG and SVG."""

import numpy as np
import pytest

from puzzlelab.bench import lengths
from puzzlelab.core.errors import BadFile

pytest.importorskip("matplotlib")
ONE = np.eye(82, dtype=int) * 7


@pytest.mark.parametrize(
    ("counts", "bars", "title"),
    [
        ([0, 0, 5, 0, 1, 2000, 0, 0], {2: 5, 3: 0, 4: 1, 5: 2000}, "2,006 boards, 4.99 clues on average"),
        (ONE[0], {0: 7}, "7 boards, 0.00 clues on average"),
        (ONE[81], {81: 7}, "7 boards, 81.00 clues on average"),
    ],
)
def test_a_bar_for_each_number_and_nothing_at_the_ends(monkeypatch, counts, bars, title) -> None:
    found: list = []
    monkeypatch.setattr(lengths, "write", lambda figure, path: found.append(figure))
    lengths.histogram(np.array(counts), "clues", "boards", "nowhere.png")
    [axes] = found[0].axes
    assert {round(bar.get_x() + bar.get_width() / 2, 6): bar.get_height() for bar in axes.patches} == bars
    assert (found[0].get_suptitle(), axes.get_xlabel(), axes.get_ylabel()) == (title, "clues", "boards")
    assert axes.yaxis.get_major_formatter()(12000.0) == "12,000"


@pytest.mark.parametrize(("ending", "start"), [(".png", b"\x89PNG\r\n\x1a\n"), (".svg", b"<?xml")])
def test_files_are_the_same_bytes_for_the_same_counts(tmp_path, ending, start) -> None:
    paths = [tmp_path / f"{name}{ending}" for name in "abc"]
    for path, counts in zip(paths, ([3, 1, 4], [3, 1, 4], [3, 1, 5]), strict=True):
        lengths.histogram(np.array(counts), "clues", "boards", path)
    first, again, other = (path.read_bytes() for path in paths)
    assert first.startswith(start)
    assert first == again
    assert first != other


def test_a_place_that_cannot_be_written(tmp_path) -> None:
    path = tmp_path / "nowhere" / "a.png"
    with pytest.raises(BadFile) as caught:
        lengths.histogram(np.array([1]), "clues", "boards", path)
    assert str(caught.value) == f"cannot write {path}: No such file or directory"
