"""Points of published curves, read from a file."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from puzzlelab.bench import curves
from puzzlelab.core.errors import BadFile

Write = Callable[..., Path]


def test_points_are_read_curve_by_curve_the_narrowest_first(file: Write) -> None:
    text = "# name, width, per cent, seconds\n\nA (2020)\t256\t81.6\t0.5\nB\t8\t100 %\r\nA (2020)\t64\t63.8%\t\n"
    (a, points), (b, (last,)) = curves.read_curves(file(text)).items()
    assert (a, b) == ("A (2020)", "B")
    assert [point[:2] for point in points] == [(64, 0.638), (256, 0.816)]
    assert (points[1][2], last[:2]) == (0.5, (8, 1.0))
    assert math.isnan(points[0][2])
    assert math.isnan(last[2])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("A\t64\n", "line 1: 'A?64' is no point of a curve: a line has a name, a width, a share in per cent"),
        ("# A\nA 64 63.8\n", "line 2: 'A 64 63.8' is no point of a curve"),
        ("\t64\t63.8\n", "line 1: '64?63.8' is no point of a curve"),
        ("A\t64\t63.8\t1\t2\n", "is no point of a curve"),
        ("A\twide\t63.8\n", "line 1: 'A?wide?63.8' is no point of a curve"),
        ("A\t0\t63.8\n", "line 1: 'A?0?63.8' is no point"),
        ("A\t2.5\t63.8\n", "line 1: 'A?2.5?63.8' is no point"),
        ("A\t64\t163.8\n", "line 1: 'A?64?163.8' is no point"),
        ("A\t64\tnan\n", "line 1: 'A?64?nan' is no point"),
        ("A\t64\t63.8\t-1\n", "line 1: 'A?64?63.8?-1' is no point"),
        ("# nothing\n", "holds no points of a curve: a line has a name, a width"),
    ],
)
def test_what_is_no_point_is_told_with_its_line(file: Write, text: str, sentence: str) -> None:
    path = file(text)
    with pytest.raises(BadFile) as told:
        curves.read_curves(path)
    assert str(path) in str(told.value)
    assert sentence in str(told.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot read"):
        curves.read_curves(tmp_path / "nowhere.txt")
