"""Sliding tiles: the 8-, 15- and 24-puzzle, and every other board from 2x2 to 12x12.

Start with `rules`, and with `kernels` for the form in which searches see a board: the goal cell of each tile. The
estimates, from the weakest to the strongest, are named in `estimates`:

- `estimate_kernels`: tiles out of place, Manhattan distance,
- `linear_conflict_kernels`: Manhattan distance and the tiles that must let others pass,
- `walking_distance_kernels`: rows and columns, each as a puzzle of their own,
- `pattern_database` and its kernels: groups of tiles, each solved for every place that they can have,
- `exact_distances_kernels`: the true distance, for small boards.

`sampling` makes boards of a given difficulty.
"""

from puzzlelab.core.puzzle import Family
from puzzlelab.puzzles.tiles.notation import from_grid, from_text
from puzzlelab.puzzles.tiles.rules import Tiles, from_name

FAMILY = Family(
    about="Sliding tiles (8-, 15-, 24-puzzle): slide tiles into the gap until all are in order.",
    make=from_name,
    names=("tiles-3x3", "tiles-4x4", "tiles-5x5", "tiles-2x7", "tiles-3x3:blank-first"),
    from_text=from_text,
    from_grid=from_grid,
    aliases={"8-puzzle": "3x3", "15-puzzle": "4x4", "24-puzzle": "5x5"},
)

__all__ = ["FAMILY", "Tiles"]
