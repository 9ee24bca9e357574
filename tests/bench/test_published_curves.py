"""Points of published curves, read from a file."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from puzzlelab.bench.curves import read_curves
from puzzlelab.core.errors import BadFile

Write = Callable[..., Path]


def test_points_are_read_curve_by_curve_the_narrowest_first(file: Write) -> None:
    text = "# name, width, per cent, seconds\n\nA (2020)\t256\t81.6\t0.5\nB\t8\t100 %\r\nA (2020)\t64\t63.8%\t\n"
    (a, points), (b, (last,)) = read_curves(file(text)).items()
    assert (a, b) == ("A (2020)", "B")
    assert [point[:2] for point in points] == [(64, 0.638), (256, 0.816)]
    assert (points[1][2], last[:2]) == (0.5, (8, 1.0))
    assert math.isnan(points[0][2])
    assert math.isnan(last[2])


@pytest.mark.parametrize(
    "line",
    [
        *("A\t64", "A 64 63.8", "\t64\t63.8", "A\t64\t63.8\t1\t2", "A\twide\t63.8", "A\t0\t63.8", "A\t2.5\t63.8"),
        *("A\t64\t163.8", "A\t64\tnan", "A\t64\t63.8\t-1"),
    ],
)
def test_a_line_that_is_no_point_is_told(file: Write, line: str) -> None:
    path = file(f"# A\n{line}\n")
    with pytest.raises(BadFile) as told:
        read_curves(path)
    shown = line.strip().replace("\t", "?")
    assert str(told.value).startswith(f"{path}, line 2: '{shown}' is no point of a curve: a line has a name, a width")


def test_a_file_without_points_is_told(file: Write, tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="holds no points of a curve: a line has a name, a width"):
        read_curves(file("# nothing\n"))
    with pytest.raises(BadFile, match="cannot read"):
        read_curves(tmp_path / "nowhere.txt")
