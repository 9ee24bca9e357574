"""The units of Sudoku beside rows, columns and boxes, the regions of jigsaws, and what a name says of them.

Shapes: N = cells of a row, and digits.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption, nearest, shorten

FURTHER = ("diagonal", "windoku", "disjoint")
"""The further units by the names that they have in the name of a puzzle, in the order in which they stand there."""
BOXES, JIGSAW, CANDIDATES = "boxes", "jigsaw", "candidates"
SIGNS = "123456789ABCDEFGHIJKLMNOP"
"""The signs of regions in a normal form, in the order in which the regions begin."""
SMALLEST_JIGSAW = 3
LONGEST_FILE = 10_000
"""Bytes of a file of regions that are read."""

Cells = NDArray[np.int32]


def diagonals(grid: Cells) -> Cells:
    """Return `int32[2, N]`: the diagonals of `grid: int32[N, N]` from its first and from its last column."""
    return np.stack([grid.diagonal(), grid[:, ::-1].diagonal()])


def windows(grid: Cells) -> Cells:
    """Return `int32[(s - 1) ** 2, N]`: squares of s x s cells, s * s = N, with a line of cells around each of them."""
    side = math.isqrt(len(grid))
    starts = range(1, len(grid) - side, side + 1)
    return np.stack([grid[row : row + side, column : column + side].reshape(-1) for row in starts for column in starts])


def regions(text: str) -> Cells:
    """Return `int32[N, N]`: the cells of each region of a text in normal form."""
    signs = np.frombuffer(text.encode(), np.uint8)
    return np.stack([np.flatnonzero(signs == ord(sign)) for sign in SIGNS[: math.isqrt(len(text))]]).astype(np.int32)


def normal_form(text: str, size: int | None = None) -> str:
    """Return the N * N signs of regions, row by row, as the `SIGNS` in the order in which the regions begin.

    Raises `BadOption` for another number of cells than `size` wants, and for a region that has not N cells.
    """
    cells = "".join(text.replace("/", "").split())
    size = math.isqrt(len(cells)) if size is None else size
    if not SMALLEST_JIGSAW <= size <= len(SIGNS):
        raise BadOption(f"a jigsaw has {SMALLEST_JIGSAW} to {len(SIGNS)} rows, not {size}")
    if len(cells) != size**2:
        raise BadOption(
            f"the regions '{shorten(cells)}' have {len(cells)} cell{'s' * (len(cells) != 1)}, and a grid of "
            f"{size}x{size} has {size**2}: give a sign a cell, row by row, the same sign for each cell of a region"
        )
    for sign, count in Counter(cells).items():
        if count != size:
            raise BadOption(
                f"the region '{shorten(sign)}' has {count} cell{'s' * (count != 1)}; each region of a jigsaw of "
                f"{size}x{size} has {size}"
            )
    sign_of = dict(zip(dict.fromkeys(cells), SIGNS, strict=False))
    return "".join(sign_of[sign] for sign in cells)


# --- names ---


def options_of(text: str) -> Mapping[str, str]:
    """Return the options in the part of a name after its size, such as `:boxes=3x2:diagonal`, by their names.

    Raises `BadOption` for one that there is not, one that is named twice, and a value that is missing or surplus.
    """
    options = dict[str, str]()
    for word in text.split(":")[1:]:
        key, equals, value = word.partition("=")
        if key == CANDIDATES:
            raise BadOption("only boards of sudoku-9x9 have candidates: leave the other words out, or 'candidates'")
        if key not in (BOXES, JIGSAW, *FURTHER):
            known = (BOXES, JIGSAW, *FURTHER, CANDIDATES)
            raise BadOption(f"a Sudoku has no '{shorten(key)}'{nearest(key, known)}")
        if key in options:
            raise BadOption(f"'{key}' stands twice in the name of a Sudoku")
        if bool(value) != (key in (BOXES, JIGSAW)) or bool(equals) != bool(value):
            example = {BOXES: "boxes=3x2", JIGSAW: "jigsaw=TEXT"}.get(key, key)
            raise BadOption(f"'{shorten(word)}' says nothing of a Sudoku; write {example}")
        options[key] = value
    return options


def with_file(rest: str) -> str:
    """Return the part of a name after `sudoku-` with the regions of a file in place of its name.

    Raises `BadOption` for a file that cannot be read.
    """
    head, option, tail = rest.partition(f":{JIGSAW}=")
    value, colon, others = tail.partition(":")
    size = head.partition("x")[0]
    if not option or (size.isdecimal() and len(value.replace("/", "")) == int(size) ** 2):
        return rest
    return f"{head}{option}{_content(Path(value), value)}{colon}{others}"


def _content(path: Path, value: str) -> str:
    """Return the signs in a file, in one line; the value itself if it names no file, but looks like signs."""
    try:
        if path.is_file():
            with path.open(encoding="utf-8-sig") as file:
                return "".join(file.read(LONGEST_FILE).split())
    except (OSError, UnicodeDecodeError) as error:
        raise BadOption(f"the regions in {shorten(value)} cannot be read: {error}") from None
    if value.replace("/", "").isalnum():
        return value
    raise BadOption(f"there is no file {shorten(value)} with the regions of a jigsaw")
