"""What generators of every size say of clues: the symmetries that their pattern may have, and how many there are.

Shapes: N = cells of a row, B = boards, K = orbits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption
from puzzlelab.core.settings import read_levels

Symmetry = Literal["none", "half-turn", "quarter-turn", "horizontal", "vertical", "both", "diagonal", "full"]


def images_of(symmetry: Symmetry, size: int) -> list[NDArray[np.int64]]:
    """Return the images `int64[N, N]` of the grid of cells under the symmetry."""
    grid = np.arange(size * size).reshape(size, size)
    return {
        "none": [],
        "half-turn": [grid[::-1, ::-1]],
        "quarter-turn": [np.rot90(grid, turns) for turns in (1, 2, 3)],
        "horizontal": [grid[:, ::-1]],
        "vertical": [grid[::-1]],
        "both": [grid[:, ::-1], grid[::-1], grid[::-1, ::-1]],
        "diagonal": [grid.T],
        "full": [np.rot90(each, turns) for each in (grid, grid.T) for turns in range(4)],
    }[symmetry]


def orbits_of(symmetry: Symmetry, size: int) -> NDArray[np.int64]:
    """Return `int64[K, 8]`: the cells that go together under the symmetry, -1 where they are fewer than 8."""
    images = images_of(symmetry, size)
    orbits = {tuple(sorted({cell, *(int(image.flat[cell]) for image in images)})) for cell in range(size * size)}
    return np.array([[*orbit, *[-1] * (8 - len(orbit))] for orbit in sorted(orbits)])


def patterns_of(is_clue: NDArray[np.bool_], size: int) -> dict[int, Sequence[str]]:
    """Return the symmetries that the cells `is_clue: bool[B, N * N]` of a board have, by its place.

    Left out are boards without a symmetry, without a clue, and without a blank.
    """
    found: dict[int, Sequence[str]] = {}
    for name in get_args(Symmetry)[1:]:
        is_alike: NDArray[np.bool_] = np.asarray(is_clue.any(axis=1) & ~is_clue.all(axis=1))
        for image in images_of(name, size):
            places = np.flatnonzero(is_alike)
            is_alike[places] = (is_clue[places] == is_clue[places][:, image.reshape(-1)]).all(axis=1)
        for place in np.flatnonzero(is_alike).tolist():
            found[place] = [*found.get(place, ()), name]
    return found


def settings_of_scale(scale: str, level: str | None, options: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Return the settings of a generator that the scales 'clues' and 'minimal' and its options mean.

    Beside them is the level that is left for other scales. Raises `BadOption`.
    """
    settings = dict(options)
    if scale == "clues" and level:
        if settings.get("clues"):
            raise BadOption("the scale 'clues' at a level means so many clues: give one of them")
        settings["clues"], level = level, None
    if scale == "minimal":
        if level:
            raise BadOption("the scale 'minimal' has no levels")
        settings["minimal"] = True
    if settings.get("clues"):
        least, most = read_levels(str(settings["clues"]))
        settings["clues"] = least if least == most else (least, most)
    return settings, level
