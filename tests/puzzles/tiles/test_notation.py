import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.core.errors import BadBoard
from puzzlelab.core.puzzle import Drawings, Notation
from puzzlelab.core.registry import load
from puzzlelab.puzzles.tiles.rules import Tiles

SIZES = st.tuples(st.integers(2, 12), st.integers(2, 12))
SMALL = SIZES.filter(lambda size: size[0] * size[1] <= 16)


@st.composite
def boards(draw, sizes=SIZES):
    """A puzzle and one of its boards."""
    puzzle = Tiles(*draw(sizes))
    return puzzle, np.array(draw(st.permutations(range(puzzle.cells))), np.uint8)


NOTATIONS = {
    "canonical": lambda puzzle, board: puzzle.write(board),
    "commas": lambda puzzle, board: ",".join(map(str, board)),
    "commas and spaces": lambda puzzle, board: ", ".join(map(str, board)),
    "semicolons": lambda puzzle, board: " ; ".join(map(str, board)),
    "tabs": lambda puzzle, board: "\t".join(map(str, board)),
    "a line a row": lambda puzzle, board: "\n".join(" ".join(map(str, row)) for row in rows(puzzle, board)),
    "windows lines": lambda puzzle, board: "\r\n".join(" ".join(map(str, row)) for row in rows(puzzle, board)) + "\r\n",
    "a list": lambda puzzle, board: str(board.tolist()),
    "a nested list": lambda puzzle, board: str(rows(puzzle, board)),
    "a nested tuple": lambda puzzle, board: str(tuple(map(tuple, rows(puzzle, board)))),
    "as NumPy prints it": lambda puzzle, board: str(board.reshape(puzzle.rows, puzzle.columns)),
    "one row as NumPy prints it": lambda puzzle, board: str(board),
    "aligned": lambda puzzle, board: "  ".join(f"{tile:>3}" for tile in board),
    "leading zeros": lambda puzzle, board: " ".join(f"{tile:02}" for tile in board),
    "much space": lambda puzzle, board: "\n\n  " + "   ".join(map(str, board)) + "  \n",
}


def rows(puzzle: Tiles, board: np.ndarray) -> list[list[int]]:
    return board.reshape(puzzle.rows, puzzle.columns).tolist()


@pytest.mark.parametrize("notation", NOTATIONS.values(), ids=NOTATIONS)
@given(board=boards())
def test_every_notation_is_read(notation, board) -> None:
    puzzle, state = board
    assert np.array_equal(puzzle.read(notation(puzzle, state)).state, state)


@pytest.mark.parametrize("digits", ["0123456789abcdef", "0123456789ABCDEF"])
@given(board=boards(SMALL))
def test_up_to_16_cells_a_digit_a_cell_is_enough(digits: str, board) -> None:
    puzzle, state = board
    assert np.array_equal(puzzle.read("".join(digits[tile] for tile in state)).state, state)


MALFORMED = {
    "": "the board is empty; tiles-3x3 has 9 numbers, 0 for the blank",
    "[[]]": "the board is empty",
    "1 2 3 4 x 6 7 8 0": "place 5: 'x' is no number",
    "1 2 3 4 ½ 6 7 8 0": "place 5: '½' is no number",
    "1 2 3 4 ٥ 6 7 8 0": "place 5: '٥' is no number",
    "1 2 3 4 5 6 7 8 8": "place 9: tile 8 stands here and at place 8; 0 is missing",
    "0 0 0 0 0 0 0 0 0": "place 2: tile 0 stands here and at place 1; 1 is missing",
    "1 2 3 4 5 6 7 0": "8 numbers given; tiles-3x3 has 9, 0 for the blank",
    "5": "'5' has 1 digit",
    "1 2 3 4 -5 6 7 8 0": "place 5: there is no tile -5; tiles are 1 to 8, and 0 for the blank",
    "1 2 3 4 99999999999999999999 6 7 8 0": "place 5: there is no tile 99999999999999999999",
    "1 2 3 4 " + "9" * 500 + " 6 7 8 0": "place 5: there is no tile " + "9" * 40 + "...",
    "12345678": "'12345678' has 8 digits; tiles-3x3 has 9, 0 for the blank",
    "1234g6780": "place 5: 'g' is no digit",
    "1234\u06656780": "place 5: '\u0665' is no digit",
    "1 2 3 4 \x1b[31m5 6 7 8 0": "place 5: '?' is no number",
}


@pytest.mark.parametrize(("text", "words"), MALFORMED.items(), ids=[repr(text[:20]) for text in MALFORMED])
def test_what_is_no_board_is_told_the_place(text: str, words: str) -> None:
    with pytest.raises(BadBoard) as caught:
        load("tiles-3x3").read(text)
    assert str(caught.value).startswith(words)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()


def test_above_16_cells_one_word_is_no_board() -> None:
    with pytest.raises(BadBoard, match="is one word; tiles-5x5 has 25 numbers with spaces between them"):
        load("tiles-5x5").read("1234567890123456789012345")


@pytest.mark.parametrize("text", ["", "u", "UD", "UDLR", "X", " U", "0", "½", "U" * 10**6])
def test_what_is_no_move_is_named(text: str) -> None:
    with pytest.raises(BadBoard, match="is no move; moves are U, D, L and R, the way the tile slides") as caught:
        load("tiles-3x3").read_move(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("last", ["0", "144", "0144", "256", "1000", "2 0", ""])
def test_lines_of_large_boards_hold_numbers_of_three_digits(last: str) -> None:
    puzzle = load("tiles-12x12")
    text = f"{' '.join(map(str, range(1, 144)))} {last}"
    states, is_board = puzzle.view(Notation).read_lines(np.frombuffer(text.encode(), np.uint8)[None])
    assert is_board.tolist() == [last == "0"]
    if last == "0":
        assert np.array_equal(states, puzzle.goals())
        assert puzzle.view(Notation).write_lines(states).tobytes().decode() == text


# --- drawings ---


def test_a_board_is_drawn_as_text() -> None:
    assert load("tiles-3x3").draw(load("tiles-3x3").read("867254301").state) == "8 6 7\n2 5 4\n3 . 1"
    assert load("tiles-2x7").draw(np.roll(np.arange(14, dtype=np.uint8), 1)) == (
        "13  .  1  2  3  4  5\n 6  7  8  9 10 11 12"
    )


@given(board=boards())
def test_a_drawing_has_a_line_a_row_and_reads_back(board) -> None:
    puzzle, state = board
    lines = puzzle.draw(state).split("\n")
    assert len(lines) == puzzle.rows
    assert len({len(line) for line in lines}) == 1
    assert np.array_equal(puzzle.read(" ".join(lines).replace(".", "0")).state, state)


@given(board=boards())
def test_the_svg_shows_every_tile_in_its_cell(board) -> None:
    puzzle, state = board
    root = ET.fromstring(puzzle.view(Drawings).svg(state))
    width, height = (float(root.get(side)) for side in ("width", "height"))
    texts = [each for each in root.iter() if each.tag.endswith("text")]
    shown = {}
    for each in texts:
        column = int(float(each.get("x")) / width * puzzle.columns)
        row = int(float(each.get("y")) / height * puzzle.rows)
        shown[row * puzzle.columns + column] = int(each.text)
    assert shown == {cell: tile for cell, tile in enumerate(state.tolist()) if tile}
    assert root.get("aria-label") == puzzle.write(state)


def test_tiles_at_home_look_different() -> None:
    puzzle = load("tiles-3x3")
    at_home = puzzle.view(Drawings).svg(puzzle.goals()[0]).count("#3b6ea8")
    away = puzzle.view(Drawings).svg(puzzle.read("8 1 2 3 4 5 6 7 0").state).count("#3b6ea8")
    assert (at_home, away) == (8, 0)
