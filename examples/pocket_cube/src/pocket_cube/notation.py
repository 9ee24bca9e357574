"""How a pocket cube is read and written: pure functions of the state.

A cube is written as the colours of its 24 facelets, face by face in the order U, R, F, D, L, B, each face row by row as
one sees it in the net that `drawing` draws. A colour is named by the face that it has on the solved cube.
"""

from collections import Counter
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from puzzlelab import BadBoard, Example
from puzzlelab.core.errors import nearest, shorten

COLOURS = "URFDLB"
CORNERS = ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DRB")
"""The corners, and the places where they belong: their faces clockwise, beginning with U or D."""
FIXED = "DBL"
"""The corner that no turn moves."""
FACELETS = ((3, 4, 9), (2, 8, 17), (0, 16, 21), (1, 20, 5), (13, 11, 6), (12, 19, 10), (15, 7, 22))
"""The facelets of each place in the same order."""
FIXED_FACELETS = (14, 23, 18)
OPPOSITE = dict(zip("URFDLB", "DLBURF", strict=True))
LONGEST = 4096
"""Characters that no cube needs."""

SOLVED = np.array([*range(len(CORNERS)), *[0] * len(CORNERS)], np.uint8)
SOLVED.setflags(write=False)

EXAMPLES: Mapping[str, Example] = {
    "far": Example("BUUF URDD FRLR FFDB ULLD BLRB", "one of the 2,644 cubes that need 11 moves, the most of all"),
    "diagonal": Example("UUUU LRRR FBFF DDDD RLLL BFBB", "two opposite corners of the upper face, exchanged: 11 moves"),
    "neighbours": Example("UUUU BFRR FRFF DDDD LLLL RBBB", "two neighbours on the upper face, exchanged: 10 moves"),
    "twists": Example("BBFF UURR LRFF DDDD UULL RLBB", "the corners of the upper face, twisted in place: 6 moves"),
    "easy": Example("R U R' U'", "four turns"),
}
"""Cubes with a name; as all boards they may be written as turns too."""

Cube = NDArray[np.uint8]


def colours(state: Cube) -> str:
    """The colours of the 24 facelets of a cube."""
    letters = [""] * 24
    for facelet, colour in zip(FIXED_FACELETS, FIXED, strict=True):
        letters[facelet] = colour
    for facelets, corner, twist in zip(FACELETS, state[:7].tolist(), state[7:].tolist(), strict=True):
        for number, colour in enumerate(CORNERS[corner]):
            letters[facelets[(number + twist) % 3]] = colour
    return "".join(letters)


def write(state: Cube) -> str:
    """The canonical notation: the colours, with a space between two faces."""
    letters = colours(state)
    return " ".join(letters[start : start + 4] for start in range(0, 24, 4))


def read(text: str) -> Cube:
    """The state of a cube with these colours; raises `BadBoard` with the place of what is wrong."""
    if len(text) > LONGEST:
        raise BadBoard(f"{len(text):,} characters are no cube, which has 24 colours")
    letters = "".join(text.split())
    _check_colours(letters, text)
    corner = "".join(letters[facelet] for facelet in FIXED_FACELETS)
    if corner != FIXED:
        raise BadBoard(f"the colours here are {corner}; turn the whole cube until they are {FIXED}", f"corner {FIXED}")
    return _of_corners(["".join(letters[facelet] for facelet in facelets) for facelets in FACELETS])


def _check_colours(letters: str, text: str) -> None:
    """Raise `BadBoard` unless these are 24 letters, four of each colour."""
    if len(letters) != 24:
        name = text.strip().lower()
        hint = nearest(name, EXAMPLES) if name.isalpha() else ""
        raise BadBoard(
            f"'{shorten(text)}' has {len(letters)} colours; a cube has 24, four of each of U R F D L B{hint}"
        )
    for place, letter in enumerate(letters):
        if letter not in COLOURS:
            where = f"place {place + 1}, facelet {COLOURS[place // 4]}{place % 4 + 1}"
            raise BadBoard(f"'{shorten(letter)}' is no colour; colours are U R F D L B", where)
    counts = Counter(letters)
    wrong = [f"{counts[colour]} of {colour}" for colour in COLOURS if counts[colour] != 4]
    if wrong:
        raise BadBoard(f"each colour has 4 facelets; here are {', '.join(wrong)}")


def _of_corners(colours_at: list[str]) -> Cube:
    """The state with these colours at the places, each in the order of the place's facelets."""
    corners: list[int] = []
    twists: list[int] = []
    for place, found in zip(CORNERS, colours_at, strict=True):
        turned = [found[twist:] + found[:twist] for twist in range(3)]
        twist = next((twist for twist in range(3) if turned[twist] in CORNERS), None)
        if twist is None:
            raise BadBoard(_why_impossible(found), f"corner {place}")
        corner = CORNERS.index(turned[twist])
        if corner in corners:
            first = CORNERS[corners.index(corner)]
            raise BadBoard(f"the corner {CORNERS[corner]} is here and at {first}", f"corner {place}")
        corners.append(corner)
        twists.append(twist)
    return np.array([*corners, *twists], np.uint8)


def _why_impossible(found: str) -> str:
    """Why no corner that can move has these three colours in this order."""
    for colour in found:
        if found.count(colour) > 1:
            return f"{found} has the colour {colour} more than once"
        if OPPOSITE[colour] in found:
            return f"{found} has the colours {colour} and {OPPOSITE[colour]}, which lie on opposite faces"
    if set(found) == set(FIXED):
        return f"{found} has the colours of the corner {FIXED}, which is at its own place"
    corner = next(corner for corner in CORNERS if set(corner) == set(found))
    return f"{found} is the mirror image of a corner: clockwise its colours are {corner}"
