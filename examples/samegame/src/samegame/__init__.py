"""SameGame as a plug-in of puzzlelab: a model of a puzzle whose solutions differ by their score.

Start with `rules`, which has the moves and the points. The rest makes it better, and can be left out:

- `notation` and `drawing`: how a board is read, written and drawn,
- `estimates`: an upper bound of the points that can still be made, and a guess of them for a beam,
- `batch`: the same rules, points and estimates for many boards at once, in NumPy,
- `kernels` and `estimate_kernels`: the same, compiled,
- `sampling`: random boards,
- `planes`: the input of networks,
- `presentation`: the usual solver, and boards with names.
"""

from pathlib import Path

from puzzlelab import Family
from samegame.rules import SameGame, from_name, from_text

FAMILY = Family(
    about="SameGame: click groups of equal colours; a group of n cells makes (n - 2)^2 points, an empty board 1,000.",
    make=from_name,
    names=(
        "samegame-15x15x5",
        "samegame-20x10x5",
        "samegame-8x8x4",
        "samegame-5x5x3",
        "samegame-5x5x3:batch",
        "samegame-5x5x3:plain",
    ),
    from_text=from_text,
    page=Path(__file__).with_name("page"),
)

__all__ = ["FAMILY", "SameGame"]
