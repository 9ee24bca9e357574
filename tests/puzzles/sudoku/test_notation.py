"""Boards as text: every notation is read, whatever is no board is told where, files give their boards."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab.core.errors import BadBoard
from puzzlelab.core.registry import load
from puzzlelab.puzzles.sudoku import notation, presentation
from puzzlelab.puzzles.sudoku.rules import Sudoku
from puzzlelab.text.reader import guess, splitter_of

NAMES = (
    *("sudoku-4x4", "sudoku-6x6", "sudoku-6x6:boxes=3x2", "sudoku-8x8", "sudoku-9x9", "sudoku-10x10:boxes=5x2"),
    *("sudoku-12x12", "sudoku-15x15", "sudoku-16x16", "sudoku-20x20", "sudoku-25x25"),
)
SYMBOLS = "123456789ABCDEFGHIJKLMNOP"
WIKIPEDIA = "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9"
SOLVED = "987654321246173985351928746128537694634892157795461832519286473472319568863745219"
DOCUMENT = """\
* ----- + ----- + ----- *
|       |       |       |
|       |     3 |   8 5 |
|     1 |   2   |       |
* ----- + ----- + ----- *
|       | 5   7 |       |
|     4 |       | 1     |
|   9   |       |       |
* ----- + ----- + ----- *
| 5     |       |   7 3 |
|     2 |   1   |       |
|       |   4   |     9 |
* ----- + ----- + ----- *
"""
"""As the document that asked for these solvers prints it."""


@st.composite
def boards(draw, names=NAMES):
    """A puzzle and one of its boards; the rules of the game are of no interest here."""
    puzzle = load(draw(st.sampled_from(names)))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.0, 0.02, 0.3, 0.8, 1.0]))
    digits = random.integers(1, puzzle.size + 1, puzzle.cells)
    return puzzle, np.where(random.random(puzzle.cells) < share, digits, 0).astype(np.uint8)


def written(board, blank="."):
    return "".join((blank + SYMBOLS)[value] for value in board)


def lines(puzzle, board, blank="."):
    text = written(board, blank)
    return [text[start : start + puzzle.size] for start in range(0, puzzle.cells, puzzle.size)]


def barred(puzzle, board, blank, between=" ", outer=True, ruler="-+-"):
    """A grid with bars; `between` stands between the cells and beside the bars."""
    width, height = puzzle.box_columns, puzzle.box_rows
    rows = []
    for number, line in enumerate(lines(puzzle, board, blank)):
        if number % height == 0 and (number or outer) and ruler:
            dashes = ruler[0] * (2 * width + 1 if between else width)
            rows.append(ruler[1].join([dashes] * height))
        parts = [between.join(line[start : start + width]) for start in range(0, puzzle.size, width)]
        parts = [f"{between}{part}{between}" for part in parts]
        rows.append(f"|{'|'.join(parts)}|" if outer else "|".join(parts))
    return "\n".join(rows)


def nested(puzzle, board):
    return board.reshape(puzzle.size, puzzle.size).tolist()


def aligned(puzzle, board, blank="0"):
    return "\n".join(" ".join(f"{value or blank:>2}" for value in row) for row in nested(puzzle, board))


NOTATIONS = {
    "canonical": lambda puzzle, board: puzzle.write(board),
    **{f"{sign} for blank": lambda puzzle, board, sign=sign: written(board, sign) for sign in ".0_*"},
    "small letters": lambda puzzle, board: written(board).lower(),
    "space around": lambda puzzle, board: f"\n\n  {written(board)}  \n",
    "a line a row": lambda puzzle, board: "\n".join(lines(puzzle, board, "0")),
    "windows lines": lambda puzzle, board: "\r\n".join(lines(puzzle, board, "*")) + "\r\n",
    "cells apart": lambda puzzle, board: " ".join(written(board, "_")),
    "cells and lines apart": lambda puzzle, board: "\n".join(" ".join(line) for line in lines(puzzle, board)),
    "commas": lambda puzzle, board: ",".join(written(board, "0")),
    "boxes and bands apart": lambda puzzle, board: "\n\n".join(
        "\n".join(
            "  ".join(line[i : i + puzzle.box_columns] for i in range(0, puzzle.size, puzzle.box_columns))
            for line in lines(puzzle, board)[start : start + puzzle.box_rows]
        )
        for start in range(0, puzzle.size, puzzle.box_rows)
    ),
    "a drawing": lambda puzzle, board: puzzle.draw(board),
    "a drawing with windows lines": lambda puzzle, board: puzzle.draw(board).replace("\n", "\r\n"),
    "bars and dots": lambda puzzle, board: barred(puzzle, board, "."),
    "bars and noughts": lambda puzzle, board: barred(puzzle, board, "0"),
    "bars and spaces": lambda puzzle, board: barred(puzzle, board, " "),
    "bars, and cells close together": lambda puzzle, board: barred(puzzle, board, ".", between=""),
    "bars, close together, no rulers": lambda puzzle, board: barred(puzzle, board, "*", between="", ruler=""),
    "no outer bars": lambda puzzle, board: barred(puzzle, board, ".", outer=False),
    "no outer bars, blanks are spaces": lambda puzzle, board: barred(puzzle, board, " ", outer=False),
    "rulers of equal signs": lambda puzzle, board: barred(puzzle, board, "_", ruler="=|="),
    "numbers": lambda puzzle, board: " ".join(str(value) for value in board),
    "numbers and dots": lambda puzzle, board: " ".join(str(value or ".") for value in board),
    "aligned numbers": aligned,
    "aligned numbers and underscores": lambda puzzle, board: aligned(puzzle, board, "_"),
    "a list": lambda puzzle, board: str(board.tolist()),
    "a nested list": lambda puzzle, board: str(nested(puzzle, board)),
    "a nested tuple": lambda puzzle, board: str(tuple(map(tuple, nested(puzzle, board)))),
    "as NumPy prints it": lambda puzzle, board: np.array2string(
        board.reshape(puzzle.size, -1), threshold=1000, max_line_width=200
    ),
    "semicolons": lambda puzzle, board: ";".join(str(value) for value in board),
    "tabs": lambda puzzle, board: "\t".join(str(value) for value in board),
    "more columns": lambda puzzle, board: f"{written(board)},17,hard,7.3",
    "more columns after a semicolon": lambda puzzle, board: f"{written(board)};id-5",
    "a count after a TAB": lambda puzzle, board: f"{written(board)}\t5",
}


# --- reading ---


@pytest.mark.parametrize("notation", NOTATIONS.values(), ids=NOTATIONS)
@settings(max_examples=8)
@given(board=boards())
def test_every_notation_is_read(notation, board) -> None:
    puzzle, state = board
    read = puzzle.read(notation(puzzle, state)).state
    assert read.dtype == np.uint8
    assert read.tolist() == state.tolist()


def test_the_documents_own_grid_is_read_and_drawn() -> None:
    puzzle = load("sudoku-9x9")
    assert puzzle.write(puzzle.read(DOCUMENT).state) == WIKIPEDIA
    assert puzzle.draw(puzzle.read(WIKIPEDIA).state) == DOCUMENT.rstrip("\n")
    assert puzzle.read("wikipedia") == puzzle.read(" Wikipedia\n") == puzzle.read(WIKIPEDIA)
    assert puzzle.solved(puzzle.read(SOLVED).state)


@pytest.mark.parametrize(("between", "more"), [(" ", ""), (",", ",23,easy"), (";", ""), ("\t", ""), (", ", ",23,easy")])
def test_a_solution_beside_the_puzzle_is_read(between, more) -> None:
    text = f"{WIKIPEDIA}{between}{SOLVED}{more}"
    puzzle, solution = notation.read_pair(text, 9, "sudoku-9x9")
    assert (notation.write(puzzle), notation.write(solution)) == (WIKIPEDIA, SOLVED)
    assert load("sudoku-9x9").write(load("sudoku-9x9").read(text).state) == WIKIPEDIA


@pytest.mark.parametrize("more", ["", " 17", ",17,1.5", f" {WIKIPEDIA}", " no", " " + SOLVED[:80]])
def test_where_nothing_is_a_solution_none_is_read(more) -> None:
    puzzle, solution = notation.read_pair(WIKIPEDIA + more, 9, "sudoku-9x9")
    assert (notation.write(puzzle), solution) == (WIKIPEDIA, None)


# --- what is no board ---

FOUR = {
    "": "the board is empty; sudoku-4x4 has 16 cells, one character each and . for blank",
    "1234": "4 cells given; sudoku-4x4 has 16",
    "[[]]": "0 cells given",
    "12341234123412y4": "character 15 (row 4, column 3): 'y' is no digit; sudoku-4x4 has 1 to 4, and . for blank",
    "5...............": "character 1 (row 1, column 1): '5' is no digit; sudoku-4x4 has 1 to 4, and . for blank",
    "...+............": "character 4 (row 1, column 4): '+' is no digit",
    "....½...........": "character 5 (row 2, column 1): '½' is no digit",
    "....\x00...........": "character 5 (row 2, column 1): '?' is no digit",
    "1 2 3 4 10 1 1 1 1 1 1 1 1 1 1 1": "character 5 (row 2, column 1): '10' is no number from 0 to 4",
    "1 2 3 4 1.0 1 1 1 1 1 1 1 1 1 1 1": "character 5 (row 2, column 1): '1.0' is no number",
    "1 2 3 4 " + "9" * 99 + " 1 1 1 1 1 1 1 1 1 1 1": "character 5 (row 2, column 1): '"
    + "9" * 40
    + "...' is no number",
    "1............... 2234341221434321": "character 1 (row 1, column 1): the solution beside the puzzle has another",
    "|12|34|\n|34|12|\n|21|43|": "12 cells given; sudoku-4x4 has 16",
    "|12|34|\n|34|123|\n|21|43|\n|43|21|": "row 2 of the grid: 8 signs; most rows have 7",
    "|12|34|\n|34|15|\n|21|43|\n|43|21|": "character 8 (row 2, column 4): '5' is no digit",
    "|": "0 cells given",
}


@pytest.mark.parametrize(("text", "words"), FOUR.items(), ids=[repr(text[:24]) for text in FOUR])
def test_what_is_no_board_is_told_the_place(text: str, words: str) -> None:
    with pytest.raises(BadBoard) as caught:
        load("sudoku-4x4").read(text)
    assert str(caught.value).startswith(words)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()


def test_larger_grids_are_told_their_letters() -> None:
    with pytest.raises(
        BadBoard, match="'H' is no digit; sudoku-16x16 has 1 to 9 and A to G, and . for blank"
    ) as caught:
        load("sudoku-16x16").read("." * 100 + "H" + "." * 154 + "1")
    assert caught.value.place == "character 101 (row 7, column 5)"
    with pytest.raises(BadBoard, match="'q' is no digit; sudoku-25x25 has 1 to 9 and A to P"):
        load("sudoku-25x25").read("q" + "." * 623 + "1")
    with pytest.raises(BadBoard, match="'17' is no number from 0 to 16"):
        load("sudoku-16x16").read("17 " * 256)


def test_the_largest_board_in_its_longest_notation_is_not_too_long() -> None:
    puzzle = load("sudoku-25x25")
    board = np.full(625, 25, np.uint8)
    for text in (str(nested(puzzle, board)), puzzle.draw(board), "\r\n".join(f"   {v}   " for v in board)):
        assert puzzle.read(text).state.tolist() == board.tolist()


# --- files ---


def found(puzzle, text):
    """(line, board as it is read) of each board in a file."""
    return [
        (each.line, puzzle.write(puzzle.read(each.text).state))
        for each in splitter_of(puzzle).split(text.splitlines(True))
    ]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("end", "between"), [("\n", ""), ("\r\n", "\n"), ("\n", "\n\n# the next one\n")])
def test_grids_with_bars_follow_each_other(name, end, between) -> None:
    puzzle, random = load(name), np.random.default_rng(5)
    states = random.integers(0, puzzle.size + 1, (3, puzzle.cells)).astype(np.uint8)
    text, starts = "", []
    for state in states:
        ruler = 0 if text and not between else 1
        starts.append(text.count("\n") + 2 if ruler or not text else 0)
        text += puzzle.draw(state) + "\n" + between
    got = found(puzzle, text.replace("\n", end))
    assert [board for _, board in got] == [puzzle.write(state) for state in states]
    assert got[0][0] == 2


def test_a_grid_begins_where_its_first_row_stands() -> None:
    puzzle = load("sudoku-9x9")
    grids = [
        barred(puzzle, puzzle.read(WIKIPEDIA).state, ".", outer=False, ruler=""),
        barred(puzzle, puzzle.read(SOLVED).state, ".", between=""),
    ]
    text = f"{grids[0]}\n{grids[1]}\n{WIKIPEDIA}\n{grids[0]}\n"
    assert found(puzzle, text) == [(1, WIKIPEDIA), (11, SOLVED), (22, WIKIPEDIA), (23, WIKIPEDIA)]


def test_a_grid_with_a_row_missing_is_no_board_and_harms_no_other() -> None:
    puzzle = load("sudoku-9x9")
    whole = barred(puzzle, puzzle.read(WIKIPEDIA).state, ".", ruler="")
    broken = "\n".join(whole.splitlines()[:8])
    got = list(splitter_of(puzzle).split(f"{broken}\n\n{whole}\n".splitlines(True)))
    assert [each.line for each in got] == [1, 10]
    with pytest.raises(BadBoard, match="72 cells given"):
        puzzle.read(got[0].text)
    assert puzzle.write(puzzle.read(got[1].text).state) == WIKIPEDIA
    got = list(splitter_of(puzzle).split(f"{broken}\n{WIKIPEDIA}\n".splitlines(True)))
    assert [(each.line, len(each.text.splitlines())) for each in got] == [(1, 8), (9, 1)]


# --- which grid a text is of ---


@pytest.mark.parametrize("name", [name for name in NAMES if "boxes" not in name])
def test_a_board_says_of_which_grid_it_is(name) -> None:
    puzzle, random = load(name), np.random.default_rng(3)
    digits = random.integers(1, puzzle.size + 1, puzzle.cells)
    state = np.where(random.random(puzzle.cells) < 0.4, digits, 0).astype(np.uint8)
    for text in (puzzle.write(state), puzzle.draw(state), f"{puzzle.write(state)},{written(digits)},5"):
        assert guess(text) == puzzle


@pytest.mark.parametrize(
    "text", ["", "x", "1 2 3 4 5 6 7 8 0", "12345678", "." * 80, SOLVED, "8 6 7 2 5 4 3 0 1", "|||"]
)
def test_what_is_no_board_with_blanks_is_of_no_grid(text) -> None:
    assert not isinstance(guess(text), Sudoku)


# --- writing and drawing ---


@given(board=boards())
def test_what_is_written_is_read(board) -> None:
    puzzle, state = board
    text = puzzle.write(state)
    assert text == written(state)
    assert puzzle.read(text).state.tolist() == state.tolist()
    assert notation.write(state, "0") == written(state, "0")


def test_boxes_of_another_shape_are_drawn_so() -> None:
    text = ".23456" * 6
    wide, high = load("sudoku-6x6"), load("sudoku-6x6:boxes=3x2")
    assert wide.draw(wide.read(text).state).splitlines()[:4] == [
        "* ----- + ----- *",
        "|   2 3 | 4 5 6 |",
        "|   2 3 | 4 5 6 |",
        "* ----- + ----- *",
    ]
    assert high.draw(high.read(text).state).splitlines()[:5] == [
        "* --- + --- + --- *",
        "|   2 | 3 4 | 5 6 |",
        "|   2 | 3 4 | 5 6 |",
        "|   2 | 3 4 | 5 6 |",
        "* --- + --- + --- *",
    ]


@settings(max_examples=30)
@given(board=boards())
def test_an_svg_has_a_text_for_each_digit_where_it_stands(board) -> None:
    puzzle, state = board
    image = ET.fromstring(presentation.svg(puzzle, state, cell=10))
    texts = [each for each in image if each.tag.endswith("text")]
    cells = [int(float(each.get("y")) // 10) * puzzle.size + int(float(each.get("x")) // 10) for each in texts]
    assert cells == np.flatnonzero(state).tolist()
    assert [each.text for each in texts] == [SYMBOLS[value - 1] for value in state[cells]]
    [thick] = [each for each in image if each.get("stroke-width") == "3"]
    lines = puzzle.box_rows + 1 + puzzle.box_columns + 1
    assert thick.get("d").count("M") == lines * puzzle.size
