"""Boards and moves are written and read, and what is wrong is named with its place."""

# ruff: noqa: D103
import numpy as np
import pytest
from samegame import SameGame
from samegame.rules import from_text

from puzzlelab import BadBoard

SMALL = SameGame(4, 3, 3)


def test_a_board_is_read_from_the_top():
    state = SMALL.read("1.../2.../1233").state
    assert state.reshape(4, 3).tolist() == [[1, 2, 1], [2, 0, 0], [3, 0, 0], [3, 0, 0]]
    assert SMALL.write(state) == "1.../2.../1233"


@pytest.mark.parametrize("text", ["a.../B.../abcc", " 1...\n2...\n1233\n", "1... 2... 1233", "1.../2.../1233/"])
def test_other_forms_are_read(text):
    assert SMALL.write(SMALL.read(text).state) == "1.../2.../1233"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "nothing is given; samegame-4x3x3 is 3 rows of 4 from the top"),
        ("1233/1233", "'1233/1233' has 2 rows; samegame-4x3x3 is 3 rows of 4"),
        ("123/1233/1233", "row 2 \\(from 0 at the bottom\\): '123' has 3 characters; a row of samegame-4x3x3 has 4"),
        ("1243/1233/1233", "column 2, row 2 .*: '4' is no colour; samegame-4x3x3 has 1 to 3, and . for empty"),
        ("0233/1233/1233", "column 0, row 2 .*: '0' is no colour; colours begin with 1"),
        ("1233/.233/1233", "column 0, row 2 .*: nothing lies below this cell"),
        ("..../..../1.33", "column 1 .*: this column is empty and the next one is not"),
        ("1" * 5000, "5,000 characters are no board"),
    ],
)
def test_what_is_wrong_is_named(text, sentence):
    with pytest.raises(BadBoard, match=sentence):
        SMALL.read(text)


def test_examples_have_names():
    puzzle = SameGame(5, 5, 3)
    assert puzzle.solved(puzzle.read("trap").state) is False
    with pytest.raises(BadBoard, match="did you mean 'trap'"):
        puzzle.read("trep")


def test_moves_are_read():
    assert [SMALL.read_move(SMALL.write_move(move)) for move in range(12)] == list(range(12))
    for text in ("4,0", "0,3", "a", "1"):
        with pytest.raises(BadBoard, match="4 columns and 3 rows"):
            SMALL.read_move(text)


def test_drawings():
    state = SMALL.read("1.../2.../1133").state
    assert SMALL.draw(state, mark=0).splitlines() == [
        "  |  0  1  2  3",
        "--+-------------",
        "2 |  1  .  .  .",
        "1 |  2  .  .  .",
        "0 | [1][1] 3  3",
    ]
    assert SMALL.svg(state).count("<text") == 6


def test_a_board_is_recognised():
    board = np.random.default_rng(0).integers(1, 6, 225, np.uint8)
    text = SameGame().write(board)
    assert list(from_text(text, None)) == [("samegame-15x15x5", text)]
    assert list(from_text("1233/1233/1233", None)) == []
