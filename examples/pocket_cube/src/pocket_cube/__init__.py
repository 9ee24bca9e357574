"""The pocket cube, the Rubik's cube of 2x2x2, as a plug-in of puzzlelab: copy this package to add a puzzle of your own.

Start with `rules`, which is all that a puzzle needs. The rest makes it better, and can be left out:

- `notation` and `drawing`: how a cube is read, written and drawn,
- `batch`: the rules for many cubes at once, in NumPy,
- `coordinates` and `kernels`: two numbers for a cube, and the compiled rules that work on them,
- `estimates`: lower bounds of the moves that remain, and `distances`, the true ones, from a table of all cubes,
- `sampling`: random cubes of a given difficulty,
- `planes`: the input of networks, and the symmetries,
- `presentation`: the usual solver, and cubes with names.
"""

from pathlib import Path

from pocket_cube.rules import PocketCube, from_name, from_text
from puzzlelab import Family

FAMILY = Family(
    about="Pocket cube (2x2x2 Rubik's cube): turn the upper, right and front face until each face has one colour.",
    make=from_name,
    names=("cube-2x2x2", "cube-2x2x2:batch", "cube-2x2x2:plain"),
    from_text=from_text,
    page=Path(__file__).with_name("page"),
)

__all__ = ["FAMILY", "PocketCube"]
