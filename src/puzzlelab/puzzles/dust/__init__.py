"""Dust, the game of clearing a board cluster by cluster, on boards from 1x1 to 16x16.

Start with `rules`; `kernels` has the same rules on bitboards, and `estimate_kernels` the estimates on them. `sampling`
makes boards, some of them by `backward_generation`. `recognition` says what the cells of any text are,
`clusters_kernels` labels clusters.

`solvers` has `halves`, which proves a solution shortest; the package `halves` has the kernels of its search.
"""

from puzzlelab.core.puzzle import Family
from puzzlelab.puzzles.dust.recognition import from_grid, from_text
from puzzlelab.puzzles.dust.rules import Dust, from_name

FAMILY = Family(
    about="Dust: click a cluster, the rest falls down and towards the centre; clear the board in the fewest clicks.",
    make=from_name,
    names=("dust-8x6x5", "dust-6x5x4", "dust-7x6x5", "dust-8x8x5", "dust-10x8x5"),
    from_text=from_text,
    from_grid=from_grid,
)

__all__ = ["FAMILY", "Dust"]
