"""Notation and drawings: what is written is read again, and what cannot be read is told with its place."""

# ruff: noqa: D103
from xml.etree import ElementTree

import numpy as np
import pytest
from pocket_cube import FAMILY, PocketCube
from pocket_cube.sampling import uniform

from puzzlelab import BadBoard

CUBE = PocketCube()


def test_what_is_written_is_read_again():
    random = np.random.default_rng(1)
    for _ in range(200):
        state = uniform(random, None, 1)[0]
        text = CUBE.write(state)
        assert np.array_equal(CUBE.read(text).state, state)
        assert np.array_equal(CUBE.read(text.replace(" ", "")).state, state)


def test_turns_are_read_from_left_to_right():
    state = CUBE.goals()[0]
    for move in (CUBE.read_move(text) for text in ("R", "U2", "F'")):
        state = CUBE.apply(state, move)
    assert np.array_equal(CUBE.read(" R  U2\nF' ").state, state)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "0 colours; a cube has 24"),
        ("UUUU RRRR", "8 colours; a cube has 24"),
        ("R U X", "3 colours"),
        ("fat", "did you mean 'far'"),
        ("UUUU RRRR FFFF DDDD LLLL BBBW", "place 24, facelet B4: 'W' is no colour; colours are U R F D L B"),
        ("UUUR RRRR FFFF DDDD LLLL BBBB", "each colour has 4 facelets; here are 3 of U, 5 of R"),
        ("UUUR URRR FFFF DDDD LLLL BBBB", "corner URF: RUF is the mirror image of a corner: clockwise .* URF"),
        ("UUUU DRRR FFFF DRDD LLLL BBBB", "corner URF: UDF has the colours U and D, which lie on opposite faces"),
        ("RUUU URRR FFFF DDDD LLLL BBBB", "corner URF: UUF has the colour U more than once"),
        ("UUUU FRRR FLFF DDDD BLLL BRBB", "corner UFL: the corner UFL is here and at URF"),
        (
            "RRRR FFFF UUUU LLLL BBBB DDDD",
            "corner DBL: the colours here are LDB; turn the whole cube until they are DBL",
        ),
        ("U" * 5000, "5,000 characters are no cube"),
    ],
)
def test_what_is_no_cube_is_told_with_its_place(text, message):
    with pytest.raises(BadBoard, match=message):
        CUBE.read(text)


def test_a_twisted_corner_is_read_and_objected_to():
    state = CUBE.read("UUUF URRR FRFF DDDD LLLL BBBB").state
    assert state.tolist() == [*range(7), 1, 0, 0, 0, 0, 0, 0]
    assert "add up to 1/3 of a turn" in (CUBE.objection(state) or "")


def test_the_net_is_drawn():
    assert CUBE.draw(CUBE.read("F").state).splitlines() == [
        "    U U",
        "    L L",
        "L D F F U R B B",
        "L D F F U R B B",
        "    R R",
        "    D D",
    ]
    root = ElementTree.fromstring(CUBE.svg(CUBE.read("far").state))
    assert sum(child.tag.endswith("}rect") for child in root) == 24
    assert sum(child.tag.endswith("}text") for child in root) == 24


def test_a_text_of_24_letters_is_guessed_to_be_a_cube():
    solved = "UUUU RRRR FFFF DDDD LLLL BBBB"
    assert list(FAMILY.from_text(solved, None)) == [("cube-2x2x2", solved)]
    assert list(FAMILY.from_text("8 6 7 2 5 4 3 0 1", None)) == []
