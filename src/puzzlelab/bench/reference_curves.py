"""Published curves, to be drawn with the results of a benchmark.

A file has a line for each point, with TABs between its columns: the name of the curve, the width of the search, the
share of boards solved optimally in per cent, and optionally the seconds for a board. Empty lines and lines that start
with `#` are ignored.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.storage.lines import lines_of

COLUMNS = "a name, a width, a share in per cent and, if known, seconds, with TABs between them"
MAX_WIDTH = 10**12


Point = tuple[float, float, float]
"""A published result: the width, the share of boards solved optimally, from 0 to 1, and seconds for a board, or nan."""
Curves = Mapping[str, Sequence[Point]]
"""Name -> its points, the narrowest first."""


def read(path: Path) -> Curves:
    """Return the curves in a file, in its order; raises `BadFile` with the line that is no point."""
    curves: dict[str, list[Point]] = defaultdict(list)
    for number, line in enumerate(lines_of(path), start=1):
        if line.strip() and not line.startswith("#"):
            name, point = _point(line, f"{path}, line {number}")
            curves[name].append(point)
    if not curves:
        raise BadFile(f"{path} holds no points of a curve: a line has {COLUMNS}")
    return {name: sorted(points, key=itemgetter(0)) for name, points in curves.items()}


def _point(line: str, where: str) -> tuple[str, Point]:
    columns = [column.strip() for column in line.rstrip("\r\n").split("\t")]
    if not 3 <= len(columns) <= 4 or not columns[0]:
        raise BadFile(f"{where}: '{shorten(line.strip())}' is no point of a curve: a line has {COLUMNS}")
    width = _number(columns[1], where, "width", MAX_WIDTH)
    if not width.is_integer() or width < 1:
        raise BadFile(f"{where}: '{shorten(columns[1])}' is no width")
    share = _number(columns[2].removesuffix("%").strip(), where, "share in per cent", 100.0)
    seconds = _number(columns[3], where, "number of seconds", 1e12) if columns[3:] and columns[3] else math.nan
    return columns[0], (int(width), share / 100, seconds)


def _number(text: str, where: str, what: str, most: float) -> float:
    if not re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", text) or float(text) > most:
        raise BadFile(f"{where}: '{shorten(text)}' is no {what}")
    return float(text)
